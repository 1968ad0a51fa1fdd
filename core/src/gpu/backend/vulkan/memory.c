/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A small allocator for buffers that are created once and live long. It divides blocks of device
 * memory into spans, kept in a sorted list; takes the first free span that fits; and merges free
 * neighbours. Mapped blocks stay mapped. */
#include <errno.h>

#include "base/mem.h"
#include "gpu/backend/vulkan/vk.h"

#define BLOCK_SIZE (64u << 20)
#define FIRST_MAPPED (8u << 20)

typedef struct Span {
    struct Span *next;
    VkDeviceSize offset, size;
    bool used;
} Span;

typedef struct Heap Heap;

struct VulkanBlock {
    VulkanBlock *next;
    Heap *heap;
    uint32_t type;
    VkDeviceSize size;
    VkDeviceMemory memory;
    void *host;
    Span *spans;
};

/* Device and mapped memory have a heap each, because allocating mapped memory takes long and must
 * not block a thread that needs device memory. The lock guards the blocks. It is held during calls
 * of the driver, too, so that threads waiting for the same kind of memory share the new block. */
struct Heap {
    pthread_mutex_t lock;
    VulkanBlock *blocks;
};

struct VulkanMemory {
    VulkanDevice *dev;
    Heap device, mapped;
};

int vulkan_memory_create(VulkanMemory **out, VulkanDevice *dev)
{
    VulkanMemory *memory = mem_zalloc(sizeof(*memory));
    if (!memory)
        return -ENOMEM;
    memory->dev = dev;
    pthread_mutex_init(&memory->device.lock, NULL);
    pthread_mutex_init(&memory->mapped.lock, NULL);
    *out = memory;
    return 0;
}

static void block_destroy(VulkanDevice *dev, VulkanBlock *block)
{
    if (block->memory)
        dev->vkd.FreeMemory(dev->handle, block->memory, NULL);
    for (Span *span = block->spans, *next; span; span = next) {
        next = span->next;
        mem_free(span);
    }
    mem_free(block);
}

static void heap_destroy(VulkanDevice *dev, Heap *heap)
{
    for (VulkanBlock *block = heap->blocks, *next; block; block = next) {
        next = block->next;
        block_destroy(dev, block);
    }
    pthread_mutex_destroy(&heap->lock);
}

void vulkan_memory_destroy(VulkanMemory *memory)
{
    if (!memory)
        return;
    heap_destroy(memory->dev, &memory->device);
    heap_destroy(memory->dev, &memory->mapped);
    mem_free(memory);
}

/* Chooses the memory type with the most points among those with all flags of `must`. Upload memory
 * is cached by the CPU, too, since CPU features read the same pictures. */
static int choose_type(const VulkanDevice *dev, uint32_t allowed, enum GpuMemory kind,
                       uint32_t *type)
{
    const VkMemoryPropertyFlags mapped =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkMemoryPropertyFlags must = kind == GPU_DEVICE ? 0 : mapped;
    const VkMemoryPropertyFlags avoid = VK_MEMORY_PROPERTY_PROTECTED_BIT |
                                        VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
                                        VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD;
    int best = -1;
    for (uint32_t i = 0; i < dev->memory_types.memoryTypeCount; i++) {
        const VkMemoryPropertyFlags flags = dev->memory_types.memoryTypes[i].propertyFlags;
        if (!(allowed >> i & 1) || (flags & must) != must || (flags & avoid))
            continue;
        const bool local = flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
        int points;
        if (kind == GPU_DEVICE)
            points = 4 * local + !(flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
        else
            points = 4 * !!(flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) + !local;
        if (points > best) {
            best = points;
            *type = i;
        }
    }
    return best < 0 ? -ENOTSUP : 0;
}

/* Allocates and maps the memory of a block. On failure *call is the name of the function that
 * failed. */
static VkResult block_fill(VulkanDevice *dev, VulkanBlock *block, bool map, const char **call)
{
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = block->size,
        .memoryTypeIndex = block->type,
    };
    *call = "vkAllocateMemory";
    VkResult result = dev->vkd.AllocateMemory(dev->handle, &info, NULL, &block->memory);
    if (result >= 0 && map) {
        *call = "vkMapMemory";
        result = dev->vkd.MapMemory(dev->handle, block->memory, 0, VK_WHOLE_SIZE, 0, &block->host);
        if (result < 0)
            dev->vkd.FreeMemory(dev->handle, block->memory, NULL);
    }
    if (result < 0)
        block->memory = VK_NULL_HANDLE;
    return result;
}

static bool is_short(VkResult result)
{
    return result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY ||
           result == VK_ERROR_MEMORY_MAP_FAILED;
}

/* Creates a block of `size` bytes, or of `least` if the driver has less memory. */
static int block_create(VulkanMemory *memory, Heap *heap, uint32_t type, VkDeviceSize size,
                        VkDeviceSize least, VulkanBlock **out)
{
    VulkanDevice *dev = memory->dev;
    const bool map = heap == &memory->mapped;
    const char *call;
    int err = -ENOMEM;
    VulkanBlock *block = mem_zalloc(sizeof(*block));
    if (!block)
        return -ENOMEM;
    block->heap = heap;
    block->type = type;
    block->size = size;
    block->spans = mem_zalloc(sizeof(*block->spans));
    if (!block->spans)
        goto error;
    VkResult result = block_fill(dev, block, map, &call);
    if (is_short(result) && least < size) {
        block->size = least;
        result = block_fill(dev, block, map, &call);
    }
    if (result < 0) {
        err = vulkan_error(dev, call, result);
        goto error;
    }
    block->spans->size = block->size;
    block->next = heap->blocks;
    heap->blocks = block;
    *out = block;
    return 0;
error:
    block_destroy(dev, block);
    return err;
}

/* Splits a free span and marks the part of `size` bytes at `offset` as used. */
static int span_carve(Span *span, VkDeviceSize offset, VkDeviceSize size)
{
    Span *head = NULL, *tail = NULL;
    const VkDeviceSize before = offset - span->offset, after = span->size - before - size;
    if (before && !(head = mem_zalloc(sizeof(*head))))
        return -ENOMEM;
    if (after && !(tail = mem_zalloc(sizeof(*tail)))) {
        mem_free(head);
        return -ENOMEM;
    }
    if (tail) {
        *tail = (Span){ span->next, offset + size, after, false };
        span->next = tail;
    }
    if (head) {
        /* `span` stays as the free part before the used one. */
        *head = (Span){ span->next, offset, size, true };
        span->size = before;
        span->next = head;
    } else {
        span->size = size;
        span->used = true;
    }
    return 0;
}

static int block_take(VulkanBlock *block, VkDeviceSize size, VkDeviceSize alignment,
                      VulkanAllocation *out)
{
    for (Span *span = block->spans; span; span = span->next) {
        const VkDeviceSize offset = (span->offset + alignment - 1) / alignment * alignment;
        if (span->used || offset + size > span->offset + span->size)
            continue;
        const int err = span_carve(span, offset, size);
        if (err)
            return err;
        *out = (VulkanAllocation){
            .block = block,
            .memory = block->memory,
            .offset = offset,
            .size = size,
            .host = block->host ? (char *)block->host + offset : NULL,
        };
        return 0;
    }
    return -ENOSPC;
}

static void block_forget(VulkanMemory *memory, VulkanBlock *block)
{
    VulkanBlock **link = &block->heap->blocks;
    while (*link != block)
        link = &(*link)->next;
    *link = block->next;
    block_destroy(memory->dev, block);
}

/* Size of a new block. Since allocating mapped memory is slow, those blocks start small and double
 * the total. */
static VkDeviceSize block_size(const VulkanMemory *memory, const Heap *heap, uint32_t type)
{
    const bool map = heap == &memory->mapped;
    const VkPhysicalDeviceMemoryProperties *types = &memory->dev->memory_types;
    const VkDeviceSize share = types->memoryHeaps[types->memoryTypes[type].heapIndex].size / 16;
    VkDeviceSize size = map ? 0 : BLOCK_SIZE;
    for (const VulkanBlock *block = heap->blocks; map && block; block = block->next)
        size += block->type == type ? block->size : 0;
    size = size < FIRST_MAPPED ? FIRST_MAPPED : size > BLOCK_SIZE ? BLOCK_SIZE : size;
    return size < share ? size : share;
}

static int alloc_locked(VulkanMemory *memory, Heap *heap, const VkMemoryRequirements *needs,
                        enum GpuMemory kind, VulkanAllocation *out)
{
    VulkanDevice *dev = memory->dev;
    uint32_t type;
    int err = choose_type(dev, needs->memoryTypeBits, kind, &type);
    if (err) {
        log_error("vulkan: %s has no memory type for %s buffers", dev->gpu.name,
                  kind == GPU_DEVICE ? "device" : "mapped");
        return err;
    }
    for (VulkanBlock *block = heap->blocks; block; block = block->next) {
        if (block->type != type)
            continue;
        err = block_take(block, needs->size, needs->alignment, out);
        if (err != -ENOSPC)
            return err;
    }
    VkDeviceSize size = block_size(memory, heap, type);
    if (needs->size > size / 2)
        size = needs->size;
    VulkanBlock *block = NULL;
    err = block_create(memory, heap, type, size, needs->size, &block);
    if (err)
        return err;
    err = block_take(block, needs->size, needs->alignment, out);
    if (err)
        block_forget(memory, block);
    return err;
}

int vulkan_memory_alloc(VulkanMemory *memory, const VkMemoryRequirements *needs,
                        enum GpuMemory kind, VulkanAllocation *out)
{
    Heap *const heap = kind == GPU_DEVICE ? &memory->device : &memory->mapped;
    pthread_mutex_lock(&heap->lock);
    const int err = alloc_locked(memory, heap, needs, kind, out);
    pthread_mutex_unlock(&heap->lock);
    return err;
}

static void span_merge(Span *span)
{
    while (span->next && !span->used && !span->next->used) {
        Span *gone = span->next;
        span->size += gone->size;
        span->next = gone->next;
        mem_free(gone);
    }
}

static void free_locked(VulkanMemory *memory, VulkanBlock *block, VkDeviceSize offset)
{
    Span *before = NULL;
    for (Span *span = block->spans; span; before = span, span = span->next) {
        if (!span->used || span->offset != offset)
            continue;
        span->used = false;
        span_merge(span);
        if (before)
            span_merge(before);
        break;
    }
    if (!block->spans->used && !block->spans->next)
        block_forget(memory, block);
}

void vulkan_memory_free(VulkanMemory *memory, VulkanAllocation *allocation)
{
    if (!allocation->block)
        return;
    Heap *const heap = allocation->block->heap;
    pthread_mutex_lock(&heap->lock);
    free_locked(memory, allocation->block, allocation->offset);
    pthread_mutex_unlock(&heap->lock);
    *allocation = (VulkanAllocation){ 0 };
}
