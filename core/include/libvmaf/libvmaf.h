/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/**
 * libvmaf: scores the quality of a distorted video against its reference.
 *
 *     vmaf_init, load models, vmaf_use_features_from_model and vmaf_use_feature,
 *     vmaf_read_pictures for each pair of pictures, vmaf_read_pictures(NULL, NULL) to flush,
 *     vmaf_score_pooled and friends, vmaf_write_output, vmaf_close.
 *
 * Functions return 0 or a negative errno: -EINVAL for invalid arguments and calls, -ENOMEM when
 * memory ran out, others where they are named. Errors are logged on stderr if the log level allows.
 * The library prints nothing else and never ends the process.
 *
 * One thread at a time drives a context, not always the same one. Any thread may ask for scores or
 * import them at any time. Contexts are independent of each other except for the log level, which
 * applies to the process.
 */
#ifndef VMAF_H
#define VMAF_H

#include <stdint.h>
#include <stdio.h>

#include "feature.h"
#include "macros.h"
#include "model.h"
#include "picture.h"

#ifdef __cplusplus
extern "C" {
#endif

enum VmafLogLevel {
    VMAF_LOG_LEVEL_NONE = 0,
    VMAF_LOG_LEVEL_ERROR,
    VMAF_LOG_LEVEL_WARNING,
    VMAF_LOG_LEVEL_INFO,
    VMAF_LOG_LEVEL_DEBUG
};

enum VmafOutputFormat {
    VMAF_OUTPUT_FORMAT_NONE = 0,
    VMAF_OUTPUT_FORMAT_XML,
    VMAF_OUTPUT_FORMAT_JSON,
    VMAF_OUTPUT_FORMAT_CSV,
    VMAF_OUTPUT_FORMAT_SUB /**< MicroDVD subtitles */
};

enum VmafPoolingMethod {
    VMAF_POOL_METHOD_UNKNOWN = 0,
    VMAF_POOL_METHOD_MIN,
    VMAF_POOL_METHOD_MAX,
    VMAF_POOL_METHOD_MEAN,
    VMAF_POOL_METHOD_HARMONIC_MEAN, /**< harmonic mean of the scores plus one, less one */
    VMAF_POOL_METHOD_NB
};

/** Settings of a context. All zero is valid: silent, without threads, every frame. */
typedef struct VmafConfiguration {
    enum VmafLogLevel log_level; /**< for the whole process: the last vmaf_init() sets it */
    unsigned n_threads;          /**< workers; 0: all work is done inside vmaf_read_pictures() */
    unsigned n_subsample;        /**< N > 1: score only frames whose index is a multiple of N */
    uint64_t cpumask; /**< instruction sets not to use: 1 SSE2 or NEON, 2 SSSE3, 4 SSE4.1, 8 AVX2,
                           16 AVX-512, 32 AVX-512 of Ice Lake. Scores do not depend on it. */
    /** Not 0: an imported GPU is not used. Importing one fails with -EINVAL if it was opened with
     * VmafDeviceOptions.required. */
    uint64_t gpumask;
} VmafConfiguration;

typedef struct VmafContext VmafContext;

typedef struct VmafPictureConfiguration {
    struct {
        unsigned w, h;
        unsigned bpc;
        enum VmafPixelFormat pix_fmt;
    } pic_params; /**< as for vmaf_picture_alloc() */
    unsigned pic_cnt;
} VmafPictureConfiguration;

/**
 * Opens a context. The caller closes it with vmaf_close().
 *
 * VMAF_BACKEND=NAME[:DEVICE] in the environment gives it a GPU, unless the program does (device.h).
 * That GPU is opened when it is first needed; if that fails, the call that needed it fails.
 *
 * @return 0; -EINVAL when `vmaf` is NULL; -ENOMEM, also when threads cannot be started
 */
VMAF_EXPORT int vmaf_init(VmafContext **vmaf, VmafConfiguration cfg);

/**
 * Lets the worker threads of `other` do this context's work, too, instead of threads of its own:
 * several contexts that are fed side by side, such as the encodes of one source, then need no more
 * threads than one. The threads live until the last of these contexts is closed. A metadata handler
 * of one of them must not wait for another context. Call it before the first pair.
 *
 * @return 0; -EINVAL when a context is NULL or this one has read pictures
 */
VMAF_EXPORT int vmaf_share_threads(VmafContext *vmaf, VmafContext *other);

/**
 * Registers the feature extractors that the model needs, with the model's options. Extractors that
 * are registered already are shared. The caller keeps the model and may destroy it at any time.
 *
 * @return 0; -EINVAL when an argument is NULL, no extractor provides a feature, an option is bad,
 *         or the model has the name of another model, of imported scores or of a feature's metric
 *         (its long name or the short one that reports print); -ENOMEM
 */
VMAF_EXPORT int vmaf_use_features_from_model(VmafContext *vmaf, VmafModel *model);

/** Does the same for each member of a collection (but not for the model loaded with it). */
VMAF_EXPORT int vmaf_use_features_from_model_collection(VmafContext *vmaf,
                                                        VmafModelCollection *model_collection);

/**
 * Registers a feature extractor by name (`psnr`, `vif`, `cambi`), from the next pair of pictures
 * on. Its scores are stored under names that show the options that change them:
 * `integer_adm2_egl_1`. Registering the same names again does nothing and succeeds; options that
 * the names do not show keep their first values. Options that the extractor does not know are
 * logged and ignored.
 *
 * @param opts_dict options; NULL for none. Consumed on success; on failure the caller keeps it.
 * @return 0; -EINVAL when context or name is NULL, there is no such extractor, a value is bad, or a
 *         model has the name of one of its metrics; -ENOMEM
 */
VMAF_EXPORT int vmaf_use_feature(VmafContext *vmaf, const char *feature_name,
                                 VmafFeatureDictionary *opts_dict);

/**
 * Stores a score from elsewhere, at any time, under exactly this name. It then appears in reports,
 * and can be pooled and used by models like the library's own scores. XML reports write characters
 * that an attribute's name cannot have as `_xHHHH_`, with the character's code.
 *
 * @return 0; -EINVAL when an argument is NULL, the score exists already (the old one stays), the
 *         name is empty, not UTF-8, has control characters or is `frameNum` or `Frame`, or when a
 *         model has the name or reports would print it like another one; -ENOMEM
 */
VMAF_EXPORT int vmaf_import_feature_score(VmafContext *vmaf, const char *feature_name, double value,
                                          unsigned index);

/**
 * Makes a pool of pictures for vmaf_fetch_preallocated_picture(). At least four are needed, and two
 * more for each worker thread keep all threads busy: the library keeps the references of the last
 * two pairs. A second call replaces the pool: pictures in use remain valid, and a thread that waits
 * for one gets it from the new pool.
 *
 * @return 0; -EINVAL when the context is NULL, the count is 0 or the parameters are invalid;
 * -ENOMEM
 */
VMAF_EXPORT int vmaf_preallocate_pictures(VmafContext *vmaf, VmafPictureConfiguration cfg);

/**
 * Takes a picture from the pool; waits for one if necessary. It holds the samples that its last
 * user left in it. It returns to the pool with its last reference: by vmaf_picture_unref() or after
 * it was read. Any thread may call it.
 *
 * @return 0; -EINVAL when an argument is NULL or there is no pool; an error of the device's driver
 *         (-ENOMEM) when the picture's memory comes from there, which is allocated with its first
 *         fetch
 */
VMAF_EXPORT int vmaf_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic);

/**
 * Sets the colours of the pictures that the context will read; NULL: they are unknown. A model may
 * ask for pictures of certain colours (`conversion_target` in its file). vmaf_read_pictures() then
 * converts pictures of other colours. It returns -EINVAL (logged) if it does not know the colours,
 * and -ENOTSUP (logged) without zimg. For all other models colours do not matter.
 *
 * @return 0; -EINVAL for no context or a value that is not in the enums; -EBUSY once a pair was
 *         read for such a model
 */
VMAF_EXPORT int vmaf_set_input_colorimetry(VmafContext *vmaf, const VmafColor *ref,
                                           const VmafColor *dist);

/**
 * Reads a pair of pictures, or, with both NULL, flushes.
 *
 * All pairs of a context have the size, format and depth of the first. Indices may come in any
 * order and with gaps, but each only once; features that measure motion use the order of the calls.
 * With worker threads the call returns as soon as there is room for the pair, and an error of a
 * worker is returned by a later call.
 *
 * On success the library takes both references and zeroes both structs. On failure both are
 * unchanged and the caller keeps them. If a feature fails on a pair, at once or on a worker, no
 * feature has a score for that pair.
 *
 * Flushing waits for all work and completes the scores that depend on the end of the clip. Nothing
 * can be read after it. It fails when features are registered but no pair was read; a failed flush
 * may be tried again.
 *
 * @return 0; -EINVAL when the context is NULL or flushed, exactly one picture is NULL, the pictures
 * do not match, the index was used, or a feature cannot score them; -ERANGE when a plane that some
 * feature reads has samples above the pictures' depth (of 9 to 15 bits: values in the high bits, as
 * in P010, are the likely cause); -ENOMEM; -EIO when a GPU failed. The first pair may also return
 * the errors of opening and testing a GPU (device.h), and -ENOTSUP if it needs zimg, which is
 * missing
 */
VMAF_EXPORT int vmaf_read_pictures(VmafContext *vmaf, VmafPicture *ref, VmafPicture *dist,
                                   unsigned index);

/**
 * The model's score of one frame. The first call predicts it and stores it under the model's name.
 * It does not wait: all features of the frame must have scores. Without threads they do when the
 * read has returned, except features that look at the next frame; after the flush they always do.
 *
 * @return 0; -EINVAL when an argument is NULL or a feature is missing (logged); -ENOMEM
 */
VMAF_EXPORT int vmaf_score_at_index(VmafContext *vmaf, VmafModel *model, double *score,
                                    unsigned index);

/** The scores of a collection for one frame. */
VMAF_EXPORT int vmaf_score_at_index_model_collection(VmafContext *vmaf,
                                                     VmafModelCollection *model_collection,
                                                     VmafModelCollectionScore *score,
                                                     unsigned index);

/**
 * One stored score: a feature's, an imported one or a model's. The name is the stored one
 * (`VMAF_integer_feature_adm2_score`) or the short one that reports print (`integer_adm2`).
 *
 * @return 0; -EINVAL, with *score unchanged, when an argument is NULL or there is no such score
 * (yet)
 */
VMAF_EXPORT int vmaf_feature_score_at_index(VmafContext *vmaf, const char *feature_name,
                                            double *score, unsigned index);

/**
 * Pools the model's scores of a range of frames into one figure. Both ends belong to the range;
 * frames that subsampling skips do not count.
 *
 * @return 0; -EINVAL when an argument is NULL, the range is empty, the method is unknown or a score
 *         is missing; -ENOMEM
 */
VMAF_EXPORT int vmaf_score_pooled(VmafContext *vmaf, VmafModel *model,
                                  enum VmafPoolingMethod pool_method, double *score,
                                  unsigned index_low, unsigned index_high);

/** Pools the scores of a collection: each of its four figures on its own. */
VMAF_EXPORT int vmaf_score_pooled_model_collection(VmafContext *vmaf,
                                                   VmafModelCollection *model_collection,
                                                   enum VmafPoolingMethod pool_method,
                                                   VmafModelCollectionScore *score,
                                                   unsigned index_low, unsigned index_high);

/** Pools stored scores of any name. */
VMAF_EXPORT int vmaf_feature_score_pooled(VmafContext *vmaf, const char *feature_name,
                                          enum VmafPoolingMethod pool_method, double *score,
                                          unsigned index_low, unsigned index_high);

/**
 * Closes a context at any moment, flushed or not: frames still under way are dropped. Models stay
 * as they are, and pictures that the caller still holds remain valid. Waits for calls of other
 * threads that are inside the context; one that waits for a picture of the pool returns -EINVAL.
 *
 * @return 0; -EINVAL for NULL, or when called by a metadata handler of this context
 */
VMAF_EXPORT int vmaf_close(VmafContext *vmaf);

/**
 * Writes all stored scores to a file. Predictions are included if they were asked for before. Waits
 * for frames under way.
 *
 * The file is replaced as a whole once the new one is on the disk: after a failure the old one is
 * unchanged. Pipes, devices and the files of stdout and stderr are written directly.
 *
 * @return 0; -EINVAL when an argument is NULL, the format is unknown (the file is then unchanged)
 *         or the file cannot be opened; -EIO when it cannot be written completely; -ENOMEM
 */
VMAF_EXPORT int vmaf_write_output(VmafContext *vmaf, const char *output_path,
                                  enum VmafOutputFormat fmt);

/**
 * Does the same with a format for scores: `%.` and a number from 0 to 17, then `f`, `e` or `g`.
 * `%.17g` loses no bit. NULL: the format of vmaf_write_output().
 *
 * @return as vmaf_write_output(); -EINVAL for any other format
 */
VMAF_EXPORT int vmaf_write_output_with_format(VmafContext *vmaf, const char *output_path,
                                              enum VmafOutputFormat fmt, const char *score_format);

/** The version of the library, `3.2.0`. */
VMAF_EXPORT const char *vmaf_version(void);

#ifdef __cplusplus
}
#endif

#endif
