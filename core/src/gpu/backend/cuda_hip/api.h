/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The driver APIs of CUDA and HIP, which are twins: the same functions with the same arguments under two
 * names, the same error codes, flags and structs. Written once here; cuda/symbols.c and hip/symbols.c
 * each have a column of names, and the numbers that differ. */
#ifndef DRIVER_API_H
#define DRIVER_API_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/backend.h"

#ifdef _WIN32
#define DRIVER_CALL __stdcall
#else
#define DRIVER_CALL
#endif

typedef uintptr_t DriverAddress; /* of the device */
typedef void *DriverHandle;      /* of contexts, streams, events, modules, functions, graphs, … */

/* ---- results: those that matter ---- */

enum {
    DRIVER_OUT_OF_MEMORY = 2,
    DRIVER_NO_DEVICE = 100,
    DRIVER_INVALID_DEVICE = 101,
    DRIVER_NOT_READY = 600,
};

/* ---- flags ---- */

enum {
    DRIVER_STREAM_NON_BLOCKING = 1, /* waits for no work of the legacy stream */
    DRIVER_EVENT_TIMED = 0,
    DRIVER_EVENT_UNTIMED = 2,
    DRIVER_HOST_PORTABLE = 1,        /* pinned for every context */
    DRIVER_CAPTURE_THREAD_LOCAL = 1, /* other threads go on with what they do */
    DRIVER_FUNCTION_MAX_THREADS = 0,
    DRIVER_EXTERNAL_FD = 1,
    DRIVER_EXTERNAL_WIN32 = 2,
    DRIVER_TIMELINE_FD = 9,
    DRIVER_TIMELINE_WIN32 = 10,
};

/* ---- structs ---- */

typedef struct DriverSide {
    size_t x, y;
    int memory; /* DriverApi.memory_host or .memory_device */
    void *host;
    DriverAddress device;
    void *array;
    size_t pitch;
} DriverSide;

typedef struct DriverCopy2D {
    DriverSide from, to;
    size_t width, height; /* bytes, rows */
} DriverCopy2D;

typedef union DriverOsHandle {
    int fd;
    struct {
        void *handle;
        const void *name;
    } win32;
} DriverOsHandle;

typedef struct DriverExternalMemory {
    int type;
    DriverOsHandle handle;
    unsigned long long size;
    unsigned flags, reserved[16];
} DriverExternalMemory;

typedef struct DriverExternalBuffer {
    unsigned long long offset, size;
    unsigned flags, reserved[16];
} DriverExternalBuffer;

typedef struct DriverExternalSemaphore {
    int type;
    DriverOsHandle handle;
    unsigned flags, reserved[16];
} DriverExternalSemaphore;

/* Both APIs have more members, which differ and which we leave zero. */
typedef struct DriverSemaphoreValue {
    unsigned long long value;
    unsigned rest[40];
} DriverSemaphoreValue;

/* ---- functions ---- */

#define DRIVER_FUNCTIONS(X)                                                                        \
    X(Init, (unsigned flags))                                                                      \
    X(DriverGetVersion, (int *version))                                                            \
    X(DeviceGetCount, (int *count))                                                                \
    X(DeviceGet, (int *device, int ordinal))                                                       \
    X(DeviceGetName, (char *name, int size, int device))                                           \
    X(DeviceGetUuid, (uint8_t * uuid, int device))                                                 \
    X(DeviceGetPCIBusId, (char *text, int size, int device))                                       \
    X(DeviceTotalMem, (size_t * bytes, int device))                                                \
    X(DeviceGetAttribute, (int *value, int attribute, int device))                                 \
    X(DevicePrimaryCtxRetain, (DriverHandle * context, int device))                                \
    X(DevicePrimaryCtxRelease, (int device))                                                       \
    X(CtxPushCurrent, (DriverHandle context))                                                      \
    X(CtxPopCurrent, (DriverHandle * context))                                                     \
    X(CtxGetDevice, (int *device))                                                                 \
    X(MemAlloc, (DriverAddress * address, size_t size))                                            \
    X(MemFree, (DriverAddress address))                                                            \
    X(MemHostAlloc, (void **block, size_t size, unsigned flags))                                   \
    X(MemFreeHost, (void *block))                                                                  \
    X(MemHostRegister, (void *block, size_t size, unsigned flags))                                 \
    X(MemHostUnregister, (void *block))                                                            \
    X(MemcpyHtoDAsync, (DriverAddress to, const void *from, size_t size, DriverHandle stream))     \
    X(MemcpyDtoHAsync, (void *to, DriverAddress from, size_t size, DriverHandle stream))           \
    X(MemcpyDtoDAsync, (DriverAddress to, DriverAddress from, size_t size, DriverHandle stream))   \
    X(Memcpy2DAsync, (const DriverCopy2D *copy, DriverHandle stream))                              \
    X(MemsetD32Async, (DriverAddress to, unsigned word, size_t count, DriverHandle stream))        \
    X(ModuleLoadData, (DriverHandle * module, const void *image))                                  \
    X(ModuleUnload, (DriverHandle module))                                                         \
    X(ModuleGetFunction, (DriverHandle * function, DriverHandle module, const char *name))         \
    X(FuncGetAttribute, (int *value, int attribute, DriverHandle function))                        \
    X(LaunchKernel, (DriverHandle function, unsigned groups_x, unsigned groups_y,                  \
                     unsigned groups_z, unsigned group_x, unsigned group_y, unsigned group_z,      \
                     unsigned shared_bytes, DriverHandle stream, void **arguments, void **extra))  \
    X(StreamCreate, (DriverHandle * stream, unsigned flags))                                       \
    X(StreamDestroy, (DriverHandle stream))                                                        \
    X(StreamWaitEvent, (DriverHandle stream, DriverHandle event, unsigned flags))                  \
    X(StreamSynchronize, (DriverHandle stream))                                                    \
    X(EventCreate, (DriverHandle * event, unsigned flags))                                         \
    X(EventDestroy, (DriverHandle event))                                                          \
    X(EventRecord, (DriverHandle event, DriverHandle stream))                                      \
    X(EventQuery, (DriverHandle event))                                                            \
    X(EventElapsedTime, (float *milliseconds, DriverHandle from, DriverHandle to))                 \
    X(StreamBeginCapture, (DriverHandle stream, int mode))                                         \
    X(StreamEndCapture, (DriverHandle stream, DriverHandle * graph))                               \
    X(GraphInstantiate, (DriverHandle * exec, DriverHandle graph, unsigned long long flags))       \
    X(GraphLaunch, (DriverHandle exec, DriverHandle stream))                                       \
    X(GraphExecDestroy, (DriverHandle exec))                                                       \
    X(GraphDestroy, (DriverHandle graph))                                                          \
    X(ImportExternalMemory, (DriverHandle * memory, const DriverExternalMemory *what))             \
    X(ExternalMemoryGetMappedBuffer,                                                               \
      (DriverAddress * address, DriverHandle memory, const DriverExternalBuffer *what))            \
    X(DestroyExternalMemory, (DriverHandle memory))                                                \
    X(ImportExternalSemaphore, (DriverHandle * semaphore, const DriverExternalSemaphore *what))    \
    X(DestroyExternalSemaphore, (DriverHandle semaphore))                                          \
    X(WaitExternalSemaphoresAsync,                                                                 \
      (const DriverHandle *semaphores, const DriverSemaphoreValue *values, unsigned count,         \
       DriverHandle stream))                                                                       \
    X(SignalExternalSemaphoresAsync,                                                               \
      (const DriverHandle *semaphores, const DriverSemaphoreValue *values, unsigned count,         \
       DriverHandle stream))

enum DriverFunction {
#define NUMBER(name, parameters) DRIVER_##name,
    DRIVER_FUNCTIONS(NUMBER)
#undef NUMBER
        DRIVER_FUNCTION_COUNT
};

/* In the order of the numbers, each 0 or an error. */
typedef struct DriverCalls {
#define FIELD(name, parameters) int(DRIVER_CALL * name) parameters;
    DRIVER_FUNCTIONS(FIELD)
#undef FIELD
} DriverCalls;

enum DriverAttribute {
    DRIVER_INTEGRATED,
    DRIVER_MAX_THREADS,       /* of a workgroup */
    DRIVER_MAX_SHARED_MEMORY, /* of a workgroup, bytes */
    DRIVER_MAX_GROUPS_X,
    DRIVER_MAX_GROUPS_Y,
    DRIVER_MAX_GROUPS_Z,
    DRIVER_ATTRIBUTE_COUNT
};

/* A kind of device, in the words of those who compile for it: "sm_90", "gfx1100". */
#define DRIVER_ARCH_SIZE 64

typedef struct DriverApi DriverApi;
struct DriverApi {
    DriverCalls call;
    const char *name;         /* of the backend */
    const char *const *names; /* of the functions, by enum DriverFunction */
    int attributes[DRIVER_ATTRIBUTE_COUNT];
    int memory_host, memory_device; /* DriverSide.memory */
    int dmabuf;                     /* DriverExternalMemory.type */
    int version;                    /* of the API, as it packs it */

    const char *(*error_name)(int result);
    /* Adds what only this API can tell: version, driver, what is missing; and the architecture. */
    void (*describe)(int device, GpuDeviceInfo *info, char arch[DRIVER_ARCH_SIZE]);
    /* Whether it adds doubles at least half as fast as floats. NULL: the API does not tell. */
    bool (*has_fast_doubles)(int device);

    /* The code for that architecture; NULL when there is no such kernel. */
    const KernelImage *(*image)(const char *arch, const char *kernel);
    /* Makes of it what ModuleLoadData takes: free *made with mem_free, or NULL when the image itself will
     * do. A negative errno (logged) when it cannot be compiled. */
    int (*compile)(const char *arch, const KernelImage *image, void **made);
    /* Loads the code of several kernels as one module, because that is faster: an error as ModuleLoadData gives it.
     * NULL: it is not. */
    int (*load_together)(const KernelImage *const *images, unsigned count, DriverHandle *module);
    /* Why ModuleLoadData refused the code, in the words of the driver. May be NULL. */
    void (*explain)(const void *code, char *text, size_t size);
};

/* Fills api->call from an opened library: false (logged) when it lacks one of them. */
bool driver_load(DriverApi *api, void *library, const char *remedy);

#endif
