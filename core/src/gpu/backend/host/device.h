/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Shared by the files of the host device. A function that takes a HostDevice needs the caller to
 * hold its lock; one that takes a GpuDevice or GpuCommands takes the lock itself. */
#ifndef HOST_DEVICE_H
#define HOST_DEVICE_H

#include "gpu/backend/host/host.h"
#include "gpu/backend/host/kernel.h"
#include "gpu/backend/host/random.h"

typedef struct HostDevice HostDevice;

/* Base of what recorded commands refer to. Its owner destroys it by setting `destroyed`; the memory
 * is freed once no recording refers to it. */
typedef struct HostObject {
    const char *kind;
    unsigned references;
    bool destroyed;
} HostObject;

typedef struct HostBuffer {
    GpuBuffer gpu;
    HostObject object;
    enum GpuMemory memory;
    char *data;  /* as the device sees it */
    void *block; /* the allocation that holds `data`; NULL for imported memory */
    /* GPU_READBACK: gpu.host is a copy of `data`, in which these bytes are out of date. */
    void *host_block;
    size_t unseen_begin, unseen_end;
    struct HostBuffer *next_unseen;
} HostBuffer;

struct GpuBindings {
    HostObject object;
    const HostKernel *kernel;
    GpuRange ranges[GPU_MAX_BINDINGS];
};

struct GpuStamps {
    HostObject object;
    unsigned count;
    uint64_t *times; /* ns; 0: not reached yet */
};

enum HostCommandKind {
    HOST_COPY,
    HOST_FILL,
    HOST_UNDEFINE,
    HOST_DISPATCH,
    HOST_STAMP,
    HOST_BARRIER
};

typedef struct HostCommand {
    enum HostCommandKind kind;
    GpuRows rows;   /* copy; fill and undefine have one row in `to` */
    uint32_t word;  /* fill */
    unsigned stamp; /* number of the stamp */
    GpuStamps *stamps;
    GpuBindings *bindings; /* for dispatch, as are `groups` and `params` */
    unsigned groups[3];
    unsigned char params[GPU_MAX_PARAMS];
} HostCommand;

enum HostCommandsState { HOST_EMPTY, HOST_RECORDING, HOST_RECORDED };

struct GpuCommands {
    HostDevice *dev;
    enum GpuQueue queue;
    enum HostCommandsState state;
    bool in_flight;
    int err;
    HostCommand *list;
    unsigned count;
    size_t capacity;
};

typedef struct HostSubmission {
    struct HostSubmission *next;
    uint64_t value; /* the queue's value once it is done */
    bool hangs;
    GpuCommands *commands[GPU_MAX_COMMANDS];
    GpuPoint waits[GPU_MAX_WAITS];
    GpuForeign foreign_waits[GPU_MAX_WAITS], foreign_signals[GPU_MAX_WAITS];
    unsigned command_count, wait_count, foreign_wait_count, foreign_signal_count;
} HostSubmission;

typedef struct HostQueue {
    HostSubmission *first, *last;
    uint64_t submitted, done;
} HostQueue;

struct HostDevice {
    GpuDevice gpu;
    pthread_mutex_t lock;
    HostParams params;
    HostRandom random;
    bool lost;
    HostQueue queues[GPU_QUEUES];
    HostBuffer *unseen; /* list of readback buffers whose copy for the host is out of date */
    uint64_t last_stamp;

    /* Memory to run commands with, grown on submission to fit all submitted work. */
    HostWorkgroup *runner;
    void *object;
    size_t object_size;
    const HostCommand **stage; /* commands without a barrier between them */
    unsigned stage_count, stage_capacity;
    uint64_t *units; /* index of a command in `stage` << 32 | number of its workgroup */
    size_t unit_capacity;

    enum HostOperation fault; /* arguments of host_fail */
    unsigned fault_nth, fault_calls;
    int fault_what;
};

static inline HostBuffer *host_buffer(GpuBuffer *buffer)
{
    return (HostBuffer *)buffer;
}

/* device.c */
/* Logs why the device is lost, drops all work in flight, and returns -EIO. */
int host_lose_locked(HostDevice *dev, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int host_fault_locked(HostDevice *dev,
                      enum HostOperation operation); /* 0, or the fault that host_fail requested */
int host_fault(GpuDevice *gpu, enum HostOperation operation);

/* buffer.c */
int host_buffer_create(GpuDevice *gpu, enum GpuMemory memory, size_t size, GpuBuffer **out);
int host_buffer_import(GpuDevice *gpu, const GpuHandle *handle, GpuBuffer **out);
void host_buffer_destroy(GpuDevice *gpu, GpuBuffer *buffer);
void host_buffer_release(HostBuffer *buffer);
/* Notes that the device wrote bytes begin to end, which the host sees after the next barrier. */
void host_buffer_wrote(HostDevice *dev, HostBuffer *buffer, size_t begin, size_t end);
void host_buffers_show(HostDevice *dev); /* brings all copies for the host up to date */

/* objects.c */
int host_kernel_get(GpuDevice *gpu, const KernelInfo *info, GpuKernel **out);
int host_bindings_create(GpuDevice *gpu, GpuKernel *kernel, const GpuRange *ranges,
                         GpuBindings **out);
void host_bindings_destroy(GpuDevice *gpu, GpuBindings *bindings);
void host_bindings_release(GpuBindings *bindings);
int host_stamps_create(GpuDevice *gpu, unsigned count, GpuStamps **out);
void host_stamps_destroy(GpuDevice *gpu, GpuStamps *stamps);
void host_stamps_release(GpuStamps *stamps);
int host_stamps_read(GpuDevice *gpu, GpuStamps *stamps, double *microseconds);

/* commands.c */
int host_commands_create(GpuDevice *gpu, enum GpuQueue queue, GpuCommands **out);
void host_commands_destroy(GpuDevice *gpu, GpuCommands *commands);
void host_begin(GpuCommands *commands);
void host_copy(GpuCommands *commands, const GpuRange *from, const GpuRange *to);
void host_copy_rows(GpuCommands *commands, const GpuRows *rows);
void host_fill(GpuCommands *commands, const GpuRange *range, uint32_t word);
void host_undefine(GpuCommands *commands, const GpuRange *range);
void host_dispatch(GpuCommands *commands, GpuKernel *kernel, GpuBindings *bindings,
                   const void *params, const unsigned groups[3]);
void host_stamp(GpuCommands *commands, GpuStamps *stamps, unsigned i);
void host_command_barrier(GpuCommands *commands);
int host_end(GpuCommands *commands);
/* Stores the objects that a command refers to, at most HOST_MAX_NAMED, and returns their number. */
#define HOST_MAX_NAMED (GPU_MAX_BINDINGS + 1)
unsigned host_command_names(const HostCommand *command, HostObject *named[HOST_MAX_NAMED]);

/* queue.c */
/* Runs the commands in dev->stage in random order. Returns -EIO if that loses the device. */
int host_run_stage(HostDevice *dev);
uint64_t host_command_units(const HostCommand *command); /* workgroups, or 1 for copies and fills */
int host_submit(GpuDevice *gpu, const GpuSubmit *submit, GpuPoint *done);
int host_wait(GpuDevice *gpu, GpuPoint point, uint64_t timeout_ns);
int host_drain(GpuDevice *gpu);
void host_queues_clear(HostDevice *dev);
/* True if submitted commands that have not finished refer to the object. */
bool host_in_flight(const HostDevice *dev, const HostObject *object);

/* The number of signals of all semaphores, and of host_semaphore_wake, so far. host_semaphore_wait
 * waits until it differs from `epoch`; it returns false if the deadline passed first (an absolute
 * time of CLOCK_REALTIME; UINT64_MAX: none). These need no lock. */
uint64_t host_semaphore_epoch(void);
void host_semaphore_wake(void);
bool host_semaphore_wait(uint64_t epoch, uint64_t deadline_ns);

/* Runs workgroups of a kernel on the CPU. Each thread of a workgroup is a fiber. The fibers run one
 * after the other from barrier to barrier, in another order each time, so that a missing barrier
 * shows: some threads see the work of others too early or too late. */

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
