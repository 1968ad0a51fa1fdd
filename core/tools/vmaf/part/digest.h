/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A fast 128-bit digest of bytes: tells whether two machines saw the same. It guards against accidents, not
 * against people. The same on all machines. */
#ifndef TOOLS_SHARD_DIGEST_H
#define TOOLS_SHARD_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { DIGEST_BLOCK = 32, DIGEST_TEXT = 33 };

typedef struct Digest {
    uint64_t lanes[4];
    uint64_t total; /* bytes */
    uint8_t rest[DIGEST_BLOCK];
} Digest;

void digest_start(Digest *digest);
void digest_add(Digest *digest, const void *data, size_t size);
/* In hexadecimal digits. */
void digest_end(const Digest *digest, char text[DIGEST_TEXT]);

#endif
