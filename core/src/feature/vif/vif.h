/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Private declarations of vif: options, result, the table of row routines, and the frame routine.
 * Every backend reduces a frame to the same four integer sums a scale (VifSums). */
#ifndef FEATURE_VIF_VIF_H
#define FEATURE_VIF_VIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/feature.h"
#include "engine/map.h"
#include "engine/team.h"
#include "feature/common/strips.h"

#define VIF_SCALES 4
#define VIF_MIN_SIZE 8 /* below it a scale has no samples */

typedef struct VifOptions {
    bool debug, skip_scale0;
    double gain_limit;
} VifOptions;

/* Textured pixels add to the logarithms (in units of 2^-11), flat ones to the other two. */
typedef struct VifSums {
    uint64_t num_log, den_log;
    uint64_t flat_energy, flat_count;
} VifSums;

typedef struct VifResult {
    VifSums scale[VIF_SCALES]; /* scale 0 is all zero when it is skipped */
} VifResult;

/* Variance of the visual noise, 2.0, in the units of all variances here (2^-16). */
#define VIF_NOISE (2 << 16)

/* Fills table[index] with round(2048 * log2 m) of m = 32768 + index, rounded as the reference's
 * single precision rounds it. */
#define VIF_LOG_ENTRIES 32768
void vif_log_table_fill(uint16_t table[VIF_LOG_ENTRIES]);

/* Constants for turning the variances of a pixel into sums. */
typedef struct VifPixelParams {
    const uint16_t *log_table;
    double gain_limit;
} VifPixelParams;

/* Adds one pixel to `sums`. Neither variance is negative. */
void vif_add_pixel(VifSums *sums, int32_t var_ref, int32_t var_dis, int32_t cov,
                   const VifPixelParams *params);

/* ---- Row routines
 *
 * A plane is swept in strips of columns, two rows at a time, through two small buffers that stay in
 * the nearest cache:
 *   pairs    rows 2j and 2j+1 of both pictures, joined; a ring as long as the kernel needs
 *   columns  the output of the vertical pass, for one or two rows, as 16-bit channels
 * Each implementation chooses how it lays out samples within a pair and numbers within a channel.
 * The only rule is that a column is one 16-bit word, at the same position in every channel: the
 * frame routine copies columns to mirror the picture at its borders. */

#define VIF_REACH 8 /* reach of the widest kernel to each side */

#define VIF_STRIP 320 /* widest strip; all but the last are whole steps wide */
#define VIF_STRIP_STEP 32
/* Words before a channel's first column that belong to the channel. Vectors are aligned at the
 * column where the kernel's reach begins. */
#define VIF_MARGIN (32 + VIF_REACH)
#define VIF_PITCH (VIF_STRIP + 64) /* columns of a buffer: margins included, vectors may run over */
#define VIF_PAIR_WORDS (2 * 2 * VIF_PITCH) /* reference first, distorted from the middle on */
#define VIF_MAX_PAIRS (VIF_REACH + 1)

/* Channels of the vertical pass. Second moments have 32 bits, so they take two channels each. */
enum VifChannel {
    VIF_MEAN_REF,
    VIF_MEAN_DIS,
    VIF_REF_REF_HI,
    VIF_REF_REF_LO,
    VIF_DIS_DIS_HI,
    VIF_DIS_DIS_LO,
    VIF_REF_DIS_HI,
    VIF_REF_DIS_LO,
    VIF_CHANNELS,
};
#define VIF_ROW_WORDS (VIF_CHANNELS * VIF_PITCH) /* all channels of a row, VIF_PITCH apart */

/* The reach of kernel `scale` in rows, rounded up to whole pairs. */
static inline int vif_pair_reach(int scale)
{
    return scale < 2 ? VIF_REACH >> scale : 2;
}

/* The reach of kernel `scale`: samples to each side of its centre. */
static inline int vif_reach(int scale)
{
    return VIF_REACH >> scale;
}

/* Right shifts, with rounding, after the vertical pass. `mean` equals the depth of the samples. */
typedef struct VifShifts {
    int mean, square;
} VifShifts;

/* VifSums in the making: one number for each lane of a vector. Only the total over the lanes
 * counts. */
#define VIF_LANES 8
typedef struct VifLaneSums {
    uint64_t num_log[VIF_LANES], den_log[VIF_LANES];
    uint64_t flat_energy[VIF_LANES], flat_count[VIF_LANES];
} VifLaneSums;

/* The routines of one scale. `n` counts columns; buffers hold VIF_PITCH of them, so vectors may run
 * past `n`. `pairs` points at reach + 1 pairs of rows, with row y in the middle pair, where
 * y is even and `reach` is vif_pair_reach of the kernel used. */
typedef struct VifScaleDsp {
    /* Joins two rows of samples of `depth` bits. Reads no sample past `n`. */
    void (*join)(uint16_t *pair, const void *even, const void *odd, int n, int depth);

    /* Vertical pass with this scale's kernel, for rows y and y+1; they go VIF_ROW_WORDS apart. */
    void (*stats_columns)(uint16_t *columns, const uint16_t *const *pairs, int n,
                          const VifShifts *shifts);
    /* Horizontal pass over one row; adds each of its pixels to the sums. */
    void (*stats_row)(VifLaneSums *sums, const uint16_t *columns, int n,
                      const VifPixelParams *params);

    /* The low-pass filter for the next scale, with that scale's kernel. halve_columns makes row y
     * of the two means. halve_row keeps every other column of one picture, `n` of them, as plain
     * samples. The last scale does not use them. */
    void (*halve_columns)(uint16_t *columns, const uint16_t *const *pairs, int n, int depth);
    void (*halve_row)(uint16_t *out, const uint16_t *channel, int n);
} VifScaleDsp;

typedef struct VifDsp {
    VifScaleDsp scale[VIF_SCALES];
} VifDsp;

/* Fills the table with the best routines for samples of `bpc` bits that `cpu` (enum CpuFlag)
 * allows. */
void vif_dsp_init(VifDsp *dsp, unsigned bpc, unsigned cpu);

/* ---- Frame routine */

/* A scale with fewer pixels is not worth waking other threads for. */
#define VIF_SHARED_PIXELS (100 * 1000)

/* Constants of a clip. The feature owns them; measures only read them. */
typedef struct VifSetup {
    unsigned w, h, bpc;
    bool skip_scale0;
    VifDsp dsp;
    VifPixelParams pixel;
} VifSetup;

/* Create and destroy the working memory of one measure at a time (FeatureDef.scratch_create and
 * scratch_destroy). */
typedef struct VifFrame VifFrame;
int vif_frame_create(const Feature *f, void **frame);
void vif_frame_destroy(void *frame);

/* Measures the luma planes of a reference and a distorted picture. Strides are in bytes. The
 * threads of `team` (NULL: only the caller) share the work. */
void vif_frame_measure(VifFrame *frame, const VifSetup *setup, const void *const planes[2],
                       const ptrdiff_t strides[2], VifResult *result, Team *team);

/* The terms of a map's cell, which is one sample of a scale: those of VifSums. */
enum { VIF_TERM_NUM, VIF_TERM_DEN, VIF_TERM_ENERGY, VIF_TERM_FLAT, VIF_TERMS };

/* From now on the frame puts the terms of each sample into these layers, one for each scale that is
 * measured, and not into sums. NULL: into sums again. */
void vif_frame_map(VifFrame *frame, const MapLayer *layers);

/* ---- GPU */

/* Fills VIF_LOG_LINES lines (slope, intercept) that replace the table of logarithms in the kernels;
 * see vif_tile.h. */
void vif_log_lines_fill(uint32_t lines[][2], const uint16_t *table);

extern const FeatureGpu vif_gpu;

#endif
