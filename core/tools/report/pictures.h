/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Frames of the videos that a report names, opened once more, as PNG. */
#ifndef TOOLS_REPORT_PICTURES_H
#define TOOLS_REPORT_PICTURES_H

#include "report/image.h"
#include "report/stored.h"

/* For all pictures of a page together, in bytes. They get smaller until they fit. */
#define PICTURES_SIZE_MAX ((size_t)6 << 20)
#define PICTURES_WIDTH_MAX 960

#define WORST_MAX 8

/* Finds the frames with the lowest scores, as indices into the report's frames, the lowest first. Neighbours
 * look alike: of each second only the worst is taken, as long as there are enough seconds. Returns
 * their number. */
unsigned worst_frames(const StoredReport *report, const StoredMetric *metric,
                      size_t frames[WORST_MAX]);

/* Reads these frames (indices into the report's frames, in any order) of both videos. `pairs` of the page
 * share its bytes. What cannot be had stays empty, and `why` says the reason: the report is not the worse
 * for its scores. -ENOMEM only. */
int pictures_read(const StoredReport *report, const size_t *frames, unsigned count, unsigned pairs,
                  Png (*pictures)[SIDES], char *why, size_t size);

#endif
