/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Plain memory for pictures that devices copy from. It consists of whole pages, and of large pages
 * where the system has them: with small pages a copy spends half its time on address translation.
 * Any thread may call these functions. */
#ifndef GPU_PAGES_H
#define GPU_PAGES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define PAGES_ALIGN ((size_t)2 << 20)

/* `size` must be a multiple of PAGES_ALIGN, and so is the address returned. A child process made by
 * fork does not inherit the pages. NULL: no memory, or this system has no such pages. */
void *pages_alloc(size_t size);
void pages_free(void *pages, size_t size); /* NULL is fine */
/* A quarter of the machine's memory: do not reserve more than that on a guess. 0: unknown. */
size_t pages_most(void);

/* Memory that a thread takes from the system while the device's driver starts. Pages that exist
 * already are pinned at once, while a driver allocates its own at a few gigabytes a second only. */

typedef struct GpuReserve {
    pthread_t thread; /* writes to each page once */
    atomic_bool stop; /* asks the thread to end early */
    bool waited;      /* the thread was joined */
    char *pages;
    size_t size;

    /* For upload.c. Guarded by the device's uploads_lock. */
    struct GpuUpload *upload; /* the upload that covers the pages; NULL: none yet */
    size_t used;
    unsigned blocks;
} GpuReserve;

/* NULL: no memory, or the size exceeds pages_most(). */
GpuReserve *reserve_start(size_t size);
/* Waits until all pages exist. */
void reserve_wait(GpuReserve *reserve);
/* Frees the reserve, and its pages unless they are still in use. NULL is fine. */
void reserve_destroy(GpuReserve *reserve, bool in_use);

#endif
