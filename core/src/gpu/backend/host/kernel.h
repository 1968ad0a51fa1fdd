/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The interface between the kernels (C++, gpu/prelude/host.h) and the code that runs them (C).
 *
 * Each workgroup has one object, and its threads are calls of a member function of that object,
 * which holds in this order:
 *
 *     HostThread       the ids of the running thread, set before each thread continues
 *     HostArgument[]   the buffers, by binding number
 *     parameters       as the plain struct of the dialect
 *     shared arrays    undefined when the workgroup starts */
#ifndef HOST_KERNEL_H
#define HOST_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HostWorkgroup HostWorkgroup;

typedef struct HostThread {
    HostWorkgroup *runner;
    unsigned group[3], local[2];
} HostThread;

typedef struct HostArgument {
    void *data;
    uint64_t size;         /* bytes; memory outside is never touched */
    HostWorkgroup *runner; /* for host_out_of_bounds */
} HostArgument;

typedef struct HostKernel {
    const char *name;
    unsigned group[2];
    unsigned buffer_count, params_size;
    size_t object_size;
    void (*run)(void *object); /* runs one thread */
} HostKernel;

extern const HostKernel *const host_kernels[]; /* NULL ends the table */

/* Called by kernels: waits for the other threads of the workgroup. `line` tells barriers apart. */
void host_barrier(HostWorkgroup *runner, unsigned line);
/* Called by kernels: ends the dispatch with an error. */
void host_out_of_bounds(HostWorkgroup *runner, unsigned slot, uint64_t index)
    __attribute__((noreturn, cold));

#ifdef __cplusplus
}
#endif

#endif
