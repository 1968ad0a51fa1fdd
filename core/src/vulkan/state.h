/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* VmafVulkanState, for the files behind libvmaf_vulkan.h. */
#ifndef VULKAN_STATE_H
#define VULKAN_STATE_H

#include "engine/context.h"
#include "gpu/stream.h"
#include "libvmaf/libvmaf_vulkan.h"
#include "vulkan/vk.h"

typedef struct VulkanImports VulkanImports; /* import.c */

struct VmafVulkanState {
    GpuSetup setup; /* what contexts are given */
    VulkanDevice *dev;
    unsigned index;         /* in the list of devices */
    VulkanImports *imports; /* NULL until the first one */
};

extern const AcceleratorOps vulkan_accelerator;

/* The state a context works with; NULL when none was imported. */
VmafVulkanState *vulkan_state_of(const VmafContext *vmaf);

/* Frees a state's imports. */
void vulkan_imports_destroy(VulkanImports *imports);

#endif
