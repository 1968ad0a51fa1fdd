/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/siphash.h"

static uint64_t rotate(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

/* Little-endian, at most 8 bytes. */
static uint64_t load(const uint8_t *bytes, size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

static void store(uint8_t *bytes, uint64_t word)
{
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(word >> (8 * i));
}

static void mix(uint64_t v[4], unsigned rounds)
{
    for (; rounds; rounds--) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] = rotate(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[2] = rotate(v[2], 32);
    }
}

static void absorb(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v, 2);
    v[0] ^= word;
}

void siphash(const uint8_t key[SIPHASH_SIZE], const void *data, size_t size,
             uint8_t value[SIPHASH_SIZE])
{
    const uint8_t *bytes = data;
    const uint64_t k0 = load(key, 8), k1 = load(key + 8, 8);
    uint64_t v[4] = { 0x736f6d6570736575 ^ k0, 0x646f72616e646f6d ^ k1 ^ 0xee,
                      0x6c7967656e657261 ^ k0, 0x7465646279746573 ^ k1 };
    size_t left = size;
    for (; left >= 8; left -= 8, bytes += 8)
        absorb(v, load(bytes, 8));
    absorb(v, load(bytes, left) | (uint64_t)size << 56);
    v[2] ^= 0xee;
    mix(v, 4);
    store(value, v[0] ^ v[1] ^ v[2] ^ v[3]);
    v[1] ^= 0xdd;
    mix(v, 4);
    store(value + 8, v[0] ^ v[1] ^ v[2] ^ v[3]);
}
