/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Making models: shared by the reader of files and the built-in tables. */
#ifndef MODEL_BUILD_H
#define MODEL_BUILD_H

#include "model/model.h"

#define MODEL_DEFAULT_NAME "vmaf"

/* An empty one. `name` NULL: vmaf; `source`: the built-in's name or the file's path. */
int model_create(VmafModel **model, const char *name, const char *source);
void model_destroy(VmafModel *model); /* NULL is fine */

/* Merges `options` over those of every feature that the extractor provides. */
int model_overload(VmafModel *model, const char *extractor, const Dict *options);

/* Chroma correction needs exactly one adm3 and one speed_chroma feature: their places. */
int model_chroma_features(const VmafModel *model, unsigned *luma, unsigned *chroma);

int collection_create(VmafModelCollection **collection, const char *name);
void collection_destroy(VmafModelCollection *collection); /* and its members; NULL is fine */
/* The name of the member that is added next; the caller frees it. NULL when out of memory. */
char *collection_member_name(const VmafModelCollection *collection);
/* Takes the member over on success. -EINVAL when its type is not that of the others. */
int collection_add(VmafModelCollection *collection, VmafModel *member);

#endif
