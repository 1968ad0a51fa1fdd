/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/index_set.h"

#include <errno.h>

#include "base/mem.h"

bool index_set_has(const IndexSet *set, unsigned index)
{
    return index / 64 < set->count && set->words[index / 64] >> (index % 64) & 1;
}

int index_set_add(IndexSet *set, unsigned index)
{
    if (mem_grow_to(&set->words, index / 64, &set->count, sizeof(*set->words)))
        return -ENOMEM;
    set->words[index / 64] |= (uint64_t)1 << (index % 64);
    return 0;
}

void index_set_clear(IndexSet *set)
{
    mem_free(set->words);
    *set = (IndexSet){ 0 };
}
