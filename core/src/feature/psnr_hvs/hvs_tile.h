/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Sizes that the kernels of psnr_hvs and their host code share. */
#define HVS_BLOCKS_GROUP 64 /* blocks per group, a thread each */
#define HVS_SUM_GROUP 256   /* blocks that the summing group takes at a time */
