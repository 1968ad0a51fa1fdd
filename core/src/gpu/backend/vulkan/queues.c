/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Chooses which of a device's queues to use, and for what. */
#include "gpu/backend/vulkan/vk.h"

/* Two compute queues score 1 to 5 % faster than one. NVIDIA's driver takes 20 to 60 ms to create
 * the second and 10 ms to destroy it. Depending on the machine, 7,000 to 30,000 pairs of 1080p make
 * up for that. This is the lower bound, in bytes of pictures. */
#define PAYS_FROM ((uint64_t)40 << 30)
#define MAX_COMPUTE_QUEUES 2

/* Finds a family that computes, preferably one without graphics: its queues run kernels side by
 * side, while drivers run the queues of a graphics family one after another. */
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

/* Finds a family that only copies; returns `count` if there is none. */
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

/* Kernels use a family that computes. Copies use a family that only copies, so that the copy engine
 * works beside the kernels; or else a second queue of the compute family; or else the kernels'
 * queue. Copies of small pictures always use the kernels' queue. The remaining queues of the
 * compute family become further compute queues. */
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
