/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Private declarations of motion: options, result, the table of row routines, and the frame
 * routine. */
#ifndef FEATURE_MOTION_MOTION_H
#define FEATURE_MOTION_MOTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/feature.h"
#include "engine/team.h"

typedef struct MotionOptions {
    bool debug, force_zero, five_frame_window, moving_average;
    double blend_factor, blend_offset, fps_weight, max_val;
} MotionOptions;

/* How many frames back the frame lies that is compared with the current one. */
static inline unsigned motion_distance(const MotionOptions *o)
{
    return o->five_frame_window ? 2 : 1;
}

typedef struct MotionResult {
    uint64_t sad; /* sum of magnitudes of the blurred difference; meaningless where there is no
                   * earlier frame to compare with */
} MotionResult;

/* ---- Row routines
 *
 * They blur the difference of two planes and sum its magnitudes. A plane is swept in strips of
 * columns, two rows at a time. A pair holds the differences of two rows; each implementation
 * chooses its layout. A column of the vertical pass is a 17-bit number v, kept in two channels as v
 * >> 1 and v & 1, since vector instructions multiply signed 16-bit words best. */

#define MOTION_REACH 2
#define MOTION_PAIRS 3

#define MOTION_STRIP 512 /* widest strip */
#define MOTION_STRIP_STEP 32
#define MOTION_MARGIN 16 /* words before a channel's first column that belong to the channel */
#define MOTION_PITCH                                                                               \
    (MOTION_STRIP + 64) /* columns of a buffer: margins included, vectors may run over */
#define MOTION_PAIR_WORDS (2 * MOTION_PITCH)
#define MOTION_ROW_WORDS (2 * MOTION_PITCH) /* the channel v >> 1, then v & 1 */

/* The blur kernel. Its sum is 65536. */
#define MOTION_TAPS                                                                                \
    {                                                                                              \
        3571, 16004, 26386, 16004, 3571                                                            \
    }

typedef struct MotionDsp {
    /* earlier - current of rows [0] and [1]. Reads no sample past `n`. */
    void (*join)(uint32_t *pair, const void *const earlier[2], const void *const current[2], int n);
    /* Vertical pass for rows y and y+1 (those of pairs[1]); they go MOTION_ROW_WORDS apart. */
    void (*blur_columns)(int16_t *columns, const uint32_t *const *pairs, int n, int bpc);
    /* Horizontal pass over one row: returns the sum of magnitudes. */
    uint64_t (*blur_row)(const int16_t *columns, int n);
} MotionDsp;

/* Fills the table with the best routines for samples of `bpc` bits that `cpu` (enum CpuFlag)
 * allows. */
void motion_dsp_init(MotionDsp *dsp, unsigned bpc, unsigned cpu);

/* ---- Frame routine */

/* A frame with fewer pixels is not worth waking other threads for. */
#define MOTION_SHARED_PIXELS (500 * 1000)

/* Constants of a clip. */
typedef struct MotionSetup {
    unsigned w, h, bpc; /* at least 3x3 */
    MotionDsp dsp;
} MotionSetup;

/* Create and destroy the working memory of one measure at a time (FeatureDef.scratch_create and
 * scratch_destroy). */
typedef struct MotionFrame MotionFrame;
int motion_frame_create(const Feature *f, void **frame);
void motion_frame_destroy(void *frame);

/* The sum of magnitudes of the blurred difference of two planes; planes[0] is the earlier one.
 * Strides are in bytes. The threads of `team` (NULL: only the caller) share the work. */
uint64_t motion_frame_measure(MotionFrame *frame, const MotionSetup *setup,
                              const void *const planes[2], const ptrdiff_t strides[2], Team *team);

extern const struct FeatureGpu motion_gpu; /* motion_gpu.c */

#endif
