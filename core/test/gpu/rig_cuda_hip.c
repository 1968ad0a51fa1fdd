/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "rig_cuda_hip.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/backend/cuda_hip/device.h"

/* Also counts the calls that the forwarding HIP driver passes on. */
void *rig_cuda_hip_control(const char *name)
{
    static const char *const libraries[] = { "libamdhip64.so.7", "libcuda.so.1" };
    for (unsigned i = 0; i < COUNT(libraries); i++) {
        void *library = dlopen(libraries[i], RTLD_NOW | RTLD_NOLOAD);
        void *function = library ? dlsym(library, name) : NULL;
        if (library)
            dlclose(library);
        if (function)
            return function;
    }
    return NULL;
}

unsigned rig_cuda_hip_complaints(GpuDevice *device)
{
    unsigned (*complaints)(void) = (unsigned (*)(void))rig_cuda_hip_control("emulated_complaints");
    return complaints ? complaints() : 0;
}

/* Makes a file in memory, which the fake driver accepts as memory of another API. */
static int make_file(size_t size, void **mapped)
{
    const int fd = memfd_create("foreign", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(0, ftruncate(fd, (off_t)size));
    *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(MAP_FAILED, *mapped);
    return fd;
}

/* ---- memory: alternately a descriptor, where possible, and an address ---- */

int rig_cuda_hip_memory_create(GpuDevice *device, size_t size, RigMemory *out)
{
    static unsigned turn;
    CudaHipDevice *dev = (CudaHipDevice *)device;
    *out = (RigMemory){ .handle = { .type = GPU_HANDLE_ADDRESS, .size = size } };
    if (rig_cuda_hip_control("emulated_complaints") && turn++ % 2 == 0) {
        out->handle.type = GPU_HANDLE_OPAQUE_FD;
        out->handle.value = make_file(size, &out->host);
        return 0;
    }
    /* The device sees pinned memory at the host's address. */
    CudaHipHandle context;
    assert_int_equal(0, dev->api->call.CtxPushCurrent(dev->context));
    const int err = dev->api->call.MemHostAlloc(&out->host, size, CUDA_HIP_HOST_PORTABLE);
    dev->api->call.CtxPopCurrent(&context);
    out->handle.value = (intptr_t)out->host;
    return err ? -ENOMEM : 0;
}

void rig_cuda_hip_memory_destroy(GpuDevice *device, RigMemory *memory)
{
    CudaHipDevice *dev = (CudaHipDevice *)device;
    if (memory->handle.type == GPU_HANDLE_OPAQUE_FD) {
        munmap(memory->host, memory->handle.size);
        close((int)memory->handle.value);
        return;
    }
    CudaHipHandle context;
    assert_int_equal(0, dev->api->call.CtxPushCurrent(dev->context));
    dev->api->call.MemFreeHost(memory->host);
    dev->api->call.CtxPopCurrent(&context);
}

/* ---- clocks: a counter in a file, which an imported semaphore watches ---- */

#define CLOCKS 64
static struct {
    uintptr_t semaphore;
    _Atomic uint64_t *counter;
} clocks[CLOCKS];

static _Atomic uint64_t *counter_of(uintptr_t clock)
{
    unsigned i = 0;
    while (clocks[i].semaphore != clock)
        assert_true(++i < CLOCKS);
    return clocks[i].counter;
}

uintptr_t rig_cuda_hip_clock_create(GpuDevice *device)
{
    if (!rig_cuda_hip_control("emulated_complaints"))
        return 0;
    unsigned i = 0;
    while (clocks[i].semaphore)
        assert_true(++i < CLOCKS);
    void *mapped;
    GpuHandle handle = { .type = GPU_HANDLE_OPAQUE_FD, .value = make_file(8, &mapped), .size = 8 };
    assert_int_equal(0, cuda_hip_semaphore_import(device, &handle, &clocks[i].semaphore));
    close((int)handle.value);
    clocks[i].counter = mapped;
    return clocks[i].semaphore;
}

void rig_cuda_hip_clock_destroy(GpuDevice *device, uintptr_t clock)
{
    munmap((void *)counter_of(clock), 8);
    for (unsigned i = 0; i < CLOCKS; i++)
        if (clocks[i].semaphore == clock)
            clocks[i].semaphore = 0;
    cuda_hip_semaphore_destroy(device, clock);
}

void rig_cuda_hip_clock_set(GpuDevice *device, uintptr_t clock, uint64_t value)
{
    atomic_store(counter_of(clock), value);
}

/* Real devices work by themselves; the fake one works only when it is asked to. */
uint64_t rig_cuda_hip_clock_get(GpuDevice *device, uintptr_t clock)
{
    void (*go_on)(void) = (void (*)(void))rig_cuda_hip_control("emulated_go_on");
    if (go_on)
        go_on();
    return atomic_load(counter_of(clock));
}
