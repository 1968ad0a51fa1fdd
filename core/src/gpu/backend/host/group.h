/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Runs workgroups. The threads of a group are fibers that go on one after the other from barrier to
 * barrier, each time in another order: what one of them does without a barrier is seen by some of the
 * others too early or too late. */
#ifndef HOST_GROUP_H
#define HOST_GROUP_H

#include "gpu/backend/host/kernel.h"
#include "gpu/backend/host/random.h"

#define HOST_GROUP_MAX 256 /* threads: the dialect's limit */

int group_create(HostGroup **out);
void group_destroy(HostGroup *runner); /* NULL is fine */

/* Runs one group on a kernel's object, which is all set but for the local ids. -EIO: the threads did not all
 * come to the same barrier, or one left its buffers; `why` then says so. */
int group_run(HostGroup *runner, const HostKernel *kernel, void *object, HostRandom *random,
              char *why, size_t why_size);

#endif
