/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The sub-allocator of the Vulkan backend over a fake device that only counts: ranges never
 * overlap, are aligned and lie where reported, and freed ranges merge again in any order. Needs no
 * driver. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "testing.h"
#include "gpu/backend/vulkan/vk.h"

/* ---- a fake device that only counts ---- */

enum { DEVICE_LOCAL, MAPPED, MAPPED_CACHED, TYPES };
#define MAX_BLOCKS 64
/* The size that the allocator asks for when less is needed. */
#define BLOCK ((VkDeviceSize)64 << 20)

typedef struct Block {
    VkDeviceSize size;
    uint32_t type;
    char *host; /* when mapped */
} Block;

static Block blocks[MAX_BLOCKS]; /* size 0: free */
static unsigned allocate_calls, live_blocks;
static bool fail_allocate, fail_map;
/* The largest allocation, and mapping, that the driver can make; 0: any. */
static VkDeviceSize largest, largest_map;

/* A driver that is busy with mapped memory until it is released or a time limit passes. */
static pthread_mutex_t busy_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t busy_changed = PTHREAD_COND_INITIALIZER;
static bool stay_busy, is_busy, told_to_end;

static void be_busy(void)
{
    struct timespec patience;
    clock_gettime(CLOCK_REALTIME, &patience);
    patience.tv_sec += 20;
    pthread_mutex_lock(&busy_lock);
    is_busy = true;
    pthread_cond_broadcast(&busy_changed);
    while (!told_to_end && !pthread_cond_timedwait(&busy_changed, &busy_lock, &patience))
        ;
    is_busy = false;
    pthread_mutex_unlock(&busy_lock);
}

static VkResult VKAPI_CALL allocate_memory(VkDevice device, const VkMemoryAllocateInfo *info,
                                           const VkAllocationCallbacks *callbacks,
                                           VkDeviceMemory *memory)
{
    unsigned i = 0;
    if (fail_allocate || (largest && info->allocationSize > largest))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    if (stay_busy && info->memoryTypeIndex != DEVICE_LOCAL)
        be_busy();
    while (blocks[i].size)
        assert_true(++i < MAX_BLOCKS);
    blocks[i] = (Block){ .size = info->allocationSize, .type = info->memoryTypeIndex };
    allocate_calls++;
    live_blocks++;
    *memory = (VkDeviceMemory)(uintptr_t)(i + 1);
    return VK_SUCCESS;
}

static Block *block_of(VkDeviceMemory memory)
{
    Block *block = &blocks[(uintptr_t)memory - 1];
    assert_true(block->size > 0);
    return block;
}

static void VKAPI_CALL free_memory(VkDevice device, VkDeviceMemory memory,
                                   const VkAllocationCallbacks *callbacks)
{
    Block *block = block_of(memory);
    free(block->host);
    *block = (Block){ 0 };
    live_blocks--;
}

static VkResult VKAPI_CALL map_memory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                                      VkDeviceSize size, VkMemoryMapFlags flags, void **data)
{
    Block *block = block_of(memory);
    if (fail_map || (largest_map && block->size > largest_map))
        return VK_ERROR_MEMORY_MAP_FAILED;
    assert_int_not_equal(DEVICE_LOCAL, block->type);
    assert_int_equal(0, offset);
    assert_non_null(block->host = malloc(block->size)); /* pages that nobody touches cost nothing */
    *data = block->host;
    return VK_SUCCESS;
}

static VulkanDevice device;
static VulkanMemory *memory;

static int set_up(void **unused)
{
    log_set_level(VMAF_LOG_LEVEL_NONE);
    device = (VulkanDevice){
        .gpu.name = "a device that only counts",
        .vkd = { .AllocateMemory = allocate_memory,
                 .FreeMemory = free_memory,
                 .MapMemory = map_memory },
        .memory_types = {
            .memoryTypeCount = TYPES,
            .memoryTypes = {
                [DEVICE_LOCAL] = { VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0 },
                [MAPPED] = { VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                             VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 1 },
                [MAPPED_CACHED] = { VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                    VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
                                    VK_MEMORY_PROPERTY_HOST_CACHED_BIT, 1 },
            },
            .memoryHeapCount = 2,
            .memoryHeaps = { { .size = (VkDeviceSize)8 << 30 }, { .size = (VkDeviceSize)8 << 30 } },
        },
    };
    allocate_calls = 0;
    largest = largest_map = 0;
    return vulkan_memory_create(&memory, &device);
}

/* Nothing is left, whatever the test did. */
static int tear_down(void **unused)
{
    const unsigned left = live_blocks;
    vulkan_memory_destroy(memory);
    assert_int_equal(0, live_blocks);
    assert_int_equal(0, left);
    return 0;
}

static int take(VkDeviceSize size, VkDeviceSize alignment, enum GpuMemory kind,
                VulkanAllocation *out)
{
    *out = (VulkanAllocation){ 0 };
    const VkMemoryRequirements needs = { size, alignment, (1u << TYPES) - 1 };
    return vulkan_memory_alloc(memory, &needs, kind, out);
}

static VulkanAllocation must_take(VkDeviceSize size, VkDeviceSize alignment)
{
    VulkanAllocation out;
    assert_int_equal(0, take(size, alignment, GPU_DEVICE, &out));
    return out;
}

static void give(VulkanAllocation *allocation)
{
    vulkan_memory_free(memory, allocation);
    assert_null(allocation->block);
}

/* ---- against a model ---- */

#define SLOTS 96

typedef struct Taken {
    VulkanAllocation allocation;
    enum GpuMemory kind;
    VkDeviceSize alignment;
    char mark;
} Taken;

static Taken taken[SLOTS];

static void check_taken(const Taken *t)
{
    const VulkanAllocation *a = &t->allocation;
    const Block *block = block_of(a->memory);
    assert_int_equal(0, a->offset % t->alignment);
    assert_true(a->offset + a->size <= block->size);
    assert_int_equal(t->kind == GPU_DEVICE ? DEVICE_LOCAL : MAPPED_CACHED, block->type);
    assert_ptr_equal(t->kind == GPU_DEVICE ? NULL : block->host + a->offset, a->host);
    for (unsigned i = 0; i < SLOTS; i++) {
        const VulkanAllocation *b = &taken[i].allocation;
        if (t != &taken[i] && b->block && b->memory == a->memory)
            assert_true(a->offset + a->size <= b->offset || b->offset + b->size <= a->offset);
    }
}

/* The first and last bytes of mapped memory keep the values written when it was allocated. */
static void mark(Taken *t, char value)
{
    t->mark = value;
    if (t->allocation.host) {
        ((char *)t->allocation.host)[0] = value;
        ((char *)t->allocation.host)[t->allocation.size - 1] = value;
    }
}

static void check_mark(const Taken *t)
{
    if (t->allocation.host) {
        assert_int_equal(t->mark, ((char *)t->allocation.host)[0]);
        assert_int_equal(t->mark, ((char *)t->allocation.host)[t->allocation.size - 1]);
    }
}

static uint32_t random_state;

static uint32_t next_random(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

static void step(unsigned n)
{
    static const VkDeviceSize sizes[] = { 1,       4,       64,       4096,    100000,
                                          1 << 20, 9 << 20, 33 << 20, 70 << 20 };
    Taken *t = &taken[next_random(SLOTS)];
    if (t->allocation.block) {
        check_mark(t);
        give(&t->allocation);
        return;
    }
    const VkDeviceSize around = sizes[next_random(n % 16 ? 7 : COUNT(sizes))];
    t->kind = next_random(3);
    t->alignment = (VkDeviceSize)1 << next_random(13);
    assert_int_equal(0, take(around + next_random(1 + (uint32_t)around / 2), t->alignment, t->kind,
                             &t->allocation));
    check_taken(t);
    mark(t, (char)n);
}

static void give_all(unsigned first, unsigned stride)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        Taken *t = &taken[(first + i * stride) % SLOTS];
        if (!t->allocation.block)
            continue;
        check_mark(t);
        give(&t->allocation);
    }
    assert_int_equal(0, live_blocks);
}

static void test_model(void **unused)
{
    for (unsigned seed = 1; seed <= 12; seed++) {
        random_state = seed;
        for (unsigned n = 0; n < 2000; n++)
            step(n);
        give_all(seed, seed % 2 ? 1 : 35);
    }
}

/* ---- merging ---- */

/* Frees three neighbours in one block in every order. */
static void test_merging(void **unused)
{
    static const unsigned orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                           { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    const VkDeviceSize third = BLOCK / 4;
    for (unsigned o = 0; o < COUNT(orders); o++) {
        VulkanAllocation pieces[3], rest = must_take(BLOCK - 3 * third, 1);
        allocate_calls = 0;
        for (unsigned i = 0; i < 3; i++)
            pieces[i] = must_take(third, 1);
        assert_int_equal(0, allocate_calls);
        for (unsigned i = 0; i < 3; i++) {
            give(&pieces[orders[o][i]]);
            /* Two free neighbours serve one larger request. */
            const unsigned gone = i + 1;
            const bool apart = i == 1 && orders[o][0] + orders[o][1] == 2;
            VulkanAllocation whole = must_take(apart ? third : gone * third, 1);
            assert_int_equal(0, allocate_calls);
            give(&whole);
        }
        give(&rest);
        assert_int_equal(0, live_blocks);
        assert_int_equal(0, allocate_calls);
    }
}

/* Alignment splits off a range in front, which stays usable. */
static void test_alignment(void **unused)
{
    VulkanAllocation first = must_take(1000, 1), aligned = must_take(4096, 65536),
                     gap = must_take(60000, 1);
    assert_int_equal(0, first.offset);
    assert_int_equal(65536, aligned.offset);
    assert_int_equal(1000, gap.offset);
    assert_int_equal(1, allocate_calls);
    give(&aligned);
    give(&gap);
    VulkanAllocation whole = must_take(BLOCK - 1000, 1);
    assert_int_equal(1000, whole.offset);
    assert_int_equal(1, allocate_calls);
    give(&whole);
    give(&first);
}

/* Repeating the same requests needs no more memory than the first time. */
static void test_cycle(void **unused)
{
    VulkanAllocation anchor = must_take(4096, 256), cycle[20];
    for (unsigned n = 0; n < 200; n++) {
        if (n == 1)
            allocate_calls = 0;
        for (unsigned i = 0; i < COUNT(cycle); i++)
            cycle[i] = must_take((VkDeviceSize)(1 + i) << 17, 256);
        for (unsigned i = 0; i < COUNT(cycle); i++)
            give(&cycle[(i * 7 + n) % COUNT(cycle)]);
        assert_int_equal(1, live_blocks);
    }
    assert_int_equal(0, allocate_calls);
    give(&anchor);
}

/* Requests larger than a block, or than half of one, get exactly their size. */
static void test_large(void **unused)
{
    VulkanAllocation large = must_take(BLOCK + 4, 256), half = must_take(BLOCK / 2 + 4, 256);
    assert_int_equal(BLOCK + 4, block_of(large.memory)->size);
    assert_int_equal(BLOCK / 2 + 4, block_of(half.memory)->size);
    give(&large);
    give(&half);
}

/* Blocks of mapped memory begin small; each is as large as all before it, up to the usual size. */
static void test_mapped_growth(void **unused)
{
    static const unsigned megabytes[] = { 8, 8, 16, 32, 64, 64 };
    const VkDeviceSize piece = 4 << 20;
    VulkanAllocation pieces[48];
    unsigned count = 0;
    for (unsigned b = 0; b < COUNT(megabytes); b++) {
        const VkDeviceSize size = (VkDeviceSize)megabytes[b] << 20;
        for (VkDeviceSize used = 0; used < size; used += piece) {
            assert_int_equal(0, take(piece, 256, GPU_UPLOAD, &pieces[count]));
            assert_int_equal(size, block_of(pieces[count].memory)->size);
            count++;
        }
        assert_int_equal(b + 1, allocate_calls);
    }
    assert_int_equal(COUNT(pieces), count);
    while (count)
        give(&pieces[--count]);
}

/* A small heap makes small blocks. */
static void test_small_heap(void **unused)
{
    device.memory_types.memoryHeaps[0].size = 16 << 20;
    VulkanAllocation a = must_take(200 << 10, 256), b = must_take(900 << 10, 256);
    assert_int_equal(1 << 20, block_of(a.memory)->size);
    assert_int_equal(900 << 10, block_of(b.memory)->size);
    give(&a);
    give(&b);
}

/* ---- threads ---- */

static int mapped_err;

static void *take_mapped(void *out)
{
    mapped_err = take(4096, 1, GPU_UPLOAD, out);
    return NULL;
}

/* A thread gets device memory while another one waits for mapped memory. */
static void test_apart(void **unused)
{
    VulkanAllocation mapped, own;
    pthread_t thread;
    stay_busy = true;
    assert_int_equal(0, pthread_create(&thread, NULL, take_mapped, &mapped));
    pthread_mutex_lock(&busy_lock);
    while (!is_busy)
        pthread_cond_wait(&busy_changed, &busy_lock);
    pthread_mutex_unlock(&busy_lock);

    own = must_take(4096, 1);
    give(&own);

    pthread_mutex_lock(&busy_lock);
    const bool meanwhile = is_busy;
    told_to_end = true;
    pthread_cond_broadcast(&busy_changed);
    pthread_mutex_unlock(&busy_lock);
    pthread_join(thread, NULL);
    assert_int_equal(0, mapped_err);
    assert_true(meanwhile);
    stay_busy = told_to_end = false;
    give(&mapped);
}

/* ---- out of memory ---- */

static void test_failures(void **unused)
{
    VulkanAllocation out, anchor = must_take(4096, 1);
    VulkanAllocation mapped;
    assert_int_equal(0, take(4096, 1, GPU_UPLOAD, &mapped));
    fail_allocate = true;
    assert_int_equal(-ENOMEM, take(BLOCK, 1, GPU_DEVICE, &out));
    assert_int_equal(0, take(BLOCK / 4, 1, GPU_DEVICE, &out)); /* there is room */
    give(&out);
    fail_allocate = false;
    fail_map = true;
    assert_int_equal(-EIO, take(BLOCK, 1, GPU_READBACK, &out));
    fail_map = false;
    assert_int_equal(2, live_blocks);

    const VkMemoryRequirements nowhere = { 4, 1, 1u << DEVICE_LOCAL };
    assert_int_equal(-ENOTSUP, vulkan_memory_alloc(memory, &nowhere, GPU_UPLOAD, &out));
    give(&anchor);
    give(&mapped);
    give(&mapped); /* freeing nothing is fine */

    /* Host memory for the allocator's lists. */
    for (unsigned aligned = 0; aligned < 2; aligned++) {
        for (unsigned n = 1; n <= 4; n++) {
            anchor = aligned ? must_take(100, 1) : (VulkanAllocation){ 0 };
            const long live = mem_live();
            mem_fail_after(n);
            const int err = take(4096, 4096, GPU_DEVICE, &out);
            mem_fail_after(0);
            assert_true(err == 0 || err == -ENOMEM);
            give(&out);
            assert_int_equal(live, mem_live());
            give(&anchor);
            assert_int_equal(0, live_blocks);
        }
    }
}

/* If no large block can be allocated, a block of the requested size is allocated. */
static void test_tight(void **unused)
{
    static const enum GpuMemory kinds[] = { GPU_DEVICE, GPU_UPLOAD, GPU_READBACK };
    largest = 100000;
    for (unsigned k = 0; k < COUNT(kinds); k++) {
        VulkanAllocation exact, second, more;
        assert_int_equal(0, take(largest, 4096, kinds[k], &exact));
        assert_int_equal(largest, block_of(exact.memory)->size);
        assert_int_equal(0, exact.offset);
        assert_int_equal(0, take(5000, 4096, kinds[k], &second));
        assert_int_equal(5000, block_of(second.memory)->size);
        assert_int_equal(-ENOMEM, take(largest + 1, 1, kinds[k], &more));
        assert_int_equal(2, live_blocks);
        give(&exact);
        give(&second);
    }
}

/* The same when address space for mapping is short. */
static void test_tight_map(void **unused)
{
    VulkanAllocation exact, more;
    largest_map = 100000;
    assert_int_equal(0, take(largest_map, 4096, GPU_UPLOAD, &exact));
    assert_int_equal(largest_map, block_of(exact.memory)->size);
    assert_ptr_equal(block_of(exact.memory)->host, exact.host);
    assert_int_equal(-EIO, take(largest_map + 1, 1, GPU_UPLOAD, &more));
    assert_int_equal(1, live_blocks);
    give(&exact);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(vulkan_memory)
{
    const struct CMUnitTest tests[] = {
        TEST(test_model),    TEST(test_merging),       TEST(test_alignment),  TEST(test_cycle),
        TEST(test_large),    TEST(test_mapped_growth), TEST(test_small_heap), TEST(test_apart),
        TEST(test_failures), TEST(test_tight),         TEST(test_tight_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
