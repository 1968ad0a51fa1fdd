/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The frames to look at. */
#ifndef TOOLS_REPORT_WORST_H
#define TOOLS_REPORT_WORST_H

#include "report/stored.h"

#define WORST_MAX 8

/* Finds the frames with the lowest scores, as indices into the report's frames, the lowest first. Neighbours
 * look alike: of each second only the worst is taken, as long as there are enough seconds. Returns
 * their number. */
unsigned worst_frames(const StoredReport *report, const StoredMetric *metric,
                      size_t frames[WORST_MAX]);

#endif
