/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The device functions of feature/adm's adm_decouple.h, compiled for the CPU so that
 * adm_decouple_test.c can call them. */
#ifndef GPU_ADM_DECOUPLE_H
#define GPU_ADM_DECOUPLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The gain limit, with the members of ADM_GAIN_PARAMS. */
typedef struct DecoupleGain {
    uint32_t whole, lo, hi, shift;
} DecoupleGain;

/* Bit 0: the answer in single precision. Bit 1: the answer is in doubt. */
unsigned decouple_nearly_aligned(const int32_t o[2], const int32_t t[2]);
/* Decides for gradients whose single-precision answer is in doubt. */
int decouple_aligned(int coarse, const int32_t o[2], const int32_t t[2]);
int32_t decouple_restore(int coarse, const DecoupleGain *gain, int32_t o, int32_t t, int aligned);

#ifdef __cplusplus
}
#endif

#endif
