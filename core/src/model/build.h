/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Making models: for the reader of model files and the built-in tables. */
#ifndef MODEL_BUILD_H
#define MODEL_BUILD_H

#include "model/model.h"

#define MODEL_DEFAULT_NAME "vmaf"

/* Makes an empty model. `name` NULL: "vmaf". `source`: the built-in's name or the file's path. */
int model_create(VmafModel **model, const char *name, const char *source);
void model_destroy(VmafModel *model); /* NULL is fine */

/* Merges `options` over those of every feature that the extractor provides. */
int model_overload(VmafModel *model, const char *extractor, const Dict *options);

/* Finds the numbers of the adm3 and the speed_chroma feature. Chroma correction needs exactly one
 * of each: otherwise -EINVAL. */
int model_chroma_features(const VmafModel *model, unsigned *luma, unsigned *chroma);

int collection_create(VmafModelCollection **collection, const char *name);
void collection_destroy(VmafModelCollection *collection); /* and its members; NULL is fine */
/* The name for the next member to be added; the caller frees it. NULL when out of memory. */
char *collection_member_name(const VmafModelCollection *collection);
/* Takes the member over on success. -EINVAL when its type differs from the other members'. */
int collection_add(VmafModelCollection *collection, VmafModel *member);

/* ---- model files (json.c) ---- */

/* These log what is wrong with the file. On failure they leave their results untouched. */
int model_read_file(VmafModel **model, const VmafModelConfig *cfg, const char *path);
int model_collection_read_file(VmafModel **model, VmafModelCollection **collection,
                               const VmafModelConfig *cfg, const char *path);
/* Reads a model or a collection; *collection is NULL for a single model. Errors of a file that is
 * neither are those of reading a model. */
int model_or_collection_read_file(VmafModel **model, VmafModelCollection **collection,
                                  const VmafModelConfig *cfg, const char *path);

#endif
