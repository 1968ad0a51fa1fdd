/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "libvmaf/device.h"
#include "libvmaf/inspect.h"
#include "message.h"
#include "names.h"

struct Gpu {
    VmafDevice *device;
};

/* Frames on their way on the device: enough to hide a slow read. */
#define OUTSTANDING_FRAMES 8

static int start(Gpu **out, const char *backend, const Options *options, bool quiet,
                 VmafContext *vmaf)
{
    Gpu *const gpu = calloc(1, sizeof(*gpu));
    if (!gpu)
        return -ENOMEM;
    const VmafDeviceOptions wish = {
        .size = sizeof(wish),
        .backend = backend,
        .device = options->device,
        .allow_software = options->allow_software,
        .max_outstanding_frames = OUTSTANDING_FRAMES,
        .quiet = quiet,
    };
    int err = vmaf_device_open(&gpu->device, &wish);
    if (!err)
        err = vmaf_use_device(vmaf, gpu->device);
    if (err) {
        gpu_destroy(gpu);
        return err;
    }
    *out = gpu;
    return 0;
}

/* The first backend that finds a GPU. */
static void start_best(Gpu **gpu, const Options *options, VmafContext *vmaf)
{
    const char *backend;
    for (unsigned i = 0; !options->gpumask && (backend = vmaf_backend_name(i)); i++)
        if (!(options->backends_off >> i & 1) && vmaf_backend_built(backend) &&
            !start(gpu, backend, options, true, vmaf))
            return;
    say("no GPU to use: using the CPU");
}

int gpu_create(Gpu **gpu, const Options *options, VmafContext *vmaf)
{
    const char *const backend = options->backend;
    if (!backend)
        return 0;
    if (!strcmp(backend, "auto")) {
        start_best(gpu, options, vmaf);
        return 0;
    }
    if (!vmaf_backend_built(backend)) {
        say("the %s backend is not in this build; leave --backend out to use the CPU", backend);
        return -ENOSYS;
    }
    const int err = start(gpu, backend, options, false, vmaf);
    if (err)
        say("the %s backend cannot run here (--list_devices shows what there is); leave --backend out "
            "to use the CPU",
            backend);
    return err;
}

void gpu_destroy(Gpu *gpu)
{
    if (!gpu)
        return;
    vmaf_device_close(&gpu->device);
    free(gpu);
}

void gpu_tell_places(const Gpu *gpu, const VmafContext *vmaf, bool quiet)
{
    VmafFeatureInfo info = { .size = sizeof(info) };
    Names there = { 0 }, here = { 0 };
    const char *device = NULL;
    if (!gpu)
        return;
    for (unsigned i = 0; !vmaf_feature_info(vmaf, i, &info); i++) {
        const bool on_gpu = strcmp(info.backend, "cpu");
        names_add(on_gpu ? &there : &here, info.extractor);
        if (on_gpu)
            device = info.device;
    }
    if (!there.count)
        say("Warning: none of the extractors has GPU code; all run on the CPU: %s", here.text);
    else if (!quiet && here.count)
        say("on %s: %s; on the CPU: %s", device ? device : "the GPU", there.text, here.text);
    else if (!quiet)
        say("on %s: %s", device ? device : "the GPU", there.text);
}

static const char *type_name(enum VmafDeviceType type)
{
    switch (type) {
    case VMAF_DEVICE_INTEGRATED:
        return "integrated GPU";
    case VMAF_DEVICE_DISCRETE:
        return "discrete GPU";
    case VMAF_DEVICE_VIRTUAL:
        return "virtual GPU";
    case VMAF_DEVICE_SOFTWARE:
        return "software";
    default:
        return "other";
    }
}

static void print_device(const VmafDeviceInfo *info)
{
    printf("%u: %s\n", info->index, info->name);
    printf("   type: %s\n   driver: %s\n", type_name(info->type), info->driver);
    printf("   %s: %s\n", info->api, info->version);
    printf("   memory: %llu MiB\n   UUID: ", (unsigned long long)(info->memory >> 20));
    for (unsigned i = 0; i < sizeof(info->uuid); i++)
        printf("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", info->uuid[i]);
    if (info->missing[0])
        printf("\n   cannot be used, it lacks: %s\n", info->missing);
    else
        printf("\n   can be used%s\n",
               info->type == VMAF_DEVICE_SOFTWARE ? " when it is named" : "");
}

/* Prints the devices of one backend and gives their number, or what kept it from finding any. */
static int list_backend(const char *backend)
{
    VmafDeviceInfo info = { .size = sizeof(info) };
    int count = 0, err;
    while (!(err = vmaf_device_info(backend, (unsigned)count, &info))) {
        print_device(&info);
        count++;
    }
    if (err == -ENOSYS)
        say("no %s on this machine", vmaf_backend_needs(backend));
    else if (!count)
        say("no %s device on this machine", vmaf_backend_title(backend));
    return count ? count : err;
}

int gpu_list_devices(void)
{
    const char *backend;
    int result = -ENOSYS;
    unsigned built = 0;
    for (unsigned i = 0; (backend = vmaf_backend_name(i)); i++) {
        if (!vmaf_backend_built(backend))
            continue;
        built++;
        const int count = list_backend(backend);
        if (result < 0)
            result = count;
    }
    if (!built)
        say("no GPU backend in this build");
    return result < 0 ? result : 0;
}
