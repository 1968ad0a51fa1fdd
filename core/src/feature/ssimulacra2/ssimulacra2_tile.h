/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants that the C code and the kernels of ssimulacra2 share. */
#define SSIMU2_SCALES 6
#define SSIMU2_LEAST 8    /* a scale with a side below it is the last one */
#define SSIMU2_BLOCK 32   /* columns and rows of a block of sums */
#define SSIMU2_REACH 4    /* of the blur, to each side */
#define SSIMU2_SUMS 6     /* of a scale and channel: ssim, ring, lost, and their fourth powers */
