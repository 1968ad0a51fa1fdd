/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "common/json_memory.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_bool failed;

static void *allocate(size_t size)
{
    void *const block = malloc(size);
    if (!block)
        atomic_store(&failed, true);
    return block;
}

void json_memory_watch(void)
{
    json_set_alloc_funcs(allocate, free);
}

bool json_memory_failed(void)
{
    return atomic_load(&failed);
}

char *json_whole_text(const json_t *value, size_t flags)
{
    char *const text = value ? json_dumps(value, flags) : NULL;
    if (!json_memory_failed())
        return text;
    free(text);
    return NULL;
}
