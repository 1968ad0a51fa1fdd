/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The pipeline cache on disk, with a fake driver that only counts: it is written when it has grown,
 * and left alone otherwise. Needs no driver. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "testing.h"
#include "gpu/backend/vulkan/vk.h"

/* ---- a fake driver that only counts ---- */

#define HEADER 32 /* bytes of an empty cache */

static size_t given, held; /* bytes that the last cache began with, and that it has now */
static bool refuses;       /* refuses the data it is given */
static unsigned fetched;   /* times that the data was read */

static VkResult VKAPI_CALL create_cache(VkDevice device, const VkPipelineCacheCreateInfo *info,
                                        const VkAllocationCallbacks *callbacks,
                                        VkPipelineCache *cache)
{
    given = info->initialDataSize;
    held = given && !refuses ? given : HEADER;
    *cache = (VkPipelineCache)(uintptr_t)1;
    return VK_SUCCESS;
}

static VkResult VKAPI_CALL get_data(VkDevice device, VkPipelineCache cache, size_t *size,
                                    void *data)
{
    if (data) {
        assert_int_equal(held, *size);
        memset(data, 1, held);
        fetched++;
    }
    *size = held;
    return VK_SUCCESS;
}

static void VKAPI_CALL destroy_cache(VkDevice device, VkPipelineCache cache,
                                     const VkAllocationCallbacks *callbacks)
{
}

static char folder[] = "/tmp/vmaf-vulkan-cache-XXXXXX";

static int set_up(void **unused)
{
    log_set_level(VMAF_LOG_LEVEL_NONE);
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    assert_non_null(mkdtemp(folder));
    setenv("VMAF_CACHE_DIR", folder, 1);
    refuses = false;
    return 0;
}

static int tear_down(void **unused)
{
    static const char *const names[] = { "key", "vulkan-00000000000000000000000000000000.bin" };
    char path[128];
    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        assert_int_equal(0, remove(path));
    }
    assert_int_equal(0, rmdir(folder));
    return 0;
}

/* A run that makes kernels, of which `grown` bytes are new. Returns how often the cache was
 * written. */
static unsigned run(size_t grown)
{
    VulkanDevice device = {
        .gpu.name = "a driver that only counts",
        .vkd = { .CreatePipelineCache = create_cache,
                 .GetPipelineCacheData = get_data,
                 .DestroyPipelineCache = destroy_cache },
    };
    fetched = 0;
    assert_int_equal(0, vulkan_cache_open(&device));
    device.cache_changed = true;
    held += grown;
    vulkan_cache_close(&device);
    assert_null(device.cache);
    return fetched;
}

/* ---- tests ---- */

static void test_growing(void **unused)
{
    assert_int_equal(1, run(1000));
    assert_int_equal(0, given);
    assert_int_equal(0, run(0));
    assert_int_equal(HEADER + 1000, given);
    assert_int_equal(1, run(500));
    assert_int_equal(HEADER + 1000, given);
    assert_int_equal(0, run(0));
    assert_int_equal(HEADER + 1500, given);
}

/* Data that the driver refuses is replaced, also by data of the same size. */
static void test_refused(void **unused)
{
    assert_int_equal(1, run(1000));
    refuses = true;
    assert_int_equal(1, run(1000));
    assert_int_equal(HEADER + 1000, given);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(vulkan_cache)
{
    const struct CMUnitTest tests[] = { TEST(test_growing), TEST(test_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
