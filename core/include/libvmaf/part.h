/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/**
 * Measuring a clip in parts, by contexts of several processes or machines, and joining them: the
 * scores and reports are, to the last bit, those of one context that read the whole clip.
 *
 * A context that records a part measures its pairs and scores none of them. Its results, a few
 * numbers for each pair and feature, are read with vmaf_part_values() and carried to another
 * context with the same features and models. vmaf_part_replay() gives that context the results of
 * all parts in their order, instead of pictures. It then does everything that needs more than one
 * pair: motion of the frames on both sides, moving averages, figures of the whole clip.
 *
 * Features that look at earlier pictures need more than the part's own pairs: a part starts reading
 * vmaf_part_reach() pairs before its first one, or at the beginning of the clip.
 *
 *     vmaf_part_reach(vmaf, &reach);              // after models and features
 *     vmaf_part_record(vmaf, 1000);               // this part begins with pair 1000
 *     for (index = 1000 - reach; index < 2000; index++)
 *         vmaf_read_pictures(vmaf, &ref[index], &dist[index], index);
 *     vmaf_read_pictures(vmaf, NULL, NULL, 0);
 */
#ifndef VMAF_PART_H
#define VMAF_PART_H

#include <stdint.h>

#include "inspect.h"
#include "libvmaf.h"
#include "macros.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One number of a result; vmaf_part_kinds() tells which of the two it is. */
typedef union VmafPartValue {
    int64_t integer; /**< large unsigned values are negative here: all 64 bits count */
    double real;
} VmafPartValue;

/**
 * The number of pairs that a part must read before its own, for the features registered so far.
 * Fewer are fine at the beginning of the clip.
 *
 * @return 0; -EINVAL when an argument is NULL
 */
VMAF_EXPORT int vmaf_part_reach(const VmafContext *vmaf, unsigned *pairs);

/**
 * From now on pairs are measured and not scored. Pairs with an index below `first` are only read
 * because features look back at them. Call it after registering all features and before the first
 * pair: later, functions that register features return -EINVAL. Pairs then come in the order of
 * their indices, without gaps; vmaf_read_pictures() refuses others with -EINVAL.
 *
 * @return 0; -EINVAL when the context is NULL or it is too late; -ENOMEM
 */
VMAF_EXPORT int vmaf_part_record(VmafContext *vmaf, unsigned first);

/**
 * The kinds of numbers in the result of the feature registered as number `feature`: a string with
 * an `i` for each integer and an `r` for each real number, in their order. It may be empty. The
 * library owns the string, which lives as long as the context.
 *
 * @return 0; -EINVAL when an argument is NULL; -ENOENT when there is no such feature; -ENOMEM
 */
VMAF_EXPORT int vmaf_part_kinds(VmafContext *vmaf, unsigned feature, const char **kinds);

/**
 * The result of a feature for a pair: as many values as vmaf_part_kinds() has letters. Call it
 * after the flush.
 *
 * @return 0; -EINVAL when an argument is NULL, or the context records nothing or was not flushed;
 *         -ENOENT when there is no such feature or pair, or the feature skipped the pair
 *         (n_subsample)
 */
VMAF_EXPORT int vmaf_part_values(const VmafContext *vmaf, unsigned feature, unsigned index,
                                 VmafPartValue *values);

/** The format of the pictures that all parts were measured on. */
typedef struct VmafPartShape {
    size_t size; /**< sizeof(VmafPartShape) */
    enum VmafPixelFormat pix_fmt;
    unsigned bpc, w, h;
} VmafPartShape;

/**
 * Reads a pair from its values. The first pair has index 0, each later one the next index. Register
 * all features before the first pair; a context that replays reads no pictures.
 *
 * @param values for each registered feature its values from vmaf_part_values(); NULL: it skipped
 * the pair
 * @return 0; -EINVAL when an argument is NULL, the shape's size is not set, the index is not the
 *         next one, or the context has read pictures; the error of a feature; -ENOMEM
 */
VMAF_EXPORT int vmaf_part_replay(VmafContext *vmaf, const VmafPartShape *shape, unsigned index,
                                 const VmafPartValue *const *values);

/**
 * Sets where the feature registered as number `feature` was measured, for reports of a context that
 * replays: the sums of all parts. Everything is copied.
 *
 * @return 0; -EINVAL when an argument is NULL or the size is not set; -ENOENT when there is no such
 *         feature; -ENOMEM
 */
VMAF_EXPORT int vmaf_part_place(VmafContext *vmaf, unsigned feature, const VmafFeatureInfo *place);

/**
 * Sets the number of threads and the seconds that measuring all parts took, for the same reports.
 *
 * @return 0; -EINVAL when the context is NULL; -ENOMEM
 */
VMAF_EXPORT int vmaf_part_speed(VmafContext *vmaf, unsigned threads, double seconds);

#ifdef __cplusplus
}
#endif

#endif
