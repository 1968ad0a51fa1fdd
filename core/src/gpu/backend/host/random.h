/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A repeatable random number generator: xorshift64*. Not thread-safe. */
#ifndef HOST_RANDOM_H
#define HOST_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct HostRandom {
    uint64_t state; /* never 0 */
} HostRandom;

static inline HostRandom random_of(uint64_t seed)
{
    return (HostRandom){ (seed + 1) * 0x9e3779b97f4a7c15u | 1 };
}

static inline uint64_t random_next(HostRandom *random)
{
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return random->state * 0x2545f4914f6cdd1du;
}

static inline uint32_t random_below(HostRandom *random, uint32_t n)
{
    return (uint32_t)((random_next(random) >> 32) * n >> 32);
}

static inline bool random_coin(HostRandom *random)
{
    return random_next(random) >> 63;
}

static inline void random_shuffle(HostRandom *random, uint64_t *items, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const size_t j = random_below(random, (uint32_t)i);
        const uint64_t item = items[i - 1];
        items[i - 1] = items[j];
        items[j] = item;
    }
}

/* Fills memory with noise, as undefined memory may hold. */
static inline void random_fill(HostRandom *random, void *block, size_t size)
{
    char *at = block;
    for (; size >= 8; size -= 8, at += 8)
        memcpy(at, &(uint64_t){ random_next(random) }, 8);
    if (size)
        memcpy(at, &(uint64_t){ random_next(random) }, size);
}

#endif
