/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Four independent lanes of multiplications and rotations, which compilers and processors can
 * overlap. digest_end mixes them until each bit depends on all. The factors are odd primes. */
#include "part.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FACTOR_A UINT64_C(0x9e3779b185ebca87)
#define FACTOR_B UINT64_C(0xc2b2ae3d27d4eb4f)
#define FACTOR_C UINT64_C(0x165667b19e3779f9)

static uint64_t rotate(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

static uint64_t load(const uint8_t *at)
{
    uint64_t x = 0;
    for (unsigned i = 0; i < 8; i++)
        x |= (uint64_t)at[i] << 8 * i;
    return x;
}

static void add_blocks(uint64_t lanes[4], const uint8_t *data, size_t blocks)
{
    uint64_t a = lanes[0], b = lanes[1], c = lanes[2], d = lanes[3];
    for (; blocks; blocks--, data += DIGEST_BLOCK) {
        a = rotate(a + load(data) * FACTOR_B, 31) * FACTOR_A;
        b = rotate(b + load(data + 8) * FACTOR_B, 31) * FACTOR_A;
        c = rotate(c + load(data + 16) * FACTOR_B, 31) * FACTOR_A;
        d = rotate(d + load(data + 24) * FACTOR_B, 31) * FACTOR_A;
    }
    lanes[0] = a;
    lanes[1] = b;
    lanes[2] = c;
    lanes[3] = d;
}

void digest_start(Digest *digest)
{
    *digest = (Digest){ .lanes = { FACTOR_A, FACTOR_B, FACTOR_C, 1 } };
}

void digest_add(Digest *digest, const void *data, size_t size)
{
    const uint8_t *at = data;
    const size_t held = digest->total % DIGEST_BLOCK;
    digest->total += size;
    if (held) {
        const size_t room = DIGEST_BLOCK - held, part = size < room ? size : room;
        memcpy(digest->rest + held, at, part);
        at += part;
        size -= part;
        if (held + part < DIGEST_BLOCK)
            return;
        add_blocks(digest->lanes, digest->rest, 1);
    }
    add_blocks(digest->lanes, at, size / DIGEST_BLOCK);
    if (size % DIGEST_BLOCK)
        memcpy(digest->rest, at + size / DIGEST_BLOCK * DIGEST_BLOCK, size % DIGEST_BLOCK);
}

static uint64_t stir(uint64_t x)
{
    x = (x ^ x >> 33) * FACTOR_B;
    x = (x ^ x >> 29) * FACTOR_C;
    return x ^ x >> 32;
}

void digest_end(const Digest *digest, char text[DIGEST_TEXT])
{
    uint64_t lanes[4];
    uint8_t last[DIGEST_BLOCK] = { 0 };
    memcpy(lanes, digest->lanes, sizeof(lanes));
    memcpy(last, digest->rest, digest->total % DIGEST_BLOCK);
    add_blocks(lanes, last, 1);
    uint64_t low = digest->total, high = ~digest->total;
    for (unsigned i = 0; i < 4; i++) {
        low = stir(low ^ lanes[i]) * FACTOR_A + high;
        high = stir(high + rotate(lanes[i], 17)) ^ low;
    }
    snprintf(text, DIGEST_TEXT, "%016" PRIx64 "%016" PRIx64, stir(high), stir(low));
}
