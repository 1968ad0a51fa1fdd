/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "doctor.h"

#include <stdio.h>
#include <string.h>

#include "libvmaf/device.h"

static const char *advice(const char *backend, const json_t *cards)
{
    if (!strcmp(backend, "cuda"))
        return machine_has_card(cards, "10de")
                   ? "install NVIDIA's driver, which brings nvcuda.dll: https://www.nvidia.com/drivers"
                   : "none: this machine has no NVIDIA card";
    if (!strcmp(backend, "hip"))
        return machine_has_card(cards, "1002")
                   ? "install AMD's driver, which brings amdhip64.dll: https://www.amd.com/support"
                   : "none: this machine has no AMD card";
    if (!strcmp(backend, "vulkan"))
        return json_array_size(cards)
                   ? "install the driver of the card's maker, which brings vulkan-1.dll"
                   : "none: this machine has no graphics card; --allow_software accepts a software "
                     "device";
    if (!strcmp(backend, "sycl"))
        return "none: there is no SYCL plugin for Windows; use --backend vulkan for Intel's cards";
    return "see docs/backends";
}

void remedy_note(char *text, size_t size, const char *backend, const json_t *machine)
{
    *text = '\0';
}

void remedy_find(char *text, size_t size, const char *backend, const char *missing,
                 const json_t *machine)
{
    if (vmaf_backend_built(backend) > 0 || !strcmp(backend, "sycl"))
        snprintf(text, size, "%s", advice(backend, json_object_get(machine, "cards")));
    else
        snprintf(text, size, "configure the build with -Denable_%s=enabled", backend);
}
