/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/selftest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/cachefile.h"
#include "gpu/check.h"

/* Odd, no multiple of a tile, and large enough for every feature. */
#define TEST_W 219
#define TEST_H 183

static uint64_t hash(uint64_t h, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        h = (h ^ bytes[i]) * 0x100000001b3u;
    return h;
}

/* The file whose presence says that these kernels passed on this device with this driver. */
static void verdict_name(GpuDevice *device, char *name, size_t size)
{
    uint64_t h = 0xcbf29ce484222325u;
    h = hash(h, device->backend, strlen(device->backend));
    h = hash(h, device->name, strlen(device->name));
    h = hash(h, device->driver, strlen(device->driver));
    for (const KernelInfo *info = kernel_infos; info->name; info++) {
        const KernelImage *image = device->ops->kernel_image(device, info);
        h = hash(h, info->name, strlen(info->name) + 1);
        if (image)
            h = hash(h, image->data, image->size);
    }
    snprintf(name, size, "selftest-%016llx", (unsigned long long)h);
}

static int test_feature(GpuDevice *device, const FeatureDef *def, unsigned bpc)
{
    GpuCheck check = { .def = def, .seed = 1 };
    char kernels[512] = "";
    shape_init(&check.shape, VMAF_PIX_FMT_YUV420P, bpc, TEST_W, TEST_H);
    const int result = gpu_check(device, &check, kernels, sizeof(kernels));
    if (result == 1) {
        log_error("%s: %s (%s) computes wrong bits: %s at %u bits, kernels %s", device->backend,
                  device->name, device->driver, def->name, bpc, kernels);
        return -ENOTSUP;
    }
    if (result < 0 && result != -ENOTSUP) {
        log_error("%s: the self-test of %s could not run on %s (%d)", device->backend, def->name,
                  device->name, result);
        return result;
    }
    return 0;
}

int selftest_run(GpuDevice *device)
{
    char name[64];
    verdict_name(device, name, sizeof(name));
    void *data = NULL;
    size_t size;
    if (!cachefile_read(name, &data, &size)) {
        mem_free(data);
        return 0;
    }
    for (const FeatureDef *const *def = feature_registry; *def; def++) {
        for (unsigned bpc = 8; (*def)->gpu && bpc <= 10; bpc += 2) {
            const int err = test_feature(device, *def, bpc);
            if (err)
                return err;
        }
    }
    cachefile_write(name, device->driver, strlen(device->driver) + 1);
    return 0;
}
