/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A libamdhip64 that forwards all calls to the CUDA driver, to test the HIP backend on NVIDIA's
 * devices. This tests how the backend loads kernels, orders work and waits. It tests none of AMD's
 * code, since a kernel's PTX runs in place of its code object. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/kernel_image.h"
#include "fake_driver.h"

#define EXPORTED __attribute__((visibility("default")))
#define ARCH "gfx1030"       /* one that every build has code for */
#define HIP_VERSION 60000000 /* its structs and numbers are CUDA's */

typedef uintptr_t Word; /* an argument: a number or a pointer */
typedef int Function4(Word a, Word b, Word c, Word d);

static void *symbol(const char *name)
{
    static void *library;
    if (!library)
        library = dlopen("libcuda.so.1", RTLD_NOW);
    return library ? dlsym(library, name) : NULL;
}

/* Functions with the same arguments as CUDA's, at most four. */
#define FORWARD(hip, cuda)                                                                         \
    EXPORTED int hip(Word a, Word b, Word c, Word d)                                               \
    {                                                                                              \
        static Function4 *function;                                                                \
        if (!function)                                                                             \
            function = (Function4 *)symbol(#cuda);                                                 \
        return function ? function(a, b, c, d) : NO_DEVICE;                                        \
    }

FORWARD(hipInit, cuInit)
FORWARD(hipGetDeviceCount, cuDeviceGetCount)
FORWARD(hipDeviceGet, cuDeviceGet)
FORWARD(hipDeviceGetName, cuDeviceGetName)
FORWARD(hipDeviceGetUuid, cuDeviceGetUuid)
FORWARD(hipDeviceGetPCIBusId, cuDeviceGetPCIBusId)
FORWARD(hipDeviceTotalMem, cuDeviceTotalMem_v2)
FORWARD(hipDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain)
FORWARD(hipDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2)
FORWARD(hipCtxPushCurrent, cuCtxPushCurrent_v2)
FORWARD(hipCtxPopCurrent, cuCtxPopCurrent_v2)
FORWARD(hipCtxGetDevice, cuCtxGetDevice)
FORWARD(hipMemGetInfo, cuMemGetInfo_v2)
FORWARD(hipMalloc, cuMemAlloc_v2)
FORWARD(hipFree, cuMemFree_v2)
FORWARD(hipHostMalloc, cuMemHostAlloc)
FORWARD(hipHostFree, cuMemFreeHost)
FORWARD(hipHostRegister, cuMemHostRegister_v2)
FORWARD(hipHostUnregister, cuMemHostUnregister)
FORWARD(hipMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2)
FORWARD(hipMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2)
FORWARD(hipMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2)
FORWARD(hipMemcpyParam2DAsync, cuMemcpy2DAsync_v2)
FORWARD(hipMemsetD32Async, cuMemsetD32Async)
FORWARD(hipModuleUnload, cuModuleUnload)
FORWARD(hipModuleGetFunction, cuModuleGetFunction)
FORWARD(hipFuncGetAttribute, cuFuncGetAttribute)
FORWARD(hipStreamCreateWithFlags, cuStreamCreate)
FORWARD(hipStreamDestroy, cuStreamDestroy_v2)
FORWARD(hipStreamWaitEvent, cuStreamWaitEvent)
FORWARD(hipStreamSynchronize, cuStreamSynchronize)
FORWARD(hipEventCreateWithFlags, cuEventCreate)
FORWARD(hipEventDestroy, cuEventDestroy_v2)
FORWARD(hipEventRecord, cuEventRecord)
FORWARD(hipEventQuery, cuEventQuery)
FORWARD(hipEventSynchronize, cuEventSynchronize)
FORWARD(hipEventElapsedTime, cuEventElapsedTime)
FORWARD(hipStreamBeginCapture, cuStreamBeginCapture_v2)
FORWARD(hipStreamEndCapture, cuStreamEndCapture)
FORWARD(hipGraphInstantiateWithFlags, cuGraphInstantiateWithFlags)
FORWARD(hipGraphLaunch, cuGraphLaunch)
FORWARD(hipGraphExecDestroy, cuGraphExecDestroy)
FORWARD(hipGraphDestroy, cuGraphDestroy)
FORWARD(hipImportExternalMemory, cuImportExternalMemory)
FORWARD(hipExternalMemoryGetMappedBuffer, cuExternalMemoryGetMappedBuffer)
FORWARD(hipDestroyExternalMemory, cuDestroyExternalMemory)
FORWARD(hipImportExternalSemaphore, cuImportExternalSemaphore)
FORWARD(hipDestroyExternalSemaphore, cuDestroyExternalSemaphore)
FORWARD(hipWaitExternalSemaphoresAsync, cuWaitExternalSemaphoresAsync)
FORWARD(hipSignalExternalSemaphoresAsync, cuSignalExternalSemaphoresAsync)

/* ---- functions that differ ---- */

EXPORTED int hipDriverGetVersion(int *version)
{
    *version = HIP_VERSION;
    return OK;
}

EXPORTED const char *hipGetErrorName(int code)
{
    int (*get_name)(int, const char **) = (int (*)(int, const char **))symbol("cuGetErrorName");
    const char *name = NULL;
    return get_name && !get_name(code, &name) && name ? name : "an error of no name";
}

/* Pairs of attribute numbers: HIP's and CUDA's. */
EXPORTED int hipDeviceGetAttribute(int *value, int attribute, int device)
{
    static const int numbers[][2] = { { 16, 18 }, { 23, 75 }, { 29, 5 },  { 30, 6 }, { 31, 7 },
                                      { 56, 1 },  { 61, 76 }, { 63, 16 }, { 74, 8 }, { 87, 10 } };
    int (*get)(int *, int, int) = (int (*)(int *, int, int))symbol("cuDeviceGetAttribute");
    for (unsigned i = 0; get && i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (numbers[i][0] == attribute)
            return get(value, numbers[i][1], device);
    return INVALID_VALUE;
}

/* Writes only the architecture, without asking the device. */
EXPORTED int hipGetDevicePropertiesR0600(char *properties, int device)
{
    enum { ARCH_OFFSET = 1160, SIZE = 1472 };
    memset(properties, 0, SIZE);
    strcpy(properties + ARCH_OFFSET, ARCH);
    return OK;
}

EXPORTED int hipModuleLoadData(void **module, const void *image)
{
    Entry entry;
    char why[160];
    const int err = image_read_object(image, ARCH, &entry, why, sizeof(why));
    if (err) {
        fprintf(stderr, "forwarding HIP: image rejected: %s\n", why);
        return err;
    }
    KernelImage ptx;
    void *text;
    int (*load)(void **, const void *) = (int (*)(void **, const void *))symbol("cuModuleLoadData");
    if (!kernel_image_find(ptx_packs, entry.name, &ptx) || kernel_image_unpack(&ptx, &text))
        return NOT_FOUND;
    const int result = load ? load(module, text) : NO_DEVICE;
    mem_free(text);
    return result;
}

EXPORTED int hipModuleLaunchKernel(void *function, unsigned grid_x, unsigned grid_y,
                                   unsigned grid_z, unsigned block_x, unsigned block_y,
                                   unsigned block_z, unsigned shared, void *stream, void **params,
                                   void **extra)
{
    static int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                         unsigned, void *, void **, void **);
    if (!launch)
        *(void **)&launch = symbol("cuLaunchKernel");
    return launch ? launch(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared,
                           stream, params, extra)
                  : NO_DEVICE;
}
