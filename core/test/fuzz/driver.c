/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The main function of fuzz targets without libFuzzer: feeds a target with the files of a corpus
 * and then with mutated copies. The mutations are always the same, so that failures are
 * reproducible.
 *
 * usage: TARGET COUNT FOLDER     COUNT mutated files; 0: only those of the folder
 *    or: TARGET FILE             one file */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { SIZE_MAX_INPUT = 1 << 16, CHANGES_MAX = 6, SEEDS_MAX = 1024 };

typedef struct Seed {
    uint8_t *data;
    size_t size;
} Seed;

static Seed seeds[SEEDS_MAX];
static unsigned seed_count;

static uint32_t random_state = 2463534242u;

static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return limit ? random_state % limit : 0;
}

/* Tokens that often break parsers. */
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

static void load(const char *path)
{
    static uint8_t data[SIZE_MAX_INPUT];
    FILE *const file = fopen(path, "rb");
    if (!file || seed_count == SEEDS_MAX) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    const size_t size = fread(data, 1, sizeof(data), file);
    fclose(file);
    seeds[seed_count++] = (Seed){ (uint8_t *)fuzz_text(data, size), size };
}

static void load_folder(const char *folder)
{
    struct dirent **names;
    const int count = scandir(folder, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[1024];
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
        if (names[i]->d_name[0] != '.')
            load(path);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
}

static void run_changed(unsigned long count)
{
    static uint8_t data[SIZE_MAX_INPUT];
    for (unsigned long i = 0; i < count; i++) {
        const Seed *const seed = &seeds[i % seed_count];
        size_t size = seed->size;
        memcpy(data, seed->data, size);
        for (unsigned n = 1 + random_below(CHANGES_MAX); n; n--)
            size = change(data, size);
        LLVMFuzzerTestOneInput(data, size);
    }
}

int main(int argc, char **argv)
{
    if (argc == 3)
        load_folder(argv[2]);
    else if (argc == 2)
        load(argv[1]);
    if (!seed_count) {
        fprintf(stderr, "usage: TARGET COUNT FOLDER, or TARGET FILE\n");
        return 1;
    }
    for (unsigned i = 0; i < seed_count; i++)
        LLVMFuzzerTestOneInput(seeds[i].data, seeds[i].size);
    if (argc == 3)
        run_changed(strtoul(argv[1], NULL, 10));
    for (unsigned i = 0; i < seed_count; i++)
        free(seeds[i].data);
    return 0;
}
