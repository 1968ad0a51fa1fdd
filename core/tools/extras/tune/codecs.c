/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "codecs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- boxes ---- */

typedef struct Box {
    char type[5];
    const uint8_t *data; /* behind the header */
    size_t size;
} Box;

static uint32_t number(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Takes the next box of a list. A box that is cut off ends where the list does. */
static bool next_box(Box *list, Box *box)
{
    enum { HEADER = 8, LONG_HEADER = 16 };
    if (list->size < HEADER)
        return false;
    uint64_t size = number(list->data);
    size_t header = HEADER;
    memcpy(box->type, list->data + 4, 4);
    box->type[4] = 0;
    if (size == 1 && list->size >= LONG_HEADER) {
        size = (uint64_t)number(list->data + 8) << 32 | number(list->data + 12);
        header = LONG_HEADER;
    }
    if (!size || size > list->size)
        size = list->size;
    if (size < header)
        return false;
    box->data = list->data + header;
    box->size = (size_t)size - header;
    list->data += size;
    list->size -= (size_t)size;
    return true;
}

static bool find_box(const Box *in, size_t skip, const char *type, Box *box)
{
    if (!in->data || in->size < skip)
        return false;
    Box list = { .data = in->data + skip, .size = in->size - skip };
    while (next_box(&list, box))
        if (!strcmp(box->type, type))
            return true;
    return false;
}

/* Finds the sample entry of the first track that has one of a video codec. */
static bool find_entry(const Box *file, Box *entry)
{
    static const char *const way[] = { "mdia", "minf", "stbl", "stsd" };
    enum { STSD_HEADER = 8 };
    Box moov, track;
    if (!find_box(file, 0, "moov", &moov))
        return false;
    while (next_box(&moov, &track)) {
        Box box = track, vmhd;
        bool found = !strcmp(track.type, "trak");
        for (size_t i = 0; found && i < sizeof(way) / sizeof(*way); i++) {
            const Box in = box;
            found = find_box(&in, 0, way[i], &box) &&
                    (i != 1 || find_box(&box, 0, "vmhd", &vmhd)); /* the header of videos */
        }
        if (!found || box.size < STSD_HEADER)
            continue;
        Box list = { .data = box.data + STSD_HEADER, .size = box.size - STSD_HEADER };
        if (next_box(&list, entry))
            return true;
    }
    return false;
}

/* ---- names ---- */

/* Primaries, transfer, matrix and range of the samples, by their numbers in H.273. */
typedef struct Tags {
    unsigned primaries, transfer, matrix;
    bool full;
} Tags;

enum { UNSPECIFIED = 2, PQ = 16, HLG = 18 };

/* True if the name may leave the tags out, because they are those of ordinary video. */
static bool are_usual(const Tags *tags)
{
    const bool known = tags->primaries != UNSPECIFIED || tags->transfer != UNSPECIFIED ||
                       tags->matrix != UNSPECIFIED;
    return !tags->full &&
           (!known || (tags->primaries == 1 && tags->transfer == 1 && tags->matrix == 1));
}

static void name_avc(const Box *record, char text[64])
{
    if (record->size >= 4)
        snprintf(text, 64, "avc1.%02x%02x%02x", record->data[1], record->data[2], record->data[3]);
}

/* Profile, compatibility flags with their bits turned round, tier and level, and the bytes of
 * constraints up to the last that is not 0 (ISO/IEC 14496-15, annex E). */
static void name_hevc(const Box *record, char text[64])
{
    static const char *const spaces[] = { "", "A", "B", "C" };
    const uint8_t *const d = record->data;
    uint32_t flags = 0;
    unsigned constraints = 6;
    if (record->size < 13)
        return;
    for (unsigned i = 0; i < 32; i++)
        flags |= (number(d + 2) >> i & 1) << (31 - i);
    int used = snprintf(text, 64, "hvc1.%s%u.%" PRIX32 ".%c%u", spaces[d[1] >> 6], d[1] & 31u,
                        flags, d[1] & 32 ? 'H' : 'L', d[12]);
    while (constraints && !d[6 + constraints - 1])
        constraints--;
    for (unsigned i = 0; i < constraints; i++)
        used += snprintf(text + used, 64 - (size_t)used, ".%X", d[6 + i]);
}

/* AV1 Codec ISO Media File Format Binding, section 5. */
static void name_av1(const Box *record, const Tags *tags, char text[64])
{
    const uint8_t *const d = record->data;
    if (record->size < 4)
        return;
    const unsigned profile = d[1] >> 5, level = d[1] & 31, high = d[2] >> 6 & 1;
    const unsigned depth = !high ? 8 : profile == 2 && d[2] & 32 ? 12 : 10;
    const unsigned mono = d[2] >> 4 & 1, x = d[2] >> 3 & 1, y = d[2] >> 2 & 1;
    const int used =
        snprintf(text, 64, "av01.%u.%02u%c.%02u", profile, level, d[2] & 128 ? 'H' : 'M', depth);
    /* Where chroma lies alone is no reason for the long form, which not all players take. */
    if (mono || !x || !y || !are_usual(tags))
        snprintf(text + used, 64 - (size_t)used, ".%u.%u%u%u.%02u.%02u.%02u.%u", mono, x, y,
                 x && y ? d[2] & 3u : 0, tags->primaries, tags->transfer, tags->matrix, tags->full);
}

/* VP Codec ISO Media File Format Binding, section "Codecs Parameter String". */
static void name_vp9(const Box *record, Tags *tags, char text[64])
{
    const uint8_t *const d = record->data;
    if (record->size < 10)
        return;
    const unsigned chroma = d[6] >> 1 & 7;
    *tags = (Tags){ d[7], d[8], d[9], d[6] & 1 };
    const int used = snprintf(text, 64, "vp09.%02u.%02u.%02u", d[4], d[5], d[6] >> 4);
    if (chroma > 1 || !are_usual(tags))
        snprintf(text + used, 64 - (size_t)used, ".%02u.%02u.%02u.%02u.%02u", chroma,
                 tags->primaries, tags->transfer, tags->matrix, tags->full);
}

static Tags tags_of(const Box *entry, size_t skip)
{
    Box colr;
    Tags tags = { UNSPECIFIED, UNSPECIFIED, UNSPECIFIED, false };
    if (find_box(entry, skip, "colr", &colr) && colr.size >= 11 && !memcmp(colr.data, "nclx", 4))
        tags = (Tags){ colr.data[5], colr.data[7], colr.data[9], colr.data[10] >> 7 };
    return tags;
}

bool codec_of_mp4(const uint8_t *data, size_t size, CodecName *name)
{
    enum { VISUAL_HEADER = 78 }; /* bytes of a sample entry of a video, before its boxes */
    const Box file = { .data = data, .size = size };
    Box entry, record;
    *name = (CodecName){ .range = "SDR" };
    if (!find_entry(&file, &entry))
        return false;
    Tags tags = tags_of(&entry, VISUAL_HEADER);
    if (find_box(&entry, VISUAL_HEADER, "avcC", &record))
        name_avc(&record, name->text);
    else if (find_box(&entry, VISUAL_HEADER, "hvcC", &record))
        name_hevc(&record, name->text);
    else if (find_box(&entry, VISUAL_HEADER, "av1C", &record))
        name_av1(&record, &tags, name->text);
    else if (find_box(&entry, VISUAL_HEADER, "vpcC", &record))
        name_vp9(&record, &tags, name->text);
    name->retagged = !strcmp(entry.type, "hev1");
    name->range = tags.transfer == PQ ? "PQ" : tags.transfer == HLG ? "HLG" : "SDR";
    return true;
}
