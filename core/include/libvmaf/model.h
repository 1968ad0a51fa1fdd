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

/** Models of one kind, trained on resampled data: their spread is a measure of a score's
 * uncertainty. */
typedef struct VmafModelCollection VmafModelCollection;

enum VmafModelFlags {
    VMAF_MODEL_FLAGS_DEFAULT = 0,
    VMAF_MODEL_FLAG_DISABLE_CLIP = (1 << 0),     /**< scores may leave the model's range */
    VMAF_MODEL_FLAG_ENABLE_TRANSFORM = (1 << 1), /**< use a transform that the model leaves off */
    VMAF_MODEL_FLAG_DISABLE_TRANSFORM = (1 << 2) /**< accepted; without effect */
};

typedef struct VmafModelConfig {
    /** The metric its scores are stored under; copied; NULL means `vmaf`. It must be a valid
     * attribute of an XML report: a letter or underscore, then letters, digits, '_', '-' and '.',
     * but not `frameNum`, `Frame` or a name that begins with `xml`. Loading refuses other names
     * with -EINVAL. */
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

/** Loads a model from a JSON file. Also -EINVAL when the file is missing or not a model
 * (logged). */
VMAF_EXPORT int vmaf_model_load_from_path(VmafModel **model, VmafModelConfig *cfg,
                                          const char *path);

/**
 * Sets options for the model's features that the named extractor provides; they replace the model's
 * own. Call it before vmaf_use_features_from_model(). A name that fits no feature of the model is
 * not an error.
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
 * N_stddev, N_ci_p95_lo and N_ci_p95_hi. The caller owns both objects.
 *
 * @return 0; -EINVAL when an argument is NULL or there is no such collection; -ENOMEM
 */
VMAF_EXPORT int vmaf_model_collection_load(VmafModel **model,
                                           VmafModelCollection **model_collection,
                                           VmafModelConfig *cfg, const char *version);

/** Loads a collection from a JSON file. */
VMAF_EXPORT int vmaf_model_collection_load_from_path(VmafModel **model,
                                                     VmafModelCollection **model_collection,
                                                     VmafModelConfig *cfg, const char *path);

/**
 * Loads a model or a collection from a JSON file, which is read once. *model_collection becomes
 * NULL for a single model. Errors are logged as by vmaf_model_load_from_path().
 */
VMAF_EXPORT int vmaf_model_or_collection_load_from_path(VmafModel **model,
                                                        VmafModelCollection **model_collection,
                                                        VmafModelConfig *cfg, const char *path);

/** vmaf_model_feature_overload() for the model and every member; consumes `opts_dict` on
 * success. */
VMAF_EXPORT int vmaf_model_collection_feature_overload(VmafModel *model,
                                                       VmafModelCollection **model_collection,
                                                       const char *feature_name,
                                                       VmafFeatureDictionary *opts_dict);

/** Frees a collection and its members, but not the model loaded with it; NULL is fine. */
VMAF_EXPORT void vmaf_model_collection_destroy(VmafModelCollection *model_collection);

/**
 * Lists the names of the built-in models and collections.
 *
 * @param prev NULL to begin, then the result of the last call
 * @param version set to the next name, which the library owns; may be NULL
 * @return NULL after the last one, with *version unchanged
 */
VMAF_EXPORT const void *vmaf_model_version_next(const void *prev, const char **version);

#ifdef __cplusplus
}
#endif

#endif
