/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/backend/cuda_hip/cuda_symbols.h"

#include <stdio.h>

#include "base/library.h"
#include "base/mem.h"
#include "base/text.h"
#include "gpu/backend/cuda_hip/cuda_images.h"
#include "gpu/backend/cuda_hip/cuda_join.h"
#include "gpu/backend/cuda_hip/cuda_hip.h"
#include "gpu/backend/cuda_hip/probe.h"

#ifdef _WIN32
static const char *const library_names[] = { "nvcuda.dll", NULL };
#else
static const char *const library_names[] = { "libcuda.so.1", "libcuda.so", NULL };
#endif

static const char *const names[DRIVER_FUNCTION_COUNT] = {
    [DRIVER_Init] = "cuInit",
    [DRIVER_DriverGetVersion] = "cuDriverGetVersion",
    [DRIVER_DeviceGetCount] = "cuDeviceGetCount",
    [DRIVER_DeviceGet] = "cuDeviceGet",
    [DRIVER_DeviceGetName] = "cuDeviceGetName",
    [DRIVER_DeviceGetUuid] = "cuDeviceGetUuid",
    [DRIVER_DeviceGetPCIBusId] = "cuDeviceGetPCIBusId",
    [DRIVER_DeviceTotalMem] = "cuDeviceTotalMem_v2",
    [DRIVER_DeviceGetAttribute] = "cuDeviceGetAttribute",
    [DRIVER_DevicePrimaryCtxRetain] = "cuDevicePrimaryCtxRetain",
    [DRIVER_DevicePrimaryCtxRelease] = "cuDevicePrimaryCtxRelease_v2",
    [DRIVER_CtxPushCurrent] = "cuCtxPushCurrent_v2",
    [DRIVER_CtxPopCurrent] = "cuCtxPopCurrent_v2",
    [DRIVER_CtxGetDevice] = "cuCtxGetDevice",
    [DRIVER_MemAlloc] = "cuMemAlloc_v2",
    [DRIVER_MemFree] = "cuMemFree_v2",
    [DRIVER_MemHostAlloc] = "cuMemHostAlloc",
    [DRIVER_MemFreeHost] = "cuMemFreeHost",
    [DRIVER_MemHostRegister] = "cuMemHostRegister_v2",
    [DRIVER_MemHostUnregister] = "cuMemHostUnregister",
    [DRIVER_MemcpyHtoDAsync] = "cuMemcpyHtoDAsync_v2",
    [DRIVER_MemcpyDtoHAsync] = "cuMemcpyDtoHAsync_v2",
    [DRIVER_MemcpyDtoDAsync] = "cuMemcpyDtoDAsync_v2",
    [DRIVER_Memcpy2DAsync] = "cuMemcpy2DAsync_v2",
    [DRIVER_MemsetD32Async] = "cuMemsetD32Async",
    [DRIVER_ModuleLoadData] = "cuModuleLoadData",
    [DRIVER_ModuleUnload] = "cuModuleUnload",
    [DRIVER_ModuleGetFunction] = "cuModuleGetFunction",
    [DRIVER_FuncGetAttribute] = "cuFuncGetAttribute",
    [DRIVER_LaunchKernel] = "cuLaunchKernel",
    [DRIVER_StreamCreate] = "cuStreamCreate",
    [DRIVER_StreamDestroy] = "cuStreamDestroy_v2",
    [DRIVER_StreamWaitEvent] = "cuStreamWaitEvent",
    [DRIVER_StreamSynchronize] = "cuStreamSynchronize",
    [DRIVER_EventCreate] = "cuEventCreate",
    [DRIVER_EventDestroy] = "cuEventDestroy_v2",
    [DRIVER_EventRecord] = "cuEventRecord",
    [DRIVER_EventQuery] = "cuEventQuery",
    [DRIVER_EventElapsedTime] = "cuEventElapsedTime",
    [DRIVER_StreamBeginCapture] = "cuStreamBeginCapture_v2",
    [DRIVER_StreamEndCapture] = "cuStreamEndCapture",
    [DRIVER_GraphInstantiate] = "cuGraphInstantiateWithFlags",
    [DRIVER_GraphLaunch] = "cuGraphLaunch",
    [DRIVER_GraphExecDestroy] = "cuGraphExecDestroy",
    [DRIVER_GraphDestroy] = "cuGraphDestroy",
    [DRIVER_ImportExternalMemory] = "cuImportExternalMemory",
    [DRIVER_ExternalMemoryGetMappedBuffer] = "cuExternalMemoryGetMappedBuffer",
    [DRIVER_DestroyExternalMemory] = "cuDestroyExternalMemory",
    [DRIVER_ImportExternalSemaphore] = "cuImportExternalSemaphore",
    [DRIVER_DestroyExternalSemaphore] = "cuDestroyExternalSemaphore",
    [DRIVER_WaitExternalSemaphoresAsync] = "cuWaitExternalSemaphoresAsync",
    [DRIVER_SignalExternalSemaphoresAsync] = "cuSignalExternalSemaphoresAsync",
};

/* What HIP has in another form, or not at all. */
static int(DRIVER_CALL *get_error_name)(int result, const char **name);
static int(DRIVER_CALL *load_data_ex)(DriverHandle *module, const void *image, unsigned count,
                                      int *options, void **values);

static DriverApi api;
static const DriverApi *loaded; /* &api when all of it is there */
static char driver_text[256];

static const char *error_name(int result)
{
    const char *name = NULL;
    return get_error_name(result, &name) || !name ? "an unknown error" : name;
}

static void explain(const void *code, char *text, size_t size)
{
    int options[] = { 5 /* the log of errors */, 6 /* its size */ };
    void *values[] = { text, (void *)size };
    DriverHandle module;
    if (load_data_ex && !load_data_ex(&module, code, 2, options, values))
        api.call.ModuleUnload(module);
}

/* The driver compiles modules one after another, and is slower when several threads ask for that; newer ones compile
 * a module's kernels side by side when they are told to. */
#define SPLIT_SINCE 13000 /* CUDA 13.0 */
#define SPLIT_THREADS 16

static int load_together(const KernelImage *const *images, unsigned count, DriverHandle *module)
{
    int options[] = { 34 /* split compilation: threads */ };
    void *values[] = { (void *)(uintptr_t)(count < SPLIT_THREADS ? count : SPLIT_THREADS) };
    const unsigned option_count = api.version >= SPLIT_SINCE;
    char *const text = cuda_join(images, count);
    const int result =
        text ? load_data_ex(module, text, option_count, options, values) : DRIVER_OUT_OF_MEMORY;
    mem_free(text);
    return result;
}

/* Our PTX is made for compute capability 5.2 and what came after it. */
static void describe(int device, GpuDeviceInfo *info, char arch[DRIVER_ARCH_SIZE])
{
    enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };
    int major = 0, minor = 0;
    if (api.call.DeviceGetAttribute(&major, CAPABILITY_MAJOR, device) ||
        api.call.DeviceGetAttribute(&minor, CAPABILITY_MINOR, device))
        major = minor = 0;
    snprintf(arch, DRIVER_ARCH_SIZE, "sm_%d%d", major, minor);
    snprintf(info->version, sizeof(info->version), "%d.%d", api.version / 1000,
             api.version % 1000 / 10);
    snprintf(info->driver, sizeof(info->driver), "%s", driver_text);
    if (major < 5 || (major == 5 && minor < 2)) {
        char text[64];
        snprintf(text, sizeof(text), "compute capability 5.2 (it has %d.%d)", major, minor);
        driver_note_missing(info, text);
    }
}

static bool has_fast_doubles(int device)
{
    enum { FLOATS_PER_DOUBLE = 87 };
    int ratio = 0;
    return !api.call.DeviceGetAttribute(&ratio, FLOATS_PER_DOUBLE, device) && ratio > 0 &&
           ratio <= 2;
}

static const KernelImage *image(const char *arch, const char *kernel)
{
    return kernel_image_find(cuda_images, kernel);
}

/* The driver compiles our PTX: a verdict on it holds for this very version. */
static void read_version(void)
{
    char driver[64];
    if (api.call.DriverGetVersion(&api.version))
        api.version = 0;
    cuda_driver_version(driver, sizeof(driver));
    snprintf(driver_text, sizeof(driver_text), "%s%s%sCUDA %d.%d", driver[0] ? "NVIDIA " : "",
             driver, driver[0] ? ", " : "", api.version / 1000, api.version % 1000 / 10);
}

static void load(void)
{
    void *library = library_open(library_names);
    if (!library)
        return;
    api = (DriverApi){
        .name = "cuda",
        .names = names,
        .attributes = {
            [DRIVER_INTEGRATED] = 18,
            [DRIVER_MAX_THREADS] = 1,
            [DRIVER_MAX_SHARED_MEMORY] = 8,
            [DRIVER_MAX_GROUPS_X] = 5,
            [DRIVER_MAX_GROUPS_Y] = 6,
            [DRIVER_MAX_GROUPS_Z] = 7,
        },
        .memory_host = 1,
        .memory_device = 2,
        .dmabuf = 9,
        .error_name = error_name,
        .describe = describe,
        .has_fast_doubles = has_fast_doubles,
        .image = image,
        .explain = explain,
    };
    /* MIG instances have a UUID of their own, which only the second version tells. */
    const LibraryFunction uuid = library_function(library, "cuDeviceGetUuid_v2");
    load_data_ex = (int(DRIVER_CALL *)(DriverHandle *, const void *, unsigned, int *,
                                       void **))library_function(library, "cuModuleLoadDataEx");
    get_error_name =
        (int(DRIVER_CALL *)(int, const char **))library_function(library, "cuGetErrorName");
    if (!driver_load(&api, library, "update it to NVIDIA's 470 or later") || !get_error_name)
        return;
    if (uuid)
        api.call.DeviceGetUuid = (int(DRIVER_CALL *)(uint8_t *, int))uuid;
    read_version();
    if (load_data_ex)
        api.load_together = load_together;
    loaded = &api;
}

const DriverApi *cuda_api(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return loaded;
}

static int probe(const GpuBackend *backend, bool validation, GpuProbe **out)
{
    return driver_probe(cuda_api(), backend, validation, out);
}

const GpuBackend cuda_backend = {
    .name = "cuda",
    .title = "CUDA",
    .needs = "NVIDIA driver (libcuda)",
    .streams = true,
    .takes_pages = true,
    .probe = probe,
    .probe_end = driver_probe_end,
    .open = driver_open,
};
