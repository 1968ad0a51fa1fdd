/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The folders whose files clients may read. allow_open checks a path and opens the file in one
 * step, and callers only use the open descriptor: nobody can replace the file between the check and
 * the reading. After set-up, any thread may call these functions. */
#ifndef MCP_ALLOW_H
#define MCP_ALLOW_H

#include <stddef.h>
#include <stdint.h>

typedef struct Allow Allow;

Allow *allow_create(void); /* NULL: no memory */
void allow_destroy(Allow *allow);

/* Allow a folder. Returns 0 or a negative errno: it does not exist or cannot be read. */
int allow_add(Allow *allow, const char *folder);

/* The resolved path of a folder, by index. NULL: index too large. */
const char *allow_folder(const Allow *allow, size_t index);

/* Open a regular file inside one of the folders, following links and dots in `path` first. A
 * relative path is looked up in each folder in turn. Returns a close-on-exec descriptor, or a
 * negative errno with a message in `why`. The message is the same for files outside the folders and
 * for files that do not exist. */
int allow_open(const Allow *allow, const char *path, uint64_t max_bytes, char *why, size_t size);

/* Some features have options that make them write files. Clients may not set them, neither directly
 * nor through a model. */

/* Check text for --feature. Returns 0, or -EINVAL or -ENOMEM with a message in `why`. */
int harmless_feature(const char *spec, char *why, size_t size);

/* Read a model from an open file and check it, likewise; also -EFBIG. The worker must get the bytes
 * in *text, `*length` of them, which the caller frees, and not the file: its owner could change it
 * after the check. An object that is no model passes here: the worker will refuse it. */
int harmless_model(int fd, const char *path, char **text, size_t *length, char *why, size_t size);

#endif
