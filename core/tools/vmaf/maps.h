/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* --heatmap: maps of scored frames, as PNG files and for the page. The frames are read again, as
 * they were for scoring, and the score of each map must equal the frame's. For the main thread.
 * Functions return 0, or print what went wrong and return a negative errno. */
#ifndef TOOLS_MAPS_H
#define TOOLS_MAPS_H

#include "report/page.h"
#include "run.h"

/* Before the scoring: checks that the videos can be read twice, and makes the folder. */
int maps_check(const Options *options, Video *const *videos, unsigned count);

/* Once the features of a context are known: checks that one of them has a map. */
int maps_check_features(const Options *options, const VmafContext *vmaf);

/* Writes the maps of the frames that --heatmap_frames chooses into the folder. */
int maps_write(const Rating *rating, const Options *options);

/* The maps of a page's worst frames, within `room` bytes: PageMapper of html_write. */
int maps_for_page(const Rating *rating, const Options *options, PageWorst *worst, size_t room);

#endif
