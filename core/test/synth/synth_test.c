/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The generated clips are the ones that the figures of the other tests belong to. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "synth.h"

/* FNV-1a of all bytes of the reference and of the distorted file. */
static const struct {
    const char *name;
    uint64_t ref, dist;
} sums[] = {
    { "blur_64x64", 0xaabc9bcb3a668487u, 0x65cff501f263c2a3u },
    { "noise_97x61", 0xcbf32e2f99df7cacu, 0x41e6c43d58bf9e12u },
    { "mix_176x144", 0x7430f2a125a858fbu, 0xaae751a925dedb1cu },
    { "mix_352x288_10", 0xbb37a3768a884098u, 0x5221bc856f9ec304u },
    { "quant_352x288_12", 0x1a1630a230f0552fu, 0x9a365f6b8dd3fec0u },
    { "blur_320x180_16", 0xf48245872e5f6f93u, 0xf053b7f2081a75bau },
    { "noise_200x120_444", 0x60dd17c188d2b4ceu, 0xf94ea154d29cb7fdu },
    { "dim_160x90_400", 0xd5e43eda8cbe7032u, 0xab7119c2b1b08739u },
    { "shift_131x75_10", 0x1aa2d73315f2382bu, 0xc1d3a7bcedb396d4u },
    { "same_176x144", 0x62d6621cdc9867a3u, 0x62d6621cdc9867a3u },
    { "flat_128x96", 0x8eb823276de70325u, 0x74762f0fb1066325u },
    { "extreme_128x96", 0xf8c4331f0a770325u, 0xcb349cc2cd509b25u },
    { "extreme_128x96_16", 0x2d50ab0504cbe325u, 0x616dc61f2b7f1325u },
    { "check_256x144", 0xc1f01d77e558c325u, 0x3266738c7f04c325u },
    { "check_256x144_10", 0x3fe462a25e391325u, 0xb7486e86496f4325u },
    { "mix_1_frame", 0xfa0d7e0506afe13cu, 0xb265bfe16530ba3cu },
    { "mix_640x360", 0x8bf6f290a904642fu, 0xe46924af56287defu },
    { "mix_1280x720_10", 0x6507d0b1fe011032u, 0x86635e0fc1d4f98fu },
    { "blur_32x32", 0xe8d8c1d7298036b7u, 0xe698d5aaecc84240u },
    { "noise_17x17", 0x2b4cc9a51ed82bf5u, 0xe11749b41ed9a78du },
};

static uint64_t checksum(const SynthClip *clip, enum SynthSide side)
{
    const size_t size = synth_frame_size(clip);
    uint8_t *const frame = malloc(size);
    uint64_t sum = 0xcbf29ce484222325u;
    for (unsigned t = 0; t < clip->frames; t++) {
        assert_int_equal(synth_frame(clip, side, t, frame), 0);
        for (size_t i = 0; i < size; i++)
            sum = (sum ^ frame[i]) * 0x100000001b3u;
    }
    free(frame);
    return sum;
}

static void test_every_clip_has_its_bytes(void **state)
{
    size_t count = 0;
    for (const SynthClip *clip = synth_clips; clip->name; clip++, count++) {
        assert_string_equal(clip->name, sums[count].name);
        assert_int_equal(checksum(clip, SYNTH_REF), sums[count].ref);
        assert_int_equal(checksum(clip, SYNTH_DIST), sums[count].dist);
    }
    assert_int_equal(count, sizeof(sums) / sizeof(*sums));
}

/* A picture keeps what a file has, less the chroma column and row beyond an even size. */
static void test_pictures_hold_the_same_samples(void **state)
{
    const SynthClip *const clip = synth_find("noise_97x61");
    uint8_t *const frame = malloc(synth_frame_size(clip));
    VmafPicture pic;
    assert_int_equal(synth_frame(clip, SYNTH_DIST, 2, frame), 0);
    assert_int_equal(synth_picture(clip, SYNTH_DIST, 2, &pic), 0);
    assert_int_equal(pic.w[1], 48);
    assert_int_equal(pic.h[1], 30);
    const uint8_t *const cb = frame + 97 * 61;
    for (unsigned y = 0; y < pic.h[1]; y++)
        assert_memory_equal((uint8_t *)pic.data[1] + y * pic.stride[1], cb + y * 49, 48);
    assert_memory_equal((uint8_t *)pic.data[0] + 60 * pic.stride[0], frame + 60 * 97, 97);
    vmaf_picture_unref(&pic);
    free(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_clip_has_its_bytes),
        cmocka_unit_test(test_pictures_hold_the_same_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
