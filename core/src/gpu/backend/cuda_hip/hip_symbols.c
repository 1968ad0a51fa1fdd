/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/backend/cuda_hip/api.h"

#include <stdio.h>
#include <string.h>

#include "base/library.h"
#include "gpu/backend/cuda_hip/cuda_hip.h"

#ifdef _WIN32
static const char *const library_names[] = { "amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll",
                                             NULL };
#else
static const char *const library_names[] = { "libamdhip64.so.7", "libamdhip64.so.6",
                                             "libamdhip64.so.5", "libamdhip64.so", NULL };
#endif

static const char *const names[CUDA_HIP_FUNCTION_COUNT] = {
    [CUDA_HIP_Init] = "hipInit",
    [CUDA_HIP_DriverGetVersion] = "hipDriverGetVersion",
    [CUDA_HIP_DeviceGetCount] = "hipGetDeviceCount",
    [CUDA_HIP_DeviceGet] = "hipDeviceGet",
    [CUDA_HIP_DeviceGetName] = "hipDeviceGetName",
    [CUDA_HIP_DeviceGetUuid] = "hipDeviceGetUuid",
    [CUDA_HIP_DeviceGetPCIBusId] = "hipDeviceGetPCIBusId",
    [CUDA_HIP_DeviceTotalMem] = "hipDeviceTotalMem",
    [CUDA_HIP_DeviceGetAttribute] = "hipDeviceGetAttribute",
    [CUDA_HIP_DevicePrimaryCtxRetain] = "hipDevicePrimaryCtxRetain",
    [CUDA_HIP_DevicePrimaryCtxRelease] = "hipDevicePrimaryCtxRelease",
    [CUDA_HIP_CtxPushCurrent] = "hipCtxPushCurrent",
    [CUDA_HIP_CtxPopCurrent] = "hipCtxPopCurrent",
    [CUDA_HIP_CtxGetDevice] = "hipCtxGetDevice",
    [CUDA_HIP_MemAlloc] = "hipMalloc",
    [CUDA_HIP_MemFree] = "hipFree",
    [CUDA_HIP_MemHostAlloc] = "hipHostMalloc",
    [CUDA_HIP_MemFreeHost] = "hipHostFree",
    [CUDA_HIP_MemHostRegister] = "hipHostRegister",
    [CUDA_HIP_MemHostUnregister] = "hipHostUnregister",
    [CUDA_HIP_MemcpyHtoDAsync] = "hipMemcpyHtoDAsync",
    [CUDA_HIP_MemcpyDtoHAsync] = "hipMemcpyDtoHAsync",
    [CUDA_HIP_MemcpyDtoDAsync] = "hipMemcpyDtoDAsync",
    [CUDA_HIP_Memcpy2DAsync] = "hipMemcpyParam2DAsync",
    [CUDA_HIP_MemsetD32Async] = "hipMemsetD32Async",
    [CUDA_HIP_ModuleLoadData] = "hipModuleLoadData",
    [CUDA_HIP_ModuleUnload] = "hipModuleUnload",
    [CUDA_HIP_ModuleGetFunction] = "hipModuleGetFunction",
    [CUDA_HIP_FuncGetAttribute] = "hipFuncGetAttribute",
    [CUDA_HIP_LaunchKernel] = "hipModuleLaunchKernel",
    [CUDA_HIP_StreamCreate] = "hipStreamCreateWithFlags",
    [CUDA_HIP_StreamDestroy] = "hipStreamDestroy",
    [CUDA_HIP_StreamWaitEvent] = "hipStreamWaitEvent",
    [CUDA_HIP_StreamSynchronize] = "hipStreamSynchronize",
    [CUDA_HIP_EventCreate] = "hipEventCreateWithFlags",
    [CUDA_HIP_EventDestroy] = "hipEventDestroy",
    [CUDA_HIP_EventRecord] = "hipEventRecord",
    [CUDA_HIP_EventQuery] = "hipEventQuery",
    [CUDA_HIP_EventElapsedTime] = "hipEventElapsedTime",
    [CUDA_HIP_StreamBeginCapture] = "hipStreamBeginCapture",
    [CUDA_HIP_StreamEndCapture] = "hipStreamEndCapture",
    [CUDA_HIP_GraphInstantiate] = "hipGraphInstantiateWithFlags",
    [CUDA_HIP_GraphLaunch] = "hipGraphLaunch",
    [CUDA_HIP_GraphExecDestroy] = "hipGraphExecDestroy",
    [CUDA_HIP_GraphDestroy] = "hipGraphDestroy",
    [CUDA_HIP_ImportExternalMemory] = "hipImportExternalMemory",
    [CUDA_HIP_ExternalMemoryGetMappedBuffer] = "hipExternalMemoryGetMappedBuffer",
    [CUDA_HIP_DestroyExternalMemory] = "hipDestroyExternalMemory",
    [CUDA_HIP_ImportExternalSemaphore] = "hipImportExternalSemaphore",
    [CUDA_HIP_DestroyExternalSemaphore] = "hipDestroyExternalSemaphore",
    [CUDA_HIP_WaitExternalSemaphoresAsync] = "hipWaitExternalSemaphoresAsync",
    [CUDA_HIP_SignalExternalSemaphoresAsync] = "hipSignalExternalSemaphoresAsync",
};

/* Functions that CUDA lacks or has in another form. */
static const char *(*get_error_name)(int result);
static int (*get_properties)(void *properties, int device);

static CudaHipApi api;
static const CudaHipApi *loaded; /* &api once every function was found */
/* Offset of the architecture's name in the properties, a struct that grew with HIP 6. */
static size_t arch_offset;
enum { ARCH_OFFSET_5 = 396, ARCH_OFFSET_6 = 1160, ARCH_LENGTH = 256, PROPERTIES_ROOM = 8192 };

static const char *error_name(int result)
{
    const char *name = get_error_name(result);
    return name ? name : "an unknown error";
}

/* Finds the code object for an architecture. Features behind a colon do not matter, because our
 * code runs with any of them: "gfx90a:sramecc+:xnack-" is gfx90a. */
static bool find_object(const char *arch, const char *kernel, KernelImage *image)
{
    char name[128];
    snprintf(name, sizeof(name), "%s %.*s", kernel, (int)strcspn(arch, ":"), arch);
    return kernel_image_find(hip_packs, name, image);
}

/* True if this build has code for the architecture, which then is that of every kernel. */
static bool is_built_in(const char *arch)
{
    KernelImage image;
    return find_object(arch, kernel_infos[0].name, &image);
}

static void read_arch(int device, char arch[CUDA_HIP_ARCH_SIZE])
{
    char properties[PROPERTIES_ROOM] = { 0 };
    if (!get_properties || get_properties(properties, device))
        return;
    const char *name = properties + arch_offset;
    if (!strncmp(name, "gfx", 3) && memchr(name, '\0', ARCH_LENGTH))
        snprintf(arch, CUDA_HIP_ARCH_SIZE, "%s", name);
}

static void describe(int device, GpuDeviceInfo *info, char arch[CUDA_HIP_ARCH_SIZE])
{
    read_arch(device, arch);
    snprintf(info->version, sizeof(info->version), "%d.%d.%d", api.version / 10000000,
             api.version / 100000 % 100, api.version % 100000);
    snprintf(info->driver, sizeof(info->driver), "HIP %s%s%s", info->version, arch[0] ? ", " : "",
             arch);
    if (!arch[0]) {
        cuda_hip_note_missing(info, "the name of its architecture");
    } else if (!is_built_in(arch) && !hip_has_compiler()) {
        char text[128];
        snprintf(text, sizeof(text), "code for %s in this build, or hiprtc to compile it", arch);
        cuda_hip_note_missing(info, text);
    }
}

static bool find_image(const char *arch, const char *kernel, KernelImage *image)
{
    return find_object(arch, kernel, image) || kernel_image_find(hip_packs, kernel, image);
}

static int compile(const char *arch, const char *kernel, const void *code, void **made)
{
    *made = NULL;
    return is_built_in(arch) ? 0 : hip_compile(arch, kernel, code, made);
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
    api = (CudaHipApi){
        .name = "hip",
        .names = names,
        .attributes = {
            [CUDA_HIP_INTEGRATED] = 16,
            [CUDA_HIP_MAX_THREADS] = 56,
            [CUDA_HIP_MAX_SHARED_MEMORY] = 74,
            [CUDA_HIP_MAX_GROUPS_X] = 29,
            [CUDA_HIP_MAX_GROUPS_Y] = 30,
            [CUDA_HIP_MAX_GROUPS_Z] = 31,
        },
        .dmabuf = CUDA_HIP_EXTERNAL_FD, /* HIP has one type for all file descriptors of memory */
        .error_name = error_name,
        .describe = describe,
        /* No has_fast_doubles: nobody measured what AMD's devices report for HIP's attribute. */
        .image = find_image,
        .compile = compile,
    };
    get_error_name = (const char *(*)(int))library_function(library, "hipGetErrorName");
    if (!cuda_hip_load(&api, library, "update it to ROCm 5.2 or later") || !get_error_name)
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

const CudaHipApi *hip_api(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return loaded;
}

static int probe(const GpuBackend *backend, bool validation, GpuProbe **out)
{
    return cuda_hip_probe(hip_api(), backend, validation, out);
}

const GpuBackend hip_backend = {
    .name = "hip",
    .title = "HIP",
    .needs = "HIP runtime (libamdhip64)",
    .streams = true,
    .takes_pages = true,
    .probe = probe,
    .probe_end = cuda_hip_probe_end,
    .open = cuda_hip_open,
};
