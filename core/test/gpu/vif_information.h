/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The device functions of vif_information.h, compiled for the CPU so that vif_information_test.c
 * can call them. */
#ifndef GPU_VIF_INFORMATION_H
#define GPU_VIF_INFORMATION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The gain limit, as in VIF_STATS_PARAMS: a whole number, or 0. */
typedef struct InformationGain {
    uint32_t whole, room;
    float gain;
    uint32_t lo, hi, square_lo, square_hi;
} InformationGain;

enum { TOLD_AT_ONCE, TOLD_CLOSER, LEFT_TO_HOST };

/* The information in a pixel, and how it was found. Writes nothing if the pixel is left to the
 * host. `lines`: the table of the logarithm. */
uint32_t information_of(const InformationGain *gain, const uint32_t lines[][2],
                        const uint32_t variances[3], int *how);

#ifdef __cplusplus
}
#endif

#endif
