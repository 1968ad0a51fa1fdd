/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Inside of driver/: what its files share. */
#ifndef DRIVER_DEVICE_H
#define DRIVER_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include "gpu/backend/cuda_hip/cuda_hip.h"

/* ---- points.c: a queue's time line ---- */

/* Submissions of a queue that may be under way: one more waits for the oldest of them. */
#define DRIVER_POINTS 64

typedef struct DriverPoints {
    pthread_mutex_t lock; /* guards what follows; never held while the driver works */
    uint64_t submitted, reached;
    struct {
        DriverHandle event; /* of point n, n + DRIVER_POINTS, … */
        unsigned pins;      /* who looks at it: not to be recorded anew */
    } ring[DRIVER_POINTS];
} DriverPoints;

typedef struct DriverDevice DriverDevice;

int driver_points_create(DriverDevice *dev, DriverPoints *points);
void driver_points_destroy(DriverDevice *dev, DriverPoints *points);

/* The event to record for the next point, once nobody needs it for an earlier one. One thread at a time
 * takes it; then it is published, or left for the next. */
int driver_points_take(DriverDevice *dev, DriverPoints *points, DriverHandle *event);
uint64_t driver_points_publish(DriverPoints *points);

/* The event of a point that is not known to be reached, until it is unpinned; NULL: it is reached. */
DriverHandle driver_points_pin(DriverPoints *points, uint64_t value);
void driver_points_unpin(DriverPoints *points, uint64_t value);
/* 1: reached; 0: the time is over; negative errno. */
int driver_points_wait(DriverDevice *dev, DriverPoints *points, uint64_t value,
                       uint64_t timeout_ns);

/* ---- device.c ---- */

typedef struct DriverQueue {
    pthread_mutex_t lock; /* around a submission */
    DriverHandle stream;
    DriverHandle mark; /* event: how far a foreign stream is */
    DriverPoints points;
} DriverQueue;

/* Streams that a graph is captured from: as many commands of a stage run side by side. */
#define DRIVER_LANES 8

typedef struct DriverLanes {
    pthread_mutex_t lock; /* around a capture */
    DriverHandle streams[DRIVER_LANES];
    DriverHandle events[DRIVER_LANES];
} DriverLanes;

typedef struct DriverKernel DriverKernel;

struct DriverDevice {
    GpuDevice gpu;
    const DriverApi *api;
    int device;
    char arch[DRIVER_ARCH_SIZE];
    DriverHandle context;
    bool primary; /* the context is the device's own, and retained */
    atomic_bool lost;
    DriverQueue queues[GPU_QUEUES]; /* by enum GpuQueue */
    DriverLanes lanes;

    pthread_mutex_t kernels_lock;
    pthread_cond_t kernels_changed;
    DriverKernel *kernels; /* list */
};

/* Every operation that calls the driver begins and ends so: the context is the thread's current one in
 * between. -EIO when the device is lost. */
int driver_enter(DriverDevice *dev);
void driver_leave(DriverDevice *dev);
/* The same to destroy something, which is done on a lost device, too. False: the context is gone, and all
 * that was in it. */
bool driver_enter_anyway(DriverDevice *dev);

/* Logs a failed call and gives the errno for it; notes that the device is lost when it is. */
int driver_error(DriverDevice *dev, enum DriverFunction function, int result);

/* Calls a function of the driver: 0 or the errno. */
#define DRIVER_TRY(dev, name, ...)                                                                 \
    driver_check(dev, DRIVER_##name, (dev)->api->call.name(__VA_ARGS__))
static inline int driver_check(DriverDevice *dev, enum DriverFunction function, int result)
{
    return result ? driver_error(dev, function, result) : 0;
}

/* ---- buffer.c, external.c ---- */

typedef struct DriverBuffer {
    GpuBuffer gpu;
    DriverAddress address; /* on the device; 0 for memory of the host */
    bool ours;
    bool registered;       /* plain memory of the caller's, pinned here */
    DriverHandle external; /* the memory of another API that it is */
} DriverBuffer;

int driver_buffer_create(GpuDevice *gpu, enum GpuMemory memory, size_t size, GpuBuffer **out);
void driver_buffer_destroy(GpuDevice *gpu, GpuBuffer *buffer);
int driver_buffer_import(GpuDevice *gpu, const GpuHandle *handle, GpuBuffer **out);

/* ---- kernel.c ---- */

struct DriverKernel {
    DriverKernel *next;
    const KernelInfo *info;
    enum { KERNEL_LOADING, KERNEL_READY } state;
    DriverHandle module, function; /* the module is NULL where another kernel has it */
};

struct GpuBindings {
    DriverAddress addresses[GPU_MAX_BINDINGS];
};

int driver_kernel_get(GpuDevice *gpu, const KernelInfo *info, GpuKernel **out);
void driver_kernels_ahead(GpuDevice *gpu, const KernelInfo *const *infos, unsigned count);
const KernelImage *driver_kernel_image(GpuDevice *gpu, const KernelInfo *info);
int driver_bindings_create(GpuDevice *gpu, GpuKernel *kernel, const GpuRange *ranges,
                           GpuBindings **out);
void driver_bindings_destroy(GpuDevice *gpu, GpuBindings *bindings);
/* `loaded`: the context that they are in is still there. */
void driver_kernels_destroy(DriverDevice *dev, bool loaded);

/* ---- commands.c ---- */

/* A place in memory of either side. */
typedef struct DriverPlace {
    void *host; /* NULL: on the device */
    DriverAddress address;
    size_t stride;
} DriverPlace;

typedef struct DriverCommand {
    enum { COMMAND_COPY, COMMAND_FILL, COMMAND_LAUNCH, COMMAND_STAMP, COMMAND_BARRIER } kind;
    union {
        struct {
            DriverPlace from, to;
            size_t row, rows;
        } copy;
        struct {
            DriverAddress to;
            uint32_t word;
            size_t count;
        } fill;
        struct {
            const DriverKernel *kernel;
            unsigned groups[3];
            /* The kernel's only one, a struct: addresses, then parameters. See prelude/cuda.h. */
            _Alignas(16) unsigned char argument[GPU_MAX_BINDINGS * sizeof(DriverAddress) +
                                                GPU_MAX_PARAMS];
        } launch;
        DriverHandle stamp; /* event */
    } u;
} DriverCommand;

struct GpuCommands {
    DriverDevice *dev;
    enum GpuQueue queue;
    DriverCommand *list;
    size_t count, capacity;
    int err;            /* of recording */
    unsigned launches;  /* recorded */
    bool stamped;       /* notes times */
    bool submitted;     /* since it was recorded */
    bool no_graph;      /* none could be made */
    DriverHandle graph; /* what was recorded, ready to be launched; NULL: none yet */
};

int driver_commands_create(GpuDevice *gpu, enum GpuQueue queue, GpuCommands **out);
void driver_commands_destroy(GpuDevice *gpu, GpuCommands *commands);
void driver_commands_begin(GpuCommands *commands);
void driver_commands_copy(GpuCommands *commands, const GpuRange *from, const GpuRange *to);
void driver_commands_copy_rows(GpuCommands *commands, const GpuRows *rows);
void driver_commands_fill(GpuCommands *commands, const GpuRange *range, uint32_t word);
void driver_commands_dispatch(GpuCommands *commands, GpuKernel *kernel, GpuBindings *bindings,
                              const void *params, const unsigned groups[3]);
void driver_commands_stamp(GpuCommands *commands, DriverHandle event);
void driver_commands_barrier(GpuCommands *commands);
int driver_commands_end(GpuCommands *commands);

/* Enqueues one command. A stream works in order, so that a barrier is nothing. */
int driver_command_issue(DriverDevice *dev, const DriverCommand *command, DriverHandle stream);

/* ---- capture.c ---- */

int driver_lanes_create(DriverDevice *dev);
void driver_lanes_destroy(DriverDevice *dev);
/* Makes a graph of what was recorded. */
int driver_capture(GpuCommands *commands);

/* ---- queue.c ---- */

int driver_submit(GpuDevice *gpu, const GpuSubmit *submit, GpuPoint *done);
int driver_wait(GpuDevice *gpu, GpuPoint point, uint64_t timeout_ns);
int driver_drain(GpuDevice *gpu);

/* ---- stamps.c ---- */

int driver_stamps_create(GpuDevice *gpu, unsigned count, GpuStamps **out);
void driver_stamps_destroy(GpuDevice *gpu, GpuStamps *stamps);
void driver_stamp(GpuCommands *commands, GpuStamps *stamps, unsigned i);
int driver_stamps_read(GpuDevice *gpu, GpuStamps *stamps, double *microseconds);

#endif
