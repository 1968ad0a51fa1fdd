/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Bytes as they come, cut into lines. A line that is longer than the limit is told of and passed over, so
 * that memory stays bounded whatever is sent. */
#ifndef MCP_LINES_H
#define MCP_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* `text` is not terminated, and has no line end; NULL: the line was too long. False: enough, stop. */
typedef bool LineHandler(void *arg, const char *text, size_t length);

typedef struct Lines {
    LineHandler *handle;
    void *arg;
    size_t limit; /* bytes of a line */
    char *data;   /* what came of the line so far */
    size_t size, room;
    bool skipping; /* the rest of a line that was too long */
} Lines;

/* Calls the handler for each line that is whole now. 0; -ECANCELED: the handler wants no more; -ENOMEM. */
int lines_feed(Lines *lines, const char *bytes, size_t count);

/* What has come since the last line end is a line, too, when nothing follows. */
int lines_end(Lines *lines);

void lines_free(Lines *lines);

#endif
