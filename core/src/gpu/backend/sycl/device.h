/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Shared by the files of the SYCL backend, which implements GpuOps with the plugin's functions. */
#ifndef SYCL_DEVICE_H
#define SYCL_DEVICE_H

#include "gpu/backend.h"
#include "gpu/backend/sycl/plugin/abi.h"
#include "gpu/client.h"
#include "libvmaf/libvmaf_sycl.h"

extern const GpuBackend sycl_backend;

struct GpuKernel {
    const KernelInfo *info; /* NULL if this libvmaf does not use the kernel */
    unsigned number;        /* index in the plugin's table */
};

typedef struct SyclDevice {
    GpuDevice gpu;
    const SyclPlugin *plugin;
    SyclPluginDevice *handle;
    uint64_t kernels_hash; /* the whole plugin's, which stands for each of its kernels */
    atomic_bool told;      /* the loss of the device was logged */
    pthread_mutex_t lock;
    uint64_t submitted[SYCL_QUEUES]; /* guarded by the lock */
    GpuKernel *kernels;              /* plugin->kernel_count of them */
} SyclDevice;

typedef struct SyclBuffer {
    GpuBuffer gpu;
    char *address;
    bool foreign, dmabuf; /* imported memory; imported from a file descriptor */
} SyclBuffer;

struct GpuBindings {
    char *addresses[GPU_MAX_BINDINGS];
};

struct GpuStamps {
    SyclPluginStamps *handle;
};

struct GpuCommands {
    SyclCommand *list;
    size_t count, capacity;
    int err;
};

static inline SyclDevice *sycl_device(GpuDevice *gpu)
{
    return (SyclDevice *)gpu;
}

/* device.c */

/* Logs what failed with the runtime's message, and returns `err`. Logs the loss of the device only
 * once. */
int sycl_error(SyclDevice *dev, const char *what, int err);

int sycl_buffer_create(GpuDevice *gpu, enum GpuMemory memory, size_t size, GpuBuffer **out);
int sycl_buffer_import(GpuDevice *gpu, const GpuHandle *handle, GpuBuffer **out);
void sycl_buffer_destroy(GpuDevice *gpu, GpuBuffer *buffer);

/* commands.c */
void sycl_kernels_init(SyclDevice *dev);
int sycl_kernel_get(GpuDevice *gpu, const KernelInfo *info, GpuKernel **out);
uint64_t sycl_kernel_hash(GpuDevice *gpu, const KernelInfo *info);
int sycl_bindings_create(GpuDevice *gpu, GpuKernel *kernel, const GpuRange *ranges,
                         GpuBindings **out);
void sycl_bindings_destroy(GpuDevice *gpu, GpuBindings *bindings);
int sycl_commands_create(GpuDevice *gpu, enum GpuQueue queue, GpuCommands **out);
void sycl_commands_destroy(GpuDevice *gpu, GpuCommands *commands);
void sycl_begin(GpuCommands *commands);
void sycl_copy(GpuCommands *commands, const GpuRange *from, const GpuRange *to);
void sycl_copy_rows(GpuCommands *commands, const GpuRows *rows);
void sycl_fill(GpuCommands *commands, const GpuRange *range, uint32_t word);
void sycl_dispatch(GpuCommands *commands, GpuKernel *kernel, GpuBindings *bindings,
                   const void *params, const unsigned groups[3]);
void sycl_barrier(GpuCommands *commands);
int sycl_end(GpuCommands *commands);
void sycl_stamp(GpuCommands *commands, GpuStamps *stamps, unsigned i);

/* device.c */
int sycl_stamps_create(GpuDevice *gpu, unsigned count, GpuStamps **out);
void sycl_stamps_destroy(GpuDevice *gpu, GpuStamps *stamps);
int sycl_stamps_read(GpuDevice *gpu, GpuStamps *stamps, double *microseconds);
int sycl_submit(GpuDevice *gpu, const GpuSubmit *submit, GpuPoint *done);
int sycl_wait(GpuDevice *gpu, GpuPoint point, uint64_t timeout_ns);
int sycl_drain(GpuDevice *gpu);

/* Declarations for the files that implement libvmaf_sycl.h. */

static inline GpuSession *sycl_session(VmafSyclState *state)
{
    return (GpuSession *)state;
}

/* A luma plane in memory of the host. */
typedef struct SyclPlane {
    const void *data;
    size_t pitch; /* bytes from row to row */
    unsigned w, h, bpc;
    unsigned shift; /* unused bits below the sample in its word */
} SyclPlane;

/* In frames.c: fills the frame buffer of one side, for the only context that uses the state, and
 * waits. */
int sycl_frames_fill(VmafSyclState *state, bool is_ref, const SyclPlane *plane);

/* Finds and opens the SYCL plugin. Accepts only a plugin that was built from the same sources. */

/* Identifies the sources of kernels and plugin. The build writes it into libvmaf and into the
 * plugin. */
extern const char *const sycl_build;

typedef struct SyclLibrary {
    const SyclPlugin *plugin;
    char path[1024];
    uint64_t digest; /* the file's: another compiler makes another plugin from the same sources */
} SyclLibrary;

/* Opens the plugin of this process: the file named by VMAF_SYCL_PLUGIN, or the one beside libvmaf
 * or in the library path. Returns -ENOSYS if none exists, and -ENOTSUP if it was rejected (the
 * first call logs why). The plugin stays loaded, because runtimes have threads and exit handlers of
 * their own. Thread-safe. */
int sycl_library(const SyclLibrary **out);

/* Opens the plugin in a file. Returns -ENOSYS if the file does not exist, -ENOTSUP (logged) if it
 * is rejected. */
int sycl_library_open(SyclLibrary *out, const char *path);

#endif
