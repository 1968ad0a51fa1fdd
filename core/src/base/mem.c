/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/mem.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <malloc.h>
#endif

static atomic_ulong allocations; /* since the last mem_fail_after */
static atomic_ulong fail_at;     /* which of them fails; 0: none */
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

void *mem_aligned_alloc(size_t size)
{
    if (size == 0 || size > SIZE_MAX - MEM_ALIGN || must_fail())
        return NULL;
    size = (size + MEM_ALIGN - 1) / MEM_ALIGN * MEM_ALIGN;
#ifdef _WIN32
    return counted(_aligned_malloc(size, MEM_ALIGN));
#else
    void *block = NULL;
    return posix_memalign(&block, MEM_ALIGN, size) ? NULL : counted(block);
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
