/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/pages.h"

#include "base/mem.h"

#ifdef _WIN32

void *pages_alloc(size_t size)
{
    (void)size;
    return NULL;
}

void pages_free(void *pages, size_t size)
{
    (void)pages;
    (void)size;
}

size_t pages_most(void)
{
    return 0;
}

#else

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

void *pages_alloc(size_t size)
{
    char *const at =
        mmap(NULL, size + PAGES_ALIGN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    const size_t before = (PAGES_ALIGN - (uintptr_t)at % PAGES_ALIGN) % PAGES_ALIGN;
    if (before)
        munmap(at, before);
    if (before < PAGES_ALIGN)
        munmap(at + before + size, PAGES_ALIGN - before);
#ifdef MADV_HUGEPAGE
    madvise(at + before, size, MADV_HUGEPAGE);
#endif
    /* After a fork, our first write to a page goes to a copy, and a device that has the page keeps
     * reading the old one. This does not happen if the child does not inherit the page. */
#ifdef MADV_DONTFORK
    madvise(at + before, size, MADV_DONTFORK);
#endif
    return at + before;
}

void pages_free(void *pages, size_t size)
{
    if (pages)
        munmap(pages, size);
}

size_t pages_most(void)
{
    const long count = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return count > 0 && size > 0 ? (size_t)count / 4 * (size_t)size : 0;
}

#endif

enum { SMALL_PAGE = 4096 };

static void *touch(void *arg)
{
    GpuReserve *const reserve = arg;
    for (size_t at = 0; at < reserve->size && !atomic_load(&reserve->stop); at += SMALL_PAGE)
        *(volatile char *)(reserve->pages + at) = 0;
    return NULL;
}

GpuReserve *reserve_start(size_t size)
{
    GpuReserve *reserve = size <= pages_most() ? mem_zalloc(sizeof(*reserve)) : NULL;
    if (!reserve)
        return NULL;
    reserve->size = (size + PAGES_ALIGN - 1) / PAGES_ALIGN * PAGES_ALIGN;
    reserve->pages = pages_alloc(reserve->size);
    atomic_init(&reserve->stop, false);
    if (!reserve->pages || pthread_create(&reserve->thread, NULL, touch, reserve)) {
        reserve->waited = true;
        reserve_destroy(reserve, false);
        return NULL;
    }
    return reserve;
}

void reserve_wait(GpuReserve *reserve)
{
    if (!reserve->waited)
        pthread_join(reserve->thread, NULL);
    reserve->waited = true;
}

void reserve_destroy(GpuReserve *reserve, bool in_use)
{
    if (!reserve)
        return;
    atomic_store(&reserve->stop, true);
    reserve_wait(reserve);
    if (!in_use)
        pages_free(reserve->pages, reserve->size);
    mem_free(reserve);
}
