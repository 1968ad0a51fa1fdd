/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests that containers are recognised by their beginning, and that raw samples are never taken
 * for one. */
#include "testing.h"

#include <string.h>

#include "input/reader.h"

static void containers_are_recognised(void **state)
{
    static const struct {
        const char *bytes;
        unsigned size;
        const char *title;
    } files[] = {
        { "\0\0\0\x20"
          "ftypisom",
          12, "MP4 or MOV" },
        { "\x1a\x45\xdf\xa3\x9f\x42\x86\x81", 8, "Matroska or WebM" },
        { "RIFF\x24\x10\0\0AVI LIST", 16, "AVI" },
        { "DKIF\0\0\x20\0AV01", 12, "IVF" },
        { "\x89PNG\r\n\x1a\n", 8, "PNG" },
        { "\xff\xd8\xff\xe0\0\x10JFIF\0", 11, "JPEG" },
        { "\0\0\0\x01\x67\x64\0\x0a", 8, "H.264" },
        { "\0\0\x01\xba\x44\0\x04\0\x04\x01\x01\x89\xc3\xf8", 14, "MPEG-PS" },
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        const char *const title = magic_of((const uint8_t *)files[i].bytes, files[i].size);
        assert_non_null(title);
        assert_string_equal(title, files[i].title);
        assert_null(magic_of((const uint8_t *)files[i].bytes, 3)); /* too short to be sure */
    }
}

static void transport_streams_are_recognised(void **state)
{
    uint8_t stream[MAGIC_SIZE] = { 0 };
    for (unsigned i = 0; i + 4 <= sizeof(stream); i += 188)
        memcpy(stream + i, (uint8_t[]){ 0x47, i ? 1 : 0x40, 0, (uint8_t)(0x10 | i / 188 % 16) }, 4);
    assert_string_equal(magic_of(stream, sizeof(stream)), "MPEG-TS");
    stream[188 * 3] = 0x48;
    assert_null(magic_of(stream, sizeof(stream)));
}

/* Makes samples that are not a container: areas of one grey, also with two bytes a sample;
 * ramps; stripes whose distance is that of packets; noise. */
static void samples_are_not_taken_for_a_container(void **state)
{
    uint8_t samples[MAGIC_SIZE];
    for (unsigned value = 0; value < 256; value++) {
        memset(samples, (int)value, sizeof(samples));
        assert_null(magic_of(samples, sizeof(samples)));
        for (unsigned high = 0; high < 256; high++) {
            for (unsigned i = 0; i < sizeof(samples); i++)
                samples[i] = (uint8_t)(i % 2 ? high : value);
            assert_null(magic_of(samples, sizeof(samples)));
        }
        for (unsigned i = 0; i < sizeof(samples); i++)
            samples[i] = (uint8_t)(value + i % 188);
        assert_null(magic_of(samples, sizeof(samples)));
        for (unsigned i = 0; i < sizeof(samples); i++)
            samples[i] = (uint8_t)(value + i / 8);
        assert_null(magic_of(samples, sizeof(samples)));
    }
    uint32_t seed = 1;
    for (unsigned round = 0; round < 10000; round++) {
        for (unsigned i = 0; i < 64; i++) {
            seed = seed * 1664525 + 1013904223;
            samples[i] = (uint8_t)(seed >> 24);
        }
        assert_null(magic_of(samples, 64));
    }
}

TEST_MAIN(magic)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(containers_are_recognised),
        cmocka_unit_test(transport_streams_are_recognised),
        cmocka_unit_test(samples_are_not_taken_for_a_container),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
