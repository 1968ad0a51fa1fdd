/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What libvmaf and its SYCL plugin see of each other. libvmaf is C and needs no SYCL compiler; the plugin
 * is C++ and holds the kernels. Plain structs and one entry cross between them: no SYCL type, no
 * exception.
 *
 * The plugin keeps no state but what it hands out. Everything that takes a device is thread-safe. int
 * results are 0 or a negative errno: -ENOMEM, -EIO (an error of the runtime; the device is lost when
 * work failed), -ENOTSUP. `error` then says what the runtime said. */
#ifndef SYCL_PLUGIN_ABI_H
#define SYCL_PLUGIN_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SYCL_PLUGIN_ABI 1u /* grows with every change of this file */
#define SYCL_PLUGIN_FILE "libvmaf-sycl.so"

/* In the order in which they are chosen. */
enum SyclDeviceKind { SYCL_GPU, SYCL_INTEGRATED_GPU, SYCL_ACCELERATOR, SYCL_CPU };

typedef struct SyclDeviceDesc {
    enum SyclDeviceKind kind;
    char name[256], driver[256];
    char version[32]; /* of SYCL */
    uint64_t memory, max_allocation;
    uint8_t uuid[16];  /* zeros: unknown */
    char pci[32];      /* empty: unknown */
    char missing[256]; /* what it lacks for our kernels; empty: nothing */
} SyclDeviceDesc;

typedef struct SyclKernelDesc {
    const char *name;
    unsigned group[2];
    size_t args_size; /* pointers by binding, then the parameters, in whole words of 8 bytes */
} SyclKernelDesc;
#define SYCL_MAX_ARGS (GPU_MAX_BINDINGS * 8 + GPU_MAX_PARAMS)

typedef struct SyclPluginDevice SyclPluginDevice;
typedef struct SyclPluginStamps SyclPluginStamps;

enum SyclMemory { SYCL_DEVICE_MEMORY, SYCL_HOST_MEMORY }; /* the second is mapped on both sides */

enum SyclCommandKind { SYCL_COPY, SYCL_FILL, SYCL_LAUNCH, SYCL_STAMP };

typedef struct SyclCommand {
    enum SyclCommandKind kind;
    const char *from; /* copy */
    char *to;         /* copy and fill */
    size_t from_stride, to_stride, row;
    unsigned rows;
    uint32_t word; /* fill */
    SyclPluginStamps *stamps;
    unsigned number; /* of the stamp, or of the kernel */
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
    const char *build;    /* of what sources: see sycl_build */
    const char *compiler; /* what made it, for people */
    const SyclKernelDesc *kernels;
    unsigned kernel_count;

    /* What went wrong in the last call of this thread that failed. */
    const char *(*error)(void);

    /* All devices, the best first; as many as there is room for. Returns how many there are. */
    int (*list)(SyclDeviceDesc *out, unsigned room);
    int (*open)(unsigned index, SyclPluginDevice **out);
    void (*close)(SyclPluginDevice *device); /* waits */

    int (*alloc)(SyclPluginDevice *device, enum SyclMemory memory, size_t size, void **out);
    void (*free)(SyclPluginDevice *device, void *block);
    /* Whether work on this device may read what is at this address of the process: 1 or 0. */
    int (*can_read)(SyclPluginDevice *device, const void *address);
    /* Memory of a file descriptor, which stays the caller's. -ENOTSUP where the runtime cannot. */
    int (*import_dmabuf)(SyclPluginDevice *device, int fd, size_t size, void **out);
    void (*release_dmabuf)(SyclPluginDevice *device, void *block);

    /* Queues run in order. `value` is the point of the queue at which the lists are done. */
    int (*submit)(SyclPluginDevice *device, unsigned queue, const SyclCommandList *lists,
                  unsigned list_count, const SyclPoint *waits, unsigned wait_count,
                  uint64_t *value);
    /* 1: reached; 0: the time is over; -EIO: the device is lost. */
    int (*wait)(SyclPluginDevice *device, SyclPoint point, uint64_t timeout_ns);

    /* -ENOTSUP: no clock. */
    int (*stamps_create)(SyclPluginDevice *device, unsigned count, SyclPluginStamps **out);
    void (*stamps_destroy)(SyclPluginStamps *stamps);
    int (*stamps_read)(SyclPluginDevice *device, const SyclPluginStamps *stamps,
                       double *microseconds);

    /* Times of the kernels launched since it was switched on, one for each kernel. */
    int (*profile)(SyclPluginDevice *device, int on);
    int (*profile_read)(SyclPluginDevice *device, SyclKernelTime *times);
} SyclPlugin;

/* The one entry. NULL when the plugin is of another ABI than `abi`, or cannot work. */
typedef const SyclPlugin *(*SyclPluginEntry)(unsigned abi);
#define SYCL_PLUGIN_ENTRY "vmaf_sycl_plugin"

#ifdef __cplusplus
}
#endif

#endif
