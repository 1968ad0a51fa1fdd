/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SpEED: spatial efficient entropic differencing. Two planes, reduced to a sixteenth of their size
 * and freed of their local mean, are compared by the entropies of their 5x5 blocks. */
#ifndef FEATURE_SPEED_FRAME_H
#define FEATURE_SPEED_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#include "feature/common/float_rows.h"
#include "feature/common/resample.h"
#include "feature/speed/speed_dsp.h"

typedef struct SpeedSetup {
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
    struct SpeedBlocks *gpu_blocks; /* for what comes from a GPU; NULL: nothing does */
    bool warned;                    /* of a singular plane; report's own */
    bool begun;                     /* temporal: the first pair was reported */
} SpeedSetup;

typedef struct SpeedScore {
    float score;
    bool failed; /* one of the planes is singular */
} SpeedScore;

/* A plane of samples, or the difference of two when `minus` is set. */
typedef struct SpeedInput {
    const void *from, *minus;
    ptrdiff_t from_stride, minus_stride;
} SpeedInput;

/* Working memory of one measure. `setup` must outlive it. */
typedef struct SpeedFrame SpeedFrame;
int speed_frame_create(SpeedFrame **out, const SpeedSetup *setup);
void speed_frame_destroy(SpeedFrame *s);
SpeedScore speed_frame_measure(SpeedFrame *s, const SpeedInput *ref, const SpeedInput *dist);

#endif
