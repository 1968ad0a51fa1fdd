/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Metrics of a whole frame at once, as their definitions read: no strips, no rings of rows, no
 * threads, and nothing in common with the drivers that have them. Slow. */
#ifndef TEST_DSP_WHOLE_H
#define TEST_DSP_WHOLE_H

#include <stddef.h>
#include <stdint.h>

#include "feature/vif/vif.h"

/* Two planes without padding, of bytes up to 8 bits, else of 16-bit words. */
typedef struct WholeFrame {
    int w, h;
    unsigned bpc;
    const void *planes[2];
} WholeFrame;

/* Of 16x16 samples or more. */
void whole_vif(const WholeFrame *frame, const VifPixelParams *params, VifResult *result);

uint64_t whole_motion(const WholeFrame *frame);

#endif
