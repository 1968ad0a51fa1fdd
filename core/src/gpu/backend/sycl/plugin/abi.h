/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The interface between libvmaf and its SYCL plugin. libvmaf is C and needs no SYCL compiler; the
 * plugin is C++ and contains the kernels. Only plain structs and one entry function cross between
 * them, never a SYCL type or an exception.
 *
 * The plugin has no state besides the objects it hands out. All functions that take a device are
 * thread-safe. Functions that return int return 0 or a negative errno: -ENOMEM, -ENOTSUP, or -EIO
 * for an error of the runtime (if work failed, the device is lost). `error` then returns the
 * runtime's message. */
#ifndef SYCL_PLUGIN_ABI_H
#define SYCL_PLUGIN_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SYCL_PLUGIN_ABI 1u /* increase with every change of this file */
#define SYCL_PLUGIN_FILE "libvmaf-sycl.so"

/* In the order of preference. */
enum SyclDeviceKind { SYCL_GPU, SYCL_INTEGRATED_GPU, SYCL_ACCELERATOR, SYCL_CPU };

typedef struct SyclDeviceDesc {
    enum SyclDeviceKind kind;
    char name[256], driver[256];
    char version[32]; /* the version of SYCL */
    uint64_t memory, max_allocation;
    uint8_t uuid[16];  /* zeros: unknown */
    char pci[32];      /* empty: unknown */
    char missing[256]; /* capabilities that our kernels need and it lacks */
} SyclDeviceDesc;

typedef struct SyclKernelDesc {
    const char *name;
    unsigned group[2];
    size_t args_size; /* pointers by binding, then the parameters; a multiple of 8 bytes */
} SyclKernelDesc;
#define SYCL_MAX_ARGS (GPU_MAX_BINDINGS * 8 + GPU_MAX_PARAMS)

typedef struct SyclPluginDevice SyclPluginDevice;
typedef struct SyclPluginStamps SyclPluginStamps;

enum SyclMemory { SYCL_DEVICE_MEMORY, SYCL_HOST_MEMORY }; /* host memory is mapped on both sides */

enum SyclCommandKind { SYCL_COPY, SYCL_FILL, SYCL_LAUNCH, SYCL_STAMP };

typedef struct SyclCommand {
    enum SyclCommandKind kind;
    const char *from; /* copy */
    char *to;         /* copy and fill */
    size_t from_stride, to_stride, row;
    unsigned rows;
    uint32_t word; /* fill */
    SyclPluginStamps *stamps;
    unsigned number; /* index of the stamp or of the kernel */
    unsigned groups[3];
    unsigned char args[SYCL_MAX_ARGS];
} SyclCommand;

typedef struct SyclCommandList {
    const SyclCommand *commands;
    size_t count;
} SyclCommandList;

typedef struct SyclPoint {
    unsigned queue;
    uint64_t value;
} SyclPoint;

#define SYCL_QUEUES 2u

typedef struct SyclKernelTime {
    uint64_t launches;
    double microseconds;
} SyclKernelTime;

typedef struct SyclPlugin {
    unsigned abi;
    const char *build;    /* identifies the sources, see sycl_build */
    const char *compiler; /* name and version of the compiler, for people */
    const SyclKernelDesc *kernels;
    unsigned kernel_count;

    /* Describes the error of the last failed call of this thread. */
    const char *(*error)(void);

    /* Stores at most `room` devices, the best first, and returns the number of all devices. */
    int (*list)(SyclDeviceDesc *out, unsigned room);
    int (*open)(unsigned index, SyclPluginDevice **out);
    void (*close)(SyclPluginDevice *device); /* waits for its work */

    int (*alloc)(SyclPluginDevice *device, enum SyclMemory memory, size_t size, void **out);
    void (*free)(SyclPluginDevice *device, void *block);
    /* Returns 1 if the device can read memory at this address of the process, else 0. */
    int (*can_read)(SyclPluginDevice *device, const void *address);
    /* Maps the memory of a file descriptor, which the caller keeps. -ENOTSUP if the runtime
     * cannot. */
    int (*import_dmabuf)(SyclPluginDevice *device, int fd, size_t size, void **out);
    void (*release_dmabuf)(SyclPluginDevice *device, void *block);

    /* Submits command lists to a queue, which runs in order. *value is the point at which they are
     * done. */
    int (*submit)(SyclPluginDevice *device, unsigned queue, const SyclCommandList *lists,
                  unsigned list_count, const SyclPoint *waits, unsigned wait_count,
                  uint64_t *value);
    /* Returns 1 if the point is reached, 0 on a timeout, -EIO if the device is lost. */
    int (*wait)(SyclPluginDevice *device, SyclPoint point, uint64_t timeout_ns);

    /* Returns -ENOTSUP if the device has no clock. */
    int (*stamps_create)(SyclPluginDevice *device, unsigned count, SyclPluginStamps **out);
    void (*stamps_destroy)(SyclPluginStamps *stamps);
    int (*stamps_read)(SyclPluginDevice *device, const SyclPluginStamps *stamps,
                       double *microseconds);

    /* Measures the kernels launched while switched on; profile_read stores one entry for each
     * kernel. */
    int (*profile)(SyclPluginDevice *device, int on);
    int (*profile_read)(SyclPluginDevice *device, SyclKernelTime *times);
} SyclPlugin;

/* The entry function. Returns NULL if the plugin has another ABI than `abi` or cannot work. */
typedef const SyclPlugin *(*SyclPluginEntry)(unsigned abi);
#define SYCL_PLUGIN_ENTRY "vmaf_sycl_plugin"

#ifdef __cplusplus
}
#endif

#endif
