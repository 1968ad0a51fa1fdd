/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Private declarations of adm, the fixed-point ADM: how much of the reference's detail survives in
 * the distorted picture (adm2), how much was added that does not belong there (aim), and both
 * together (adm3).
 *
 * ADM has four wavelet levels. At each, the distorted coefficients are split into a restored signal
 * (explained by the reference) and an additive one (the rest). Each is weighted by contrast
 * sensitivity, masked by the other, and its energy summed. */
#ifndef FEATURE_ADM_ADM_H
#define FEATURE_ADM_ADM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/simd_fn.h"
#include "engine/feature.h"
#include "engine/map.h"
#include "feature/common/adm_csf.h"

/* ---- Parameters of a level */

enum AdmBand { ADM_H, ADM_V, ADM_D, ADM_BANDS };

typedef struct AdmLevel {
    int in_w, in_h; /* size of the plane that is split */
    int w, h;       /* size of a band */

    /* Energies are summed over the core [left, right) x [top, bottom). Masks reach one sample
     * further. */
    int left, right, top, bottom;
    int x0, x1; /* columns of the core and its neighbours: detail bands are needed only there */

    int in_bias;          /* level 0: half the sample range, which centres the samples */
    int v_shift, h_shift; /* rounding shifts of the split's vertical and horizontal pass */
    double gain_limit;

    AdmCsfWeights weight;  /* contrast sensitivity */
    uint32_t q[ADM_BANDS]; /* the same in fixed point */

    /* Rounding shifts of the masked energy: threshold (left), square, cube and row sum (right). */
    int threshold_up[ADM_BANDS], square[ADM_BANDS], cube[ADM_BANDS], row;
    int scale[ADM_BANDS]; /* a sum stands for sum / 2^scale */

    /* The same shifts for the plain energy. Level 0 rounds only its rows. */
    int plain_square, plain_cube, plain_row, plain_scale;
} AdmLevel;

/* ---- Row routines
 *
 * A row holds one value for each band column and is indexed by that column. It has ADM_MARGIN bytes
 * of room on both sides, which the routines may read and overwrite: only columns inside the stated
 * range mean anything. Level 0 ("fine") has 16-bit coefficients, levels 1…3 ("coarse") have 32-bit
 * ones: tables of two entries are indexed by `level > 0`. */

#define ADM_MARGIN 256

/* Filters of the split in Q15: Daubechies' four taps. */
#define ADM_TAPS 4
#define ADM_LO                                                                                     \
    {                                                                                              \
        15826, 27411, 7345, -4240                                                                  \
    }
#define ADM_HI                                                                                     \
    {                                                                                              \
        -4240, -7345, 27411, -15826                                                                \
    }

/* Splits one row of each band off four rows of the level above. `rows` are the sources of the four
 * taps (a row may appear twice). `work` has room for two rows of in_w 32-bit values, or for four
 * rows of 16-bit ones, with margins. Writes the low-pass row `a` unless it is NULL, and columns
 * x0…x1-1 of the detail rows H, V, D unless `detail` is NULL. Source samples are bytes or 16-bit
 * words at level 0, int16_t at level 1, int32_t above. Level 0 reads pictures, which have no
 * margins. */
typedef void AdmSplitRow(const AdmLevel *l, const void *const rows[ADM_TAPS], void *work, void *a,
                         void *const detail[ADM_BANDS]);

/* Splits the distorted coefficients into what the reference explains (restored) and the rest
 * (additive), in columns x0…x1-1. */
typedef void AdmDecoupleRow(const AdmLevel *l, const void *const ref[ADM_BANDS],
                            const void *const dist[ADM_BANDS], void *const restored[ADM_BANDS],
                            void *const additive[ADM_BANDS]);

/* Weights the rows of a masker, in columns x0…x1-1. `near` gets the amount that a coefficient adds
 * to its neighbours' thresholds, `own` how much more it adds to its own; both are summed over the
 * bands. Coarse levels also write the weighted magnitudes: they are the signal when the two roles
 * change. */
typedef void AdmWeighRow(const AdmLevel *l, const void *const masker[ADM_BANDS],
                         uint32_t *const weighed[ADM_BANDS], int32_t *near, int32_t *own);

/* The mask of a row: `near` of the rows above, at and below it, and its `own`. */
typedef struct AdmMaskRows {
    const int32_t *near[3], *own;
    int32_t *work; /* a row to work in */
} AdmMaskRows;

/* For each band, sums the cubes of the signal beyond the threshold, in columns left…right-1. The
 * threshold is the sum of `near` over the 3x3 neighbourhood, plus `own`. The signal is a row of
 * coefficients (int16_t) at level 0 and of weighted magnitudes (uint32_t) above. */
typedef void AdmEnergyRow(const AdmLevel *l, const void *const signal[ADM_BANDS],
                          const AdmMaskRows *mask, int64_t sum[ADM_BANDS]);

/* For each band, sums the cubes of the reference's magnitudes, in columns left…right-1. */
typedef void AdmPlainRow(const AdmLevel *l, const void *const ref[ADM_BANDS],
                         int64_t sum[ADM_BANDS]);

typedef struct AdmDsp {
    AdmSplitRow *split_row[ADM_LEVELS];
    AdmDecoupleRow *decouple_row[2];
    AdmWeighRow *weigh_row[2];
    AdmEnergyRow *energy_row[2];
    AdmPlainRow *plain_row[2];
} AdmDsp;

/* Fills the table with the best routines for samples of `bpc` bits that `cpu` (enum CpuFlag)
 * allows. `level` matters because some vector routines handle only the usual options. */
void adm_dsp_init(AdmDsp *dsp, const AdmLevel level[ADM_LEVELS], unsigned bpc, unsigned cpu);

/* Fills the table with the scalar routines. All other versions must give the same results. */
void adm_dsp_init_scalar(AdmDsp *dsp, unsigned bpc);

/* The vector routines of each instruction set (base/simd_fn.h), each replacing entries of the
 * table. */
SIMD_DECLARE_ICL(adm_split_init, AdmDsp *dsp, unsigned bpc);
SIMD_DECLARE(adm_decouple_init, AdmDsp *dsp, const AdmLevel level[ADM_LEVELS]);
SIMD_DECLARE(adm_energy_init, AdmDsp *dsp, const AdmLevel level[ADM_LEVELS]);

/* The column, at or before x, where a routine starts that handles `step` columns at a time with
 * aligned vectors. */
static inline int align_column(int x, int step)
{
    return x / step * step;
}

/* True if two gradients (horizontal and vertical coefficient of each picture) point in the same
 * direction to within one degree. */
int adm_aligned(int32_t ref_h, int32_t ref_v, int32_t dist_h, int32_t dist_v);

/* ---- The feature */

typedef struct AdmOptions {
    bool debug, skip_scale0, skip_aim;
    AdmCsf csf;
    double dlm_weight, gain_limit, noise_weight, min_val;
    double extra_view_dist; /* read by the engine (FeatureDef.again) */
} AdmOptions;

/* Energies of one level, by band: sums over the rows of the core, each row rounded first. */
typedef struct AdmSums {
    int64_t num[ADM_BANDS], den[ADM_BANDS], aim[ADM_BANDS];
} AdmSums;

typedef struct AdmResult {
    AdmSums level[ADM_LEVELS];
} AdmResult;

/* The feature's state: constants of a clip. */
typedef struct AdmSetup {
    AdmLevel level[ADM_LEVELS];
    AdmDsp dsp;
    atomic_flag logged; /* the error about refused viewing conditions was logged */
} AdmSetup;

/* Fills the geometry, weights and shifts of the four levels. */
void adm_levels_init(AdmLevel level[ADM_LEVELS], const FrameShape *shape,
                     const AdmOptions *options);

/* ---- Frame routine */

/* Create and destroy the working memory of one measure at a time, for a feature and its guests:
 * line buffers and low-pass planes (FeatureDef.scratch_create and scratch_destroy). */
typedef struct AdmFrame AdmFrame;
int adm_frame_create(const Feature *f, void **frame);
void adm_frame_destroy(void *frame);

/* Measures one pair of pictures for a feature and its guests, which differ in contrast sensitivity
 * only: they share the transform and its split into restored and additive detail. results[0] is
 * for the feature, results[i] for guest i - 1. The threads of `team` share the rows. */
void adm_frame_measure(AdmFrame *frame, const AdmSetup *setup, const AdmOptions *options,
                       const VmafPicture *ref, const VmafPicture *dist, void *const *results,
                       Team *team);

/* The terms of a map's cell, which is one coefficient of the core of a level: cubes of each band,
 * as in AdmSums, before a row of them is rounded. */
enum {
    ADM_TERM_NUM,
    ADM_TERM_DEN = ADM_TERM_NUM + ADM_BANDS,
    ADM_TERM_AIM = ADM_TERM_DEN + ADM_BANDS,
    ADM_TERMS = ADM_TERM_AIM + ADM_BANDS,
};

/* From now on the frame puts the terms of each coefficient into these layers, one for each level
 * that is measured, and not into sums. NULL: into sums again. It has one view, and no team. */
void adm_frame_map(AdmFrame *frame, const MapLayer *layers);
/* Adds the cells of a level's layer up: rows first, which are rounded. */
void adm_map_sum(const AdmLevel *l, const MapLayer *layer, AdmSums *sums);

extern const FeatureGpu adm_gpu;

#endif
