/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Which queues are used on typical devices, depending on the expected work. Needs no driver. */
#include <string.h>

#include "testing.h"
#include "gpu/backend/vulkan/vk.h"

enum {
    DRAW = VK_QUEUE_GRAPHICS_BIT,
    COMPUTE = VK_QUEUE_COMPUTE_BIT,
    COPY = VK_QUEUE_TRANSFER_BIT,
    SPARSE = VK_QUEUE_SPARSE_BINDING_BIT,
    DECODE = VK_QUEUE_VIDEO_DECODE_BIT_KHR,
    FLOW = 0x100,
};

#define FAMILY(flags, count)                                                                       \
    {                                                                                              \
        flags, count, 64,                                                                          \
        {                                                                                          \
            1, 1, 1                                                                                \
        }                                                                                          \
    }

static const VkQueueFamilyProperties nvidia[] = {
    FAMILY(DRAW | COMPUTE | COPY | SPARSE, 16),
    FAMILY(COPY | SPARSE, 2),
    FAMILY(COMPUTE | COPY | SPARSE, 8),
    FAMILY(COPY | SPARSE | DECODE, 7),
    FAMILY(COPY | SPARSE | FLOW, 1),
};
static const VkQueueFamilyProperties decoder_first[] = {
    FAMILY(COPY | DECODE, 1), FAMILY(COPY | FLOW, 1),           FAMILY(COPY | 0x40, 1),
    FAMILY(DRAW | COPY, 1),   FAMILY(DRAW | COMPUTE | COPY, 2),
};
static const VkQueueFamilyProperties amd[] = { FAMILY(DRAW | COMPUTE | COPY, 1),
                                               FAMILY(COMPUTE | COPY, 4) };
static const VkQueueFamilyProperties pair[] = { FAMILY(COMPUTE | COPY, 2) };
static const VkQueueFamilyProperties software[] = { FAMILY(DRAW | COMPUTE | COPY, 1) };

static const GpuExpected unknown = { 0 };
static const GpuExpected small = { 3000, 2 * 576 * 324 * 3 / 2 };
static const GpuExpected clip = { 2000, 2 * 1920 * 1080 * 3 / 2 };
static const GpuExpected film = { 150000, 2 * 1920 * 1080 * 3 / 2 };
static const GpuExpected pipe_of_frames = { 0, 2 * 1920 * 1080 * 3 / 2 };

static const struct {
    const VkQueueFamilyProperties *families;
    unsigned count;
    const GpuExpected *expected;
    VulkanQueueChoice choice;
} cases[] = {
    { nvidia, COUNT(nvidia), &unknown, { { 2, 1 }, { 0, 0 }, 2 } },
    { nvidia, COUNT(nvidia), &film, { { 2, 1 }, { 0, 0 }, 2 } },
    { nvidia, COUNT(nvidia), &pipe_of_frames, { { 2, 1 }, { 0, 0 }, 2 } },
    { nvidia, COUNT(nvidia), &clip, { { 2, 1 }, { 0, 0 }, 1 } },
    { nvidia, COUNT(nvidia), &small, { { 2, 2 }, { 0, 0 }, 1 } },
    { decoder_first, COUNT(decoder_first), &unknown, { { 4, 4 }, { 0, 1 }, 1 } },
    { decoder_first, COUNT(decoder_first), &small, { { 4, 4 }, { 0, 0 }, 1 } },
    { amd, COUNT(amd), &unknown, { { 1, 1 }, { 0, 1 }, 2 } },
    { amd, COUNT(amd), &clip, { { 1, 1 }, { 0, 1 }, 1 } },
    { amd, COUNT(amd), &small, { { 1, 1 }, { 0, 0 }, 1 } },
    { pair, COUNT(pair), &film, { { 0, 0 }, { 0, 1 }, 1 } },
    { software, COUNT(software), &unknown, { { 0, 0 }, { 0, 0 }, 1 } },
    { software, COUNT(software), &small, { { 0, 0 }, { 0, 0 }, 1 } },
};

static void test_choice(void **unused)
{
    const GpuTuning tuning = { .own_upload_bytes = 1 << 20 };
    for (unsigned i = 0; i < COUNT(cases); i++) {
        VulkanQueueChoice choice;
        vulkan_queues_choose(&choice, cases[i].families, cases[i].count, cases[i].expected,
                             &tuning);
        if (memcmp(&choice, &cases[i].choice, sizeof(choice)))
            fail_msg("case %u: families %u and %u, queues %u and %u, %u compute queues", i,
                     choice.family[0], choice.family[1], choice.index[0], choice.index[1],
                     choice.compute_queues);
    }
}

/* The second compute queue is made from the number of pairs on that it pays for. The size of the
 * pairs does not matter. */
static void test_where_it_pays(void **unused)
{
    const GpuTuning tuning = { .own_upload_bytes = 1 << 20 };
    for (size_t bytes = 1 << 20; bytes < (size_t)1 << 30; bytes = bytes * 3 + 1) {
        const uint64_t pays = ((uint64_t)40 << 30) / bytes;
        for (uint64_t pairs = pays - 1; pairs <= pays; pairs++) {
            VulkanQueueChoice choice;
            vulkan_queues_choose(&choice, nvidia, COUNT(nvidia), &(GpuExpected){ pairs, bytes },
                                 &tuning);
            assert_int_equal(pairs < pays ? 1 : 2, choice.compute_queues);
        }
    }
}

TEST_MAIN(vulkan_queues)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_choice),
                                        cmocka_unit_test(test_where_it_pays) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
