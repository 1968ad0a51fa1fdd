/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/reserve.h"

#include "base/mem.h"
#include "gpu/pages.h"

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
