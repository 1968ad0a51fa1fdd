/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The scores of all frames of a context, and their statistics. */
#ifndef TOOLS_GATHER_H
#define TOOLS_GATHER_H

#include "libvmaf/report.h"

typedef struct Gathered {
    double *scores; /* of frames 0, step, 2 * step, … */
    size_t count;
    VmafStatistics figures;
} Gathered;

/* Asks for the score of a frame; negative errno. */
typedef int (*ScoreAsker)(void *arg, unsigned frame, double *score);

/* Asks for every `step`th of `frames` frames, of which there is one at least. Negative errno. */
int gather_scores(Gathered *out, unsigned frames, unsigned step, ScoreAsker ask, void *arg);
void gathered_clear(Gathered *gathered);

#endif
