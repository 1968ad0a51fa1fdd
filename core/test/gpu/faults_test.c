/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every operation of a device fails once, at each place it is called from, and every allocation
 * too: the error comes back to the caller, nothing hangs, and the same device works afterwards. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gpu/session.h"
#include "libvmaf/libvmaf_vulkan.h"

static GpuDevice *gpu_of(VmafVulkanState *of)
{
    return ((GpuSession *)of)->device;
}

#define FRAMES 7
#define W 64
#define H 48

static VmafVulkanState *state;
static const GpuOps *real;

enum Operation {
    BUFFER_CREATE,
    KERNEL_GET,
    BINDINGS_CREATE,
    COMMANDS_CREATE,
    END,
    SUBMIT,
    WAIT,
    OPERATIONS
};
static const char *const operation_names[OPERATIONS] = {
    "buffer_create", "kernel_get", "bindings_create", "commands_create", "end", "submit", "wait"
};
static enum Operation failing;
static atomic_int countdown; /* the call that brings it to 0 fails; below, all work */

static bool fails(enum Operation operation)
{
    return operation == failing && atomic_fetch_sub(&countdown, 1) == 1;
}

static int fail_buffer_create(GpuDevice *dev, enum GpuMemory memory, size_t size,
                              GpuBuffer **buffer)
{
    *buffer = NULL;
    return fails(BUFFER_CREATE) ? -ENOMEM : real->buffer_create(dev, memory, size, buffer);
}

static int fail_kernel_get(GpuDevice *dev, const KernelInfo *info, GpuKernel **kernel)
{
    *kernel = NULL;
    return fails(KERNEL_GET) ? -EIO : real->kernel_get(dev, info, kernel);
}

static int fail_bindings_create(GpuDevice *dev, GpuKernel *kernel, const GpuRange *ranges,
                                GpuBindings **bindings)
{
    *bindings = NULL;
    return fails(BINDINGS_CREATE) ? -ENOMEM : real->bindings_create(dev, kernel, ranges, bindings);
}

static int fail_commands_create(GpuDevice *dev, enum GpuQueue queue, GpuCommands **commands)
{
    *commands = NULL;
    return fails(COMMANDS_CREATE) ? -ENOMEM : real->commands_create(dev, queue, commands);
}

static int fail_end(GpuCommands *commands)
{
    const int err = real->end(commands);
    return fails(END) ? -ENOMEM : err;
}

static int fail_submit(GpuDevice *dev, const GpuSubmit *submit, GpuPoint *done)
{
    return fails(SUBMIT) ? -EIO : real->submit(dev, submit, done);
}

static int fail_wait(GpuDevice *dev, GpuPoint point, uint64_t timeout_ns)
{
    const int reached = real->wait(dev, point, timeout_ns);
    return fails(WAIT) ? -EIO : reached;
}

/* The whole of a small run; the first error that the API returned. */
static int run(void)
{
    VmafContext *vmaf;
    int err = vmaf_init(&vmaf, (VmafConfiguration){ .log_level = VMAF_LOG_LEVEL_NONE });
    if (err)
        return err;
    err = vmaf_vulkan_import_state(vmaf, state);
    if (!err)
        err = vmaf_use_feature(vmaf, "psnr", NULL);
    if (!err)
        err = vmaf_use_feature(vmaf, "motion", NULL);
    if (!err)
        err = vmaf_preallocate_pictures(
            vmaf, (VmafPictureConfiguration){ .pic_params = { W, H, 8, VMAF_PIX_FMT_YUV420P },
                                              .pic_cnt = 24 });
    for (unsigned i = 0; i < FRAMES && !err; i++) {
        VmafPicture ref = { 0 }, dist = { 0 };
        err = vmaf_fetch_preallocated_picture(vmaf, &ref);
        if (!err) /* one from elsewhere, so that it has to be staged */
            err = vmaf_picture_alloc(&dist, VMAF_PIX_FMT_YUV420P, 8, W, H);
        if (!err)
            err = vmaf_read_pictures(vmaf, &ref, &dist, i);
        if (ref.ref)
            vmaf_picture_unref(&ref);
        if (dist.ref)
            vmaf_picture_unref(&dist);
    }
    const int flush_err = vmaf_read_pictures(vmaf, NULL, NULL, 0);
    if (!err)
        err = flush_err;
    vmaf_close(vmaf);
    return err;
}

static void test_operations(void **unused)
{
    GpuOps ops = *real;
    ops.buffer_create = fail_buffer_create;
    ops.kernel_get = fail_kernel_get;
    ops.bindings_create = fail_bindings_create;
    ops.commands_create = fail_commands_create;
    ops.end = fail_end;
    ops.submit = fail_submit;
    ops.wait = fail_wait;
    gpu_of(state)->ops = &ops;
    for (failing = 0; failing < OPERATIONS; failing++) {
        int nth = 1;
        for (;; nth++) {
            atomic_store(&countdown, nth);
            const int err = run();
            if (atomic_load(&countdown) > 0) { /* there was no such call */
                assert_int_equal(0, err);
                break;
            }
            /* Errors of waits that only make sure of something may be overcome. */
            if (failing != WAIT)
                assert_true(err < 0);
            assert_true(nth < 1000);
        }
        print_message("%s: failed at %d places\n", operation_names[failing], nth - 1);
        assert_true(nth > 1);
    }
    gpu_of(state)->ops = real;
    assert_int_equal(0, run());
}

static void test_allocations(void **unused)
{
    mem_fail_after(0);
    assert_int_equal(0, run());
    const unsigned long count = mem_fail_after(0);
    assert_true(count > 0);
    for (unsigned long n = 1; n <= count; n++) {
        mem_fail_after(n);
        run(); /* some are made up for; none may crash or hang */
    }
    mem_fail_after(0);
    assert_int_equal(0, run());
}

int main(void)
{
    const VmafVulkanOptions options = { .size = sizeof(options), .allow_software = 1 };
    const int err = vmaf_vulkan_state_init_with_options(&state, &options);
    if (err == -ENOSYS || err == -ENODEV)
        return 77;
    if (err) {
        fprintf(stderr, "no state: %d\n", err);
        return 1;
    }
    real = gpu_of(state)->ops;
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_operations),
                                        cmocka_unit_test(test_allocations) };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vmaf_vulkan_state_free(&state);
    return failed;
}
