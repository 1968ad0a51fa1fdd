/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Figures of a list of scores (VmafStatistics, libvmaf/report.h). */
#ifndef OUTPUT_STATISTICS_H
#define OUTPUT_STATISTICS_H

#include "libvmaf/report.h"

/* Sets all but `size`. `count` is not 0. -ENOMEM. */
int statistics_take(const double *scores, size_t count, VmafStatistics *out);

#endif
