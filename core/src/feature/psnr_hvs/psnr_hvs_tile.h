/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the kernels of psnr_hvs and their host code share. */
#define HVS_BLOCKS_W 32 /* blocks per group, a thread each for either picture */

#define HVS_MASKS 64u /* where the table's masks begin: behind the sensitivities */

/* The chain of additions: pieces of 16 terms, four to a block, 256 to a chunk. */
#define HVS_PIECE 16u
#define HVS_PIECES 4u
#define HVS_CHUNK 256
#define HVS_CHUNK_BLOCKS 64u

#define HVS_RUN_WORDS 5u   /* of a chunk */
#define HVS_SQRT2 0x3504f3u /* digits of the square root of 2 */

/* first_block: where the plane's terms begin, first_total: where the totals of its groups do. */
#define HVS_BLOCKS_PARAMS                                                                          \
    ARG(u32, stride) ARG(u32, across) ARG(u32, blocks) ARG(u32, first_block) ARG(u32, first_total)
#define HVS_CHAIN_PARAMS ARG(u32, luma_blocks) ARG(u32, chroma_blocks)
