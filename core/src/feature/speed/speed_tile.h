/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants that SpEED's kernels and the C code share. */
#define SPEED_STEP 16       /* every 16th sample is kept, in both directions */
#define SPEED_MAX_TAPS 65   /* the longest filter */
#define SPEED_REDUCE_W 64   /* threads of a workgroup of speed_reduce */
#define SPEED_REDUCE_KEPT 8 /* samples that it makes, all in one row */
#define SPEED_LOCAL_W 32    /* samples per workgroup of speed_local, a thread each */
#define SPEED_LOCAL_H 4

/* `scale`: factor from sample values to the 8-bit range. `new_w` and `new_h`: size of the plane
 * after resizing. `first`: first element of the plane in `reduced`. */
#define SPEED_REDUCE_PARAMS                                                                        \
    ARG(u32, stride) ARG(f32, scale) ARG(u32, is_change) ARG(u32, new_h) ARG(u32, taps)            \
    ARG(u32, small_w) ARG(u32, first) RESAMPLE_PARAMS

#define SPEED_LOCAL_PARAMS ARG(u32, small_w) ARG(u32, small_h) ARG(u32, taps)
