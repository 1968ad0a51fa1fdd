/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The expensive parts of SpEED's statistics. */
#ifndef FEATURE_SPEED_DSP_H
#define FEATURE_SPEED_DSP_H

#include <stddef.h>

enum {
    SPEED_EDGE = 5,                        /* of a block */
    SPEED_BLOCK = SPEED_EDGE * SPEED_EDGE, /* samples of a block */
    SPEED_ROW = 32,                        /* SPEED_BLOCK, with room for whole vectors */
};

typedef struct SpeedDsp {
    /* sums[a][b] = sum over n vectors of v[a] * v[b], b <= a, added from the first vector on in
     * double. Entries past the diagonal are undefined. Vectors are SPEED_ROW apart, zero at the
     * end. */
    void (*products)(double sums[SPEED_BLOCK][SPEED_ROW], const double *vectors, size_t n);
} SpeedDsp;

void speed_dsp_init(SpeedDsp *dsp, unsigned cpu);

#endif
