/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* All allocations of the library, so that tests can make each one fail in turn. Any thread. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* Wide enough for any vector load and for a cache line. */
#define MEM_ALIGN 64

void *mem_alloc(size_t size);               /* not zeroed; NULL on failure or size 0 */
void *mem_zalloc(size_t size);              /* zeroed */
void *mem_array(size_t count, size_t size); /* zeroed; NULL when count * size overflows */
void *mem_realloc(void *block, size_t size);
char *mem_strdup(const char *text);
void mem_free(void *block); /* for all of the above; NULL is fine */

/* Growing arrays. `array` is the address of the pointer to the first element (NULL at first),
 * *capacity is the number of elements that fit, `size` is the size of one. Growing at least doubles
 * the capacity, so appending stays cheap. 0, or -ENOMEM with nothing changed. */

/* Makes room for one more element than `count`. New elements are undefined. */
int mem_grow(void *array, size_t count, size_t *capacity, size_t size);

/* Makes room for an element at `index`, which may lie far beyond the last one. New elements are
 * zero, and take no memory until they are touched. */
int mem_grow_to(void *array, size_t index, size_t *capacity, size_t size);

/* MEM_ALIGN-aligned, not zeroed; size is rounded up. Several megabytes lie on large pages, see
 * below. */
void *mem_aligned_alloc(size_t size);
void mem_aligned_free(void *block); /* NULL is fine */

/* Asks the system for large pages where the block covers whole ones: they are faster to allocate,
 * use and free. Touching a byte takes the memory of a whole page, so the block should be one that
 * is used. */
void mem_advise_large(void *block, size_t size);

/* Test hook: the n-th allocation from now on (1 = the next) fails once; 0 switches it off.
 * Returns how many allocations were made since the last call. */
unsigned long mem_fail_after(unsigned long n);

/* Test hook: blocks that are allocated and not yet freed, in the whole process. */
long mem_live(void);

#endif
