/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A device that is the CPU, and as unkind as the contract of gpu/device.h lets it be: for tests and
 * debugging. It needs no driver and shows a missing barrier or wait as a wrong result:
 *
 *   - the threads of a workgroup, workgroups, and commands without a barrier between them run in
 *     shuffled order;
 *   - queues run late, early or in turn, as the schedule says;
 *   - undefined memory holds noise; the host sees what was read back only after a barrier;
 *   - access out of a buffer, a barrier that some threads miss, and objects that are destroyed or
 *     recorded anew while they are in flight lose the device: a line in the log, then -EIO.
 *
 * Everything runs in the thread that waits (or submits), under the device's lock. */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include "gpu/backend.h"
#include "gpu/backend/host/kernel.h"

/* When submitted work runs. */
enum HostSchedule {
    HOST_RANDOM,         /* now or later, as chance has it */
    HOST_LAZY,           /* when somebody waits for it, and no more than needed */
    HOST_EAGER,          /* at once */
    HOST_TRANSFER_FIRST, /* copies at once, kernels when somebody waits for them */
    HOST_COMPUTE_FIRST,  /* kernels at once and only what they wait for before them */
    HOST_SCHEDULES
};

typedef struct HostParams {
    enum HostSchedule schedule;
    uint64_t seed; /* of every choice: the same again gives the same run */
    const HostKernel *const
        *kernels; /* found before the library's; NULL ends them, and may be all */
} HostParams;

/* The device without the registry. End it with gpu_device_release. */
int host_open(const HostParams *params, GpuDevice **out);

/* VMAF_HOST_HANG=N makes the N-th submission hang.
 *
 * "lazy", "random:7", …: what VMAF_HOST_SCHEDULE may say, which the backend obeys. -EINVAL: neither. */
int host_parse_schedule(const char *text, HostParams *params);

/* ---- work of others ---- */

/* A counter that only grows: the handle of a GpuForeign. Thread-safe. */
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

/* Beside a negative errno, what a call may do. */
enum HostFault {
    HOST_LOSE = 1, /* the device is lost: -EIO from here on */
    HOST_HANG,     /* submit: done, but the work never ends; wait: the time is over */
};

/* The n-th call of an operation from now on (1: the next) does that instead of its work, once. Returns
 * how many calls the operation asked for last has had since. */
unsigned host_fail(GpuDevice *device, enum HostOperation operation, unsigned nth, int what);

/* Work that hangs comes to its end after all, and everything behind it. -EIO when that loses the device. */
int host_resume(GpuDevice *device);

#endif
