/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The row routines of ADM, and the parameters they share.
 *
 * Rows hold one value per band column and are indexed by that column. They have ADM_MARGIN bytes of
 * room on both sides, which the routines may read and overwrite: only columns inside the stated
 * range mean anything. Level 0 ("fine") has 16-bit coefficients, levels 1…3 ("coarse") 32-bit ones:
 * tables of two are indexed by `level > 0`. */
#ifndef FEATURE_ADM_ADM_DSP_H
#define FEATURE_ADM_ADM_DSP_H

#include <stdint.h>

#include "feature/common/adm_csf.h"

#define ADM_MARGIN 256

enum AdmBand { ADM_H, ADM_V, ADM_D, ADM_BANDS };

/* Filters of the split, Q15: Daubechies' four taps. */
#define ADM_TAPS 4
#define ADM_LO                                                                                     \
    {                                                                                              \
        15826, 27411, 7345, -4240                                                                  \
    }
#define ADM_HI                                                                                     \
    {                                                                                              \
        -4240, -7345, 27411, -15826                                                                \
    }

/* A level's geometry and fixed-point parameters. */
typedef struct AdmLevel {
    int in_w, in_h; /* size of what is split */
    int w, h;       /* size of a band */

    /* Energies are summed over the core [left, right) x [top, bottom), masks reach one further. */
    int left, right, top, bottom;
    int x0, x1; /* columns of the core and of its neighbours: where detail bands are needed */

    int in_bias;          /* level 0: half the sample range, which centres the samples */
    int v_shift, h_shift; /* rounding of the split's vertical and horizontal pass */
    double gain_limit;

    AdmCsfWeights weight;  /* contrast sensitivity */
    uint32_t q[ADM_BANDS]; /* the same in fixed point */

    /* Rounding of the masked energy: threshold up, square and cube down, row sum down. */
    int threshold_up[ADM_BANDS], square[ADM_BANDS], cube[ADM_BANDS], row;
    int scale[ADM_BANDS]; /* of the sum: it stands for sum / 2^scale */

    /* The same of the plain energy. Level 0 rounds rows only. */
    int plain_square, plain_cube, plain_row, plain_scale;
} AdmLevel;

/* Splits one row of each band off four rows of the level above. `rows` are the sources of the four
 * taps (a row may stand twice). `work` has room for two rows of in_w 32-bit values, or for four of
 * 16-bit ones, with margins.
 * Writes the low-pass row `a` unless it is NULL, and columns x0…x1-1 of the detail rows H, V, D
 * unless `detail` is NULL. Source samples: bytes or 16-bit words at level 0, int16_t at 1, int32_t
 * above. Level 0 reads pictures, which have no margins. */
typedef void AdmSplitRow(const AdmLevel *l, const void *const rows[ADM_TAPS], void *work, void *a,
                         void *const detail[ADM_BANDS]);

/* Splits the distorted coefficients into what the reference explains (restored) and the rest
 * (additive); columns x0…x1-1. */
typedef void AdmDecoupleRow(const AdmLevel *l, const void *const ref[ADM_BANDS],
                            const void *const dist[ADM_BANDS], void *const restored[ADM_BANDS],
                            void *const additive[ADM_BANDS]);

/* Weighs the rows of a masker; columns x0…x1-1. `near` gets what a coefficient adds to its
 * neighbours' thresholds, `own` how much more it adds to its own; both are summed over the bands.
 * Coarse levels also give the weighed magnitudes: the signal when the two parts change roles. */
typedef void AdmWeighRow(const AdmLevel *l, const void *const masker[ADM_BANDS],
                         uint32_t *const weighed[ADM_BANDS], int32_t *near, int32_t *own);

/* What masks a row: `near` of the rows above, at and below it, and `own`. */
typedef struct AdmMaskRows {
    const int32_t *near[3], *own;
    int32_t *work; /* a row to work in */
} AdmMaskRows;

/* Sum of the cubes of what exceeds the threshold, by band; columns left…right-1. The threshold is
 * the sum of `near` over the 3x3 neighbourhood, plus `own`. The signal is in coefficients (int16_t)
 * at level 0, in weighed magnitudes (uint32_t) above. */
typedef void AdmEnergyRow(const AdmLevel *l, const void *const signal[ADM_BANDS],
                          const AdmMaskRows *mask, int64_t sum[ADM_BANDS]);

/* Sum of the cubes of the reference's magnitudes, by band; columns left…right-1. */
typedef void AdmPlainRow(const AdmLevel *l, const void *const ref[ADM_BANDS],
                         int64_t sum[ADM_BANDS]);

typedef struct AdmDsp {
    AdmSplitRow *split_row[ADM_LEVELS];
    AdmDecoupleRow *decouple_row[2];
    AdmWeighRow *weigh_row[2];
    AdmEnergyRow *energy_row[2];
    AdmPlainRow *plain_row[2];
} AdmDsp;

/* Fills the table for samples of `bpc` bits with the best routines that `cpu` (enum CpuFlag) has
 * for these levels: some serve usual options only. */
void adm_dsp_init(AdmDsp *dsp, const AdmLevel level[ADM_LEVELS], unsigned bpc, unsigned cpu);

/* The truth that every other version must equal. */
void adm_dsp_init_scalar(AdmDsp *dsp, unsigned bpc);

/* Whether two gradients (horizontal and vertical coefficient of each picture) point the same way,
 * to within a degree. */
int adm_aligned(int32_t ref_h, int32_t ref_v, int32_t dist_h, int32_t dist_v);

#endif
