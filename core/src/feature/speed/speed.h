/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SpEED: spatial efficient entropic differencing. Two planes, reduced to a sixteenth of their size
 * and freed of their local mean, are compared by the entropies of their 5x5 blocks. */
#ifndef FEATURE_SPEED_H
#define FEATURE_SPEED_H

#include <stdbool.h>
#include <stddef.h>

#include "feature/common/float_filter.h"
#include "feature/common/resample.h"
#include "feature/speed/speed_dsp.h"

typedef struct SpeedPlan {
    const char *feature; /* for log lines */
    unsigned bpc;
    unsigned src_w, src_h;     /* of the plane of samples */
    unsigned w, h;             /* prescaled */
    Resampler *prescale;       /* NULL: none */
    unsigned small_w, small_h; /* reduced */
    unsigned blocks_x, blocks_y;
    FloatFilter reduce, local; /* before decimation; local mean */
    float sigma, entropy_floor;
    int weight_mode;
    FloatDsp dsp;
    SpeedDsp speed_dsp;
    bool warned; /* of a singular plane; report's own */
} SpeedPlan;

typedef struct SpeedScore {
    float score;
    bool failed; /* one of the planes is singular */
} SpeedScore;

/* A plane of samples, or the difference of two when `minus` is set. */
typedef struct SpeedInput {
    const void *from, *minus;
    ptrdiff_t from_stride, minus_stride;
} SpeedInput;

/* Working memory of one measure. `plan` must outlive it. */
typedef struct Speed Speed;
int speed_create(Speed **out, const SpeedPlan *plan);
void speed_destroy(Speed *s);
SpeedScore speed_compare(Speed *s, const SpeedInput *ref, const SpeedInput *dist);

/* ---- matrix.c: symmetric 25x25 matrices in single precision ---- */

typedef float SpeedMatrix[SPEED_BLOCK][SPEED_ROW];

/* In the order of the iteration, which later sums depend on. False: it did not settle. */
bool speed_eigenvalues(const SpeedMatrix c, float values[SPEED_BLOCK]);

/* Solves c * x = y for n columns. False when c is singular; x is undefined then. `work` is as large
 * as y: SPEED_BLOCK rows of `pitch`. */
bool speed_solve(const SpeedMatrix c, const float *y, float *x, float *work, size_t pitch,
                 size_t n);

/* Below it an eigenvalue or a pivot counts as zero. */
#define SPEED_EPSILON 1e-6

#endif
