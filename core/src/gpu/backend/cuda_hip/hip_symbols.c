/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/backend/cuda_hip/hip_symbols.h"

#include <stdio.h>
#include <string.h>

#include "base/library.h"
#include "gpu/backend/cuda_hip/cuda_hip.h"
#include "gpu/backend/cuda_hip/probe.h"
#include "gpu/backend/cuda_hip/hip_images.h"

#ifdef _WIN32
static const char *const library_names[] = { "amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll",
                                             NULL };
#else
static const char *const library_names[] = { "libamdhip64.so.7", "libamdhip64.so.6",
                                             "libamdhip64.so.5", "libamdhip64.so", NULL };
#endif

static const char *const names[DRIVER_FUNCTION_COUNT] = {
    [DRIVER_Init] = "hipInit",
    [DRIVER_DriverGetVersion] = "hipDriverGetVersion",
    [DRIVER_DeviceGetCount] = "hipGetDeviceCount",
    [DRIVER_DeviceGet] = "hipDeviceGet",
    [DRIVER_DeviceGetName] = "hipDeviceGetName",
    [DRIVER_DeviceGetUuid] = "hipDeviceGetUuid",
    [DRIVER_DeviceGetPCIBusId] = "hipDeviceGetPCIBusId",
    [DRIVER_DeviceTotalMem] = "hipDeviceTotalMem",
    [DRIVER_DeviceGetAttribute] = "hipDeviceGetAttribute",
    [DRIVER_DevicePrimaryCtxRetain] = "hipDevicePrimaryCtxRetain",
    [DRIVER_DevicePrimaryCtxRelease] = "hipDevicePrimaryCtxRelease",
    [DRIVER_CtxPushCurrent] = "hipCtxPushCurrent",
    [DRIVER_CtxPopCurrent] = "hipCtxPopCurrent",
    [DRIVER_CtxGetDevice] = "hipCtxGetDevice",
    [DRIVER_MemAlloc] = "hipMalloc",
    [DRIVER_MemFree] = "hipFree",
    [DRIVER_MemHostAlloc] = "hipHostMalloc",
    [DRIVER_MemFreeHost] = "hipHostFree",
    [DRIVER_MemHostRegister] = "hipHostRegister",
    [DRIVER_MemHostUnregister] = "hipHostUnregister",
    [DRIVER_MemcpyHtoDAsync] = "hipMemcpyHtoDAsync",
    [DRIVER_MemcpyDtoHAsync] = "hipMemcpyDtoHAsync",
    [DRIVER_MemcpyDtoDAsync] = "hipMemcpyDtoDAsync",
    [DRIVER_Memcpy2DAsync] = "hipMemcpyParam2DAsync",
    [DRIVER_MemsetD32Async] = "hipMemsetD32Async",
    [DRIVER_ModuleLoadData] = "hipModuleLoadData",
    [DRIVER_ModuleUnload] = "hipModuleUnload",
    [DRIVER_ModuleGetFunction] = "hipModuleGetFunction",
    [DRIVER_FuncGetAttribute] = "hipFuncGetAttribute",
    [DRIVER_LaunchKernel] = "hipModuleLaunchKernel",
    [DRIVER_StreamCreate] = "hipStreamCreateWithFlags",
    [DRIVER_StreamDestroy] = "hipStreamDestroy",
    [DRIVER_StreamWaitEvent] = "hipStreamWaitEvent",
    [DRIVER_StreamSynchronize] = "hipStreamSynchronize",
    [DRIVER_EventCreate] = "hipEventCreateWithFlags",
    [DRIVER_EventDestroy] = "hipEventDestroy",
    [DRIVER_EventRecord] = "hipEventRecord",
    [DRIVER_EventQuery] = "hipEventQuery",
    [DRIVER_EventElapsedTime] = "hipEventElapsedTime",
    [DRIVER_StreamBeginCapture] = "hipStreamBeginCapture",
    [DRIVER_StreamEndCapture] = "hipStreamEndCapture",
    [DRIVER_GraphInstantiate] = "hipGraphInstantiateWithFlags",
    [DRIVER_GraphLaunch] = "hipGraphLaunch",
    [DRIVER_GraphExecDestroy] = "hipGraphExecDestroy",
    [DRIVER_GraphDestroy] = "hipGraphDestroy",
    [DRIVER_ImportExternalMemory] = "hipImportExternalMemory",
    [DRIVER_ExternalMemoryGetMappedBuffer] = "hipExternalMemoryGetMappedBuffer",
    [DRIVER_DestroyExternalMemory] = "hipDestroyExternalMemory",
    [DRIVER_ImportExternalSemaphore] = "hipImportExternalSemaphore",
    [DRIVER_DestroyExternalSemaphore] = "hipDestroyExternalSemaphore",
    [DRIVER_WaitExternalSemaphoresAsync] = "hipWaitExternalSemaphoresAsync",
    [DRIVER_SignalExternalSemaphoresAsync] = "hipSignalExternalSemaphoresAsync",
};

/* What CUDA has in another form, or not at all. */
static const char *(*get_error_name)(int result);
static int (*get_properties)(void *properties, int device);

static DriverApi api;
static const DriverApi *loaded; /* &api when all of it is there */
/* Where the properties, a struct that grew with HIP 6, have the name of the architecture. */
static size_t arch_offset;
enum { ARCH_OFFSET_5 = 396, ARCH_OFFSET_6 = 1160, ARCH_LENGTH = 256, PROPERTIES_ROOM = 8192 };

static const char *error_name(int result)
{
    const char *name = get_error_name(result);
    return name ? name : "an unknown error";
}

static bool is_bundled(const char *arch)
{
    return hip_bundle_has(hip_images[0].data, hip_images[0].size, arch);
}

static void read_arch(int device, char arch[DRIVER_ARCH_SIZE])
{
    char properties[PROPERTIES_ROOM] = { 0 };
    if (!get_properties || get_properties(properties, device))
        return;
    const char *name = properties + arch_offset;
    if (!strncmp(name, "gfx", 3) && memchr(name, '\0', ARCH_LENGTH))
        snprintf(arch, DRIVER_ARCH_SIZE, "%s", name);
}

static void describe(int device, GpuDeviceInfo *info, char arch[DRIVER_ARCH_SIZE])
{
    read_arch(device, arch);
    snprintf(info->version, sizeof(info->version), "%d.%d.%d", api.version / 10000000,
             api.version / 100000 % 100, api.version % 100000);
    snprintf(info->driver, sizeof(info->driver), "HIP %s%s%s", info->version, arch[0] ? ", " : "",
             arch);
    if (arch[0] && !is_bundled(arch) && !hip_has_compiler()) {
        char text[128];
        snprintf(text, sizeof(text), "code for %s in this build, or hiprtc to make it", arch);
        driver_note_missing(info, text);
    }
}

/* Without a name of the architecture the driver finds out. */
static bool is_compiled_here(const char *arch)
{
    return arch[0] && !is_bundled(arch);
}

static const KernelImage *image(const char *arch, const char *kernel)
{
    return kernel_image_find(is_compiled_here(arch) ? hip_sources : hip_images, kernel);
}

static int compile(const char *arch, const KernelImage *found, void **made)
{
    return is_compiled_here(arch) ? hip_compile(arch, found, made) : 0;
}

static void find_properties(void *library)
{
    arch_offset = ARCH_OFFSET_6;
    LibraryFunction function = library_function(library, "hipGetDevicePropertiesR0600");
    if (!function) {
        arch_offset = ARCH_OFFSET_5;
        function = library_function(library, "hipGetDeviceProperties");
    }
    get_properties = (int (*)(void *, int))function;
}

static void load(void)
{
    void *library = library_open(library_names);
    if (!library)
        return;
    api = (DriverApi){
        .name = "hip",
        .names = names,
        .attributes = {
            [DRIVER_INTEGRATED] = 16,
            [DRIVER_MAX_THREADS] = 56,
            [DRIVER_MAX_SHARED_MEMORY] = 74,
            [DRIVER_MAX_GROUPS_X] = 29,
            [DRIVER_MAX_GROUPS_Y] = 30,
            [DRIVER_MAX_GROUPS_Z] = 31,
        },
        .dmabuf = DRIVER_EXTERNAL_FD, /* which every descriptor of memory is */
        .error_name = error_name,
        .describe = describe,
        /* No has_fast_doubles: what AMD's devices answer to HIP's attribute of that kind was never measured. */
        .image = image,
        .compile = compile,
    };
    get_error_name = (const char *(*)(int))library_function(library, "hipGetErrorName");
    if (!driver_load(&api, library, "update it to ROCm 5.2 or later") || !get_error_name)
        return;
    find_properties(library);
    hip_compiler_open(library);
    if (api.call.DriverGetVersion(&api.version))
        api.version = 0;
    /* HIP 6 numbers the kinds of memory as CUDA does. */
    api.memory_host = api.version >= 60000000;
    api.memory_device = api.memory_host + 1;
    loaded = &api;
}

const DriverApi *hip_api(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return loaded;
}

static int probe(const GpuBackend *backend, bool validation, GpuProbe **out)
{
    return driver_probe(hip_api(), backend, validation, out);
}

const GpuBackend hip_backend = {
    .name = "hip",
    .title = "HIP",
    .needs = "HIP runtime (libamdhip64)",
    .streams = true,
    .takes_pages = true,
    .probe = probe,
    .probe_end = driver_probe_end,
    .open = driver_open,
};
