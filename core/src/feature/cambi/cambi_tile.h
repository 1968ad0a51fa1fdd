/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What cambi's kernels and their host code share. */
#define CAMBI_RANGE_GROUP_W 64 /* words of a row per group, a thread each */
#define CAMBI_RANGE_GROUP_H 4

#define CAMBI_PREPARE_W 32   /* threads of a group that prepares, four columns each */
#define CAMBI_PREPARE_H 4    /* the same downwards */
#define CAMBI_PREPARE_ROWS 8u /* of a thread */

#define CAMBI_TILE_W 32 /* samples per group, when filtering and counting */
#define CAMBI_TILE_H 32
#define CAMBI_MODE_GROUP_H 8 /* threads down a tile that is filtered */

/* Kinds of codes, from the lowest that counts on; a tile has a bit for each. The last one is one
 * code longer. */
#define CAMBI_KINDS 32u
#define CAMBI_KIND_CODES 32u
#define CAMBI_KIND(key) min_u32((key) / CAMBI_KIND_CODES, CAMBI_KINDS - 1u)

#define CAMBI_COUNTED 138   /* codes with counters in a tile's group */
#define CAMBI_MAX_RADIUS 32 /* of a window */

#define CAMBI_SMALL_W 32 /* samples of a scale that is smaller than the window, a thread each */
#define CAMBI_SMALL_H 8

#define CAMBI_RANK_GROUP 256
#define CAMBI_RANK_EACH 16 /* contrasts per thread */
#define CAMBI_BINS 512     /* of nine bits */
#define CAMBI_RANKS 3      /* times nine bits make a contrast */

/* The table: reciprocals of what a window counts, first steps by code, weights of steps. */
#define CAMBI_FIRST_STEP 4226
#define CAMBI_WEIGHT (CAMBI_FIRST_STEP + 1025)

/* A sample: its code, whether it is masked, and how many samples from it on are alike. */
#define CAMBI_CODE_MASK 0x7ff
#define CAMBI_FLAT_BIT 0x800
#define CAMBI_RUN_SHIFT 16

/* The result, in words: for each of the two pictures how often samples were out of range; then for
 * each scale of each picture the sum of the largest contrasts (64 bits), how many those are, and
 * the next contrast. */
#define CAMBI_SCALES_AT 2u
#define CAMBI_SCALE_WORDS 4u
#define CAMBI_SUM 0u
#define CAMBI_LARGER 2u
#define CAMBI_NEXT 3u

#define CAMBI_RANGE_PARAMS                                                                         \
    ARG(u32, width) ARG(u32, height) ARG(u32, stride) ARG(u32, bpc) ARG(u32, picture)
#define CAMBI_PREPARE_PARAMS                                                                       \
    ARG(u32, stride) ARG(u32, bpc) ARG(u32, width) ARG(u32, height) ARG(u32, resampled)            \
    ARG(u32, smoothed) ARG(u32, halve) ARG(u32, needed)
/* first_in, first_out: words where the samples come from and go to; first_tile: the scale's first
 * mask. */
#define CAMBI_MODE_PARAMS                                                                          \
    ARG(u32, in_width) ARG(u32, width) ARG(u32, height) ARG(u32, decimate) ARG(i32, low)           \
    ARG(i32, high) ARG(u32, first_in) ARG(u32, first_out) ARG(u32, first_tile)
/* Of the picture at scale 0, from here on; its words begin at first_word. */
#define CAMBI_CONTRAST_PARAMS                                                                      \
    ARG(u32, width) ARG(u32, height) ARG(u32, first_word) ARG(u32, radius) ARG(i32, low)           \
    ARG(i32, code_count) ARG(u32, steps)
#define CAMBI_SMALL_PARAMS CAMBI_CONTRAST_PARAMS ARG(u32, scale)
#define CAMBI_RANK_PARAMS                                                                          \
    ARG(u32, width) ARG(u32, height) ARG(u32, rank) ARG(u32, wanted0) ARG(u32, wanted1)            \
    ARG(u32, wanted2) ARG(u32, wanted3) ARG(u32, wanted4)
#define CAMBI_SUM_PARAMS CAMBI_RANK_PARAMS ARG(u32, first_result)
