/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <malloc.h>
#else
#include <sys/mman.h>
#endif

#define LARGE_PAGE ((size_t)2 << 20)

static atomic_ulong allocations; /* since the last mem_fail_after */
static atomic_ulong fail_at;     /* the allocation that fails; 0: none */
static atomic_long live;

static int must_fail(void)
{
    const unsigned long n = atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed) + 1;
    return n == atomic_load_explicit(&fail_at, memory_order_relaxed);
}

static void *counted(void *block)
{
    if (block)
        atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
    return block;
}

unsigned long mem_fail_after(unsigned long n)
{
    atomic_store(&fail_at, n);
    return atomic_exchange(&allocations, 0);
}

long mem_live(void)
{
    return atomic_load(&live);
}

void *mem_alloc(size_t size)
{
    return size == 0 || must_fail() ? NULL : counted(malloc(size));
}

void *mem_zalloc(size_t size)
{
    return size == 0 || must_fail() ? NULL : counted(calloc(1, size));
}

void *mem_array(size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    return mem_zalloc(count * size);
}

void *mem_realloc(void *block, size_t size)
{
    if (!block)
        return mem_alloc(size);
    return size == 0 || must_fail() ? NULL : realloc(block, size);
}

char *mem_strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = mem_alloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

void mem_free(void *block)
{
    if (!block)
        return;
    atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
    free(block);
}

/* `array` points to a pointer of some type, which only memcpy may read as a void pointer. */
static void *block_of(const void *array)
{
    void *block;
    memcpy(&block, array, sizeof(block));
    return block;
}

int mem_grow(void *array, size_t count, size_t *capacity, size_t size)
{
    assert(size > 0 && count <= *capacity);
    if (count < *capacity)
        return 0;
    const size_t wanted = *capacity ? 2 * *capacity : 8;
    if (wanted < *capacity || wanted > SIZE_MAX / size)
        return -ENOMEM;
    void *const larger = mem_realloc(block_of(array), wanted * size);
    if (!larger)
        return -ENOMEM;
    memcpy(array, &larger, sizeof(larger));
    *capacity = wanted;
    return 0;
}

/* Fresh memory instead of realloc: the system hands out zeroed pages as they are first touched. */
int mem_grow_to(void *array, size_t index, size_t *capacity, size_t size)
{
    assert(size > 0);
    if (index < *capacity)
        return 0;
    size_t wanted = *capacity ? *capacity : 64;
    while (wanted <= index) {
        if (wanted > SIZE_MAX / 2)
            return -ENOMEM;
        wanted *= 2;
    }
    void *const larger = mem_array(wanted, size), *const old = block_of(array);
    if (!larger)
        return -ENOMEM;
    if (*capacity)
        memcpy(larger, old, *capacity * size);
    mem_free(old);
    memcpy(array, &larger, sizeof(larger));
    *capacity = wanted;
    return 0;
}

void *mem_aligned_alloc(size_t size)
{
    if (size == 0 || size > SIZE_MAX - MEM_ALIGN || must_fail())
        return NULL;
    size = (size + MEM_ALIGN - 1) / MEM_ALIGN * MEM_ALIGN;
#ifdef _WIN32
    return counted(_aligned_malloc(size, MEM_ALIGN));
#else
    const bool large = size >= 2 * LARGE_PAGE;
    void *block = NULL;
    if (posix_memalign(&block, large ? LARGE_PAGE : MEM_ALIGN, size))
        return NULL;
    if (large)
        mem_advise_large(block, size);
    return counted(block);
#endif
}

void mem_aligned_free(void *block)
{
    if (!block)
        return;
    atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
#ifdef _WIN32
    _aligned_free(block);
#else
    free(block);
#endif
}

void mem_advise_large(void *block, size_t size)
{
#ifdef MADV_HUGEPAGE
    const size_t before = (LARGE_PAGE - (uintptr_t)block % LARGE_PAGE) % LARGE_PAGE;
    if (size >= before + LARGE_PAGE)
        madvise((char *)block + before, (size - before) / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
#else
    (void)block;
    (void)size;
#endif
}
