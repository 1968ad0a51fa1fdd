/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "rig.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tap.h"

#define MAX_TESTS 32

static const char *backend_name;
static VmafDevice *device;
static GpuTuning usual_tuning;
static int validation; /* whether the driver's own checks can be used */

VmafDevice *rig_device(void)
{
    return device;
}

GpuDevice *rig_gpu(void)
{
    return rig_session(device)->device;
}

static int open_device(VmafDevice **out, unsigned depth)
{
    return vmaf_device_open(out, &(VmafDeviceOptions){ .size = sizeof(VmafDeviceOptions),
                                                       .backend = backend_name,
                                                       .allow_software = 1,
                                                       .fallback_cpu = 1,
                                                       .enable_validation = validation,
                                                       .max_outstanding_frames = depth,
                                                       .quiet = 1 });
}

VmafDevice *rig_open(unsigned depth)
{
    VmafDevice *other;
    assert_int_equal(0, open_device(&other, depth));
    return other;
}

void rig_tune(size_t own_upload_bytes, unsigned max_batch)
{
    rig_gpu()->tuning.own_upload_bytes = own_upload_bytes;
    rig_gpu()->tuning.max_batch = max_batch;
}

bool rig_may_use_doubles(void)
{
    static int may = -1; /* -1: not asked yet */
    if (may < 0) {
        const char *variable = "VMAF_GPU_DOUBLES", *own = getenv(variable);
        char *const before = own ? strdup(own) : NULL;
        setenv(variable, "1", 1);
        VmafDevice *other = rig_open(0);
        may = rig_session(other)->device->tuning.doubles;
        vmaf_device_close(&other);
        if (before)
            setenv(variable, before, 1);
        else
            unsetenv(variable);
        free(before);
    }
    return may;
}

bool rig_is_slow(void)
{
    const GpuSession *session = rig_session(device);
    return session->info.type == VMAF_DEVICE_SOFTWARE && !session->backend->our_code;
}

const RigBackend *rig_backend(void)
{
    static const RigBackend none = { 0 };
    for (const RigBackend *const *b = rig_backends; *b; b++)
        if (!strcmp((*b)->name, backend_name))
            return *b;
    return &none;
}

/* After each test: the device still works. */
static int check_device(void **state)
{
    GpuDevice *gpu = rig_gpu();
    tap_close();
    gpu->tuning = usual_tuning;
    GpuCommands *commands;
    assert_int_equal(0, gpu->ops->commands_create(gpu, GPU_COMPUTE, &commands));
    gpu->ops->begin(commands);
    assert_int_equal(0, gpu->ops->end(commands));
    assert_int_equal(0, gpu_device_run(gpu, commands));
    gpu->ops->commands_destroy(gpu, commands);
    assert_int_equal(0, gpu->ops->drain(gpu));
    if (rig_backend()->complaints)
        assert_int_equal(0, rig_backend()->complaints(gpu));
    return 0;
}

static int open_first(void)
{
    validation = 1;
    int err = open_device(&device, 0);
    if (err == -ENOTSUP) { /* the driver has no checks */
        validation = 0;
        err = open_device(&device, 0);
    }
    return err;
}

int rig_run(int argc, char **argv, const struct CMUnitTest *tests, size_t count)
{
    struct CMUnitTest checked[MAX_TESTS];
    if (argc != 2 || count > MAX_TESTS) {
        fprintf(stderr, "usage: %s BACKEND\n", argv[0]);
        return 2;
    }
    backend_name = argv[1];
    const long live = mem_live();
    const int err = open_first();
    if (err == -ENOSYS || err == -ENODEV) {
        printf("skipped: no %s device\n", backend_name);
        return 77;
    }
    if (err) {
        fprintf(stderr, "%s: cannot be opened: %d\n", backend_name, err);
        return 1;
    }
    usual_tuning = rig_gpu()->tuning;
    for (size_t i = 0; i < count; i++) {
        checked[i] = tests[i];
        checked[i].teardown_func = check_device;
    }
    int failed = _cmocka_run_group_tests(backend_name, checked, count, NULL, NULL);
    vmaf_device_close(&device);
    if (!failed && mem_live() != live) {
        fprintf(stderr, "%ld blocks of memory were left behind\n", mem_live() - live);
        failed = 1;
    }
    return failed;
}
