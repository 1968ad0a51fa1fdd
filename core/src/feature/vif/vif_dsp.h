/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vif's hot routines.
 *
 * A plane is swept in strips of columns, two rows at a time, through two small buffers that stay in
 * the nearest cache:
 *   pairs    rows 2j and 2j+1 of both pictures, joined; a ring of as many as the kernel reaches
 *   columns  what the vertical pass makes of them, for one or two rows: 16-bit channels
 * How samples are laid out and offset within a pair, and numbers within a channel, is each
 * implementation's own affair, except that a column is one 16-bit word at its place in every
 * channel: the driver copies columns to mirror the picture at its borders. */
#ifndef FEATURE_VIF_VIF_DSP_H
#define FEATURE_VIF_VIF_DSP_H

#include "feature/vif/vif.h"

#define VIF_REACH 8 /* of the widest kernel, to each side */

#define VIF_STRIP 320 /* widest strip; strips but the last are multiples of VIF_STRIP_STEP wide */
#define VIF_STRIP_STEP 32
/* Words before a channel's first column that belong to it; where the kernel's reach begins, vectors are
 * aligned. */
#define VIF_MARGIN (32 + VIF_REACH)
#define VIF_PITCH (VIF_STRIP + 64) /* columns a buffer has: margins, and vectors may run over */
#define VIF_PAIR_WORDS (2 * 2 * VIF_PITCH) /* reference, then distorted from the middle on */
#define VIF_MAX_PAIRS (VIF_REACH + 1)

/* Channels of the vertical pass; second moments have 32 bits. */
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
#define VIF_ROW_WORDS (VIF_CHANNELS * VIF_PITCH) /* one row's channels, VIF_PITCH apart */

/* How far kernel `scale` reaches, rounded up to whole pairs of rows. */
static inline int vif_pair_reach(int scale)
{
    return scale < 2 ? VIF_REACH >> scale : 2;
}

/* Samples on each side of a scale's kernel. */
static inline int vif_reach(int scale)
{
    return VIF_REACH >> scale;
}

typedef struct VifShifts {
    int mean, square; /* after the vertical pass, rounded; `mean` is the depth of the samples */
} VifShifts;

/* VifSums while they are being added up: a vector's lanes each; only their total counts. */
#define VIF_LANES 8
typedef struct VifLaneSums {
    uint64_t num_log[VIF_LANES], den_log[VIF_LANES];
    uint64_t flat_energy[VIF_LANES], flat_count[VIF_LANES];
} VifLaneSums;

/* The routines of one scale. `n` counts columns; buffers hold VIF_PITCH of them, so vectors may run
 * over the end. `pairs` points at reach + 1 pairs of rows, the one with row y in the middle, where
 * y is even and `reach` is vif_pair_reach of the kernel used. */
typedef struct VifScaleDsp {
    /* Joins rows of samples of `depth` bits; reads no sample past `n`. */
    void (*join)(uint16_t *pair, const void *even, const void *odd, int n, int depth);

    /* Vertical pass with this scale's kernel: rows y and y+1, VIF_ROW_WORDS apart. */
    void (*stats_columns)(uint16_t *columns, const uint16_t *const *pairs, int n,
                          const VifShifts *shifts);
    /* Horizontal pass over one row, then each of its pixels into the sums. */
    void (*stats_row)(VifLaneSums *sums, const uint16_t *columns, int n,
                      const VifPixelParams *params);

    /* The low-pass of the next scale: its kernel, for row y, the two means only; then every other
     * column of one picture, `n` of them, as plain samples. Unused at the last scale. */
    void (*halve_columns)(uint16_t *columns, const uint16_t *const *pairs, int n, int depth);
    void (*halve_row)(uint16_t *out, const uint16_t *channel, int n);
} VifScaleDsp;

typedef struct VifDsp {
    VifScaleDsp scale[VIF_SCALES];
} VifDsp;

void vif_dsp_init(VifDsp *dsp, unsigned bpc, unsigned cpu);

#endif
