/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "common/memfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#if defined(__linux__) && !defined(__ANDROID__) /* Android has no fopencookie */
static bool grow(MemFile *mem, size_t more)
{
    if (more < mem->room - mem->size) /* with room for a terminator */
        return true;
    const size_t room = 2 * (mem->size + more) + 1;
    char *const text = room > more ? realloc(mem->text, room) : NULL;
    if (!text)
        return false;
    mem->text = text;
    mem->room = room;
    return true;
}

static ssize_t take(void *cookie, const char *data, size_t size)
{
    MemFile *const mem = cookie;
    if (mem->lost || !grow(mem, size)) {
        mem->lost = true;
        errno = ENOMEM;
        return 0;
    }
    memcpy(mem->text + mem->size, data, size);
    mem->size += size;
    mem->text[mem->size] = '\0';
    return (ssize_t)size;
}

int memfile_open(MemFile *mem)
{
    *mem = (MemFile){ 0 };
    mem->file = fopencookie(mem, "w", (cookie_io_functions_t){ .write = take });
    return mem->file ? 0 : -ENOMEM;
}
#else
int memfile_open(MemFile *mem)
{
    *mem = (MemFile){ 0 };
    mem->file = open_memstream(&mem->text, &mem->size);
    return mem->file ? 0 : -ENOMEM;
}
#endif

int memfile_end(MemFile *mem)
{
    bool lost = ferror(mem->file);
    lost = fclose(mem->file) || lost || mem->lost || !mem->text;
    mem->file = NULL;
    return lost ? -ENOMEM : 0;
}

void memfile_close(MemFile *mem)
{
    if (mem->file)
        fclose(mem->file);
    free(mem->text);
    *mem = (MemFile){ 0 };
}
