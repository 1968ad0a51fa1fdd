/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* One run of the command: score a pair of videos. */
#ifndef TOOLS_SCORE_H
#define TOOLS_SCORE_H

#include "options.h"

/* All went well, but a score is lower than --fail_under wants. */
#define SCORE_BELOW 1

/* 0, SCORE_BELOW, or negative errno after saying what went wrong. */
int score_videos(const Options *options);

#endif
