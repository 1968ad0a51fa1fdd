/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Inside of the host device. Functions that take a HostDevice want its lock held, unless they say
 * otherwise. */
#ifndef HOST_DEVICE_H
#define HOST_DEVICE_H

#include "gpu/backend/host/group.h"
#include "gpu/backend/host/host.h"

typedef struct HostDevice HostDevice;

/* What recorded commands name: taken from its owner by `destroyed`, freed when no recording names it. */
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
    void *block; /* that is freed; NULL for memory of others */
    /* GPU_READBACK: gpu.host is a copy that lacks this part. */
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
    uint64_t *times; /* ns; 0: not yet */
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
    GpuRows rows;   /* copy; `to` of fill and undefine, which have one row */
    uint32_t word;  /* fill */
    unsigned stamp; /* its number */
    GpuStamps *stamps;
    GpuBindings *bindings; /* dispatch, and what follows */
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
    uint64_t value; /* of the queue when it is done */
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
    HostBuffer *unseen; /* buffers that the host would read too early */
    uint64_t last_stamp;

    /* What runs commands, large enough for all that is submitted. */
    HostGroup *runner;
    void *object;
    size_t object_size;
    const HostCommand **part; /* commands without a barrier between them */
    unsigned part_count, part_capacity;
    uint64_t *units; /* number of the command in `part` << 32 | number of the workgroup */
    size_t unit_capacity;

    enum HostOperation fault; /* as host_fail was told */
    unsigned fault_nth, fault_calls;
    int fault_what;
};

static inline HostBuffer *host_buffer(GpuBuffer *buffer)
{
    return (HostBuffer *)buffer;
}

/* device.c. Both take the lock's holder; what was in flight is forgotten. */
int host_lose(HostDevice *dev, const char *format, ...) __attribute__((format(printf, 2, 3)));
int host_fault(HostDevice *dev, enum HostOperation operation); /* 0, or what host_fail asked for */
int host_fault_locked(GpuDevice *gpu, enum HostOperation operation); /* takes the lock */

/* buffer.c */
int host_buffer_create(GpuDevice *gpu, enum GpuMemory memory, size_t size, GpuBuffer **out);
int host_buffer_import(GpuDevice *gpu, const GpuHandle *handle, GpuBuffer **out);
void host_buffer_destroy(GpuDevice *gpu, GpuBuffer *buffer);
void host_buffer_release(HostBuffer *buffer);
void host_buffer_wrote(HostDevice *dev, HostBuffer *buffer, size_t begin, size_t end);
void host_buffers_show(HostDevice *dev); /* to the host */

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
/* What a command names, at most HOST_MAX_NAMED of them. */
#define HOST_MAX_NAMED (GPU_MAX_BINDINGS + 1)
unsigned host_command_names(const HostCommand *command, HostObject *named[HOST_MAX_NAMED]);

/* run.c: the commands in dev->part, in any order. -EIO when the device is lost by it. */
int host_run_part(HostDevice *dev);
uint64_t host_command_units(const HostCommand *command);

/* queue.c */
int host_submit(GpuDevice *gpu, const GpuSubmit *submit, GpuPoint *done);
int host_wait(GpuDevice *gpu, GpuPoint point, uint64_t timeout_ns);
int host_drain(GpuDevice *gpu);
void host_queues_clear(HostDevice *dev);
bool host_in_flight(const HostDevice *dev, const HostObject *object);

/* semaphore.c: a number that changes with every signal, and on demand; waiting for it to change, until
 * an absolute time of CLOCK_REALTIME (UINT64_MAX: for ever), is false when the time is over. */
uint64_t host_semaphore_epoch(void);
void host_semaphore_wake(void);
bool host_semaphore_wait(uint64_t epoch, uint64_t deadline_ns);

#endif
