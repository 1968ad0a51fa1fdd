/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The --feature options at work. */
#ifndef TOOLS_EXTRACTORS_H
#define TOOLS_EXTRACTORS_H

#include "libvmaf/libvmaf.h"
#include "options.h"
#include "scoreline.h"

/* Checks and registers them, in their order. Says what is wrong; negative errno. */
int extractors_use(const Options *options, VmafContext *vmaf);

/* Prints the mean over frames 0 … frames - 1 of every metric that they make. */
int extractors_score(const Options *options, VmafContext *vmaf, unsigned frames,
                     const ScoreOwner *owner);

/* Bit p: an extractor that is registered with the context, for an option or a model, may read plane p. */
unsigned extractors_planes(const VmafContext *vmaf);

#endif
