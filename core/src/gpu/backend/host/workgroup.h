/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Runs workgroups of a kernel on the CPU. Each thread of a workgroup is a fiber. The fibers run one
 * after the other from barrier to barrier, in another order each time, so that a missing barrier
 * shows: some threads see the work of others too early or too late. */
#ifndef HOST_WORKGROUP_H
#define HOST_WORKGROUP_H

#include "gpu/backend/host/kernel.h"
#include "gpu/backend/host/random.h"

#define HOST_WORKGROUP_MAX 256 /* threads: the dialect's limit */

/* A runner belongs to its caller and serves one thread at a time. */
int workgroup_create(HostWorkgroup **out);
void workgroup_destroy(HostWorkgroup *runner); /* NULL is fine */

/* Runs one workgroup on a kernel's object, in which all but the local ids is set. Returns -EIO if
 * the threads did not all reach the same barrier, or if one accessed memory outside its buffers;
 * `why` then holds the reason. */
int workgroup_run(HostWorkgroup *runner, const HostKernel *kernel, void *object, HostRandom *random,
                  char *why, size_t why_size);

#endif
