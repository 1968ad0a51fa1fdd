/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Metrics of a whole frame at once, written like their definitions: no strips, no rings of rows, no
 * threads, and nothing in common with the frame routines. Slow. */
#ifndef TEST_DSP_WHOLE_H
#define TEST_DSP_WHOLE_H

#include <stddef.h>
#include <stdint.h>

#include "feature/vif/vif.h"

/* Two planes without padding, of bytes at 8 bits, else of 16-bit words. */
typedef struct WholeFrame {
    int w, h;
    unsigned bpc;
    const void *planes[2];
} WholeFrame;

/* Frames must have 16x16 samples or more. */
void whole_vif(const WholeFrame *frame, const VifPixelParams *params, VifResult *result);

uint64_t whole_motion(const WholeFrame *frame);

#endif
