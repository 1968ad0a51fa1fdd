/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Model files. */
#ifndef MODEL_JSON_H
#define MODEL_JSON_H

#include "model/model.h"

/* They log what is wrong with the file and leave their results untouched on failure. */
int model_read_file(VmafModel **model, const VmafModelConfig *cfg, const char *path);
int model_collection_read_file(VmafModel **model, VmafModelCollection **collection,
                               const VmafModelConfig *cfg, const char *path);
/* Whichever of the two the file holds; *collection is NULL for a model on its own. What is wrong
 * with a file that is neither is told as if it were meant for one model. */
int model_or_collection_read_file(VmafModel **model, VmafModelCollection **collection,
                                  const VmafModelConfig *cfg, const char *path);

#endif
