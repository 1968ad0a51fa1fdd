/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The built-in models: constant tables that gen_builtin.py writes from the files in model/. Loading
 * a model copies its names and options but not its support vectors. */
#ifndef MODEL_BUILTIN_H
#define MODEL_BUILTIN_H

#include "model/model.h"

typedef struct BuiltinFeature {
    const char *name;
    double slope, intercept;
    const char *const *options; /* key, value, key, value, ..., NULL; or NULL */
} BuiltinFeature;

typedef struct BuiltinTable {
    BuiltinModel about;
    enum ModelType type;
    enum ModelNorm norm;
    double slope, intercept;
    const BuiltinFeature *features;
    unsigned feature_count;
    bool clip_on;
    double clip_min, clip_max;
    Transform transform;
    bool chroma_on;
    double chroma;
    const Svr *const *svrs; /* the main model's, then those of the members of a collection */
    unsigned svr_count;
} BuiltinTable;

extern const BuiltinTable builtin_tables[];
extern const unsigned builtin_table_count;

/* NULL when there is no such model. */
const BuiltinTable *builtin_find(const char *name);

int builtin_load(VmafModel **model, const VmafModelConfig *cfg, const BuiltinTable *table);
int builtin_load_collection(VmafModel **model, VmafModelCollection **collection,
                            const VmafModelConfig *cfg, const BuiltinTable *table);

#endif
