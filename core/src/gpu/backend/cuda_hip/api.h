/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The driver APIs of CUDA and HIP. Both have the same functions with the same arguments under
 * different names, and the same error codes, flags and structs. This header declares them once;
 * cuda_symbols.c and hip_symbols.c fill in the names and the numbers that differ. */
#ifndef CUDA_HIP_API_H
#define CUDA_HIP_API_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/backend.h"
#include "gpu/kernel_image.h"

#ifdef _WIN32
#define CUDA_HIP_CALL __stdcall
#else
#define CUDA_HIP_CALL
#endif

typedef uintptr_t CudaHipAddress; /* in device memory */
typedef void *CudaHipHandle;      /* a context, stream, event, module, function, graph, … */

/* ---- results that we treat specially ---- */

enum {
    CUDA_HIP_OUT_OF_MEMORY = 2,
    CUDA_HIP_NO_DEVICE = 100,
    CUDA_HIP_INVALID_DEVICE = 101,
    CUDA_HIP_NOT_READY = 600,
};

/* ---- flags ---- */

enum {
    CUDA_HIP_STREAM_NON_BLOCKING = 1, /* does not synchronise with the legacy stream */
    CUDA_HIP_EVENT_TIMED = 0,
    CUDA_HIP_EVENT_UNTIMED = 2,
    CUDA_HIP_HOST_PORTABLE = 1,        /* pinned for every context */
    CUDA_HIP_CAPTURE_THREAD_LOCAL = 1, /* calls of other threads stay allowed */
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

/* CUDA and HIP have different further members, which stay zero. */
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

/* In the order of enum CudaHipFunction. Each function returns 0 or an error code. */
typedef struct CudaHipCalls {
#define FIELD(name, parameters) int(CUDA_HIP_CALL * name) parameters;
    CUDA_HIP_FUNCTIONS(FIELD)
#undef FIELD
} CudaHipCalls;

enum CudaHipAttribute {
    CUDA_HIP_INTEGRATED,
    CUDA_HIP_MAX_THREADS,       /* per workgroup */
    CUDA_HIP_MAX_SHARED_MEMORY, /* per workgroup, bytes */
    CUDA_HIP_MAX_GROUPS_X,
    CUDA_HIP_MAX_GROUPS_Y,
    CUDA_HIP_MAX_GROUPS_Z,
    CUDA_HIP_ATTRIBUTE_COUNT
};

/* Size of an architecture's name, such as "sm_90" or "gfx1100". */
#define CUDA_HIP_ARCH_SIZE 64

typedef struct CudaHipApi CudaHipApi;
struct CudaHipApi {
    CudaHipCalls call;
    const char *name;         /* the backend's */
    const char *const *names; /* the functions' names, by enum CudaHipFunction */
    int attributes[CUDA_HIP_ATTRIBUTE_COUNT];
    int memory_host, memory_device; /* values of CudaHipSide.memory */
    int dmabuf;                     /* CudaHipExternalMemory.type of a dma-buf */
    int version;                    /* the API's, in its own packed form */

    const char *(*error_name)(int result);
    /* Fills in what the two APIs report differently: version, driver, missing capabilities and the
     * architecture. */
    void (*describe)(int device, GpuDeviceInfo *info, char arch[CUDA_HIP_ARCH_SIZE]);
    /* True if the device adds doubles at least half as fast as floats. NULL if the API does not
     * tell. */
    bool (*has_fast_doubles)(int device);

    /* Finds the kernel's image for an architecture. False: no such kernel exists. */
    bool (*image)(const char *arch, const char *kernel, KernelImage *image);
    /* Compiles an unpacked image to code for ModuleLoadData. The caller frees *made with mem_free;
     * *made is NULL if the image itself can be loaded. Returns a negative errno (logged) if
     * compiling fails. May be NULL: all images can be loaded. */
    int (*compile)(const char *arch, const char *kernel, const void *code, void **made);
    /* Loads the unpacked images of several kernels as one module and returns the result of
     * ModuleLoadData. NULL where that is not faster than loading them one by one. */
    int (*load_together)(const char *const *texts, unsigned count, CudaHipHandle *module);
    /* Writes the driver's explanation why ModuleLoadData refused the code. May be NULL. */
    void (*explain)(const void *code, char *text, size_t size);
};

/* Fills api->call from an opened library. If a function is missing, logs it with `remedy` (what the
 * user can do) and returns false. */
bool cuda_hip_load(CudaHipApi *api, void *library, const char *remedy);

/* ---- CUDA ---- */

extern const GpuBackend cuda_backend;

/* Opens libcuda on first use and keeps it open. Returns NULL if the machine has no usable one.
 * Thread-safe. */
const CudaHipApi *cuda_api(void);

/* Joins PTX texts into one: the head of the first, then the body of each. The driver can compile
 * the kernels of one module side by side, but compiles modules one after another. The caller frees
 * the text with mem_free; NULL means out of memory. */
char *cuda_join(const char *const *texts, unsigned count);

/* Writes the version of NVIDIA's driver, such as "570.124.06", or "" if it is unknown. */
void cuda_driver_version(char *text, size_t size);

/* ---- HIP ---- */

extern const GpuBackend hip_backend;

/* Opens libamdhip64 on first use and keeps it open. Returns NULL if the machine has no usable one.
 * Thread-safe. */
const CudaHipApi *hip_api(void);

/* hiprtc compiles kernels for architectures that the build holds no code for. */

/* Opens hiprtc, which is a library of its own or part of `library`. Call once, before the functions
 * below. */
void hip_compiler_open(void *library);
bool hip_has_compiler(void);

/* Compiles the source text of a kernel. The caller frees *code with mem_free. Returns a negative
 * errno (logged) on failure. Thread-safe. */
int hip_compile(const char *arch, const char *kernel, const char *text, void **code);

#endif
