/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Where cache files lie, and whether they may be looked at: what differs between systems. */
#ifndef GPU_CACHEFOLDER_H
#define GPU_CACHEFOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_FOLDER 1024
#define CACHE_PATH (CACHE_FOLDER + 128)

/* All return 0 or a negative errno. */

/* The folder, made if it is not there and `make` is set. -ENOENT when there is none, -EPERM when
 * it is somebody else's or others may write there. */
int cachefolder_find(char folder[CACHE_FOLDER], bool make);

/* A whole file of at most max_size bytes; *data is for mem_free. -ENOENT for all that is no plain
 * file of this user, or that others may write. Never waits for a pipe. */
int cachefolder_load(const char *path, size_t max_size, void **data, size_t *size);

/* Bytes that nobody can guess. */
int cachefolder_random(uint8_t *bytes, size_t size);

#endif
