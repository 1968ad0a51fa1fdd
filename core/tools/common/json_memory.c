/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "common/json_memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/args.h"
#include "common/message.h"

static atomic_bool failed;

/* jansson's parser (2.14) leaves out characters when there is no memory for them, and then reads
 * and writes behind the end of its text. So no block that it asks for is refused: once memory has
 * run out, small ones come from here, and without this room the program ends. */
static _Alignas(max_align_t) unsigned char reserve[64 << 10];
static size_t reserved; /* bytes of the reserve in use; with the lock */
static pthread_mutex_t reserve_lock = PTHREAD_MUTEX_INITIALIZER;

static void *allocate_reserved(size_t size)
{
    const size_t step = _Alignof(max_align_t);
    void *block = NULL;
    pthread_mutex_lock(&reserve_lock);
    if (size <= sizeof(reserve) - reserved) {
        block = reserve + reserved;
        reserved += (size + step - 1) / step * step;
    }
    pthread_mutex_unlock(&reserve_lock);
    return block;
}

static void *allocate(size_t size)
{
    void *block = malloc(size);
    if (block)
        return block;
    atomic_store(&failed, true);
    block = allocate_reserved(size);
    if (block)
        return block;
    say("out of memory for JSON");
    _exit(EXIT_FAILED);
}

/* Blocks of the reserve are not used again: what memory lacked for is given up soon. */
static void release(void *block)
{
    const unsigned char *const byte = block;
    if (byte < reserve || byte >= reserve + sizeof(reserve))
        free(block);
}

void json_memory_watch(void)
{
    json_set_alloc_funcs(allocate, release);
}

bool json_memory_failed(void)
{
    return atomic_load(&failed);
}

void json_memory_note(void)
{
    atomic_store(&failed, true);
}

void *watched_room(size_t count, size_t size)
{
    void *const room = calloc(count ? count : 1, size);
    if (!room)
        json_memory_note();
    return room;
}

char *json_whole_text(const json_t *value, size_t flags)
{
    char *const text = value ? json_dumps(value, flags) : NULL;
    if (!json_memory_failed())
        return text;
    release(text);
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
