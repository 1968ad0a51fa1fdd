/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/**
 * A clip that is measured in parts, by contexts of several processes or machines, and put together: the
 * scores and reports are, to the last bit, those of one context that read all of it.
 *
 * A context that records a part measures its pairs and scores none of them. What it measured, a few
 * numbers for each pair and feature, is taken out with vmaf_part_values() and carried over to another
 * context, with the same features and models, which is given the pairs of all parts in their order by
 * vmaf_part_replay() instead of pictures. It then does what it would have done with its own: everything
 * that looks from pair to pair (motion of the frames on both sides, moving averages, figures of the whole
 * clip) is done there.
 *
 * Only what looks at earlier pictures needs more than its own: a part begins with so many pairs before its
 * first one as vmaf_part_reach() says, or with the clip.
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

/** One number of what was measured; vmaf_part_kinds() tells which of the two it is. */
typedef union VmafPartValue {
    int64_t integer; /**< large unsigned ones are negative here: all 64 bits count */
    double real;
} VmafPartValue;

/**
 * How many pairs before its own a part has to read, for the features that are registered by now. Fewer are
 * fine where the clip begins.
 *
 * @return 0; -EINVAL when an argument is NULL
 */
VMAF_EXPORT int vmaf_part_reach(const VmafContext *vmaf, unsigned *pairs);

/**
 * From now on pairs are measured and not scored. Those with a lower index than `first` are only there to be
 * looked back at. To be called after all features are registered and before the first pair; pairs then come in
 * the order of their indices, without gaps.
 *
 * @return 0; -EINVAL when the context is NULL or it is too late; -ENOMEM
 */
VMAF_EXPORT int vmaf_part_record(VmafContext *vmaf, unsigned first);

/**
 * What the feature registered as number `feature` measures of a pair: a string with an `i` for each integer and
 * an `r` for each real number, in their order. It may be empty. The string is the library's and lives as long as
 * the context.
 *
 * @return 0; -EINVAL when an argument is NULL; -ENOENT when there is no such feature; -ENOMEM
 */
VMAF_EXPORT int vmaf_part_kinds(VmafContext *vmaf, unsigned feature, const char **kinds);

/**
 * What a feature measured of a pair, as many values as vmaf_part_kinds() has letters. After the flush.
 *
 * @return 0; -EINVAL when an argument is NULL, or the context records nothing or was not flushed; -ENOENT when
 *         that feature or pair is not there, or the feature skipped the pair (n_subsample)
 */
VMAF_EXPORT int vmaf_part_values(const VmafContext *vmaf, unsigned feature, unsigned index,
                                 VmafPartValue *values);

/** The pictures that all parts were measured on. */
typedef struct VmafPartShape {
    size_t size; /**< sizeof(VmafPartShape) */
    enum VmafPixelFormat pix_fmt;
    unsigned bpc, w, h;
} VmafPartShape;

/**
 * Reads a pair from its values. The first one has index 0, and each the next.
 *
 * @param values for each registered feature what vmaf_part_values() gave; NULL: it skipped the pair
 * @return 0; -EINVAL when an argument is NULL, the shape's size is not set, the index is not the next, or the
 *         context has read pictures; what a feature's own trouble gives; -ENOMEM
 */
VMAF_EXPORT int vmaf_part_replay(VmafContext *vmaf, const VmafPartShape *shape, unsigned index,
                                 const VmafPartValue *const *values);

/**
 * Where the feature registered as number `feature` was measured, for reports of a context that replays: sums of
 * all parts. Everything is copied.
 *
 * @return 0; -EINVAL when an argument is NULL or the size is not set; -ENOENT when there is no such feature;
 *         -ENOMEM
 */
VMAF_EXPORT int vmaf_part_place(VmafContext *vmaf, unsigned feature, const VmafFeatureInfo *place);

/**
 * With how many threads, and in how many seconds, all parts together were measured, for the same reports.
 *
 * @return 0; -EINVAL when the context is NULL; -ENOMEM
 */
VMAF_EXPORT int vmaf_part_speed(VmafContext *vmaf, unsigned threads, double seconds);

#ifdef __cplusplus
}
#endif

#endif
