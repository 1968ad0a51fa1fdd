/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Sizes that cambi's kernels and their host code share. */
#define CAMBI_TILE_W 32 /* samples of output per group, in prepare and mode */
#define CAMBI_TILE_H 8

#define CAMBI_COUNTS 7936 /* words of counters in a strip's group, two counts each */
#define CAMBI_STRIP_W 32  /* columns of a strip, at most */
#define CAMBI_LINE 96     /* STRIP_W + 2 * the largest radius */

#define CAMBI_RANK_GROUP 256
#define CAMBI_RANK_EACH 32 /* contrasts per thread */
#define CAMBI_BINS 512     /* of nine bits */
#define CAMBI_RANKS 3      /* times nine bits make a contrast */

/* The table: reciprocals, first steps by code, weights of steps. */
#define CAMBI_FIRST_STEP 4226
#define CAMBI_WEIGHT 5251 /* FIRST_STEP + 1025 */

/* A sample: its code, whether it is masked, and how many samples from it on are alike. */
#define CAMBI_CODE_MASK 0x7ff
#define CAMBI_FLAT_BIT 0x800
#define CAMBI_RUN_SHIFT 16

#define CAMBI_RESULT_WORDS 4 /* per scale: sum (2), how many it has, the next contrast */
