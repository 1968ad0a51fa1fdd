/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Private declarations of ssimulacra2: constants of a clip, the table of row functions, the frame
 * routine, and the functions that compute the score from sums. */
#ifndef FEATURE_SSIMULACRA2_SSIMULACRA2_H
#define FEATURE_SSIMULACRA2_SSIMULACRA2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/feature.h"
#include "engine/team.h"
#include "feature/ssimulacra2/ssimulacra2_tile.h"

typedef struct Ssimu2Options {
    const char *matrix, *range, *transfer;
    const char *tags[2]; /* tags of the reference and the distorted video */
    bool prune;
} Ssimu2Options;

/* Sums over the planes of a pair, in double precision. The mean of a map is its sum divided by the
 * number of samples in the scale's plane. Sums without a weight are 0. */
typedef struct Ssimu2Result {
    double sums[SSIMU2_SCALES][3][SSIMU2_SUMS];
} Ssimu2Result;

/* ---- rows ---- */

/* Converts samples to R'G'B'. */
typedef struct Ssimu2Matrix {
    bool gbr;       /* the planes are G', B' and R', and each is taken as luma */
    int32_t black;  /* the sample of black: luma as a signal is (sample - black) * luma */
    int32_t centre; /* the chroma sample of grey, times 8 */
    float luma;
    float red_v, green_u, green_v, blue_u; /* factors for chroma as Ssimu2Dsp.chroma writes it */
} Ssimu2Matrix;

/* A row function handles at most SSIMU2_STRIP columns, or SSIMU2_TILE in functions for tiles. It
 * may write whole vectors, up to SSIMU2_PAD floats beyond the last column, and read as far in rows
 * of floats. It reads no sample of a picture beyond the last one. */
enum { SSIMU2_STRIP = 256, SSIMU2_TILE = 128, SSIMU2_PAD = 16 };

/* A row of the filtered quantities of a tile, in this order: reference, distorted plane, square of
 * their difference, product. */
enum { SSIMU2_QUANTITIES = 4, SSIMU2_TAPS = 2 * SSIMU2_REACH + 1 };
typedef float Ssimu2Filtered[SSIMU2_QUANTITIES][SSIMU2_TILE];

/* Sums of columns, as in Ssimu2Result. */
typedef float Ssimu2Columns[SSIMU2_SUMS][SSIMU2_TILE];

typedef struct Ssimu2Dsp {
    /* Writes chroma for n columns of luma: eight times its value, minus `centre`. The first column
     * is even, and the samples `near` and `far` of the two nearest rows begin there. With
     * subsampling, the nearer row has three times the weight of the other one, and a column between
     * two samples takes their mean. The rows have `samples` more samples; the last one is repeated.
     * Without subsampling, `far` is not read. */
    void (*chroma)(float *out, const void *near, const void *far, unsigned n, unsigned samples,
                   int32_t centre);
    /* Writes linear light of n pixels, from a row of luma and from chroma that `chroma` wrote. */
    void (*colour)(float *const rgb[3], const void *luma, const float *u, const float *v,
                   unsigned n, const Ssimu2Matrix *matrix);
    /* Writes linear light of n samples of one plane, which are taken as luma without chroma. */
    void (*grey)(float *out, const void *samples, unsigned n, const Ssimu2Matrix *matrix);
    void (*xyb)(float *const xyb[3], const float *const rgb[3], unsigned n);
    /* Writes n means of blocks of 2x2 values; rows[1] is the lower row. */
    void (*halve)(float *out, const float *const rows[2], unsigned n);
    /* Blurs n <= SSIMU2_TILE columns along rows, which have SSIMU2_REACH more columns on both
     * sides. Without `ssim`, the last two quantities are left out. */
    void (*filter)(Ssimu2Filtered out, const float *ref, const float *dist, unsigned n, bool ssim);
    /* Blurs along columns, from SSIMU2_TAPS filtered rows, and adds the maps of the middle row to
     * the sums: the structural error if `ssim`, edges if `edges`. ref and dist are the middle row's
     * own samples. */
    void (*maps)(Ssimu2Columns sums, const Ssimu2Filtered *const *rows, const float *ref,
                 const float *dist, unsigned n, bool ssim, bool edges);
} Ssimu2Dsp;

void ssimu2_dsp_init(Ssimu2Dsp *dsp, unsigned bpc, bool subsampled, unsigned cpu);

/* The sum of SSIMU2_ROOT_MIX over the roots that ssimulacra2_tile.h describes, by scalar code. */
uint32_t ssimu2_mix_roots(void);

/* ---- the clip ---- */

/* The error maps of one scale and channel whose weight is not 0. */
typedef struct Ssimu2Channel {
    bool ssim, edges;
    size_t first; /* index of its first sum: ssim, ssim^4, ring, lost, ring^4, lost^4 */
} Ssimu2Channel;

typedef struct Ssimu2Scale {
    unsigned w, h;
    unsigned across, down; /* number of blocks */
    size_t pitch, first;   /* floats in a row of linear light; index of its first plane, of six */
    Ssimu2Channel channel[3];
} Ssimu2Scale;

typedef struct Ssimu2Setup {
    FrameShape shape;
    Ssimu2Matrix matrix[2]; /* matrix of the reference and of the distorted picture */
    bool prune;
    unsigned scales;
    Ssimu2Scale scale[SSIMU2_SCALES];
    size_t light;  /* number of floats in the planes of all scales but the first */
    size_t blocks; /* number of sums of all blocks */
    Ssimu2Dsp dsp;
} Ssimu2Setup;

/* Sets all members but dsp. -EINVAL (logged) for a shape or an option that is not supported. */
int ssimu2_setup_init(Ssimu2Setup *setup, const FrameShape *shape, const Ssimu2Options *options);

static inline size_t ssimu2_block_count(const Ssimu2Scale *scale)
{
    return (size_t)scale->across * scale->down;
}

/* ---- from sums to the score ---- */

/* Fills in scale->channel, except `first`, for all scales. */
void ssimu2_find_maps(Ssimu2Setup *setup);

/* The sums of the blocks of one scale and channel, in raster order; `term` is as in Ssimu2Result.
 * NULL: they have no weight. */
const float *ssimu2_sums_of(const Ssimu2Scale *scale, unsigned channel, unsigned term,
                            const float *blocks);

/* Adds up the blocks of all planes, in raster order. */
void ssimu2_add_blocks(Ssimu2Result *result, const Ssimu2Setup *setup, const float *blocks);

double ssimu2_score(const Ssimu2Setup *setup, const Ssimu2Result *result);

/* x to the power p, for x that is normal and above 0. Needs no library, so it is the same on every
 * system; off by at most 4e-15 of it. */
double ssimu2_power(double x, double p);

/* ---- frame routine ---- */

typedef struct Ssimu2Frame Ssimu2Frame;
int ssimu2_frame_create(const Feature *f, void **frame);
void ssimu2_frame_destroy(void *frame);
/* Returns the sums of all blocks, which belong to the frame. The threads of `team` (NULL: only the
 * caller) share the work. */
const float *ssimu2_frame_measure(Ssimu2Frame *frame, const Ssimu2Setup *setup,
                                  const FramePair *pair, Team *team);

/* ---- the GPU ---- */

extern const FeatureGpu ssimu2_gpu;

#endif
