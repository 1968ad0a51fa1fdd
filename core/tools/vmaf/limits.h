/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Limits of --fail_under for the metrics of extractors. Those for models are judged in models.c.
 * For the main thread. */
#ifndef TOOLS_LIMITS_H
#define TOOLS_LIMITS_H

#include <stdbool.h>

#include "libvmaf/libvmaf.h"
#include "options.h"
#include "report/stored.h"
#include "scores.h"

/* True if the limit names the extractor, one of its metrics, or the figure that it may give for the
 * whole clip: xpsnr, xpsnr_y, axpsnr_y. */
bool limit_is_for(const ScoreLimit *limit, const char *extractor);

/* Checks that each limit is for a score of the run. 0, or prints what is wrong and returns
 * -EINVAL. */
int limits_check(const Options *options);

/* After extractors were scored: compares their metrics over frames 0 to frames - 1 with the limits
 * that name them; `figures` NULL: their scores are in the context. shots: those of the run. A limit
 * that names no pooling is for the figure about the whole clip, if the extractor gives one. Prints
 * a line for each score that is too low, and sets *below if there is one. 0, or prints what is
 * wrong and returns a negative errno. */
int limits_judge(const Options *options, VmafContext *vmaf, unsigned frames,
                 const FigureSource *figures, const ShotSpans *shots, const ScoreOwner *owner,
                 bool *below);

/* True if the limit is for this metric of a stored report, which is not the score of a model. */
bool limit_is_for_stored(const ScoreLimit *limit, const StoredMetric *metric);

/* limits_judge for a stored report. 0 or -ENOMEM. */
int limits_judge_stored(const Options *options, const StoredReport *report, const ScoreOwner *owner,
                        bool *below);

#endif
