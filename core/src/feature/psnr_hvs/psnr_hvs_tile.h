/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the kernels of psnr_hvs and their host code share. */
#define HVS_BLOCKS_GROUP 64 /* blocks per group, a thread each */
#define HVS_SUM_GROUP 256   /* blocks that the summing group takes at a time */

#define HVS_MASKS 64u /* where the table's masks begin: behind the sensitivities */

#define HVS_BLOCKS_PARAMS ARG(u32, stride) ARG(u32, across) ARG(u32, blocks)
#define HVS_SUM_PARAMS ARG(u32, blocks) ARG(u32, plane)
