/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The functions of CUDA's driver API that tests call, declared from its documentation. */
#ifndef TEST_CUDA_API_H
#define TEST_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

typedef struct CudaCopySide {
    size_t x, y;
    int type; /* 1: host, 2: device */
    const void *host;
    uint64_t device;
    void *array;
    size_t pitch;
} CudaCopySide;

typedef struct CudaCopy2D {
    CudaCopySide from, to;
    size_t width, height;
} CudaCopy2D;

typedef struct CudaExternalHandle {
    int type;
    union {
        int fd;
        void *win32[2];
    };
    unsigned long long size;
    unsigned flags, reserved[16];
} CudaExternalHandle;

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxPushCurrent_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
int cuMemAlloc_v2(uint64_t *address, size_t size);
int cuMemFree_v2(uint64_t address);
int cuMemHostAlloc(void **block, size_t size, unsigned flags);
int cuMemFreeHost(void *block);
int cuMemHostRegister_v2(void *block, size_t size, unsigned flags);
int cuMemHostUnregister(void *block);
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size, void *stream);
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t size, void *stream);
int cuMemcpy2DAsync_v2(const CudaCopy2D *copy, void *stream);
int cuMemsetD32Async(uint64_t to, unsigned word, size_t count, void *stream);
int cuModuleLoadData(void **module, const void *image);
int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options,
                       void **values);
int cuModuleUnload(void *module);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   void *stream, void **params, void **extra);
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamDestroy_v2(void *stream);
int cuStreamWaitEvent(void *stream, void *event, unsigned flags);
int cuStreamSynchronize(void *stream);
int cuEventCreate(void **event, unsigned flags);
int cuEventDestroy_v2(void *event);
int cuEventRecord(void *event, void *stream);
int cuEventQuery(void *event);
int cuEventSynchronize(void *event);
int cuEventElapsedTime(float *milliseconds, void *start, void *end);
int cuStreamBeginCapture_v2(void *stream, int mode);
int cuStreamEndCapture(void *stream, void **graph);
int cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags);
int cuGraphLaunch(void *exec, void *stream);
int cuGraphExecDestroy(void *exec);
int cuGraphDestroy(void *graph);
int cuImportExternalMemory(void **memory, const CudaExternalHandle *handle);
int cuExternalMemoryGetMappedBuffer(uint64_t *address, void *memory,
                                    const unsigned long long *part);
int cuDestroyExternalMemory(void *memory);
int cuImportExternalSemaphore(void **semaphore, const CudaExternalHandle *handle);
int cuDestroyExternalSemaphore(void *semaphore);
int cuWaitExternalSemaphoresAsync(void *const *semaphores, const unsigned long long *params,
                                  unsigned count, void *stream);
int cuSignalExternalSemaphoresAsync(void *const *semaphores, const unsigned long long *params,
                                    unsigned count, void *stream);

#endif
