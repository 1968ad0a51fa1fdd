/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* motion's hot routines: the difference of two planes, blurred, as a sum of magnitudes.
 *
 * A plane is swept in strips of columns, two rows at a time. A pair holds the differences of two
 * rows; its layout is the implementation's own. A column of the vertical pass is a number v of 17
 * bits, kept in two channels as v >> 1 and v & 1, since signed 16-bit words are what vectors
 * multiply best. */
#ifndef FEATURE_MOTION_MOTION_DSP_H
#define FEATURE_MOTION_MOTION_DSP_H

#include <stdint.h>

#define MOTION_REACH 2
#define MOTION_PAIRS 3

#define MOTION_STRIP 512 /* widest strip */
#define MOTION_STRIP_STEP 32
#define MOTION_MARGIN 16 /* words before a channel's first column that belong to it */
#define MOTION_PITCH                                                                               \
    (MOTION_STRIP + 64) /* columns a buffer has: margins, and vectors may run over */
#define MOTION_PAIR_WORDS (2 * MOTION_PITCH)
#define MOTION_ROW_WORDS (2 * MOTION_PITCH) /* the channel v >> 1, then v & 1 */

/* The blur: sum 65536. */
#define MOTION_TAPS                                                                                \
    {                                                                                              \
        3571, 16004, 26386, 16004, 3571                                                            \
    }

typedef struct MotionDsp {
    /* earlier - current of rows [0] and [1]; reads no sample past `n`. */
    void (*join)(uint32_t *pair, const void *const earlier[2], const void *const current[2], int n);
    /* Vertical pass for rows y and y+1, MOTION_ROW_WORDS apart; pairs[1] holds them. */
    void (*blur_columns)(int16_t *columns, const uint32_t *const *pairs, int n, int bpc);
    /* Horizontal pass over one row: the sum of magnitudes. */
    uint64_t (*blur_row)(const int16_t *columns, int n);
} MotionDsp;

void motion_dsp_init(MotionDsp *dsp, unsigned bpc, unsigned cpu);

#endif
