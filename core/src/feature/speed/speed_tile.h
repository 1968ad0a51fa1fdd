/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What SpEED's kernels and their host code share. */
#define SPEED_STEP 16       /* one sample of so many is kept, in both directions */
#define SPEED_MAX_TAPS 65   /* of a filter */
#define SPEED_REDUCE_W 64   /* threads of a group that reduces */
#define SPEED_REDUCE_KEPT 8 /* samples that it keeps, of one row */
#define SPEED_LOCAL_W 32    /* samples per group, a thread each */
#define SPEED_LOCAL_H 4

/* `scale`: from one sample value to the next. `new_w` and `new_h`: the size that is reduced.
 * `first`: where the plane begins in `reduced`. */
#define SPEED_REDUCE_PARAMS                                                                        \
    ARG(u32, stride) ARG(f32, scale) ARG(u32, is_change) ARG(u32, new_h) ARG(u32, taps)            \
    ARG(u32, small_w) ARG(u32, first) RESAMPLE_PARAMS

#define SPEED_LOCAL_PARAMS ARG(u32, small_w) ARG(u32, small_h) ARG(u32, taps)
