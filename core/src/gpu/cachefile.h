/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Small files in the user's cache folder (XDG_CACHE_HOME, else ~/.cache; LOCALAPPDATA on Windows),
 * under vmaf/. VMAF_CACHE_DIR names another folder; set and empty it switches the cache off.
 *
 * Only what this user wrote through here comes back. Folder and files must be the user's own and
 * nobody else's to write, plain files and no links; and each file carries a tag that takes a key to
 * make, which lies in the folder, for its owner only. Anything else does not exist. SECURITY.md says
 * what that is worth. */
#ifndef GPU_CACHEFILE_H
#define GPU_CACHEFILE_H

#include <stddef.h>
#include <stdint.h>

/* *data is for mem_free. -ENOENT when there is no sound file of that name. */
int cachefile_read(const char *name, void **data, size_t *size);

/* Replaces the file as one step: readers see the old one or the new one. */
int cachefile_write(const char *name, const void *data, size_t size);

/* SipHash-2-4 with 128 bits (Aumasson and Bernstein, 2012): who does not know the key can neither make
 * nor foresee a value. */


#define SIPHASH_SIZE 16 /* of keys and of values */

void siphash(const uint8_t key[SIPHASH_SIZE], const void *data, size_t size,
             uint8_t value[SIPHASH_SIZE]);

#endif
