/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The models of a run: loaded, overloaded, registered, and asked for their scores. */
#ifndef TOOLS_MODELS_H
#define TOOLS_MODELS_H

#include "libvmaf/libvmaf.h"
#include "options.h"
#include "scoreline.h"

typedef struct Models Models;

/* Loads what the options name, in their order. Says what is wrong; negative errno. */
int models_create(Models **models, const Options *options);
/* Registers their features. A context of a run has them all, and a run may have several. */
int models_use(const Models *models, VmafContext *vmaf);
void models_destroy(Models *models);

/* The mean score of one context, always the same, by the first model of the frames that are scored by now; false: there is none yet. For
 * the meter: it does not wait, and changes nothing. */
bool models_mean_so_far(Models *models, const Options *options, VmafContext *vmaf, double *mean);

/* Scores frames 0 … frames - 1 and, if `owner` is not NULL, prints a line for each model, then for each
 * collection. */
int models_score(const Models *models, const Options *options, VmafContext *vmaf, unsigned frames,
                 const ScoreOwner *owner);

/* Holds the scores against --fail_under: a line for each that is below, and whether there was one. After
 * models_score. */
int models_judge(const Models *models, const Options *options, VmafContext *vmaf, unsigned frames,
                 const ScoreOwner *owner, bool *below);

/* Says how the first model rates the video, for people at a terminal. `rate`: its frames a second; 0: not
 * known. After models_score. */
int models_summarise(const Models *models, const Options *options, VmafContext *vmaf,
                     unsigned frames, double rate);

#endif
