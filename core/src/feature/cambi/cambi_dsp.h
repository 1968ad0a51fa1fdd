/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Row routines of cambi. All are exact: integers, or one rounding each. */
#ifndef FEATURE_CAMBI_DSP_H
#define FEATURE_CAMBI_DSP_H

#include <stddef.h>
#include <stdint.h>

/* Rows have this many elements to spare behind their end, which routines may overwrite. */
enum { CAMBI_SLACK = 64 };

#define CAMBI_NO_CODE 0xffff

/* What the contrast of a run of equal codes needs. */
typedef struct CambiRun {
    const uint16_t *own;   /* counts of the run's code around each of its samples */
    ptrdiff_t pitch;       /* from a code's counts to the next code's */
    unsigned first, steps; /* steps to try */
    const float *reciprocal;
} CambiRun;

typedef struct CambiDsp {
    void (*widen_8)(uint16_t *out, const uint8_t *in, size_t n);                  /* in << 2 */
    void (*narrow_16)(uint16_t *out, const uint16_t *in, size_t n, unsigned bpc); /* to 10 bits */
    void (*smooth)(uint16_t *out, const uint16_t *row, const uint16_t *below, size_t n);
    /* 1 where a sample equals its right and its lower neighbour. */
    void (*flat)(uint8_t *out, const uint16_t *row, const uint16_t *below, size_t n);
    void (*slide)(uint8_t *sums, const uint8_t *enter, const uint8_t *leave, size_t n);
    /* 1 where seven neighbouring sums, from x-3 on, exceed `needed`. */
    void (*mask)(uint8_t *out, const uint8_t *sums, unsigned needed, size_t n);
    /* Every other element, n of them; `out` may be `in`. */
    void (*keep_even_16)(uint16_t *out, const uint16_t *in, size_t n);
    void (*keep_even_8)(uint8_t *out, const uint8_t *in, size_t n);
    /* The value that occurs twice among three, else the least. `out` may be one of them. */
    void (*mode3)(uint16_t *out, const uint16_t *a, const uint16_t *b, const uint16_t *c, size_t n);

    /* code - low where masked and in 0…span, else CAMBI_NO_CODE. */
    void (*masked)(uint16_t *out, const uint16_t *code, const uint8_t *mask, unsigned low,
                   unsigned span, size_t n);
    /* CAMBI_NO_CODE in both rows where they are equal. */
    void (*cancel)(uint16_t *a, uint16_t *b, size_t n);
    /* Where runs of equal codes start, and n after the last; returns how many runs there are. The
     * list has room for n + 1 entries and CAMBI_SLACK. */
    unsigned (*runs)(uint16_t *starts, const uint16_t *codes, size_t n);
    /* What stands behind the n elements of `by` may be added to what stands behind the counts. */
    void (*add)(uint16_t *counts, const uint16_t *by, size_t n);
    void (*subtract)(uint16_t *counts, const uint16_t *by, size_t n);
    void (*contrast)(float *out, const CambiRun *run, size_t n);
    /* Sum of the values above a limit, and how many there are. In any order: exact below 2^29 for
     * multiples of 2^-24, and not below 2^29 otherwise. */
    double (*sum_above)(const float *values, size_t n, float limit, size_t *count);
} CambiDsp;

void cambi_dsp_init(CambiDsp *dsp, unsigned cpu);

#endif
