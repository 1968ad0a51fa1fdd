/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The frame indices seen so far. */
#ifndef ENGINE_INDEX_SET_H
#define ENGINE_INDEX_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct IndexSet {
    uint64_t *words;
    size_t count;
} IndexSet;

bool index_set_has(const IndexSet *set, unsigned index);
int index_set_add(IndexSet *set, unsigned index);
void index_set_clear(IndexSet *set);

#endif
