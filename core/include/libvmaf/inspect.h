/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/**
 * Lists of extractors with their options and metrics, of built-in models, of the contents of a
 * loaded model, and of where each feature of a context runs.
 *
 * Structs begin with their own size, which the caller sets before the call; a later library may
 * know more fields than the caller and then fills only those that fit. Lists are read by index: the
 * first index past the end returns -ENOENT. The library owns all strings; they are constants unless
 * stated otherwise.
 *
 *     VmafExtractorInfo info = { .size = sizeof(info) };
 *     for (unsigned i = 0; !vmaf_extractor_info(i, &info); i++)
 *         puts(info.name);
 *
 * All functions return 0; -EINVAL when an argument is NULL or a struct's size is not set; -ENOENT
 * for an unknown index or name. Any thread may call those that take no context and no model, at any
 * time.
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

/** A feature extractor that vmaf_use_feature() can register. */
typedef struct VmafExtractorInfo {
    size_t size;           /**< in: sizeof(VmafExtractorInfo) */
    const char *name;      /**< as vmaf_use_feature() takes it */
    const char *summary;   /**< the measure in one line; may be empty */
    unsigned option_count; /**< see vmaf_extractor_option() */
    unsigned metric_count; /**< see vmaf_extractor_metric() */
    unsigned planes;       /**< bit p: it may read plane p of the pictures */
    int has_gpu_code;      /**< not 0: runs on a GPU when the context has one */
    int has_map;           /**< not 0: vmaf_map_create() measures maps of it */
} VmafExtractorInfo;

/** The extractor with this index. */
VMAF_EXPORT int vmaf_extractor_info(unsigned index, VmafExtractorInfo *info);

/**
 * The index of the extractor that vmaf_use_feature() would register under this name; names that ask
 * for a backend (`vif_vulkan`) work, too.
 */
VMAF_EXPORT int vmaf_extractor_find(const char *name, unsigned *index);

/**
 * Returns this library's name of the extractor that other programs call `name` (`ssimu2`,
 * `ms_ssim`), for use in messages. Upper and lower case count as the same, and so do hyphens and
 * underscores. The library owns the string. NULL: there is no such extractor.
 */
VMAF_EXPORT const char *vmaf_extractor_elsewhere(const char *name);

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
    const char *short_name; /**< its form in metric names; NULL: `name` */
    const char *help;       /**< one line; NULL: none */
    enum VmafOptionType type;
    double default_number;    /**< for all types but strings; 0 or 1 for a bool */
    double min, max;          /**< for numbers, both included; the default may lie outside */
    const char *default_text; /**< for strings; NULL: none */
    int in_metric_names;      /**< not 0: a value other than the default shows in metric names */
} VmafOptionInfo;

/** Option number `index` of an extractor. */
VMAF_EXPORT int vmaf_extractor_option(unsigned extractor, unsigned index, VmafOptionInfo *info);

/** A metric of an extractor, with its name when all options have their defaults. */
typedef struct VmafMetricInfo {
    size_t size;            /**< in: sizeof(VmafMetricInfo) */
    const char *name;       /**< the name its scores are stored under */
    const char *short_name; /**< the name that reports print; often the same */
    const char *help;       /**< one line; NULL: none */
} VmafMetricInfo;

/** Metric number `index` of an extractor. */
VMAF_EXPORT int vmaf_extractor_metric(unsigned extractor, unsigned index, VmafMetricInfo *info);

/** A model that is built into the library. */
typedef struct VmafBuiltinModelInfo {
    size_t size;         /**< in: sizeof(VmafBuiltinModelInfo) */
    const char *name;    /**< for vmaf_model_load() or vmaf_model_collection_load() */
    const char *summary; /**< its use in one line */
    int is_collection;   /**< not 0: vmaf_model_collection_load() loads it */
} VmafBuiltinModelInfo;

/** The built-in model with this index, in the order of vmaf_model_version_next(). */
VMAF_EXPORT int vmaf_builtin_model_info(unsigned index, VmafBuiltinModelInfo *info);

/** A loaded model. The strings live as long as the model. */
typedef struct VmafModelInfo {
    size_t size;            /**< in: sizeof(VmafModelInfo) */
    const char *name;       /**< the metric its scores are stored under */
    const char *source;     /**< the built-in's name, or the path of the file */
    unsigned feature_count; /**< see vmaf_model_feature() */
    int transformed; /**< not 0: its scores go through its transform, such as the one for phones */
    int has_target;  /**< not 0: pictures are converted to `target` before they are measured */
    VmafPictureConvertTarget target; /**< format unknown or depth 0: each picture keeps its own */
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
    const char *backend;   /**< the backend it runs on: `cpu`, `vulkan` and so on */
    const char *device;    /**< the driver's name for the device; NULL for the CPU */

    /** The instruction set of the CPU's code, such as `AVX2`, or `scalar`; NULL on a device. */
    const char *instruction_set;
    unsigned passes; /**< on a device: kernels that a frame takes; 0 on the CPU, as the next four */
    uint64_t frames; /**< frames measured on the device so far */
    uint64_t launches;      /**< kernels started: frames * passes, once all work is done */
    uint64_t frames_on_cpu; /**< frames measured again on the CPU to settle a last bit */
    double device_us; /**< microseconds that its kernels take in a frame, by the device's clock,
                             *   mean of the frames that were timed: the first, and few after it.
                             *   0: the device has no clock */

    /**
     * The device's type: `discrete`, `integrated`, `virtual`, `other`, or `cpu` for software in
     * place of a GPU. If frames were spread over several devices: `cpu` if one of them is software,
     * else `mixed` if their types differ. NULL for the CPU.
     */
    const char *device_type;
    const char *device_uuid; /**< comma-separated if there are several devices; NULL: unknown */
    const char *device_pci;  /**< the address on the bus, in the same way; NULL: unknown */
    int device_index;        /**< in the backend's list; -1: unknown, several devices, or the CPU */
} VmafFeatureInfo;

/**
 * The feature that was registered as number `index`; features of models count. Features are
 * assigned to devices when the first pair is read: until then all are on the CPU. Called by the
 * thread that drives the context.
 */
VMAF_EXPORT int vmaf_feature_info(const VmafContext *vmaf, unsigned index, VmafFeatureInfo *info);

/**
 * A metric that the feature registered as number `feature` can have, under the name that its
 * options give it. Its options also decide which of these metrics it really computes. The strings
 * live as long as the context.
 */
VMAF_EXPORT int vmaf_feature_metric(const VmafContext *vmaf, unsigned feature, unsigned index,
                                    VmafMetricInfo *info);

/**
 * A figure about the whole clip, which an extractor gives when the clip ends. Reports list these
 * figures under `aggregate_metrics`: `axpsnr_y`, `apsnr_y`. There is none before
 * vmaf_read_pictures() was called to flush the context. The name lives as long as the context.
 *
 * @param index from 0
 * @return 0; -ENOENT past the last figure; -EINVAL when a pointer is NULL
 */
VMAF_EXPORT int vmaf_aggregate_metric(VmafContext *vmaf, unsigned index, const char **name,
                                      double *value);

/**
 * The model's score of a frame, as from vmaf_score_at_index(), if all its features are known by
 * now: for showing the progress of a run. It does not wait, and reports do not depend on such
 * calls.
 *
 * @return 0; -EAGAIN when a feature is not known yet; -EINVAL when an argument is NULL or the
 *         model's name is taken (logged); -ENOMEM
 */
VMAF_EXPORT int vmaf_score_if_ready(VmafContext *vmaf, VmafModel *model, unsigned index,
                                    double *score);

/**
 * Does the same for a collection of models, as from vmaf_score_at_index_model_collection().
 *
 * @return as vmaf_score_if_ready()
 */
VMAF_EXPORT int vmaf_collection_score_if_ready(VmafContext *vmaf, VmafModelCollection *collection,
                                               unsigned index, VmafModelCollectionScore *score);

/**
 * Drops all scores of indices below `before`, so that scoring a stream without end takes the memory
 * of a few frames. They cannot be asked for any more, reports leave them out, and pooling over them
 * fails. Scores of such an index that come later are ignored: leave a margin of a few frames behind
 * the last one whose scores are all there. Called by the thread that drives the context.
 *
 * @return 0; -EINVAL when the context is NULL
 */
VMAF_EXPORT int vmaf_forget_scores(VmafContext *vmaf, unsigned before);

#ifdef __cplusplus
}
#endif

#endif
