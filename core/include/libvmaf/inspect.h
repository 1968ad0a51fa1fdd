/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/**
 * What the library can do and what a context does: extractors with their options and metrics,
 * built-in models, the contents of a loaded model, and where each feature runs.
 *
 * Structs begin with their own size, which the caller sets before the call; a later library may know
 * more fields than the caller and then fills only those that fit. Lists are walked by index: the
 * first index past the end gives -ENOENT. Strings are the library's: constants where nothing else is
 * said.
 *
 *     VmafExtractorInfo info = { .size = sizeof(info) };
 *     for (unsigned i = 0; !vmaf_extractor_info(i, &info); i++)
 *         puts(info.name);
 *
 * All functions return 0; -EINVAL when an argument is NULL or a struct's size is not set; -ENOENT
 * for an index or a name that is not there. Those that take no context and no model may be called
 * by any thread at any time.
 */
#ifndef VMAF_INSPECT_H
#define VMAF_INSPECT_H

#include <stddef.h>
#include <stdint.h>

#include "libvmaf.h"
#include "macros.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A feature extractor: something that vmaf_use_feature() can register. */
typedef struct VmafExtractorInfo {
    size_t size;           /**< in: sizeof(VmafExtractorInfo) */
    const char *name;      /**< as vmaf_use_feature() takes it */
    const char *summary;   /**< one line on what it measures; may be empty */
    unsigned option_count; /**< see vmaf_extractor_option() */
    unsigned metric_count; /**< see vmaf_extractor_metric() */
    unsigned planes;       /**< bit p: it may read plane p of the pictures */
    int has_gpu_code;      /**< not 0: runs on a GPU when the context has one */
} VmafExtractorInfo;

/** The extractor with this index. */
VMAF_EXPORT int vmaf_extractor_info(unsigned index, VmafExtractorInfo *info);

/**
 * The index of the extractor that vmaf_use_feature() would register under this name; names that ask
 * for a backend (`vif_vulkan`) are found, too.
 */
VMAF_EXPORT int vmaf_extractor_find(const char *name, unsigned *index);

enum VmafOptionType {
    VMAF_OPTION_BOOL, /**< `true` or `false` */
    VMAF_OPTION_INT,
    VMAF_OPTION_DOUBLE,
    VMAF_OPTION_STRING
};

/** An option of an extractor, for vmaf_feature_dictionary_set(). */
typedef struct VmafOptionInfo {
    size_t size;            /**< in: sizeof(VmafOptionInfo) */
    const char *name;       /**< the key */
    const char *short_name; /**< how it shows in metric names; NULL: by its name */
    const char *help;       /**< one line; NULL: none */
    enum VmafOptionType type;
    double default_number;    /**< of all but strings; 0 and 1 for a bool */
    double min, max;          /**< of numbers, both included; the default may lie outside */
    const char *default_text; /**< of strings; NULL: none */
    int in_metric_names;      /**< not 0: metric names carry a value that is not the default */
} VmafOptionInfo;

/** The option with this index, of the extractor with that one. */
VMAF_EXPORT int vmaf_extractor_option(unsigned extractor, unsigned index, VmafOptionInfo *info);

/** A metric that an extractor makes, as it is named when all options have their defaults. */
typedef struct VmafMetricInfo {
    size_t size;            /**< in: sizeof(VmafMetricInfo) */
    const char *name;       /**< the name its scores are stored under */
    const char *short_name; /**< the name that reports print; often the same */
    const char *help;       /**< one line; NULL: none */
} VmafMetricInfo;

/** The metric with this index, of the extractor with that one. */
VMAF_EXPORT int vmaf_extractor_metric(unsigned extractor, unsigned index, VmafMetricInfo *info);

/** A model that is built into the library. */
typedef struct VmafBuiltinModelInfo {
    size_t size;         /**< in: sizeof(VmafBuiltinModelInfo) */
    const char *name;    /**< for vmaf_model_load() or vmaf_model_collection_load() */
    const char *summary; /**< one line on what it is for */
    int is_collection;   /**< not 0: vmaf_model_collection_load() loads it */
} VmafBuiltinModelInfo;

/** The built-in model with this index, in the order of vmaf_model_version_next(). */
VMAF_EXPORT int vmaf_builtin_model_info(unsigned index, VmafBuiltinModelInfo *info);

/** A loaded model. The strings live as long as the model. */
typedef struct VmafModelInfo {
    size_t size;            /**< in: sizeof(VmafModelInfo) */
    const char *name;       /**< what its scores are stored under */
    const char *source;     /**< the built-in's name, or the path of the file */
    unsigned feature_count; /**< see vmaf_model_feature() */
    int transformed; /**< not 0: its scores go through its transform, such as the one for phones */
} VmafModelInfo;

VMAF_EXPORT int vmaf_model_info(const VmafModel *model, VmafModelInfo *info);

/** One of the features that a model predicts from. */
typedef struct VmafModelFeatureInfo {
    size_t size;           /**< in: sizeof(VmafModelFeatureInfo) */
    const char *metric;    /**< its name in the model; lives as long as the model */
    const char *extractor; /**< the one that makes it; NULL: this library has none */
    unsigned option_count; /**< see vmaf_model_feature_option() */
} VmafModelFeatureInfo;

VMAF_EXPORT int vmaf_model_feature(const VmafModel *model, unsigned index,
                                   VmafModelFeatureInfo *info);

/**
 * An option that the model, or an overload, sets for one of its features. Both strings live until
 * the next overload or the end of the model.
 */
VMAF_EXPORT int vmaf_model_feature_option(const VmafModel *model, unsigned feature, unsigned index,
                                          const char **name, const char **value);

/** A feature that is registered with a context. The strings live as long as the context. */
typedef struct VmafFeatureInfo {
    size_t size;           /**< in: sizeof(VmafFeatureInfo) */
    const char *extractor; /**< without a backend's name */
    const char *backend;   /**< where it runs: `cpu`, `vulkan` and so on */
    const char *device;    /**< as its driver calls it; NULL for the CPU */

    /** Of the CPU's vector code, such as `AVX2`, or `scalar`; NULL on a device. */
    const char *instruction_set;
    unsigned passes;   /**< on a device: kernels that a frame takes; 0 for the CPU, as all below */
    uint64_t frames;   /**< measured on the device so far */
    uint64_t launches; /**< of kernels: frames * passes, once nothing is under way */
    uint64_t frames_on_cpu; /**< of `frames`, measured once more on the CPU to settle a last bit */
    double device_us; /**< microseconds that its kernels take in a frame, by the device's clock,
                             *   mean of the frames that were timed: the first, and few after it.
                             *   0: the device has no clock */
} VmafFeatureInfo;

/**
 * The feature that was registered as number `index`, models' features included. Features find
 * their places when the first pair is read: until then all are on the CPU. To be called by the
 * thread that drives the context.
 */
VMAF_EXPORT int vmaf_feature_info(const VmafContext *vmaf, unsigned index, VmafFeatureInfo *info);

/**
 * A metric that the feature registered as number `feature` can make, under the name that its options give
 * it; which of them it does make its options say. The strings live as long as the context.
 */
VMAF_EXPORT int vmaf_feature_metric(const VmafContext *vmaf, unsigned feature, unsigned index,
                                    VmafMetricInfo *info);

/**
 * The score of a frame by a model, as vmaf_score_at_index() gives it, if all that it is made of is there
 * by now: for showing how a run goes. It does not wait, and reports are the same with or without
 * such calls.
 *
 * @return 0; -EAGAIN when it is not there yet; -EINVAL when an argument is NULL or others write under
 *         the model's name (logged); -ENOMEM
 */
VMAF_EXPORT int vmaf_score_if_ready(VmafContext *vmaf, VmafModel *model, unsigned index,
                                    double *score);

#ifdef __cplusplus
}
#endif

#endif
