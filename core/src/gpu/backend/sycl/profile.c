/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The profiling functions of libvmaf_sycl.h: the time each kernel took. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/backend/sycl/device.h"

static int profile(VmafSyclState *state, int on)
{
    SyclDevice *dev = sycl_device(sycl_session(state)->device);
    return dev->plugin->profile(dev->handle, on);
}

int vmaf_sycl_profiling_enable(VmafSyclState *state)
{
    if (!state)
        return -EINVAL;
    const int err = profile(state, 1);
    if (err == -ENOTSUP)
        log_error("sycl: %s has no clock, so its kernels cannot be timed",
                  sycl_session(state)->device->name);
    return err;
}

void vmaf_sycl_profiling_disable(VmafSyclState *state)
{
    if (state)
        profile(state, 0);
}

#define LINE_SIZE 128

static void write_table(char *text, size_t size, const SyclPlugin *plugin,
                        const SyclKernelTime *times)
{
    double total = 0;
    size_t used = 0;
    for (unsigned i = 0; i < plugin->kernel_count; i++) {
        if (!times[i].launches)
            continue;
        total += times[i].microseconds;
        used +=
            (size_t)snprintf(text + used, size - used, "%-32.60s %10llu launches %12.2f us each\n",
                             plugin->kernels[i].name, (unsigned long long)times[i].launches,
                             times[i].microseconds / (double)times[i].launches);
    }
    snprintf(text + used, size - used, "%.3f ms in all\n", total * 1e-3);
}

int vmaf_sycl_profiling_get_string(VmafSyclState *state, char **text)
{
    if (text)
        *text = NULL;
    if (!state || !text)
        return -EINVAL;
    SyclDevice *dev = sycl_device(sycl_session(state)->device);
    const size_t size = LINE_SIZE * (dev->plugin->kernel_count + 1);
    SyclKernelTime *times = mem_array(dev->plugin->kernel_count, sizeof(*times));
    char *out = malloc(size); /* the caller releases it with free() */
    int err = times && out ? gpu_device_drain(&dev->gpu) : -ENOMEM;
    if (!err)
        err = dev->plugin->profile_read(dev->handle, times);
    if (err) {
        free(out);
        out = NULL;
    } else {
        write_table(out, size, dev->plugin, times);
    }
    mem_free(times);
    *text = out;
    return err;
}

void vmaf_sycl_profiling_print(VmafSyclState *state)
{
    char *text;
    if (vmaf_sycl_profiling_get_string(state, &text))
        return;
    fputs(text, stderr);
    free(text);
}
