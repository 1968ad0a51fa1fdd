/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests the names of codecs, with the examples of their specifications. */
#include <stdlib.h>
#include <string.h>

#include "testing.h"
#include "extras/tune/codecs.h"

/* A file under construction; boxes that are open, by their beginnings. */
typedef struct Mp4 {
    uint8_t bytes[1024];
    size_t size, open[8], depth;
} Mp4;

static void put(Mp4 *file, const void *bytes, size_t size)
{
    memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
}

static void fill(Mp4 *file, size_t size)
{
    memset(file->bytes + file->size, 0, size);
    file->size += size;
}

static void open_box(Mp4 *file, const char *type)
{
    file->open[file->depth++] = file->size;
    fill(file, 4);
    put(file, type, 4);
}

static void close_box(Mp4 *file)
{
    const size_t from = file->open[--file->depth], size = file->size - from;
    file->bytes[from + 2] = (uint8_t)(size >> 8);
    file->bytes[from + 3] = (uint8_t)size;
}

static void add_box(Mp4 *file, const char *type, const void *bytes, size_t size)
{
    open_box(file, type);
    put(file, bytes, size);
    close_box(file);
}

typedef struct Case {
    const char *entry, *record;
    uint8_t bytes[16];
    size_t size;
    uint8_t colour[7]; /* content of the box colr, after its type; all 0: there is none */
    const char *text, *range;
} Case;

static void add_track(Mp4 *file, const char *header, const Case *c)
{
    static const uint8_t none[7];
    open_box(file, "trak");
    add_box(file, "tkhd", none, 4);
    open_box(file, "mdia");
    open_box(file, "minf");
    add_box(file, header, none, 4);
    open_box(file, "stbl");
    open_box(file, "stsd");
    fill(file, 8);
    open_box(file, c->entry);
    fill(file, 78);
    add_box(file, c->record, c->bytes, c->size);
    if (memcmp(c->colour, none, sizeof(none)) != 0) {
        open_box(file, "colr");
        put(file, "nclx", 4);
        put(file, c->colour, sizeof(c->colour));
        close_box(file);
    }
    for (unsigned i = 0; i < 6; i++)
        close_box(file);
}

static void make(Mp4 *file, const Case *c)
{
    static const Case sound = { .entry = "mp4a", .record = "esds", .size = 4 };
    *file = (Mp4){ .size = 0 };
    add_box(file, "ftyp", "isom", 4);
    open_box(file, "moov");
    add_box(file, "mvhd", "1234", 4);
    add_track(file, "smhd", &sound);
    add_track(file, "vmhd", c);
    close_box(file);
}

static const Case cases[] = {
    { "avc1", "avcC", { 1, 0x64, 0, 0x1f, 0xff }, 5, { 0 }, "avc1.64001f", "SDR" },
    { "hvc1",
      "hvcC",
      { 1, 1, 0x60, 0, 0, 0, 0x90, 0, 0, 0, 0, 0, 63 },
      13,
      { 0 },
      "hvc1.1.6.L63.90",
      "SDR" },
    { "hev1",
      "hvcC",
      { 1, 0x22, 0x20, 0, 0, 0, 0xb0, 0, 0x40, 0, 0, 0, 153 },
      13,
      { 0, 9, 0, 18, 0, 9, 0 },
      "hvc1.2.4.H153.B0.0.40",
      "HLG" },
    { "av01", "av1C", { 0x81, 0x04, 0x0c, 0 }, 4, { 0 }, "av01.0.04M.08", "SDR" },
    { "av01", "av1C", { 0x81, 0x04, 0x0d, 0 }, 4, { 0, 1, 0, 1, 0, 1, 0 }, "av01.0.04M.08", "SDR" },
    { "av01",
      "av1C",
      { 0x81, 0x04, 0x4e, 0 },
      4,
      { 0, 9, 0, 16, 0, 9, 0 },
      "av01.0.04M.10.0.112.09.16.09.0",
      "PQ" },
    { "av01", "av1C", { 0x81, 0x4d, 0xe0, 0 }, 4, { 0 }, "av01.2.13H.12.0.000.02.02.02.0", "SDR" },
    { "vp09",
      "vpcC",
      { 1, 0, 0, 0, 0, 21, 0x82, 2, 2, 2, 0, 0 },
      12,
      { 0 },
      "vp09.00.21.08",
      "SDR" },
    { "vp09",
      "vpcC",
      { 1, 0, 0, 0, 2, 10, 0xa3, 9, 16, 9, 0, 0 },
      12,
      { 0 },
      "vp09.02.10.10.01.09.16.09.01",
      "PQ" },
    { "mp4v", "esds", { 0 }, 4, { 0 }, "", "SDR" },
};

static void codecs_have_their_names(void **state)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        Mp4 file;
        CodecName name;
        make(&file, &cases[i]);
        assert_true(codec_of_mp4(file.bytes, file.size, &name));
        assert_string_equal(name.text, cases[i].text);
        assert_string_equal(name.range, cases[i].range);
        assert_int_equal(name.retagged, !strcmp(cases[i].entry, "hev1"));
    }
}

/* A file that is cut off or damaged gives a shorter answer, or none. */
static void damage_is_survived(void **state)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        Mp4 file;
        CodecName name;
        make(&file, &cases[i]);
        for (size_t size = 0; size < file.size; size++) {
            uint8_t *const copy = malloc(size + !size); /* lets a sanitizer see its end */
            assert_non_null(copy);
            memcpy(copy, file.bytes, size);
            codec_of_mp4(copy, size, &name);
            free(copy);
            file.bytes[size] ^= 0x55;
            codec_of_mp4(file.bytes, file.size, &name);
            file.bytes[size] ^= 0x55;
        }
    }
    CodecName name;
    assert_false(codec_of_mp4(NULL, 0, &name));
}

TEST_MAIN(codecs)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codecs_have_their_names),
        cmocka_unit_test(damage_is_survived),
    };
    return cmocka_run_group_tests_name("codecs", tests, NULL, NULL);
}
