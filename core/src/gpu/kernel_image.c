/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A pack is one LZMA stream. LZMA finds what variants of a kernel have in common; zlib does not,
 * because it looks back only 32 KB (docs/adr/0025-packed-images.md has figures). The decoder is
 * written here because it is short, and a program that links the library then needs no other one.
 * It reads a single setting: no header, lc = lp = 0, pb = 2, and the whole output is the
 * dictionary. The data comes from the build. If it was damaged since, the decoder must end and
 * report it: it never writes beyond the output, and reads zeros beyond the end of the data. */
#include "gpu/kernel_image.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

/* ---- bits ---- */

/* The probability that a bit is 0, in units of 1 / 2048. */
typedef uint16_t Prob;
#define PROB_BITS 11
#define PROB_HALF (1 << PROB_BITS >> 1)
#define PROB_SHIFT 5 /* a bit moves its probability by 1/32 of the distance */

typedef struct BitReader {
    const uint8_t *in, *end;
    uint32_t range, code;
} BitReader;

static inline uint8_t next_byte(BitReader *bits)
{
    return bits->in < bits->end ? *bits->in++ : 0;
}

static inline void refill(BitReader *bits)
{
    if (bits->range >> 24)
        return;
    bits->range <<= 8;
    bits->code = bits->code << 8 | next_byte(bits);
}

static inline unsigned read_bit(BitReader *bits, Prob *prob)
{
    refill(bits);
    const uint32_t bound = (bits->range >> PROB_BITS) * *prob;
    if (bits->code < bound) {
        bits->range = bound;
        *prob += ((1 << PROB_BITS) - *prob) >> PROB_SHIFT;
        return 0;
    }
    bits->range -= bound;
    bits->code -= bound;
    *prob -= *prob >> PROB_SHIFT;
    return 1;
}

/* Reads a number of `count` bits, the highest first. Each is as likely 0 as 1. */
static inline uint32_t read_plain(BitReader *bits, unsigned count)
{
    uint32_t number = 0;
    while (count--) {
        refill(bits);
        bits->range >>= 1;
        const bool bit = bits->code >= bits->range;
        bits->code -= bit ? bits->range : 0;
        number = number << 1 | bit;
    }
    return number;
}

/* Reads a number of `count` bits, the highest first. A bit's probability depends on the bits before
 * it: probs[1] is that of the first bit, probs[2] and probs[3] are those of the second, and so
 * on. */
static inline unsigned read_tree(BitReader *bits, Prob *probs, unsigned count)
{
    unsigned node = 1;
    for (unsigned i = 0; i < count; i++)
        node = node << 1 | read_bit(bits, &probs[node]);
    return node - (1u << count);
}

/* Like read_tree, but the lowest bit comes first. */
static inline unsigned read_tree_reversed(BitReader *bits, Prob *probs, unsigned count)
{
    unsigned node = 1, number = 0;
    for (unsigned i = 0; i < count; i++) {
        const unsigned bit = read_bit(bits, &probs[node]);
        node = node << 1 | bit;
        number |= bit << i;
    }
    return number;
}

/* ---- the model ---- */

#define STATES 12     /* the kinds of the last steps: below 7 the last one was a literal */
#define POSITIONS 4   /* probabilities depend on the position in the output modulo this: pb = 2 */
#define MIN_LENGTH 2  /* shortest length of a match */
#define NEAR_SLOTS 14 /* below this slot, each bit of a distance has a probability of its own */

typedef struct LengthModel {
    Prob is_long, is_longer;
    Prob first[POSITIONS][8], next[POSITIONS][8], rest[256];
} LengthModel;

typedef struct Model {
    Prob is_match[STATES][POSITIONS];
    Prob is_repeated[STATES];        /* the match has one of the last four distances */
    Prob is_older[3][STATES];        /* that distance is not number i of the four */
    Prob is_more[STATES][POSITIONS]; /* a match at the last distance is longer than one byte */
    Prob slot[4][64], near[128], low[16];
    LengthModel length, repeated_length;
    Prob literal[3 * 256];
} Model;

static inline unsigned read_length(BitReader *bits, LengthModel *model, unsigned position)
{
    if (!read_bit(bits, &model->is_long))
        return MIN_LENGTH + read_tree(bits, model->first[position], 3);
    if (!read_bit(bits, &model->is_longer))
        return MIN_LENGTH + 8 + read_tree(bits, model->next[position], 3);
    return MIN_LENGTH + 16 + read_tree(bits, model->rest, 8);
}

/* Returns how far back a match begins; 0 is the byte before the current one. */
static inline uint32_t read_distance(BitReader *bits, Model *model, unsigned length)
{
    const unsigned slot =
        read_tree(bits, model->slot[length < MIN_LENGTH + 3 ? length - MIN_LENGTH : 3], 6);
    if (slot < 4)
        return slot;
    const unsigned count = (slot >> 1) - 1;
    const uint32_t base = (2u | (slot & 1)) << count;
    if (slot < NEAR_SLOTS)
        return base + read_tree_reversed(bits, model->near + base - slot, count);
    return base + (read_plain(bits, count - 4) << 4) + read_tree_reversed(bits, model->low, 4);
}

/* Reads a byte. `predicted` is the byte at the last distance, or -1 if the last step was a
 * literal. */
static inline uint8_t read_literal(BitReader *bits, Prob *probs, int predicted)
{
    unsigned node = 1;
    while (predicted >= 0 && node < 256) {
        const unsigned expected = predicted >> 7 & 1;
        const unsigned bit = read_bit(bits, &probs[((1 + expected) << 8) + node]);
        node = node << 1 | bit;
        predicted = bit == expected ? predicted << 1 : -1;
    }
    while (node < 256)
        node = node << 1 | read_bit(bits, &probs[node]);
    return (uint8_t)node;
}

/* Moves distances[i] to the front of the list. */
static inline void use_distance(uint32_t distances[4], unsigned i)
{
    const uint32_t distance = distances[i];
    for (; i; i--)
        distances[i] = distances[i - 1];
    distances[0] = distance;
}

/* Reads a match: returns its length and puts its distance at distances[0]. Updates the state. */
static inline unsigned read_match(BitReader *bits, Model *model, unsigned *state, unsigned position,
                                  uint32_t distances[4])
{
    const bool after_literal = *state < 7;
    if (!read_bit(bits, &model->is_repeated[*state])) {
        const unsigned length = read_length(bits, &model->length, position);
        distances[3] = read_distance(bits, model, length);
        use_distance(distances, 3);
        *state = after_literal ? 7 : 10;
        return length;
    }
    unsigned i = 0;
    while (i < 3 && read_bit(bits, &model->is_older[i][*state]))
        i++;
    if (!i && !read_bit(bits, &model->is_more[*state][position])) {
        *state = after_literal ? 9 : 11;
        return 1;
    }
    use_distance(distances, i);
    *state = after_literal ? 8 : 11;
    return read_length(bits, &model->repeated_length, position);
}

/* Unpacks the first `size` bytes. False: the data is damaged. */
static bool unpack(const uint8_t *data, size_t data_size, uint8_t *out, size_t size)
{
    BitReader bits = { data, data + data_size, .range = UINT32_MAX };
    Model model;
    uint32_t distances[4] = { 0 };
    unsigned state = 0;
    for (size_t i = 0; i < sizeof(model) / sizeof(Prob); i++)
        ((Prob *)&model)[i] = PROB_HALF;
    for (unsigned i = 0; i < 5; i++)
        bits.code = bits.code << 8 | next_byte(&bits);
    for (size_t at = 0; at < size;) {
        const unsigned position = at % POSITIONS;
        if (!read_bit(&bits, &model.is_match[state][position])) {
            const int predicted = state < 7 ? -1 : out[at - 1 - distances[0]];
            out[at++] = read_literal(&bits, model.literal, predicted);
            state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
            continue;
        }
        unsigned length = read_match(&bits, &model, &state, position, distances);
        if (distances[0] >= at)
            return false;
        for (; length && at < size; length--, at++)
            out[at] = out[at - 1 - distances[0]];
    }
    return true;
}

/* ---- images ---- */

static inline uint64_t hash_word(uint64_t hash, const uint8_t *bytes, size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)bytes[i] << 8 * i;
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
}

uint64_t kernel_image_hash(const uint8_t *bytes, size_t size)
{
    const size_t whole = size / 8 * 8;
    uint64_t hash = size;
    for (size_t at = 0; at < whole; at += 8)
        hash = hash_word(hash, bytes + at, 8);
    return whole < size ? hash_word(hash, bytes + whole, size - whole) : hash;
}

static bool find_in_pack(const ImagePack *pack, const char *name, KernelImage *image)
{
    const PackedImage *packed = pack->images;
    for (const char *at = pack->names; *at; at += strlen(at) + 1, packed++) {
        if (!strcmp(at, name)) {
            *image = (KernelImage){ pack, at, *packed };
            return true;
        }
    }
    return false;
}

bool kernel_image_find(const ImagePack *const *table, const char *name, KernelImage *image)
{
    for (; *table; table++)
        for (const ImagePack *pack = *table; pack->names; pack++)
            if (find_in_pack(pack, name, image))
                return true;
    return false;
}

int kernel_image_unpack(const KernelImage *image, void **code)
{
    const ImagePack *pack = image->pack;
    const size_t offset = image->packed.offset, size = image->packed.size;
    *code = NULL;
    uint8_t *bytes = mem_alloc(offset + size + 1);
    if (!bytes)
        return -ENOMEM;
    if (!unpack(pack->data, pack->size, bytes, offset + size) ||
        kernel_image_hash(bytes + offset, size) != image->packed.hash) {
        log_error("the code of kernel '%s' in this libvmaf is damaged; install libvmaf again",
                  image->name);
        mem_free(bytes);
        return -EIO;
    }
    memmove(bytes, bytes + offset, size);
    bytes[size] = '\0';
    *code = bytes;
    return 0;
}
