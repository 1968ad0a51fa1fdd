/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The device functions of vif_information.h, for vif_information_test.c to call. */
#ifndef GPU_VIF_INFORMATION_H
#define GPU_VIF_INFORMATION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The gain limit, as VIF_STATS_PARAMS has it; whole, or 0. */
typedef struct InformationGain {
    uint32_t whole, room;
    float gain;
    uint32_t lo, hi, square_lo, square_hi;
} InformationGain;

enum { TOLD_AT_ONCE, TOLD_CLOSER, LEFT_TO_HOST };

/* What a pixel tells, and how that was found out; nothing when it is left to the host. `lines` are the logarithm's. */
uint32_t information_of(const InformationGain *gain, const uint32_t lines[][2],
                        const uint32_t variances[3], int *how);

#ifdef __cplusplus
}
#endif

#endif
