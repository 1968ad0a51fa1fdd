/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/library.h"
#include "base/mem.h"
#include "base/text.h"
#include "gpu/backend/cuda_hip/api.h"
#include "gpu/backend/cuda_hip/cuda_hip.h"

#ifdef _WIN32
static const char *const library_names[] = { "nvcuda.dll", NULL };
#else
static const char *const library_names[] = { "libcuda.so.1", "libcuda.so", NULL };
#endif

static const char *const names[CUDA_HIP_FUNCTION_COUNT] = {
    [CUDA_HIP_Init] = "cuInit",
    [CUDA_HIP_DriverGetVersion] = "cuDriverGetVersion",
    [CUDA_HIP_DeviceGetCount] = "cuDeviceGetCount",
    [CUDA_HIP_DeviceGet] = "cuDeviceGet",
    [CUDA_HIP_DeviceGetName] = "cuDeviceGetName",
    [CUDA_HIP_DeviceGetUuid] = "cuDeviceGetUuid",
    [CUDA_HIP_DeviceGetPCIBusId] = "cuDeviceGetPCIBusId",
    [CUDA_HIP_DeviceTotalMem] = "cuDeviceTotalMem_v2",
    [CUDA_HIP_DeviceGetAttribute] = "cuDeviceGetAttribute",
    [CUDA_HIP_DevicePrimaryCtxRetain] = "cuDevicePrimaryCtxRetain",
    [CUDA_HIP_DevicePrimaryCtxRelease] = "cuDevicePrimaryCtxRelease_v2",
    [CUDA_HIP_CtxPushCurrent] = "cuCtxPushCurrent_v2",
    [CUDA_HIP_CtxPopCurrent] = "cuCtxPopCurrent_v2",
    [CUDA_HIP_CtxGetDevice] = "cuCtxGetDevice",
    [CUDA_HIP_MemAlloc] = "cuMemAlloc_v2",
    [CUDA_HIP_MemFree] = "cuMemFree_v2",
    [CUDA_HIP_MemHostAlloc] = "cuMemHostAlloc",
    [CUDA_HIP_MemFreeHost] = "cuMemFreeHost",
    [CUDA_HIP_MemHostRegister] = "cuMemHostRegister_v2",
    [CUDA_HIP_MemHostUnregister] = "cuMemHostUnregister",
    [CUDA_HIP_MemcpyHtoDAsync] = "cuMemcpyHtoDAsync_v2",
    [CUDA_HIP_MemcpyDtoHAsync] = "cuMemcpyDtoHAsync_v2",
    [CUDA_HIP_MemcpyDtoDAsync] = "cuMemcpyDtoDAsync_v2",
    [CUDA_HIP_Memcpy2DAsync] = "cuMemcpy2DAsync_v2",
    [CUDA_HIP_MemsetD32Async] = "cuMemsetD32Async",
    [CUDA_HIP_ModuleLoadData] = "cuModuleLoadData",
    [CUDA_HIP_ModuleUnload] = "cuModuleUnload",
    [CUDA_HIP_ModuleGetFunction] = "cuModuleGetFunction",
    [CUDA_HIP_FuncGetAttribute] = "cuFuncGetAttribute",
    [CUDA_HIP_LaunchKernel] = "cuLaunchKernel",
    [CUDA_HIP_StreamCreate] = "cuStreamCreate",
    [CUDA_HIP_StreamDestroy] = "cuStreamDestroy_v2",
    [CUDA_HIP_StreamWaitEvent] = "cuStreamWaitEvent",
    [CUDA_HIP_StreamSynchronize] = "cuStreamSynchronize",
    [CUDA_HIP_EventCreate] = "cuEventCreate",
    [CUDA_HIP_EventDestroy] = "cuEventDestroy_v2",
    [CUDA_HIP_EventRecord] = "cuEventRecord",
    [CUDA_HIP_EventQuery] = "cuEventQuery",
    [CUDA_HIP_EventElapsedTime] = "cuEventElapsedTime",
    [CUDA_HIP_StreamBeginCapture] = "cuStreamBeginCapture_v2",
    [CUDA_HIP_StreamEndCapture] = "cuStreamEndCapture",
    [CUDA_HIP_GraphInstantiate] = "cuGraphInstantiateWithFlags",
    [CUDA_HIP_GraphLaunch] = "cuGraphLaunch",
    [CUDA_HIP_GraphExecDestroy] = "cuGraphExecDestroy",
    [CUDA_HIP_GraphDestroy] = "cuGraphDestroy",
    [CUDA_HIP_ImportExternalMemory] = "cuImportExternalMemory",
    [CUDA_HIP_ExternalMemoryGetMappedBuffer] = "cuExternalMemoryGetMappedBuffer",
    [CUDA_HIP_DestroyExternalMemory] = "cuDestroyExternalMemory",
    [CUDA_HIP_ImportExternalSemaphore] = "cuImportExternalSemaphore",
    [CUDA_HIP_DestroyExternalSemaphore] = "cuDestroyExternalSemaphore",
    [CUDA_HIP_WaitExternalSemaphoresAsync] = "cuWaitExternalSemaphoresAsync",
    [CUDA_HIP_SignalExternalSemaphoresAsync] = "cuSignalExternalSemaphoresAsync",
};

/* Functions that HIP lacks or has in another form. */
static int(CUDA_HIP_CALL *get_error_name)(int result, const char **name);
static int(CUDA_HIP_CALL *load_data_ex)(CudaHipHandle *module, const void *image, unsigned count,
                                        int *options, void **values);

static CudaHipApi api;
static const CudaHipApi *loaded; /* &api once every function was found */
static char driver_text[256];

static const char *error_name(int result)
{
    const char *name = NULL;
    return get_error_name(result, &name) || !name ? "an unknown error" : name;
}

static void explain(const void *code, char *text, size_t size)
{
    int options[] = { 5 /* buffer of the error log */, 6 /* its size */ };
    void *values[] = { text, (void *)size };
    CudaHipHandle module;
    if (load_data_ex && !load_data_ex(&module, code, 2, options, values))
        api.call.ModuleUnload(module);
}

/* The driver compiles modules one after another, and is slower when several threads ask at once.
 * Since CUDA 13.0 an option makes it compile the kernels of one module side by side. */
#define SPLIT_SINCE 13000 /* CUDA 13.0 */
#define SPLIT_THREADS 16

static int load_together(const char *const *texts, unsigned count, CudaHipHandle *module)
{
    int options[] = { 34 /* number of threads for split compilation */ };
    void *values[] = { (void *)(uintptr_t)(count < SPLIT_THREADS ? count : SPLIT_THREADS) };
    const unsigned option_count = api.version >= SPLIT_SINCE;
    char *const text = cuda_join(texts, count);
    const int result =
        text ? load_data_ex(module, text, option_count, options, values) : CUDA_HIP_OUT_OF_MEMORY;
    mem_free(text);
    return result;
}

/* Our PTX needs compute capability 5.2 or later. */
static void describe(int device, GpuDeviceInfo *info, char arch[CUDA_HIP_ARCH_SIZE])
{
    enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };
    int major = 0, minor = 0;
    if (api.call.DeviceGetAttribute(&major, CAPABILITY_MAJOR, device) ||
        api.call.DeviceGetAttribute(&minor, CAPABILITY_MINOR, device))
        major = minor = 0;
    snprintf(arch, CUDA_HIP_ARCH_SIZE, "sm_%d%d", major, minor);
    snprintf(info->version, sizeof(info->version), "%d.%d", api.version / 1000,
             api.version % 1000 / 10);
    snprintf(info->driver, sizeof(info->driver), "%s", driver_text);
    if (major < 5 || (major == 5 && minor < 2)) {
        char text[64];
        snprintf(text, sizeof(text), "compute capability 5.2 (it has %d.%d)", major, minor);
        cuda_hip_note_missing(info, text);
    }
}

static bool has_fast_doubles(int device)
{
    enum { FLOATS_PER_DOUBLE = 87 };
    int ratio = 0;
    return !api.call.DeviceGetAttribute(&ratio, FLOATS_PER_DOUBLE, device) && ratio > 0 &&
           ratio <= 2;
}

static bool find_image(const char *arch, const char *kernel, KernelImage *image)
{
    return kernel_image_find(ptx_packs, kernel, image);
}

/* The text includes the driver's version: the driver compiles our PTX, so the result of a self-test
 * holds only for that version. */
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
    api = (CudaHipApi){
        .name = "cuda",
        .names = names,
        .attributes = {
            [CUDA_HIP_INTEGRATED] = 18,
            [CUDA_HIP_MAX_THREADS] = 1,
            [CUDA_HIP_MAX_SHARED_MEMORY] = 8,
            [CUDA_HIP_MAX_GROUPS_X] = 5,
            [CUDA_HIP_MAX_GROUPS_Y] = 6,
            [CUDA_HIP_MAX_GROUPS_Z] = 7,
        },
        .memory_host = 1,
        .memory_device = 2,
        .dmabuf = 9,
        .error_name = error_name,
        .describe = describe,
        .has_fast_doubles = has_fast_doubles,
        .image = find_image,
        .explain = explain,
    };
    /* Only the second version of this function reports the UUIDs of MIG instances. */
    const LibraryFunction uuid = library_function(library, "cuDeviceGetUuid_v2");
    load_data_ex = (int(CUDA_HIP_CALL *)(CudaHipHandle *, const void *, unsigned, int *,
                                         void **))library_function(library, "cuModuleLoadDataEx");
    get_error_name =
        (int(CUDA_HIP_CALL *)(int, const char **))library_function(library, "cuGetErrorName");
    if (!cuda_hip_load(&api, library, "update it to NVIDIA's 470 or later") || !get_error_name)
        return;
    if (uuid)
        api.call.DeviceGetUuid = (int(CUDA_HIP_CALL *)(uint8_t *, int))uuid;
    read_version();
    if (load_data_ex)
        api.load_together = load_together;
    loaded = &api;
}

const CudaHipApi *cuda_api(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return loaded;
}

static int probe(const GpuBackend *backend, bool validation, GpuProbe **out)
{
    return cuda_hip_probe(cuda_api(), backend, validation, out);
}

const GpuBackend cuda_backend = {
    .name = "cuda",
    .title = "CUDA",
    .needs = "NVIDIA driver (libcuda)",
    .streams = true,
    .takes_pages = true,
    .probe = probe,
    .probe_end = cuda_hip_probe_end,
    .open = cuda_hip_open,
};

/* ---- joining PTX ---- */

/* All PTX texts are equal up to the end of this line. */
static const char head_end[] = "\n.address_size 64\n";

char *cuda_join(const char *const *texts, unsigned count)
{
    size_t size = 1, used = 0;
    for (unsigned i = 0; i < count; i++)
        size += strlen(texts[i]);
    char *const text = mem_alloc(size);
    for (unsigned i = 0; text && i < count; i++) {
        const char *const whole = texts[i], *const end = strstr(whole, head_end);
        const char *const body = i && end ? end + strlen(head_end) : whole;
        const size_t length = strlen(body);
        memcpy(text + used, body, length);
        used += length;
    }
    if (text)
        text[used] = '\0';
    return text;
}

/* ---- the driver's version ---- */

/* libcuda tells only the version of its API. The kernel module tells the driver's version at once;
 * where it does not, we ask the management library, which is installed with the driver and takes 20
 * ms. */

#ifdef _WIN32
static const char *const nvml_names[] = { "nvml.dll", NULL };
#else
static const char *const nvml_names[] = { "libnvidia-ml.so.1", NULL };
#endif

enum { WITHOUT_GPUS = 1 }; /* do not initialise the GPUs, which takes long */

static bool ask_module(char *text, size_t size)
{
#ifdef __linux__
    FILE *const file = fopen("/sys/module/nvidia/version", "re");
    if (!file)
        return false;
    if (!fgets(text, (int)size, file))
        text[0] = '\0';
    fclose(file);
    text[strcspn(text, "\n")] = '\0';
#endif
    return text[0];
}

void cuda_driver_version(char *text, size_t size)
{
    text[0] = '\0';
    if (ask_module(text, size))
        return;
    void *library = library_open(nvml_names);
    if (!library)
        return;
    int (*init)(unsigned flags) = (int (*)(unsigned))library_function(library, "nvmlInitWithFlags");
    int (*version)(char *, unsigned) =
        (int (*)(char *, unsigned))library_function(library, "nvmlSystemGetDriverVersion");
    int (*end)(void) = (int (*)(void))library_function(library, "nvmlShutdown");
    if (!init || !version || !end || init(WITHOUT_GPUS))
        return;
    if (version(text, (unsigned)size))
        text[0] = '\0';
    end();
}
