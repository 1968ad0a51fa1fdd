/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants that the kernels of psnr_hvs and the C code share. */
#define HVS_BLOCKS_W 32 /* blocks per workgroup, with one thread for each picture */

#define HVS_MASKS 64u /* the masks begin here in the table, behind the sensitivities */

/* The chain of additions is cut into pieces of 16 terms: 4 pieces per block, 256 pieces per
 * chunk. */
#define HVS_PIECE 16u
#define HVS_PIECES 4u
#define HVS_CHUNK 256
#define HVS_CHUNK_BLOCKS 64u

#define HVS_RUN_WORDS 5u   /* words that describe a chunk */
#define HVS_SQRT2 0x3504f3u /* mantissa bits of the square root of 2 */

/* first_block: the plane's first block, by which its terms are found. first_total: the first total
 * of its workgroups. */
#define HVS_BLOCKS_PARAMS                                                                          \
    ARG(u32, stride) ARG(u32, across) ARG(u32, blocks) ARG(u32, first_block) ARG(u32, first_total)
#define HVS_CHAIN_PARAMS ARG(u32, luma_blocks) ARG(u32, chroma_blocks)
