/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which of a device's queues serve what, and how many of them. */
#include "gpu/backend/vulkan/vk.h"

/* Two lanes score 1 to 5 % faster than one. The second takes NVIDIA's driver 20 to 60 ms to make and 10 to destroy, which is
 * won back by seven to thirty thousand pairs of 1080p, by the machine: the least of that, in bytes of pictures. */
#define PAYS_FROM ((uint64_t)40 << 30)
#define MAX_COMPUTE_QUEUES 2

/* A family that computes, one that does not draw if there is any: it runs kernels of several queues side by side
 * where drivers run those of a family that draws one queue after another. */
static uint32_t find_compute(const VkQueueFamilyProperties *families, uint32_t count)
{
    uint32_t first = 0, own = 0;
    while (first < count && !(families[first].queueFlags & VK_QUEUE_COMPUTE_BIT))
        first++;
    while (own < count && (families[own].queueFlags &
                           (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT)) != VK_QUEUE_COMPUTE_BIT)
        own++;
    return own < count ? own : first;
}

/* A family that only copies; `count`: there is none. */
static uint32_t find_copies(const VkQueueFamilyProperties *families, uint32_t count)
{
    const VkQueueFlags more = VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT |
                              VK_QUEUE_VIDEO_DECODE_BIT_KHR | 0x40 /* video encode */ |
                              0x100 /* optical flow */;
    uint32_t i = 0;
    while (i < count &&
           (families[i].queueFlags & (VK_QUEUE_TRANSFER_BIT | more)) != VK_QUEUE_TRANSFER_BIT)
        i++;
    return i;
}

static bool is_short(const GpuExpected *expected)
{
    return expected->pairs && expected->pair_bytes &&
           expected->pairs < PAYS_FROM / expected->pair_bytes;
}

/* Kernels go to a family that computes; copies to one that only copies, so that the copy engine works beside them, else
 * to a second queue of the first family, else they share the one queue; and so do copies of small pictures, which ride with
 * the kernels. What queues the first family has beyond that are lanes. */
void vulkan_queues_choose(VulkanQueueChoice *choice, const VkQueueFamilyProperties *families,
                          uint32_t count, const GpuExpected *expected, const GpuTuning *tuning)
{
    const uint32_t compute = find_compute(families, count), copies = find_copies(families, count);
    const bool small = expected->pair_bytes && expected->pair_bytes < tuning->own_upload_bytes;
    *choice = (VulkanQueueChoice){ .family = { compute, compute } };
    if (!small && copies < count)
        choice->family[GPU_TRANSFER] = copies;
    else if (!small && families[compute].queueCount > 1)
        choice->index[GPU_TRANSFER] = 1;
    const unsigned spare = families[compute].queueCount - choice->index[GPU_TRANSFER];
    const unsigned wanted = small || is_short(expected) ? 1 : MAX_COMPUTE_QUEUES;
    choice->compute_queues = spare < wanted ? spare : wanted;
}
