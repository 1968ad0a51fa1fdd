/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants that the C code and the kernels of ssimulacra2 share. */
#define SSIMU2_SCALES 6
#define SSIMU2_LEAST 8    /* a scale with a side below it is the last one */
#define SSIMU2_BLOCK 32   /* columns and rows of a block of sums */
#define SSIMU2_REACH 4    /* reach of the blur to each side */
#define SSIMU2_SUMS 6     /* sums of a scale and channel: ssim, ring, lost, fourth powers */

/* Pixels of the first scale that a workgroup takes through all scales: one of the last scale down,
 * two across. */
#define SSIMU2_TILE_BITS 6u
#define SSIMU2_TILE_W (1 << SSIMU2_TILE_BITS)
#define SSIMU2_TILE_H 32

/* The self-test's cube roots: of every SSIMU2_ROOT_STEP-th float from 2^-9 up to 2. */
#define SSIMU2_ROOT_FIRST 0x3b000000u
#define SSIMU2_ROOT_END 0x40000000u
#define SSIMU2_ROOT_STEP 613u
#define SSIMU2_ROOT_GROUP 256
/* Makes a number of a root's bits such that sums of them do not agree by chance. */
#define SSIMU2_ROOT_MIX(bits) (((bits) ^ ((bits) >> 15)) * 2654435761u)
#define SSIMU2_ROOTS_PARAMS ARG(u32, count)

/* A channel on the device is a plane for each scale, one after another, without gaps between rows
 * or planes. stride, chroma_stride: words in a row of samples. across, down: 1 where chroma is
 * subsampled. kind: SSIMU2_YUV, …. The rest as in Ssimu2Matrix, of both pictures. */
#define SSIMU2_YUV 0u
#define SSIMU2_GREY 1u
#define SSIMU2_GBR 2u
#define SSIMU2_MATRIX_PARAMS(of)                                                                   \
    ARG(u32, of##_kind) ARG(i32, of##_black) ARG(i32, of##_centre) ARG(f32, of##_unit)             \
    ARG(f32, of##_red_v) ARG(f32, of##_green_u) ARG(f32, of##_green_v) ARG(f32, of##_blue_u)
#define SSIMU2_PLANES_PARAMS                                                                       \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(u32, chroma_w) ARG(u32, chroma_h)        \
    ARG(u32, chroma_stride) ARG(u32, across) ARG(u32, down) ARG(u32, scales)                       \
    SSIMU2_MATRIX_PARAMS(ref) SSIMU2_MATRIX_PARAMS(dist)

/* Parameters for one scale. first: the index of its first pixel in a channel. blocks,
 * blocks_across: its blocks, in all and in a row. Layer z of the workgroups takes the channel in
 * bits 2z and 2z + 1 of `channels`. ssim, edges: bit c tells whether channel c needs these maps.
 * first_x, …: the index of the channel's first sum, as in Ssimu2Channel. */
#define SSIMU2_MAPS_PARAMS                                                                         \
    ARG(u32, width) ARG(u32, height) ARG(u32, first) ARG(u32, blocks) ARG(u32, blocks_across)      \
    ARG(u32, channels) ARG(u32, ssim) ARG(u32, edges) ARG(u32, first_x) ARG(u32, first_y)          \
    ARG(u32, first_b)
