/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/pages.h"

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
    /* After a fork our first write to a page goes to a copy, and a device that has the page goes on reading the old
     * one. Unless the child has none of it. */
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
