/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Reads bundles of clang's offload bundler, which hold code for several architectures: a magic
 * word, a count, then for each entry its offset, size and name
 * ("hipv4-amdgcn-amd-amdhsa--gfx1100"). Numbers are 64-bit little-endian. */
#include <stdint.h>
#include <string.h>

#include "gpu/backend/cuda_hip/api.h"

#define MAGIC "__CLANG_OFFLOAD_BUNDLE__"

typedef struct Reader {
    const unsigned char *at;
    size_t left;
} Reader;

static const void *read_bytes(Reader *reader, uint64_t size)
{
    if (size > reader->left)
        return NULL;
    const void *bytes = reader->at;
    reader->at += size;
    reader->left -= (size_t)size;
    return bytes;
}

static bool read_number(Reader *reader, uint64_t *number)
{
    const unsigned char *bytes = read_bytes(reader, 8);
    *number = 0;
    for (unsigned i = 0; bytes && i < 8; i++)
        *number |= (uint64_t)bytes[i] << 8 * i;
    return bytes;
}

/* Length of the name without the features that may follow a colon. */
static size_t base_length(const char *arch, size_t length)
{
    const char *colon = memchr(arch, ':', length);
    return colon ? (size_t)(colon - arch) : length;
}

static bool is_for(const char *name, size_t length, const char *arch)
{
    const size_t end = base_length(name, length), wanted = base_length(arch, strlen(arch));
    size_t start = end;
    while (start && name[start - 1] != '-')
        start--;
    return end - start == wanted && !memcmp(name + start, arch, wanted);
}

bool hip_bundle_has(const void *bundle, size_t size, const char *arch)
{
    Reader reader = { bundle, size };
    const char *magic = read_bytes(&reader, sizeof(MAGIC) - 1);
    uint64_t count = 0, offset, code_size, length;
    if (!magic || memcmp(magic, MAGIC, sizeof(MAGIC) - 1) || !read_number(&reader, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (!read_number(&reader, &offset) || !read_number(&reader, &code_size) ||
            !read_number(&reader, &length))
            return false;
        const char *name = read_bytes(&reader, length);
        if (!name)
            return false;
        if (code_size && is_for(name, (size_t)length, arch))
            return true;
    }
    return false;
}
