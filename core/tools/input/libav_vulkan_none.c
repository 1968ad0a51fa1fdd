/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Where FFmpeg's libraries, or their headers, know nothing of Vulkan: there are no such frames. */
#include <errno.h>
#include <stdio.h>

#include "input/libav_kept.h"

int libav_vulkan_open(const AVFrame *frame, unsigned pairs, bool required, VmafVulkanState **state)
{
    (void)frame;
    (void)pairs;
    (void)required;
    *state = NULL;
    return -ENOSYS;
}

int libav_vulkan_check(const AVFrame *frame, const VmafVulkanState *state, char *why, size_t size)
{
    (void)frame;
    (void)state;
    snprintf(why, size, "this vmaf was built without Vulkan's headers");
    return -ENOSYS;
}

int libav_vulkan_read(VmafContext *vmaf, LibavKept *ref, LibavKept *dist, unsigned index)
{
    (void)vmaf;
    (void)index;
    kept_release(&ref->kept);
    kept_release(&dist->kept);
    return -ENOSYS;
}
