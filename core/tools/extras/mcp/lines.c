/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int keep(Lines *lines, const char *bytes, size_t count)
{
    if (lines->skipping)
        return 0;
    if (count > lines->limit - lines->size) {
        lines->skipping = true;
        lines->size = 0;
        return lines->handle(lines->arg, NULL, 0) ? 0 : -ECANCELED;
    }
    if (lines->size + count > lines->room) {
        const size_t room =
            lines->size + count < lines->limit / 2 ? 2 * (lines->size + count) : lines->limit;
        char *const data = realloc(lines->data, room);
        if (!data)
            return -ENOMEM;
        lines->data = data;
        lines->room = room;
    }
    if (count)
        memcpy(lines->data + lines->size, bytes, count);
    lines->size += count;
    return 0;
}

static int end_line(Lines *lines)
{
    const bool skipped = lines->skipping;
    size_t size = lines->size;
    lines->skipping = false;
    lines->size = 0;
    if (skipped)
        return 0;
    if (size && lines->data[size - 1] == '\r')
        size--;
    return lines->handle(lines->arg, lines->data ? lines->data : "", size) ? 0 : -ECANCELED;
}

int lines_feed(Lines *lines, const char *bytes, size_t count)
{
    int err = 0;
    while (!err && count) {
        const char *const end = memchr(bytes, '\n', count);
        const size_t piece = end ? (size_t)(end - bytes) : count;
        err = keep(lines, bytes, piece);
        if (!err && end)
            err = end_line(lines);
        bytes += piece + (end ? 1 : 0);
        count -= piece + (end ? 1 : 0);
    }
    return err;
}

int lines_end(Lines *lines)
{
    return lines->size || lines->skipping ? end_line(lines) : 0;
}

void lines_free(Lines *lines)
{
    free(lines->data);
    lines->data = NULL;
    lines->size = lines->room = 0;
}
