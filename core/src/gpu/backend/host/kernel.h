/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the kernels (C++, gpu/prelude/host.h) and the code that runs them (C) see of each other.
 *
 * A kernel's threads are member functions' calls on one object for each workgroup:
 *
 *     HostThread       who runs: set anew whenever another thread of the group goes on
 *     HostArgument[]   the buffers, by binding number
 *     parameters       as the plain struct of the dialect
 *     shared arrays    undefined when the group begins */
#ifndef HOST_KERNEL_H
#define HOST_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HostGroup HostGroup;

typedef struct HostThread {
    HostGroup *runner;
    unsigned group[3], local[2];
} HostThread;

typedef struct HostArgument {
    void *data;
    uint64_t size;     /* bytes; what lies outside is not touched */
    HostGroup *runner; /* to tell when it would be */
} HostArgument;

typedef struct HostKernel {
    const char *name;
    unsigned group[2];
    unsigned buffer_count, params_size;
    size_t object_size;
    void (*run)(void *object); /* one thread */
} HostKernel;

extern const HostKernel *const host_kernels[]; /* NULL ends the table */

/* For kernels: waits for the other threads of the group. `line` tells barriers apart. */
void host_barrier(HostGroup *runner, unsigned line);
/* For kernels: ends the dispatch with an error. */
void host_out_of_bounds(HostGroup *runner, unsigned slot, uint64_t index)
    __attribute__((noreturn, cold));

#ifdef __cplusplus
}
#endif

#endif
