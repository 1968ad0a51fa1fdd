/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The expensive part of SpEED's statistics. */
#ifndef FEATURE_SPEED_DSP_H
#define FEATURE_SPEED_DSP_H

#include <stddef.h>

enum {
    SPEED_EDGE = 5,                        /* of a block */
    SPEED_BLOCK = SPEED_EDGE * SPEED_EDGE, /* samples of a block */
    SPEED_ROW = 32,                        /* SPEED_BLOCK, with room for whole vectors */
    SPEED_LAGS = 2 * SPEED_EDGE - 1,       /* columns from which a block's sample sees another */
    SPEED_LAG_ROW = 16,                    /* SPEED_LAGS, with room for whole vectors */
};

typedef struct SpeedDsp {
    /* sums[k] = sum over x < n of a[x] * b[x + k], k < SPEED_LAGS: those of even x and those of odd x from the first
     * on, then both together. Reads b up to n + SPEED_LAG_ROW; entries past SPEED_LAGS are undefined. */
    void (*lags)(double sums[SPEED_LAG_ROW], const double *a, const double *b, size_t n);
} SpeedDsp;

void speed_dsp_init(SpeedDsp *dsp, unsigned cpu);

#endif
