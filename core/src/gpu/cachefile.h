/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Small files in the user's cache folder (XDG_CACHE_HOME, else ~/.cache; LOCALAPPDATA on Windows),
 * under vmaf/. Each carries a magic and a checksum; a file that fails them does not exist.
 * VMAF_CACHE_DIR names another folder; set and empty it switches the cache off. */
#ifndef GPU_CACHEFILE_H
#define GPU_CACHEFILE_H

#include <stddef.h>

/* *data is for mem_free. -ENOENT when there is no sound file of that name. */
int cachefile_read(const char *name, void **data, size_t *size);

/* Replaces the file as one step: readers see the old one or the new one. */
int cachefile_write(const char *name, const void *data, size_t size);

#endif
