/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A GPU device that runs on the CPU, for tests and debugging. It needs no driver. It uses every
 * freedom that the contract of gpu/device.h leaves to a device, so that a missing barrier or wait
 * shows as a wrong result:
 *
 *   - the threads of a workgroup, workgroups, and commands without a barrier between them run in
 *     shuffled order;
 *   - queues run late, early or in turn, as the schedule says;
 *   - undefined memory holds noise, and the host sees data that was read back only after a barrier;
 *   - access outside a buffer, a barrier that some threads miss, and objects that are destroyed or
 *     recorded again while in flight lose the device: it logs an error, then returns -EIO.
 *
 * All work runs in the thread that waits or submits, under the device's lock. */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include "gpu/backend.h"
#include "gpu/backend/host/kernel.h"

/* When submitted work runs. */
enum HostSchedule {
    HOST_RANDOM,         /* now or later, at random */
    HOST_LAZY,           /* only when a thread waits for it, and only as much as needed */
    HOST_EAGER,          /* at once */
    HOST_TRANSFER_FIRST, /* copies at once, kernels when a thread waits for them */
    HOST_COMPUTE_FIRST,  /* kernels at once, preceded only by the work they wait for */
    HOST_SCHEDULES
};

typedef struct HostParams {
    enum HostSchedule schedule;
    uint64_t seed; /* for all random choices: an equal seed repeats a run */
    /* Searched before the library's kernels; NULL ends the table. The table may be NULL, too. */
    const HostKernel *const *kernels;
} HostParams;

/* Opens the device without the table of backends. Release it with gpu_device_release. */
int host_open(const HostParams *params, GpuDevice **out);

/* Parses a value of the environment variable VMAF_HOST_SCHEDULE, which the backend obeys: the name
 * of a schedule, optionally with a seed ("lazy", "random:7"). Returns -EINVAL for any other text.
 * (VMAF_HOST_HANG=N makes the N-th submission hang.) */
int host_parse_schedule(const char *text, HostParams *params);

/* ---- semaphores ---- */

/* A counter that only grows, which stands for the semaphore of another API in tests: the handle of
 * a GpuForeign. Thread-safe. */
typedef struct HostSemaphore HostSemaphore;

int host_semaphore_create(HostSemaphore **out);
void host_semaphore_destroy(HostSemaphore *semaphore); /* NULL is fine */
void host_semaphore_signal(HostSemaphore *semaphore, uint64_t value);
uint64_t host_semaphore_value(HostSemaphore *semaphore);

/* ---- faults ---- */

enum HostOperation {
    HOST_NO_OPERATION,
    HOST_BUFFER_CREATE,
    HOST_BUFFER_IMPORT,
    HOST_KERNEL_GET,
    HOST_BINDINGS_CREATE,
    HOST_COMMANDS_CREATE,
    HOST_END,
    HOST_STAMPS_CREATE,
    HOST_STAMPS_READ,
    HOST_SUBMIT,
    HOST_WAIT,
    HOST_DRAIN,
    HOST_OPERATIONS
};

/* How a call can fail, besides returning a negative errno. */
enum HostFault {
    HOST_LOSE = 1, /* the device is lost: every later call returns -EIO */
    HOST_HANG,     /* submit: succeeds, but the work never ends; wait: times out */
};

/* Makes the n-th call of an operation from now on (1: the next) fail once: `what` is a negative
 * errno or an enum HostFault. Returns how often the operation named in the call before was called
 * since then. */
unsigned host_fail(GpuDevice *device, enum HostOperation operation, unsigned nth, int what);

/* Ends all hangs and runs all submitted work. Returns -EIO if that loses the device. */
int host_resume(GpuDevice *device);

#endif
