/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The driver APIs of CUDA and HIP, which are twins: the same functions with the same arguments under two
 * names, the same error codes, flags and structs. Written once here; cuda/symbols.c and hip/symbols.c
 * each have a column of names, and the numbers that differ. */
#ifndef CUDA_HIP_API_H
#define CUDA_HIP_API_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/backend.h"

#ifdef _WIN32
#define CUDA_HIP_CALL __stdcall
#else
#define CUDA_HIP_CALL
#endif

typedef uintptr_t CudaHipAddress; /* of the device */
typedef void *CudaHipHandle; /* of contexts, streams, events, modules, functions, graphs, … */

/* ---- results: those that matter ---- */

enum {
    CUDA_HIP_OUT_OF_MEMORY = 2,
    CUDA_HIP_NO_DEVICE = 100,
    CUDA_HIP_INVALID_DEVICE = 101,
    CUDA_HIP_NOT_READY = 600,
};

/* ---- flags ---- */

enum {
    CUDA_HIP_STREAM_NON_BLOCKING = 1, /* waits for no work of the legacy stream */
    CUDA_HIP_EVENT_TIMED = 0,
    CUDA_HIP_EVENT_UNTIMED = 2,
    CUDA_HIP_HOST_PORTABLE = 1,        /* pinned for every context */
    CUDA_HIP_CAPTURE_THREAD_LOCAL = 1, /* other threads go on with what they do */
    CUDA_HIP_FUNCTION_MAX_THREADS = 0,
    CUDA_HIP_EXTERNAL_FD = 1,
    CUDA_HIP_EXTERNAL_WIN32 = 2,
    CUDA_HIP_TIMELINE_FD = 9,
    CUDA_HIP_TIMELINE_WIN32 = 10,
};

/* ---- structs ---- */

typedef struct CudaHipSide {
    size_t x, y;
    int memory; /* CudaHipApi.memory_host or .memory_device */
    void *host;
    CudaHipAddress device;
    void *array;
    size_t pitch;
} CudaHipSide;

typedef struct CudaHipCopy2D {
    CudaHipSide from, to;
    size_t width, height; /* bytes, rows */
} CudaHipCopy2D;

typedef union CudaHipOsHandle {
    int fd;
    struct {
        void *handle;
        const void *name;
    } win32;
} CudaHipOsHandle;

typedef struct CudaHipExternalMemory {
    int type;
    CudaHipOsHandle handle;
    unsigned long long size;
    unsigned flags, reserved[16];
} CudaHipExternalMemory;

typedef struct CudaHipExternalBuffer {
    unsigned long long offset, size;
    unsigned flags, reserved[16];
} CudaHipExternalBuffer;

typedef struct CudaHipExternalSemaphore {
    int type;
    CudaHipOsHandle handle;
    unsigned flags, reserved[16];
} CudaHipExternalSemaphore;

/* Both APIs have more members, which differ and which we leave zero. */
typedef struct CudaHipSemaphoreValue {
    unsigned long long value;
    unsigned rest[40];
} CudaHipSemaphoreValue;

/* ---- functions ---- */

#define CUDA_HIP_FUNCTIONS(X)                                                                      \
    X(Init, (unsigned flags))                                                                      \
    X(DriverGetVersion, (int *version))                                                            \
    X(DeviceGetCount, (int *count))                                                                \
    X(DeviceGet, (int *device, int ordinal))                                                       \
    X(DeviceGetName, (char *name, int size, int device))                                           \
    X(DeviceGetUuid, (uint8_t * uuid, int device))                                                 \
    X(DeviceGetPCIBusId, (char *text, int size, int device))                                       \
    X(DeviceTotalMem, (size_t * bytes, int device))                                                \
    X(DeviceGetAttribute, (int *value, int attribute, int device))                                 \
    X(DevicePrimaryCtxRetain, (CudaHipHandle * context, int device))                               \
    X(DevicePrimaryCtxRelease, (int device))                                                       \
    X(CtxPushCurrent, (CudaHipHandle context))                                                     \
    X(CtxPopCurrent, (CudaHipHandle * context))                                                    \
    X(CtxGetDevice, (int *device))                                                                 \
    X(MemAlloc, (CudaHipAddress * address, size_t size))                                           \
    X(MemFree, (CudaHipAddress address))                                                           \
    X(MemHostAlloc, (void **block, size_t size, unsigned flags))                                   \
    X(MemFreeHost, (void *block))                                                                  \
    X(MemHostRegister, (void *block, size_t size, unsigned flags))                                 \
    X(MemHostUnregister, (void *block))                                                            \
    X(MemcpyHtoDAsync, (CudaHipAddress to, const void *from, size_t size, CudaHipHandle stream))   \
    X(MemcpyDtoHAsync, (void *to, CudaHipAddress from, size_t size, CudaHipHandle stream))         \
    X(MemcpyDtoDAsync,                                                                             \
      (CudaHipAddress to, CudaHipAddress from, size_t size, CudaHipHandle stream))                 \
    X(Memcpy2DAsync, (const CudaHipCopy2D *copy, CudaHipHandle stream))                            \
    X(MemsetD32Async, (CudaHipAddress to, unsigned word, size_t count, CudaHipHandle stream))      \
    X(ModuleLoadData, (CudaHipHandle * module, const void *image))                                 \
    X(ModuleUnload, (CudaHipHandle module))                                                        \
    X(ModuleGetFunction, (CudaHipHandle * function, CudaHipHandle module, const char *name))       \
    X(FuncGetAttribute, (int *value, int attribute, CudaHipHandle function))                       \
    X(LaunchKernel, (CudaHipHandle function, unsigned groups_x, unsigned groups_y,                 \
                     unsigned groups_z, unsigned group_x, unsigned group_y, unsigned group_z,      \
                     unsigned shared_bytes, CudaHipHandle stream, void **arguments, void **extra)) \
    X(StreamCreate, (CudaHipHandle * stream, unsigned flags))                                      \
    X(StreamDestroy, (CudaHipHandle stream))                                                       \
    X(StreamWaitEvent, (CudaHipHandle stream, CudaHipHandle event, unsigned flags))                \
    X(StreamSynchronize, (CudaHipHandle stream))                                                   \
    X(EventCreate, (CudaHipHandle * event, unsigned flags))                                        \
    X(EventDestroy, (CudaHipHandle event))                                                         \
    X(EventRecord, (CudaHipHandle event, CudaHipHandle stream))                                    \
    X(EventQuery, (CudaHipHandle event))                                                           \
    X(EventElapsedTime, (float *milliseconds, CudaHipHandle from, CudaHipHandle to))               \
    X(StreamBeginCapture, (CudaHipHandle stream, int mode))                                        \
    X(StreamEndCapture, (CudaHipHandle stream, CudaHipHandle * graph))                             \
    X(GraphInstantiate, (CudaHipHandle * exec, CudaHipHandle graph, unsigned long long flags))     \
    X(GraphLaunch, (CudaHipHandle exec, CudaHipHandle stream))                                     \
    X(GraphExecDestroy, (CudaHipHandle exec))                                                      \
    X(GraphDestroy, (CudaHipHandle graph))                                                         \
    X(ImportExternalMemory, (CudaHipHandle * memory, const CudaHipExternalMemory *what))           \
    X(ExternalMemoryGetMappedBuffer,                                                               \
      (CudaHipAddress * address, CudaHipHandle memory, const CudaHipExternalBuffer *what))         \
    X(DestroyExternalMemory, (CudaHipHandle memory))                                               \
    X(ImportExternalSemaphore, (CudaHipHandle * semaphore, const CudaHipExternalSemaphore *what))  \
    X(DestroyExternalSemaphore, (CudaHipHandle semaphore))                                         \
    X(WaitExternalSemaphoresAsync,                                                                 \
      (const CudaHipHandle *semaphores, const CudaHipSemaphoreValue *values, unsigned count,       \
       CudaHipHandle stream))                                                                      \
    X(SignalExternalSemaphoresAsync,                                                               \
      (const CudaHipHandle *semaphores, const CudaHipSemaphoreValue *values, unsigned count,       \
       CudaHipHandle stream))

enum CudaHipFunction {
#define NUMBER(name, parameters) CUDA_HIP_##name,
    CUDA_HIP_FUNCTIONS(NUMBER)
#undef NUMBER
        CUDA_HIP_FUNCTION_COUNT
};

/* In the order of the numbers, each 0 or an error. */
typedef struct CudaHipCalls {
#define FIELD(name, parameters) int(CUDA_HIP_CALL * name) parameters;
    CUDA_HIP_FUNCTIONS(FIELD)
#undef FIELD
} CudaHipCalls;

enum CudaHipAttribute {
    CUDA_HIP_INTEGRATED,
    CUDA_HIP_MAX_THREADS,       /* of a workgroup */
    CUDA_HIP_MAX_SHARED_MEMORY, /* of a workgroup, bytes */
    CUDA_HIP_MAX_GROUPS_X,
    CUDA_HIP_MAX_GROUPS_Y,
    CUDA_HIP_MAX_GROUPS_Z,
    CUDA_HIP_ATTRIBUTE_COUNT
};

/* A kind of device, in the words of those who compile for it: "sm_90", "gfx1100". */
#define CUDA_HIP_ARCH_SIZE 64

typedef struct CudaHipApi CudaHipApi;
struct CudaHipApi {
    CudaHipCalls call;
    const char *name;         /* of the backend */
    const char *const *names; /* of the functions, by enum CudaHipFunction */
    int attributes[CUDA_HIP_ATTRIBUTE_COUNT];
    int memory_host, memory_device; /* CudaHipSide.memory */
    int dmabuf;                     /* CudaHipExternalMemory.type */
    int version;                    /* of the API, as it packs it */

    const char *(*error_name)(int result);
    /* Adds what only this API can tell: version, driver, what is missing; and the architecture. */
    void (*describe)(int device, GpuDeviceInfo *info, char arch[CUDA_HIP_ARCH_SIZE]);
    /* Whether it adds doubles at least half as fast as floats. NULL: the API does not tell. */
    bool (*has_fast_doubles)(int device);

    /* The code for that architecture; NULL when there is no such kernel. */
    const KernelImage *(*image)(const char *arch, const char *kernel);
    /* Makes of it what ModuleLoadData takes: free *made with mem_free, or NULL when the image itself will
     * do. A negative errno (logged) when it cannot be compiled. */
    int (*compile)(const char *arch, const KernelImage *image, void **made);
    /* Loads the code of several kernels as one module, because that is faster: an error as ModuleLoadData gives it.
     * NULL: it is not. */
    int (*load_together)(const KernelImage *const *images, unsigned count, CudaHipHandle *module);
    /* Why ModuleLoadData refused the code, in the words of the driver. May be NULL. */
    void (*explain)(const void *code, char *text, size_t size);
};

/* Fills api->call from an opened library: false (logged) when it lacks one of them. */
bool cuda_hip_load(CudaHipApi *api, void *library, const char *remedy);

/* CUDA's column of driver/api.h. */

extern const GpuBackend cuda_backend;

/* Opens libcuda on first use and keeps it. NULL when the machine has none that we can use. Thread-safe. */
const CudaHipApi *cuda_api(void);

/* The version of NVIDIA's driver, as "570.124.06"; empty when it cannot be told. */
void cuda_driver_version(char *text, size_t size);

/* HIP's column of driver/api.h. */

extern const GpuBackend hip_backend;

/* Opens libamdhip64 on first use and keeps it. NULL when the machine has none that we can use.
 * Thread-safe. */
const CudaHipApi *hip_api(void);

/* ---- bundle.c ---- */

/* Has the bundle, of `size` bytes, code for that architecture? "gfx90a:sramecc+:xnack-" is gfx90a. */
bool hip_bundle_has(const void *bundle, size_t size, const char *arch);

/* ---- compile.c: hiprtc, for architectures that the build has no code for ---- */

/* Opens hiprtc: a library of its own, or part of `library`. Once, before the others. */
void hip_compiler_open(void *library);
bool hip_has_compiler(void);

/* Compiles a source: free *code with mem_free. */
int hip_compile(const char *arch, const KernelImage *source, void **code);

#endif
