/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Model files. */
#ifndef MODEL_JSON_H
#define MODEL_JSON_H

#include "model/model.h"

/* Both log what is wrong with the file and leave their results untouched on failure. */
int model_read_file(VmafModel **model, const VmafModelConfig *cfg, const char *path);
int model_collection_read_file(VmafModel **model, VmafModelCollection **collection,
                               const VmafModelConfig *cfg, const char *path);

#endif
