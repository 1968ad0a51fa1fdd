/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "common/json_memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

json_t *json_read_file(const char *path, size_t flags, json_error_t *error)
{
    FILE *const file = fopen(path, "rb");
    if (!file) {
        if (error)
            snprintf(error->text, sizeof(error->text), "unable to open %s: %s", path,
                     strerror(errno));
        return NULL;
    }
    json_t *const found = json_loadf(file, flags, error);
    fclose(file);
    return found;
}
