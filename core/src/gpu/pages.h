/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Plain memory for pictures that devices copy from: whole pages, large ones where the system has them, since a
 * copy into small ones spends half its time finding them. */
#ifndef GPU_PAGES_H
#define GPU_PAGES_H

#include <stddef.h>

#define PAGES_ALIGN ((size_t)2 << 20)

/* `size` is a multiple of PAGES_ALIGN, and so is the address. Children of a fork do not have it. NULL: there is none
 * to be had, or not here. */
void *pages_alloc(size_t size);
void pages_free(void *pages, size_t size); /* NULL is fine */
/* More had better not be taken on a guess: a quarter of the machine's memory. */
size_t pages_most(void);

#endif
