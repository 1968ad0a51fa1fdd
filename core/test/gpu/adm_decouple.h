/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The device functions of adm_decouple.h, for adm_decouple_test.c to call. */
#ifndef GPU_ADM_DECOUPLE_H
#define GPU_ADM_DECOUPLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The gain limit as ADM_GAIN_PARAMS has it. */
typedef struct DecoupleGain {
    uint32_t whole, lo, hi, shift;
} DecoupleGain;

/* Bit 0: the answer in single precision, bit 1: it is in doubt. */
unsigned decouple_nearly_aligned(const int32_t o[2], const int32_t t[2]);
/* For gradients that are in doubt. */
int decouple_aligned(int coarse, const int32_t o[2], const int32_t t[2]);
int32_t decouple_restore(int coarse, const DecoupleGain *gain, int32_t o, int32_t t, int aligned);

#ifdef __cplusplus
}
#endif

#endif
