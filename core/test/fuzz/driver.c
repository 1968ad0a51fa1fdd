/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Feeds a target with files, or with changed seeds: always the same ones, so that a failure comes
 * back.
 *
 * usage: TARGET [FILE]...     or: TARGET -n COUNT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

enum { SIZE_MAX_INPUT = 1 << 16, CHANGES_MAX = 6, DEFAULT_COUNT = 3000 };

static uint32_t random_state = 2463534242u;

static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return limit ? random_state % limit : 0;
}

/* Pieces that parsers tend to stumble over. */
static const char *const tokens[] = { "0",     "-1",  "65536", "4294967296", "99999999999999999999",
                                      "1e999", "nan", "\n",    " ",          "FRAME\n",
                                      "W",     "H",   "C",     "\\u0000",    "[",
                                      "{",     "\"",  ":",     "=",          "\\" };

static size_t insert(uint8_t *data, size_t size, const uint8_t *piece, size_t length)
{
    if (size + length > SIZE_MAX_INPUT)
        return size;
    const size_t at = random_below((uint32_t)size + 1);
    memmove(data + at + length, data + at, size - at);
    memcpy(data + at, piece, length);
    return size + length;
}

static size_t erase(uint8_t *data, size_t size)
{
    const size_t at = random_below((uint32_t)size);
    const size_t length = 1 + random_below((uint32_t)(size - at));
    memmove(data + at, data + at + length, size - at - length);
    return size - length;
}

static size_t change(uint8_t *data, size_t size)
{
    const char *const token = tokens[random_below(sizeof(tokens) / sizeof(*tokens))];
    uint8_t piece[64];
    switch (size ? random_below(5) : 0) {
    case 0:
        return insert(data, size, (const uint8_t *)token, strlen(token));
    case 1:
        return erase(data, size);
    case 2: {
        const size_t length = size < sizeof(piece) ? size : sizeof(piece);
        memcpy(piece, data + random_below((uint32_t)(size - length) + 1), length);
        return insert(data, size, piece, length);
    }
    case 3:
        data[random_below((uint32_t)size)] = (uint8_t)random_below(256);
        return size;
    default:
        data[random_below((uint32_t)size)] ^= (uint8_t)(1u << random_below(8));
        return size;
    }
}

static int run_file(const char *path)
{
    static uint8_t data[SIZE_MAX_INPUT];
    FILE *const file = fopen(path, "rb");
    if (!file)
        return 1;
    const size_t size = fread(data, 1, sizeof(data), file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    return 0;
}

static void run_changed_seeds(unsigned long count)
{
    static uint8_t data[SIZE_MAX_INPUT];
    unsigned seeds = 0;
    while (fuzz_seeds[seeds])
        seeds++;
    for (unsigned long i = 0; i < count; i++) {
        const char *const seed = fuzz_seeds[i % seeds];
        size_t size = strlen(seed);
        memcpy(data, seed, size);
        for (unsigned n = i < seeds ? 0 : 1 + random_below(CHANGES_MAX); n; n--)
            size = change(data, size);
        LLVMFuzzerTestOneInput(data, size);
    }
}

int main(int argc, char **argv)
{
    int failed = 0;
    if (argc == 3 && !strcmp(argv[1], "-n")) {
        run_changed_seeds(strtoul(argv[2], NULL, 10));
    } else if (argc > 1) {
        for (int i = 1; i < argc; i++)
            failed |= run_file(argv[i]);
    } else {
        run_changed_seeds(DEFAULT_COUNT);
    }
    remove(fuzz_file((const uint8_t *)"", 0));
    return failed;
}
