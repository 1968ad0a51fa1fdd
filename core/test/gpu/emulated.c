/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "emulated.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "testing.h"

Emulated emulated;
static int (*pop_context)(void **context);

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        printf("no %s: not the driver for tests\n", name);
        exit(77);
    }
    return found;
}

static void find_control(void *library)
{
    emulated.inject = symbol(library, "emulated_fail");
    emulated.failed = symbol(library, "emulated_failed");
    emulated.calls = symbol(library, "emulated_calls");
    emulated.schedule = symbol(library, "emulated_schedule");
    emulated.complaints = symbol(library, "emulated_complaints");
    emulated.leaks = symbol(library, "emulated_leaks");
    emulated.reset = symbol(library, "emulated_reset");
}

void emulated_find(int argc, char **argv)
{
    if (argc != 2 || !(emulated.backend = gpu_backend_find(argv[1])) || !emulated.backend->probe)
        exit(77);
    const bool cuda = !strcmp(argv[1], "cuda");
    const char *const name = cuda ? "libcuda.so.1" : "libamdhip64.so.7";
    void *library = dlopen(name, RTLD_NOW);
    if (!library) {
        printf("no %s\n", name);
        exit(77);
    }
    emulated.prefix = cuda ? "cu" : "hip";
    find_control(library);
    pop_context = symbol(library, cuda ? "cuCtxPopCurrent_v2" : "hipCtxPopCurrent");
    log_set_level(VMAF_LOG_LEVEL_NONE);
}

int emulated_open(GpuDevice **device)
{
    GpuProbe *probe;
    int err = emulated.backend->probe(emulated.backend, false, &probe);
    if (err)
        return err;
    err = probe->devices[0].missing[0] ? -ENOTSUP : emulated.backend->open(probe, 0, device);
    emulated.backend->probe_end(probe);
    return err;
}

unsigned emulated_calls_of(const char *function)
{
    const char *name;
    for (unsigned i = 0;; i++) {
        const unsigned calls = emulated.calls(i, &name);
        if (!name)
            return 0;
        if (!strcmp(name, function))
            return calls;
    }
}

int emulated_file(size_t size)
{
    const int fd = memfd_create("shared", 0);
    assert_true(fd >= 0);
    assert_int_equal(0, ftruncate(fd, (off_t)size));
    return fd;
}

void emulated_wait_for_caller(GpuDevice *gpu)
{
    CudaHipDevice *dev = (CudaHipDevice *)gpu;
    if (!cuda_hip_enter_anyway(dev))
        return;
    if (dev->api->call.StreamSynchronize(NULL)) /* the call may be made to fail, once */
        dev->api->call.StreamSynchronize(NULL);
    cuda_hip_leave(dev);
}

/* ---- checking for leaks ---- */

bool emulated_is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static unsigned open_descriptors(void)
{
    unsigned count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += emulated_is_open(fd);
    return count;
}

EmulatedBefore emulated_before(void)
{
    return (EmulatedBefore){ mem_live(), open_descriptors(), emulated.complaints() };
}

void emulated_check(const char *what, const EmulatedBefore *was)
{
    const long blocks = mem_live() - was->live, objects = emulated.leaks();
    const int descriptors = (int)open_descriptors() - (int)was->descriptors;
    const unsigned complaints = emulated.complaints() - was->complaints;
    void *context;
    const bool current = !pop_context(&context);
    if (!blocks && !objects && !descriptors && !complaints && !current)
        return;
    print_error("%s: %ld blocks, %ld objects of the driver and %d descriptors left behind, %u "
                "complaints, %s\n",
                what, blocks, objects, descriptors, complaints,
                current ? "a context left current" : "no context");
    fail();
}
