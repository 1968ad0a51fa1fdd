/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SpEED (spatial efficient entropic differencing), for speed_chroma and speed_temporal. Two planes
 * are reduced to a sixteenth of their size, their local mean is subtracted, and the entropies of
 * their 5x5 blocks are compared. */
#ifndef FEATURE_SPEED_H
#define FEATURE_SPEED_H

#include <stdbool.h>
#include <stddef.h>

#include "feature/common/float_rows.h"
#include "feature/common/resample.h"
#include "gpu/feature_gpu.h"

enum {
    SPEED_EDGE = 5,                        /* side of a block */
    SPEED_BLOCK = SPEED_EDGE * SPEED_EDGE, /* samples of a block */
    SPEED_ROW = 32,                        /* SPEED_BLOCK, rounded up to whole vectors */
    SPEED_LAGS = 2 * SPEED_EDGE - 1,       /* horizontal distances between two samples of a block */
    SPEED_LAG_ROW = 16,                    /* SPEED_LAGS, rounded up to whole vectors */
};

/* Row functions, chosen for the CPU. */
typedef struct SpeedDsp {
    /* sums[k] = sum over x < n of a[x] * b[x + k], for k < SPEED_LAGS. Even and odd x are summed
     * separately, each from the lowest x up, then both sums are added. Reads b up to n +
     * SPEED_LAG_ROW; entries from SPEED_LAGS on are undefined. */
    void (*lags)(double sums[SPEED_LAG_ROW], const double *a, const double *b, size_t n);
} SpeedDsp;

void speed_dsp_init(SpeedDsp *dsp, unsigned cpu);

/* ---- the state of a feature ---- */

/* All but the last two fields are constant after init. */
typedef struct SpeedSetup {
    const char *feature; /* name, for log lines */
    unsigned bpc;
    unsigned src_w, src_h;     /* size of the source plane */
    unsigned w, h;             /* after prescaling */
    Resampler *prescale;       /* NULL: no resizing */
    unsigned small_w, small_h; /* size of the reduced plane */
    unsigned blocks_x, blocks_y;
    FloatFilter reduce, local; /* low-pass before decimation; local mean */
    float sigma, entropy_floor;
    int weight_mode;
    FloatDsp dsp;
    SpeedDsp speed_dsp;
    struct SpeedBlocks *gpu_blocks; /* for planes that a GPU has reduced; NULL on the CPU */
    bool warned;                    /* a singular plane was logged; used by report only */
    bool begun;                     /* speed_temporal: the first pair was reported */
} SpeedSetup;

typedef struct SpeedScore {
    float score;
    bool failed; /* the covariance matrix of a plane is singular */
} SpeedScore;

/* ---- speed_frame.c: from a pair of planes to a score, on the CPU ---- */

/* A plane of samples, or the difference of two planes if `minus` is not NULL. */
typedef struct SpeedInput {
    const void *from, *minus;
    ptrdiff_t from_stride, minus_stride;
} SpeedInput;

/* Create and destroy the working memory of one measure at a time (FeatureDef.scratch_create and
 * scratch_destroy). */
typedef struct SpeedFrame SpeedFrame;
int speed_frame_create(const Feature *f, void **frame);
void speed_frame_destroy(void *frame);
SpeedScore speed_frame_measure(SpeedFrame *s, const SpeedInput *ref, const SpeedInput *dist);

/* ---- speed_matrix.c: symmetric 25x25 matrices in single precision ---- */

typedef float SpeedMatrix[SPEED_BLOCK][SPEED_ROW];

/* An eigenvalue or a pivot below this counts as zero. */
#define SPEED_EPSILON 1e-6

/* Finds the eigenvalues of c, in the order in which the iteration finds them; sums over them depend
 * on that order. Returns false if the iteration did not converge. */
bool speed_eigenvalues(SpeedMatrix c, float values[SPEED_BLOCK]);

/* Solves c * x = y for n columns. Returns false if c is singular; x is undefined then. y, x and
 * `work` have SPEED_BLOCK rows of `pitch` elements. */
bool speed_solve(SpeedMatrix c, const float *y, float *x, float *work, size_t pitch, size_t n);

/* ---- speed_blocks.c: from two reduced planes to a score ---- */

/* Working memory for one pair of planes at a time. `setup` must outlive it. */
typedef struct SpeedBlocks SpeedBlocks;
int speed_blocks_create(SpeedBlocks **out, const SpeedSetup *setup);
void speed_blocks_destroy(SpeedBlocks *s);

/* The planes have small_w x small_h samples, without gaps between rows and without their local
 * mean. */
SpeedScore speed_blocks_score(SpeedBlocks *s, const float *ref, const float *dist);

/* Working memory for one plane at a time. `setup` must outlive it. */
typedef struct SpeedCovariance SpeedCovariance;
int speed_covariance_create(SpeedCovariance **out, const SpeedSetup *setup);
void speed_covariance_destroy(SpeedCovariance *s);

/* The covariance of the 25 positions in a block, over all 5x5 windows of a reduced plane. */
void speed_covariance(SpeedCovariance *s, const float *plane, SpeedMatrix out);

/* Computes that matrix straight from its definition, one entry after the other; tests compare with
 * it. */
void speed_covariance_plainly(const SpeedSetup *setup, const float *plane, SpeedMatrix out);

/* ---- speed_gpu.c ---- */

/* A plane of samples, or (is_change) the difference of two, `from` less `minus`. `minus` must be a
 * valid buffer in both cases. */
typedef struct SpeedGpuInput {
    GpuBuf from, minus;
    unsigned stride; /* stride of both */
    bool is_change;
} SpeedGpuInput;

/* Plans the reduction of `count` planes: reference and distorted plane in turn. */
int speed_gpu_plan(GpuPlan *plan, SpeedSetup *setup, const SpeedGpuInput *inputs, unsigned count);

/* The score of pair number `pair` of the planned planes. */
SpeedScore speed_gpu_score(const SpeedSetup *setup, const void *readback, unsigned pair);

/* True if both scores are equal, bit by bit. */
bool speed_score_same(const SpeedScore *a, const SpeedScore *b);

#endif
