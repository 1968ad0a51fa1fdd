/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Kernels come without doubles, which many devices are slow at. Some have a variant with them for those that are fast. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "gpu/device.h"

#define VARIABLE "VMAF_GPU_DOUBLES"

void gpu_device_choose_doubles(GpuDevice *device, bool may, bool fast)
{
    const char *asked = getenv(VARIABLE);
    device->tuning.doubles = may && fast;
    if (!asked || !*asked)
        return;
    if (strcmp(asked, "0") != 0 && strcmp(asked, "1") != 0)
        log_warning(VARIABLE "=%s is ignored: it is 0 or 1", asked);
    else if (*asked == '1' && !may)
        log_warning(VARIABLE "=1 is ignored: %s (%s) runs no kernels with doubles", device->name,
                    device->backend);
    else
        device->tuning.doubles = *asked == '1';
}

const KernelInfo *gpu_kernel_for(const GpuDevice *device, const char *name)
{
    const KernelInfo *variant = NULL;
    char variant_name[64];
    snprintf(variant_name, sizeof(variant_name), "%s_f64", name);
    if (device->tuning.doubles)
        variant = kernel_info_find(variant_name);
    return variant ? variant : kernel_info_find(name);
}
