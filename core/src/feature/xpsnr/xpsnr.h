/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Private declarations of xpsnr: constants of a clip, sums of blocks, the table of tile functions,
 * the frame routine, and the function that computes distortions from sums. */
#ifndef FEATURE_XPSNR_XPSNR_H
#define FEATURE_XPSNR_XPSNR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/feature.h"
#include "engine/team.h"
#include "feature/xpsnr/xpsnr_tile.h"

typedef struct XpsnrOptions {
    double fps;
    bool enable_chroma;
} XpsnrOptions;

/* The integers that a block of luma, and the blocks of chroma at the same place, are reduced to. */
typedef struct XpsnrBlock {
    uint64_t spatial; /* sum of magnitudes of the high-passed reference */
    /* Sum of magnitudes of the temporal difference, without its factor of 2, for each number of
     * earlier frames that exist. The CPU fills in the one that applies. A GPU does not know how
     * many there are, and fills in all. */
    uint64_t temporal[XPSNR_HISTORIES];
    uint64_t sse[3]; /* sum of squared errors of each plane */
} XpsnrBlock;

typedef struct XpsnrResult {
    /* The weighted squared error of each plane, rounded, for each number of earlier frames; filled
     * in as XpsnrBlock.temporal. */
    uint64_t distortion[XPSNR_HISTORIES][3];
    uint64_t filled; /* bit i: distortion[i] is filled in; report does not read it */
} XpsnrResult;

/* ---- tile functions
 *
 * A tile has at most XPSNR_TILE_ROWS rows and XPSNR_TILE_COLUMNS columns, x0 <= x < x1, of planes
 * that are w samples wide; x0 is a multiple of XPSNR_TILE_COLUMNS. Planes are given as pointers to
 * their rows. The functions add to sums of whole columns: sums[i] is for columns x0 + 4 * i to
 * x0 + 4 * i + 3, and in `squares` for two columns each. They read no sample from w on. */

enum { XPSNR_TILE_ROWS = 64, XPSNR_TILE_COLUMNS = 256 };

typedef const void *const *XpsnrRows;

typedef struct XpsnrDsp {
    /* High-pass of rows[0] to rows[n - 1], at columns that are at least a border away from both
     * edges of the plane. For pictures that are not large it reads rows[-1] to rows[n]. For large
     * ones rows[0] is an even row, only even rows and columns count, and it reads rows[-2] to
     * rows[n + 2]; a column w is a copy of column w - 1. */
    void (*spatial)(uint64_t *sums, XpsnrRows rows, unsigned n, unsigned x0, unsigned x1,
                    unsigned w);
    /* Difference of rows and `earlier`, the frames one and two back; the first order ignores the
     * second of them. For large pictures n is even, and a column w is a copy of column w - 1. */
    void (*temporal)(uint64_t *sums, XpsnrRows rows, const XpsnrRows earlier[2], unsigned n,
                     unsigned x0, unsigned x1, unsigned w);
    void (*squares)(uint64_t *sums, XpsnrRows ref, XpsnrRows dist, unsigned n, unsigned x0,
                    unsigned x1);
} XpsnrDsp;

/* `order`: 1 or 2. `large`: the activity is measured at half the resolution. */
void xpsnr_dsp_init(XpsnrDsp *dsp, unsigned bpc, unsigned order, bool large, unsigned cpu);

/* ---- the clip */

typedef struct XpsnrSetup {
    FrameShape shape;
    unsigned planes;       /* bit p: plane p is measured */
    unsigned order;        /* order of the temporal difference: 1 or 2 */
    bool plain;            /* the picture is too small for weights: one block, no activity */
    bool large;            /* the activity is measured at half the resolution */
    bool smooth;           /* weights are limited by those of their neighbours */
    unsigned edge[3];      /* columns of a block in each plane */
    unsigned edge_y[3];    /* rows of a block in each plane */
    unsigned across, down; /* number of blocks */
    double scale, floor;   /* factor of the weights; smallest activity */
    XpsnrDsp dsp;
    void *zeros; /* a row of luma, in place of frames that do not exist */
} XpsnrSetup;

/* Sets all members but dsp and zeros. */
void xpsnr_setup_init(XpsnrSetup *setup, const FrameShape *shape, unsigned planes, unsigned order);

static inline size_t xpsnr_block_count(const XpsnrSetup *setup)
{
    return (size_t)setup->across * setup->down;
}

/* Computes the distortion of each plane from the blocks of a frame, weighted, with `history`
 * earlier frames. `weights` is working memory for one number a block. */
void xpsnr_distortion(const XpsnrSetup *setup, const XpsnrBlock *blocks, unsigned history,
                      double *weights, uint64_t distortion[3]);

/* The rounded distortion of a plane whose weighted squared errors add up to `total`. */
uint64_t xpsnr_rounded(const XpsnrSetup *setup, double total);

/* ---- frame routine */

/* Working memory of one measure at a time (FeatureDef.scratch_create and scratch_destroy). */
typedef struct XpsnrFrame {
    XpsnrBlock *blocks;
    double *weights;
} XpsnrFrame;

int xpsnr_frame_create(const Feature *f, void **frame);
void xpsnr_frame_destroy(void *frame);

/* Returns the number of earlier frames that the pair has, at most setup->order. */
unsigned xpsnr_history(const XpsnrSetup *setup, const FramePair *pair);

/* Fills frame->blocks. The threads of `team` (NULL: only the caller) share the work. */
void xpsnr_frame_measure(XpsnrFrame *frame, const XpsnrSetup *setup, const FramePair *pair,
                         Team *team);

/* ---- the feature's state ---- */

typedef struct XpsnrState {
    XpsnrSetup setup; /* first: the frame routine takes f->state as an XpsnrSetup */
    void *collected;  /* an XpsnrFrame for the results of a GPU, which one thread collects */
    uint64_t frames;  /* number of frames reported so far */
    double roots[3];  /* sums of the square roots of distortions */
} XpsnrState;

extern const FeatureGpu xpsnr_gpu;

#endif
