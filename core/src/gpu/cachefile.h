/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Small files in the user's cache folder: vmaf/ in XDG_CACHE_HOME, else in ~/.cache (in
 * LOCALAPPDATA on Windows). VMAF_CACHE_DIR names another folder, and an empty value switches the
 * cache off. Any thread may call these functions.
 *
 * Only files that this user wrote through this header are read back. Folder and files must belong
 * to the user, must not be writable by anybody else, and must not be links. Each file carries a tag
 * made with a secret key, which lies in the folder and which only its owner can read. Any other
 * file is treated as missing. SECURITY.md says how much protection that is. */
#ifndef GPU_CACHEFILE_H
#define GPU_CACHEFILE_H

#include <stddef.h>
#include <stdint.h>

/* The caller frees *data with mem_free. -ENOENT: no valid file of that name. */
int cachefile_read(const char *name, void **data, size_t *size);

/* Replaces the file in one step: readers see the old one or the new one. */
int cachefile_write(const char *name, const void *data, size_t size);

/* SipHash-2-4 with 128 bits (Aumasson and Bernstein, 2012). Without the key nobody can compute or
 * predict a value. */

#define SIPHASH_SIZE 16 /* bytes of a key and of a value */

void siphash(const uint8_t key[SIPHASH_SIZE], const void *data, size_t size,
             uint8_t value[SIPHASH_SIZE]);

#endif
