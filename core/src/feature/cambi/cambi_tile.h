/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What cambi's kernels and their host code share. */
#define CAMBI_RANGE_GROUP_W 64 /* words of a row per group, a thread each */
#define CAMBI_RANGE_GROUP_H 4

#define CAMBI_TILE_W 32 /* samples of output per group, in prepare and mode */
#define CAMBI_TILE_H 8

#define CAMBI_COUNTS 7936   /* words of counters in a strip's group, two counts each */
#define CAMBI_STRIP_W 32    /* columns of a strip, at most */
#define CAMBI_MAX_RADIUS 32 /* of a window */

#define CAMBI_SMALL_W 32 /* samples of a scale that is smaller than the window, a thread each */
#define CAMBI_SMALL_H 8

#define CAMBI_RANK_GROUP 256
#define CAMBI_RANK_EACH 32 /* contrasts per thread */
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
 * each scale of each picture the sum of the largest contrasts (64 bits), how many those are, and the
 * next contrast. */
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
#define CAMBI_MODE_PARAMS                                                                          \
    ARG(u32, in_width) ARG(u32, width) ARG(u32, height) ARG(u32, decimate) ARG(i32, low)           \
    ARG(i32, high)
#define CAMBI_CONTRAST_PARAMS                                                                      \
    ARG(u32, width) ARG(u32, height) ARG(u32, radius) ARG(u32, columns) ARG(u32, rows)             \
    ARG(i32, low) ARG(i32, code_count) ARG(u32, steps)
/* `scale` of the picture, which is stored_width x stored_height at scale 0. */
#define CAMBI_SMALL_PARAMS                                                                         \
    ARG(u32, width) ARG(u32, height) ARG(u32, radius) ARG(i32, low) ARG(i32, code_count)           \
    ARG(u32, steps) ARG(u32, stored_width) ARG(u32, stored_height) ARG(u32, scale)
#define CAMBI_RANK_PARAMS ARG(u32, count) ARG(u32, wanted) ARG(u32, rank)
#define CAMBI_SUM_PARAMS CAMBI_RANK_PARAMS ARG(u32, first_word)
