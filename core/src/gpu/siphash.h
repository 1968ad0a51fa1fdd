/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* SipHash-2-4 with 128 bits (Aumasson and Bernstein, 2012): who does not know the key can neither make
 * nor foresee a value. */
#ifndef GPU_SIPHASH_H
#define GPU_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#define SIPHASH_SIZE 16 /* of keys and of values */

void siphash(const uint8_t key[SIPHASH_SIZE], const void *data, size_t size,
             uint8_t value[SIPHASH_SIZE]);

#endif
