/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* One of the client's pipes, whose reads and writes another thread can end. */
#ifndef MCP_WIRE_H
#define MCP_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct Wire Wire;

/* Takes over the descriptor if it succeeds. NULL: no memory. */
Wire *wire_create(int fd);
void wire_destroy(Wire *wire); /* NULL is fine */

/* From now on, reads end, and writes do not wait. Any thread may call it. */
void wire_stop(Wire *wire);

/* One thread at a time. Returns how many bytes came, 0 at the end of the pipe or after wire_stop,
 * or a negative errno. */
ssize_t wire_read(Wire *wire, char *bytes, size_t size);

/* One thread at a time. False: not all could be written. */
bool wire_write(Wire *wire, const char *text, size_t size);

#endif
