/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants that cambi's kernels and the C code share. */
#define CAMBI_RANGE_GROUP_W 64 /* words of a row per workgroup, a thread each */
#define CAMBI_RANGE_GROUP_H 4

/* Threads of a workgroup of cambi_prepare: in a row, with four columns each, and in a column. */
#define CAMBI_PREPARE_W 32
#define CAMBI_PREPARE_H 4
#define CAMBI_PREPARE_ROWS 8u /* rows per thread */

#define CAMBI_TILE_W 32 /* samples per workgroup of cambi_mode and cambi_contrast */
#define CAMBI_TILE_H 32
#define CAMBI_MODE_GROUP_H 8 /* threads of a workgroup of cambi_mode in a column */

/* Kinds are ranges of codes, starting at the lowest code that counts. The mask of a tile has a bit
 * for each kind. The last kind has one code more. */
#define CAMBI_KINDS 32u
#define CAMBI_KIND_CODES 32u
#define CAMBI_KIND(key) min_u32((key) / CAMBI_KIND_CODES, CAMBI_KINDS - 1u)

#define CAMBI_COUNTED 138   /* codes that a workgroup of cambi_contrast has counters for */
#define CAMBI_MAX_RADIUS 32 /* radius of the largest window */

#define CAMBI_SMALL_W 32 /* samples per workgroup of cambi_contrast_small, a thread each */
#define CAMBI_SMALL_H 8

#define CAMBI_RANK_GROUP 256
#define CAMBI_RANK_EACH 16 /* contrasts per thread */
#define CAMBI_BINS 512     /* values of nine bits */
#define CAMBI_RANKS 3      /* a contrast has three times nine bits */

/* Sections of the table of constants: reciprocals of counts, then from here on the first steps by
 * code, then the weights of steps. */
#define CAMBI_FIRST_STEP 4226
#define CAMBI_WEIGHT (CAMBI_FIRST_STEP + 1025)

/* The word of a sample: its code, whether it is in the mask of flat areas, and the length of the
 * run of equal samples that begins there. */
#define CAMBI_CODE_MASK 0x7ff
#define CAMBI_FLAT_BIT 0x800
#define CAMBI_RUN_SHIFT 16

/* The result, in words. For each of the two pictures the number of words with samples out of range;
 * then for each scale of each picture the sum of the largest contrasts (64 bits), their number, and
 * the next smaller contrast. */
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
/* first_in, first_out: first word of the input and of the output. first_tile: first mask of the
 * scale. */
#define CAMBI_MODE_PARAMS                                                                          \
    ARG(u32, in_width) ARG(u32, width) ARG(u32, height) ARG(u32, decimate) ARG(i32, low)           \
    ARG(i32, high) ARG(u32, first_in) ARG(u32, first_out) ARG(u32, first_tile)
/* From here on, width and height are those of scale 0. first_word: first word of the filtered
 * samples. */
#define CAMBI_CONTRAST_PARAMS                                                                      \
    ARG(u32, width) ARG(u32, height) ARG(u32, first_word) ARG(u32, radius) ARG(i32, low)           \
    ARG(i32, code_count) ARG(u32, steps)
#define CAMBI_SMALL_PARAMS CAMBI_CONTRAST_PARAMS ARG(u32, scale)
#define CAMBI_RANK_PARAMS                                                                          \
    ARG(u32, width) ARG(u32, height) ARG(u32, rank) ARG(u32, wanted0) ARG(u32, wanted1)            \
    ARG(u32, wanted2) ARG(u32, wanted3) ARG(u32, wanted4)
#define CAMBI_SUM_PARAMS CAMBI_RANK_PARAMS ARG(u32, first_result)
