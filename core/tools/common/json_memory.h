/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Notices when memory for JSON runs out. A function of jansson that finds no memory returns an
 * error, but a value that is missing in a list of hundreds looks like any other list. So writers of
 * JSON ask here, once, before they hand out what they made. Any thread may call these functions. */
#ifndef TOOLS_JSON_MEMORY_H
#define TOOLS_JSON_MEMORY_H

#include <jansson.h>
#include <stdbool.h>

/* Starts to watch. Each program calls it before it makes its first value. */
void json_memory_watch(void);

/* True if jansson ran out of memory since json_memory_watch, or one of the two below noted it:
 * values may be incomplete. */
bool json_memory_failed(void);

/* For other things that are missing without a trace in what is written if memory runs out. */
void json_memory_note(void);
/* Zeroed memory for such a thing: free() it. NULL, after noting it, if there is none. */
void *watched_room(size_t count, size_t size);

/* The value as text, or NULL if it is NULL or memory ran out while it was made. free() the text. */
char *json_whole_text(const json_t *value, size_t flags);

/* json_load_file for any path that the program takes: on Windows, jansson's own reads no UTF-8 in
 * it. */
json_t *json_read_file(const char *path, size_t flags, json_error_t *error);

#endif
