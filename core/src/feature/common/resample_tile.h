/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants that kernels that resize planes share with C code (resample.h). */

/* Ways to resize. */
#define RESAMPLE_WAY_NONE 0u
#define RESAMPLE_WAY_NEAREST 1u
#define RESAMPLE_WAY_BILINEAR 2u
#define RESAMPLE_WAY_WEIGHED 3u
#define RESAMPLE_WAY_NORMALISED 4u

/* The table `positions` has, for each column and then for each row, `resample_taps` pairs of a
 * position and the bits of its weight. */
#define RESAMPLE_PARAMS ARG(u32, new_w) ARG(u32, resample_taps) ARG(u32, way)
