/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The exported functions, with CUDA's or HIP's names. The arguments are the same except where
 * noted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "gpu/kernel_image.h"
#include "fake_driver.h"

#define EXPORTED __attribute__((visibility("default")))
#ifdef EMULATED_HIP
#define API(cuda, hip) EXPORTED int hip
#else
#define API(cuda, hip) EXPORTED int cuda
#endif
#define CALL(needs, work)                                                                          \
    do {                                                                                           \
        const int entered_ = call_enter(__func__, needs);                                          \
        const int result_ = call_runs(needs, entered_) ? (work) : entered_;                        \
        return call_leave(__func__, needs, entered_, result_);                                     \
    } while (0)
/* Does something with an object, or returns an error if the handle is not of that kind. */
#define ON(kind, handle, work) (object_find(kind, handle) ? (work) : INVALID_HANDLE)
#define ON_STREAM(handle, work) ((handle = stream_find(handle)) ? (work) : INVALID_HANDLE)
#define ON_DEVICE(number, work) (device_at(number) ? (work) : INVALID_DEVICE)

/* ---- devices ---- */

API(cuInit, hipInit)(unsigned flags)
{
    const char *const start = getenv("EMULATED_START_MS");
    if (start)
        usleep((useconds_t)atoi(start) * 1000);
    CALL(NEEDS_NOTHING, flags ? INVALID_VALUE : devices_init());
}

static int driver_version(void)
{
#ifdef EMULATED_HIP
    const char *major = getenv("EMULATED_HIP_VERSION");
    return (major ? atoi(major) : 6) * 10000000;
#else
    const char *version = getenv("EMULATED_CUDA_VERSION");
    return version ? atoi(version) : 13000;
#endif
}

API(cuDriverGetVersion, hipDriverGetVersion)(int *version)
{
    *version = driver_version();
    return OK;
}

static int copy_text(char *to, int size, const char *text)
{
    return size > 0 && (size_t)snprintf(to, (size_t)size, "%s", text) ? OK : INVALID_VALUE;
}

API(cuDeviceGetCount, hipGetDeviceCount)(int *count)
{
    CALL(NEEDS_INIT, ((*count = (int)device_count()), OK));
}

API(cuDeviceGet, hipDeviceGet)(int *device, int number)
{
    CALL(NEEDS_INIT, ON_DEVICE(number, ((*device = number), OK)));
}

API(cuDeviceGetName, hipDeviceGetName)(char *name, int size, int device)
{
    CALL(NEEDS_INIT, ON_DEVICE(device, copy_text(name, size, device_at(device)->name)));
}

API(cuDeviceGetPCIBusId, hipDeviceGetPCIBusId)(char *text, int size, int device)
{
    CALL(NEEDS_INIT, ON_DEVICE(device, copy_text(text, size, device_at(device)->pci)));
}

API(cuDeviceGetUuid, hipDeviceGetUuid)(uint8_t *uuid, int device)
{
    CALL(NEEDS_INIT, ON_DEVICE(device, (memcpy(uuid, device_at(device)->uuid, 16), OK)));
}

API(cuDeviceTotalMem_v2, hipDeviceTotalMem)(size_t *bytes, int device)
{
    CALL(NEEDS_INIT, ON_DEVICE(device, ((*bytes = device_at(device)->total), OK)));
}

static int get_attribute(int *value, int attribute)
{
    const char *ratio = getenv("EMULATED_FLOATS_PER_DOUBLE");
    /* numbers of CUDA and of HIP */
    const struct {
        int cuda, hip, value;
    } attributes[] = {
        { 1, 56, 1024 },       /* threads in a block */
        { 5, 29, 2147483647 }, /* blocks in a grid: x */
        { 6, 30, 65535 },      /* y */
        { 7, 31, 65535 },      /* z */
        { 8, 74, 49152 },      /* shared memory */
        { 10, 87, 32 },        /* warp */
        { 13, -1, 1000000 },   /* clock, in kHz */
        { 14, -1, 512 },       /* alignment of textures */
        { 16, 63, 4 },         /* multiprocessors */
        { 18, 16, 0 },         /* integrated */
        { 75, 23, 9 },         /* compute capability */
        { 76, 61, 0 },         /* its minor number */
        { 87, -1, ratio ? atoi(ratio) : 2 },
    };
    for (unsigned i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
#ifdef EMULATED_HIP
        const int number = attributes[i].hip;
#else
        const int number = attributes[i].cuda;
#endif
        if (number == attribute) {
            *value = attributes[i].value;
            return OK;
        }
    }
    return INVALID_VALUE;
}

API(cuDeviceGetAttribute, hipDeviceGetAttribute)(int *value, int attribute, int device)
{
    CALL(NEEDS_INIT, ON_DEVICE(device, get_attribute(value, attribute)));
}

#ifdef EMULATED_HIP
EXPORTED const char *hipGetErrorName(int code)
{
    return code == OUT_OF_MEMORY ? "hipErrorOutOfMemory" : "hipErrorEmulated";
}

/* Writes only the architecture, at its offset in each version of the struct. */
static int get_properties(char *properties, const Device *device, size_t arch_offset, size_t size)
{
    memset(properties, 0, size);
    snprintf(properties, 256, "%s", device->name);
    snprintf(properties + arch_offset, 256, "%s%s", device->arch,
             strncmp(device->arch, "gfx9", 4) ? "" : ":sramecc+:xnack-");
    return OK;
}

EXPORTED int hipGetDeviceProperties(void *properties, int device)
{
    CALL(NEEDS_INIT, ON_DEVICE(device, get_properties(properties, device_at(device), 396, 792)));
}

EXPORTED int hipGetDevicePropertiesR0600(void *properties, int device)
{
    CALL(NEEDS_INIT, ON_DEVICE(device, get_properties(properties, device_at(device), 1160, 1472)));
}
#else
EXPORTED int cuGetErrorName(int code, const char **name)
{
    *name = code == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_EMULATED";
    return OK;
}
#endif

/* ---- contexts ---- */

API(cuDevicePrimaryCtxRetain, hipDevicePrimaryCtxRetain)(Context **out, int device)
{
    CALL(NEEDS_INIT, ON_DEVICE(device, device_retain(device_at(device), out)));
}

API(cuDevicePrimaryCtxRelease_v2, hipDevicePrimaryCtxRelease)(int device)
{
    CALL(RELEASES_DEVICE, ON_DEVICE(device, device_release(device_at(device))));
}

API(cuCtxPushCurrent_v2, hipCtxPushCurrent)(Context *context)
{
    CALL(NEEDS_INIT | SURVIVES, ON(CONTEXT, context, context_push(context)));
}

API(cuCtxPopCurrent_v2, hipCtxPopCurrent)(Context **out)
{
    CALL(RELEASES, context_pop(out));
}

static int number_of(const Device *device)
{
    int number = 0;
    while (device_at(number) != device)
        number++;
    return number;
}

API(cuCtxGetDevice, hipCtxGetDevice)(int *device)
{
    CALL(NEEDS_CONTEXT, ((*device = number_of(context_current()->device)), OK));
}

#ifndef EMULATED_HIP
/* For FFmpeg's libraries and for tests that play another user of the device. */

static int get_state(const Device *device, unsigned *flags, int *active)
{
    *flags = device->flags;
    *active = device->retains > 0;
    return OK;
}

EXPORTED int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    CALL(NEEDS_INIT, ON_DEVICE(device, get_state(device_at(device), flags, active)));
}

EXPORTED int cuDevicePrimaryCtxSetFlags(int device, unsigned flags)
{
    CALL(NEEDS_INIT, ON_DEVICE(device, ((device_at(device)->flags = flags), OK)));
}

EXPORTED int cuDevicePrimaryCtxRelease(int device)
{
    CALL(RELEASES_DEVICE, ON_DEVICE(device, device_release(device_at(device))));
}

EXPORTED int cuGetErrorString(int code, const char **text)
{
    *text = "an emulated error";
    return OK;
}

EXPORTED int cuCtxCreate_v2(Context **out, unsigned flags, int device)
{
    CALL(NEEDS_INIT,
         ON_DEVICE(device, context_create(device_at(device), out) || context_push(*out)));
}

static int destroy_context(Context *context)
{
    if (context_current() == context)
        context_pop(NULL);
    return context_destroy(context);
}

EXPORTED int cuCtxDestroy_v2(Context *context)
{
    CALL(NEEDS_INIT, ON(CONTEXT, context, destroy_context(context)));
}

EXPORTED int cuCtxGetCurrent(Context **out)
{
    CALL(NEEDS_INIT, ((*out = context_current()), OK));
}

EXPORTED int cuCtxSynchronize(void)
{
    CALL(NEEDS_CONTEXT | UNSAFE, context_synchronize(context_current()));
}
#endif

/* ---- memory ---- */

API(cuMemAlloc_v2, hipMalloc)(uint64_t *out, size_t size)
{
    CALL(NEEDS_CONTEXT | UNSAFE, memory_alloc(size, out));
}

API(cuMemFree_v2, hipFree)(uint64_t address)
{
    CALL(RELEASES | UNSAFE, memory_free(address));
}

API(cuMemHostAlloc, hipHostMalloc)(void **out, size_t size, unsigned flags)
{
    CALL(NEEDS_CONTEXT | UNSAFE, memory_alloc_host(size, out));
}

API(cuMemFreeHost, hipHostFree)(void *block)
{
    CALL(RELEASES | UNSAFE, memory_free_host(block));
}

API(cuMemHostRegister_v2, hipHostRegister)(void *block, size_t size, unsigned flags)
{
    CALL(NEEDS_CONTEXT | UNSAFE | MAY_REFUSE, memory_register(block, size));
}

API(cuMemHostUnregister, hipHostUnregister)(void *block)
{
    CALL(RELEASES | UNSAFE, memory_unregister(block));
}

static int get_info(size_t *free_bytes, size_t *total)
{
    const Device *device = context_current()->device;
    *free_bytes = device->total - device->used;
    *total = device->total;
    return OK;
}

API(cuMemGetInfo_v2, hipMemGetInfo)(size_t *free_bytes, size_t *total)
{
    CALL(NEEDS_CONTEXT, get_info(free_bytes, total));
}

static uint64_t address_of(const void *host)
{
    return (uint64_t)(uintptr_t)host;
}

API(cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync)
(uint64_t to, const void *from, size_t size, Stream *stream)
{
    const Rows rows = {
        .from = address_of(from), .from_pageable = true, .to = to, .row = size, .rows = 1
    };
    CALL(NEEDS_CONTEXT, ON_STREAM(stream, stream_copy(stream, &rows)));
}

API(cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync)(void *to, uint64_t from, size_t size, Stream *stream)
{
    const Rows rows = {
        .from = from, .to = address_of(to), .to_pageable = true, .row = size, .rows = 1
    };
    CALL(NEEDS_CONTEXT, ON_STREAM(stream, stream_copy(stream, &rows)));
}

API(cuMemcpyDtoDAsync_v2, hipMemcpyDtoDAsync)
(uint64_t to, uint64_t from, size_t size, Stream *stream)
{
    const Rows rows = { .from = from, .to = to, .row = size, .rows = 1 };
    CALL(NEEDS_CONTEXT, ON_STREAM(stream, stream_copy(stream, &rows)));
}

/* One side of a copy in two dimensions. */
typedef struct CopySide {
    size_t x, y;
    int type;
    const void *host;
    uint64_t device;
    void *array;
    size_t pitch;
} CopySide;

typedef struct Copy2D {
    CopySide from, to;
    size_t width, height;
} Copy2D;

static int host_type(void)
{
#ifdef EMULATED_HIP
    int version;
    hipDriverGetVersion(&version);
    return version < 60000000 ? 0 : 1;
#else
    return 1;
#endif
}

static int read_side(const CopySide *side, uint64_t *address, bool *pageable, size_t *stride)
{
    *pageable = side->type == host_type();
    if (!*pageable && side->type != host_type() + 1)
        return INVALID_VALUE;
    *stride = side->pitch;
    *address =
        (*pageable ? address_of(side->host) : side->device) + side->y * side->pitch + side->x;
    return OK;
}

static int copy_2d(Stream *stream, const Copy2D *copied)
{
    Rows rows = { .row = copied->width, .rows = copied->height };
    int err = read_side(&copied->from, &rows.from, &rows.from_pageable, &rows.from_stride);
    if (!err)
        err = read_side(&copied->to, &rows.to, &rows.to_pageable, &rows.to_stride);
    return err ? err : stream_copy(stream, &rows);
}

API(cuMemcpy2DAsync_v2, hipMemcpyParam2DAsync)(const Copy2D *copied, Stream *stream)
{
    CALL(NEEDS_CONTEXT, ON_STREAM(stream, copy_2d(stream, copied)));
}

static int fill(uint64_t to, unsigned word, size_t count, Stream *stream)
{
    Work work = { .kind = WORK_FILL,
                  .rows = { .to = to, .row = 4 * count, .rows = count > 0 },
                  .word = word };
    return to % 4 ? INVALID_VALUE : stream_add(stream, &work);
}

API(cuMemsetD32Async, hipMemsetD32Async)(uint64_t to, unsigned word, size_t count, Stream *stream)
{
    CALL(NEEDS_CONTEXT, ON_STREAM(stream, fill(to, word, count, stream)));
}

/* ---- kernels ---- */

typedef struct Module {
    Object object;
    unsigned count;
    Function *functions[ENTRIES_MAX];
} Module;

static const HostKernel *find_kernel(const Entry *entry)
{
    for (const HostKernel *const *k = host_kernels; *k; k++) {
        const unsigned wanted = (8 * (*k)->buffer_count + (*k)->params_size + 7) / 8 * 8;
        if (!strcmp((*k)->name, entry->name))
            return entry->arguments_size >= wanted && wanted <= ARGUMENTS_MAX ? *k : NULL;
    }
    return NULL;
}

/* Unpacks the image that this build has of a kernel. Returns NULL if it has none. The caller frees
 * it with mem_free. */
static void *own_image(const char *name, size_t *size)
{
    KernelImage image;
    void *code = NULL;
#if defined(EMULATED_HIP) && defined(HAVE_HIP_PACKS)
    char object[128];
    snprintf(object, sizeof(object), "%.63s %s", name, context_current()->device->arch);
    const bool found = kernel_image_find(hip_packs, object, &image);
#elif !defined(EMULATED_HIP) && defined(HAVE_PTX_PACKS)
    const bool found = kernel_image_find(ptx_packs, name, &image);
#else
    const bool found = false;
#endif
    *size = found ? image.packed.size : 0;
    return found && !kernel_image_unpack(&image, &code) ? code : NULL;
}

#ifdef EMULATED_HIP
static bool holds(const char *image, const char *own, size_t size)
{
    size_t same = 0;
    while (same < size && image[same] == own[same])
        same++;
    return same == size;
}
#else
/* The text behind the head, which joined texts have only once. */
static bool holds(const char *image, const char *own, size_t size)
{
    static const char head_end[] = ".address_size 64\n";
    return strstr(image, strstr(own, head_end) + strlen(head_end));
}
#endif

/* We do not execute code, so the results of an image that is not the build's are unknown. With
 * EMULATED_OTHER_IMAGES=wrong they are made wrong, so that tests can check that this is noticed. */
static bool is_spoilt(const char *image, const char *name)
{
    const char *const wanted = getenv("EMULATED_OTHER_IMAGES");
    size_t size;
    if (!wanted || strcmp(wanted, "wrong"))
        return false;
    char *own = own_image(name, &size);
    const bool spoilt = own && !holds(image, own, size);
    mem_free(own);
    return spoilt;
}

static int read_image(const void *image, Entry entries[ENTRIES_MAX], unsigned *count, char *why,
                      size_t why_size)
{
#ifdef EMULATED_HIP
    *count = 1;
    return image_read_object(image, context_current()->device->arch, entries, why, why_size);
#else
    return image_read_ptx(image, entries, count, why, why_size);
#endif
}

static int load(const void *image, Module **out, char *why, size_t why_size)
{
    Entry entries[ENTRIES_MAX];
    unsigned count;
    const int err = read_image(image, entries, &count, why, why_size);
    if (err)
        return err;
    Module *module = object_create(MODULE, sizeof(*module));
    for (module->count = 0; module->count < count; module->count++) {
        const Entry *entry = &entries[module->count];
        Function *function = object_create(FUNCTION, sizeof(*function));
        function->kernel = find_kernel(entry);
        function->arguments_size = entry->arguments_size;
        function->spoilt = is_spoilt(image, entry->name);
        module->functions[module->count] = function;
    }
    *out = module;
    return OK;
}

static int load_aloud(const void *image, Module **out)
{
    char why[160];
    const int err = load(image, out, why, sizeof(why));
    if (err)
        fprintf(stderr, "fake driver: image rejected: %s\n", why);
    return err;
}

API(cuModuleLoadData, hipModuleLoadData)(Module **out, const void *image)
{
    CALL(NEEDS_CONTEXT | UNSAFE, load_aloud(image, out));
}

#ifndef EMULATED_HIP
static int load_with_log(Module **out, const void *image, unsigned count, const int *options,
                         void **values)
{
    enum { ERROR_LOG_BUFFER = 5, ERROR_LOG_BUFFER_SIZE_BYTES = 6, SPLIT_COMPILE = 34 };
    char why[160], *log = NULL;
    size_t size = 0;
    for (unsigned i = 0; i < count; i++) {
        if (options[i] == ERROR_LOG_BUFFER)
            log = values[i];
        else if (options[i] == ERROR_LOG_BUFFER_SIZE_BYTES)
            size = (uintptr_t)values[i];
        else if (options[i] != SPLIT_COMPILE || driver_version() < 13000)
            return INVALID_VALUE;
    }
    const int err = load(image, out, why, sizeof(why));
    if (log && size)
        snprintf(log, size, "%s", why);
    return err;
}

EXPORTED int cuModuleLoadDataEx(Module **out, const void *image, unsigned count, int *options,
                                void **values)
{
    CALL(NEEDS_CONTEXT | UNSAFE, load_with_log(out, image, count, options, values));
}
#endif

static int unload(Module *module)
{
    for (unsigned i = 0; i < module->count; i++) {
        object_forget(&module->functions[i]->object);
        free(module->functions[i]);
    }
    object_forget(&module->object);
    free(module);
    return OK;
}

API(cuModuleUnload, hipModuleUnload)(Module *module)
{
    CALL(RELEASES, ON(MODULE, module, unload(module)));
}

static int get_function(Function **out, Module *module, const char *name)
{
    for (unsigned i = 0; i < module->count; i++) {
        const HostKernel *kernel = module->functions[i]->kernel;
        if (kernel && !strcmp(name, kernel->name)) {
            *out = module->functions[i];
            return OK;
        }
    }
    return NOT_FOUND;
}

API(cuModuleGetFunction, hipModuleGetFunction)(Function **out, Module *module, const char *name)
{
    CALL(NEEDS_CONTEXT, ON(MODULE, module, get_function(out, module, name)));
}

static int get_max_threads(int *value, int attribute, const HostKernel *kernel)
{
    *value = (int)(kernel->group[0] * kernel->group[1]);
    return attribute ? INVALID_VALUE : OK;
}

API(cuFuncGetAttribute, hipFuncGetAttribute)(int *value, int attribute, Function *function)
{
    CALL(NEEDS_CONTEXT,
         ON(FUNCTION, function, get_max_threads(value, attribute, function->kernel)));
}

static int launch(Function *function, const unsigned grid[3], const unsigned block[3],
                  Stream *stream, void **params)
{
    const HostKernel *kernel = function->kernel;
    if (function->object.context != stream->object.context)
        return INVALID_HANDLE;
    if (!grid[0] || !grid[1] || !grid[2] || grid[1] > 65535 || grid[2] > 65535 || !params ||
        block[0] != kernel->group[0] || block[1] != kernel->group[1] || block[2] != 1)
        return INVALID_VALUE;
    Work work = { .kind = WORK_KERNEL,
                  .function = function,
                  .groups = { grid[0], grid[1], grid[2] } };
    memcpy(work.arguments, params[0], 8 * kernel->buffer_count + kernel->params_size);
    return stream_add(stream, &work);
}

API(cuLaunchKernel, hipModuleLaunchKernel)
(Function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
 unsigned block_y, unsigned block_z, unsigned shared, Stream *stream, void **params, void **extra)
{
    const unsigned grid[3] = { grid_x, grid_y, grid_z }, block[3] = { block_x, block_y, block_z };
    CALL(NEEDS_CONTEXT,
         ON(FUNCTION, function, ON_STREAM(stream, launch(function, grid, block, stream, params))));
}

/* ---- streams and events ---- */

API(cuStreamCreate, hipStreamCreateWithFlags)(Stream **out, unsigned flags)
{
    CALL(NEEDS_CONTEXT, stream_create(flags, out));
}

API(cuStreamDestroy_v2, hipStreamDestroy)(Stream *stream)
{
    CALL(RELEASES, ON(STREAM, stream, stream_destroy(stream)));
}

API(cuStreamWaitEvent, hipStreamWaitEvent)(Stream *stream, Event *event, unsigned flags)
{
    CALL(NEEDS_CONTEXT, ON(EVENT, event, ON_STREAM(stream, stream_wait_event(stream, event))));
}

API(cuStreamSynchronize, hipStreamSynchronize)(Stream *stream)
{
    CALL(NEEDS_CONTEXT | UNSAFE, ON_STREAM(stream, stream_synchronize(stream)));
}

API(cuEventCreate, hipEventCreateWithFlags)(Event **out, unsigned flags)
{
    CALL(NEEDS_CONTEXT, event_create(flags, out));
}

API(cuEventDestroy_v2, hipEventDestroy)(Event *event)
{
    CALL(RELEASES, ON(EVENT, event, event_destroy(event)));
}

API(cuEventRecord, hipEventRecord)(Event *event, Stream *stream)
{
    CALL(NEEDS_CONTEXT, ON(EVENT, event, ON_STREAM(stream, event_record(event, stream))));
}

API(cuEventQuery, hipEventQuery)(Event *event)
{
    CALL(NEEDS_INIT | UNSAFE, ON(EVENT, event, event_query(event)));
}

API(cuEventSynchronize, hipEventSynchronize)(Event *event)
{
    CALL(NEEDS_CONTEXT | UNSAFE, ON(EVENT, event, event_synchronize(event)));
}

API(cuEventElapsedTime, hipEventElapsedTime)(float *milliseconds, Event *start, Event *end)
{
    CALL(NEEDS_CONTEXT, ON(EVENT, start, ON(EVENT, end, event_elapsed(start, end, milliseconds))));
}

/* ---- captures and graphs ---- */

API(cuStreamBeginCapture_v2, hipStreamBeginCapture)(Stream *stream, int mode)
{
    CALL(NEEDS_CONTEXT, ON_STREAM(stream, capture_begin(stream, mode)));
}

/* Ends the capture even on failure. */
static int end_capture(Stream *stream, Graph **out, bool fails)
{
    if (!fails)
        return capture_end(stream, out);
    capture_abandon(stream);
    *out = NULL;
    return OK;
}

API(cuStreamEndCapture, hipStreamEndCapture)(Stream *stream, Graph **out)
{
    CALL(RELEASES, ON_STREAM(stream, end_capture(stream, out, entered_ != OK)));
}

API(cuGraphInstantiateWithFlags, hipGraphInstantiateWithFlags)
(GraphExec **out, Graph *graph, unsigned long long flags)
{
    CALL(NEEDS_CONTEXT, ON(GRAPH, graph, flags ? INVALID_VALUE : graph_instantiate(graph, out)));
}

API(cuGraphLaunch, hipGraphLaunch)(GraphExec *exec, Stream *stream)
{
    CALL(NEEDS_CONTEXT, ON(GRAPH_EXEC, exec, ON_STREAM(stream, graph_launch(exec, stream))));
}

API(cuGraphExecDestroy, hipGraphExecDestroy)(GraphExec *exec)
{
    CALL(RELEASES, ON(GRAPH_EXEC, exec, graph_exec_destroy(exec)));
}

API(cuGraphDestroy, hipGraphDestroy)(Graph *graph)
{
    CALL(RELEASES, ON(GRAPH, graph, graph_destroy(graph)));
}

/* ---- memory and semaphores of other APIs ---- */

typedef struct ExternalHandle {
    int type;
    union {
        int fd;
        void *win32[2];
    } name;
    unsigned long long size; /* size of the memory */
} ExternalHandle;

API(cuImportExternalMemory, hipImportExternalMemory)
(ExternalMemory **out, const ExternalHandle *from)
{
    CALL(NEEDS_CONTEXT | MAY_REFUSE,
         external_memory_import(from->type, from->name.fd, from->size, out));
}

/* `part` holds an offset and a size. */
API(cuExternalMemoryGetMappedBuffer, hipExternalMemoryGetMappedBuffer)
(uint64_t *out, ExternalMemory *memory, const unsigned long long *part)
{
    CALL(NEEDS_CONTEXT,
         ON(EXTERNAL_MEMORY, memory, external_memory_map(memory, part[0], part[1], out)));
}

API(cuDestroyExternalMemory, hipDestroyExternalMemory)(ExternalMemory *memory)
{
    CALL(RELEASES, ON(EXTERNAL_MEMORY, memory, external_memory_destroy(memory)));
}

API(cuImportExternalSemaphore, hipImportExternalSemaphore)
(Semaphore **out, const ExternalHandle *from)
{
    CALL(NEEDS_CONTEXT | MAY_REFUSE, semaphore_import(from->type, from->name.fd, out));
}

API(cuDestroyExternalSemaphore, hipDestroyExternalSemaphore)(Semaphore *semaphore)
{
    CALL(RELEASES, ON(SEMAPHORE, semaphore, semaphore_destroy(semaphore)));
}

/* The value is the first member of both parameter structs. We support only one semaphore per
 * call. */
static int add_semaphore(enum WorkKind kind, Semaphore *semaphore, uint64_t value, unsigned count,
                         Stream *stream)
{
    Work work = { .kind = kind, .semaphore = semaphore, .value = value };
    return count == 1 ? stream_add(stream, &work) : NOT_SUPPORTED;
}

API(cuWaitExternalSemaphoresAsync, hipWaitExternalSemaphoresAsync)
(Semaphore *const *all, const unsigned long long *value, unsigned count, Stream *stream)
{
    CALL(NEEDS_CONTEXT,
         ON(SEMAPHORE, all[0],
            ON_STREAM(stream, add_semaphore(WORK_WAIT, all[0], *value, count, stream))));
}

API(cuSignalExternalSemaphoresAsync, hipSignalExternalSemaphoresAsync)
(Semaphore *const *all, const unsigned long long *value, unsigned count, Stream *stream)
{
    CALL(NEEDS_CONTEXT,
         ON(SEMAPHORE, all[0],
            ON_STREAM(stream, add_semaphore(WORK_SIGNAL, all[0], *value, count, stream))));
}
