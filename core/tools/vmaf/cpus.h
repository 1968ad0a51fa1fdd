/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How much of the machine a run may take when nobody says. */
#ifndef TOOLS_CPUS_H
#define TOOLS_CPUS_H

#include <stddef.h>
#include <stdint.h>

/* CPUs that this process may use, by its affinity and by the time that its control group has. */
unsigned cpus_allowed(void);

/* Worker threads for pairs of so many bytes: one for each of those CPUs, but no more than leave three
 * quarters of the free memory alone, since each keeps a pair. 0: all work is the caller's. */
unsigned threads_by_default(size_t pair_bytes);

/* A control group's "QUOTA PERIOD" in whole CPUs, "max" and what makes no sense being 0: no limit. For
 * tests. */
unsigned cpus_of_quota(const char *text);

#endif
