/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/index_set.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"

bool index_set_has(const IndexSet *set, unsigned index)
{
    return index / 64 < set->count && set->words[index / 64] >> (index % 64) & 1;
}

int index_set_add(IndexSet *set, unsigned index)
{
    if (index / 64 >= set->count) {
        size_t count = set->count ? set->count : 16;
        while (count <= index / 64)
            count *= 2;
        /* Zeroed memory that nobody touches costs nothing, even before a large index. */
        uint64_t *words = mem_array(count, sizeof(*words));
        if (!words)
            return -ENOMEM;
        if (set->count)
            memcpy(words, set->words, set->count * sizeof(*words));
        mem_free(set->words);
        set->words = words;
        set->count = count;
    }
    set->words[index / 64] |= (uint64_t)1 << (index % 64);
    return 0;
}

void index_set_clear(IndexSet *set)
{
    mem_free(set->words);
    *set = (IndexSet){ 0 };
}
