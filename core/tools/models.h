/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The models of a run: loaded, overloaded, registered, and asked for their scores. */
#ifndef TOOLS_MODELS_H
#define TOOLS_MODELS_H

#include "libvmaf/libvmaf.h"
#include "options.h"

typedef struct Models Models;

/* Loads what the options name, in their order, and registers the features. Says what is wrong;
 * negative errno. */
int models_create(Models **models, const Options *options, VmafContext *vmaf);
void models_destroy(Models *models);

/* The mean score by the first model of the frames that are scored by now; false: there is none yet. For
 * the meter: it does not wait, and changes nothing. */
bool models_mean_so_far(Models *models, const Options *options, VmafContext *vmaf, double *mean);

/* Scores frames 0 … frames - 1 and, if asked, prints a line for each model, then for each
 * collection. */
int models_score(Models *models, const Options *options, VmafContext *vmaf, unsigned frames,
                 bool print);

#endif
