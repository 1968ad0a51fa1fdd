/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Plain memory for pictures that devices copy from: whole pages, large ones where the system has them, since a
 * copy into small ones spends half its time finding them. */
#ifndef GPU_PAGES_H
#define GPU_PAGES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define PAGES_ALIGN ((size_t)2 << 20)

/* `size` is a multiple of PAGES_ALIGN, and so is the address. Children of a fork do not have it. NULL: there is none
 * to be had, or not here. */
void *pages_alloc(size_t size);
void pages_free(void *pages, size_t size); /* NULL is fine */
/* More had better not be taken on a guess: a quarter of the machine's memory. */
size_t pages_most(void);

/* Memory for pictures that a device will copy from, taken from the system while its driver starts: pages that are
 * there already are pinned in a moment, and a driver's own come at a few gigabytes a second. */


typedef struct GpuReserve {
    pthread_t thread; /* touches the pages */
    atomic_bool stop; /* before it is through */
    bool waited;      /* it has ended */
    char *pages;
    size_t size;

    /* For upload.c, under the lock of the device's uploads. */
    struct GpuUpload *upload; /* that it is part of; NULL: not yet */
    size_t used;
    unsigned blocks;
} GpuReserve;

/* NULL: there is none, or the size is beyond all measure. */
GpuReserve *reserve_start(size_t size);
/* Until all pages are there. */
void reserve_wait(GpuReserve *reserve);
/* With its pages unless these are still in use. NULL is fine. */
void reserve_destroy(GpuReserve *reserve, bool in_use);

#endif
