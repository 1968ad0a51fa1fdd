/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_MODEL_H
#define VMAF_MODEL_H

#include <stdint.h>

#include "feature.h"
#include "macros.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A model turns the features of a frame into one score. It may serve several contexts, and may be
 * destroyed before them. Predicting is thread-safe; loading, overloading and destroying are not.
 */
typedef struct VmafModel VmafModel;

/** Models of one kind, trained on resampled data: their spread tells how sure a score is. */
typedef struct VmafModelCollection VmafModelCollection;

enum VmafModelFlags {
    VMAF_MODEL_FLAGS_DEFAULT = 0,
    VMAF_MODEL_FLAG_DISABLE_CLIP = (1 << 0),     /**< scores may leave the model's range */
    VMAF_MODEL_FLAG_ENABLE_TRANSFORM = (1 << 1), /**< use a transform that the model leaves off */
    VMAF_MODEL_FLAG_DISABLE_TRANSFORM = (1 << 2) /**< accepted; without effect */
};

typedef struct VmafModelConfig {
    /** What its scores are stored under; copied; NULL means `vmaf`. It must be able to be an attribute of
     *  an XML report: a letter or underscore, then letters, digits, '_', '-' and '.'; `frameNum`, `Frame`
     *  and what begins with `xml` are taken. Loading refuses other names with -EINVAL. */
    const char *name;
    uint64_t flags; /**< enum VmafModelFlags, or-ed */
} VmafModelConfig;

enum VmafModelCollectionScoreType {
    VMAF_MODEL_COLLECTION_SCORE_UNKNOWN = 0,
    VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP
};

typedef struct VmafModelCollectionScore {
    enum VmafModelCollectionScoreType type;
    struct {
        double bagging_score; /**< mean of the members */
        double stddev;
        struct {
            struct {
                double lo;
                double hi;
            } p95; /**< 95 % confidence interval */
        } ci;
    } bootstrap;
} VmafModelCollectionScore;

/**
 * Loads a model that is built into the library, by its name (`vmaf_v0.6.1`; see
 * vmaf_model_version_next() for all of them). The caller frees it with vmaf_model_destroy().
 *
 * @return 0; -EINVAL when an argument is NULL, there is no such model (logged) or it is a
 * collection; -ENOMEM. On failure *model is left as it was.
 */
VMAF_EXPORT int vmaf_model_load(VmafModel **model, VmafModelConfig *cfg, const char *version);

/** The same from a JSON file. -EINVAL, too, when the file is missing or is no model (logged). */
VMAF_EXPORT int vmaf_model_load_from_path(VmafModel **model, VmafModelConfig *cfg,
                                          const char *path);

/**
 * Sets options for those of the model's features that the named extractor provides; they win over
 * the model's own. To be called before vmaf_use_features_from_model(). A name that no feature of
 * the model has is not an error.
 *
 * @param opts_dict consumed on success, also when nothing matched
 * @return 0; -EINVAL when an argument is NULL; -ENOMEM
 */
VMAF_EXPORT int vmaf_model_feature_overload(VmafModel *model, const char *feature_name,
                                            VmafFeatureDictionary *opts_dict);

/** Frees a model; NULL is fine. Contexts that use it need not be closed first. */
VMAF_EXPORT void vmaf_model_destroy(VmafModel *model);

/**
 * Loads a built-in collection (`vmaf_b_v0.6.3`). Its first model, trained on all data, becomes
 * *model and is scored like any other; the others become the collection. With the name N in `cfg`
 * the members' scores are stored under N_0001, N_0002 and so on, and the figures under N_bagging,
 * N_stddev, N_ci_p95_lo and N_ci_p95_hi. Both objects are the caller's.
 *
 * @return 0; -EINVAL when an argument is NULL or there is no such collection; -ENOMEM
 */
VMAF_EXPORT int vmaf_model_collection_load(VmafModel **model,
                                           VmafModelCollection **model_collection,
                                           VmafModelConfig *cfg, const char *version);

/** The same from a JSON file. */
VMAF_EXPORT int vmaf_model_collection_load_from_path(VmafModel **model,
                                                     VmafModelCollection **model_collection,
                                                     VmafModelConfig *cfg, const char *path);

/**
 * Loads whichever of the two a JSON file holds, reading it once. *model_collection becomes NULL for
 * a model on its own. An error is logged as vmaf_model_load_from_path() does.
 */
VMAF_EXPORT int vmaf_model_or_collection_load_from_path(VmafModel **model,
                                                        VmafModelCollection **model_collection,
                                                        VmafModelConfig *cfg, const char *path);

/** vmaf_model_feature_overload() for the model and every member; consumes `opts_dict` on success.
 */
VMAF_EXPORT int vmaf_model_collection_feature_overload(VmafModel *model,
                                                       VmafModelCollection **model_collection,
                                                       const char *feature_name,
                                                       VmafFeatureDictionary *opts_dict);

/** Frees a collection with its members, not the model that came with it; NULL is fine. */
VMAF_EXPORT void vmaf_model_collection_destroy(VmafModelCollection *model_collection);

/**
 * Walks the names of the built-in models, collections among them.
 *
 * @param prev NULL to begin, then what the last call returned
 * @param version set to the next name, a string of the library's; may be NULL
 * @return NULL after the last one, with *version as it was
 */
VMAF_EXPORT const void *vmaf_model_version_next(const void *prev, const char **version);

#ifdef __cplusplus
}
#endif

#endif
