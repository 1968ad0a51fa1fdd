/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests how cuts of a video are found. */
#include <stdlib.h>
#include <string.h>

#include "testing.h"
#include "input/shots.h"
#include "libvmaf/libvmaf.h"

enum { WIDTH = 64, HEIGHT = 48 };

/* Paints a picture of a scene: a pattern that moves with `frame`, at a level of grey. */
static void paint(VmafPicture *pic, unsigned scene, unsigned frame, unsigned level)
{
    for (unsigned y = 0; y < HEIGHT; y++)
        for (unsigned x = 0; x < WIDTH; x++) {
            const unsigned value =
                (level + ((x + frame) * (3 + scene * 7) + y * (5 + scene * scene * 3)) % 97) & 255;
            if (pic->bpc > 8)
                ((uint16_t *)(void *)((char *)pic->data[0] + (ptrdiff_t)y * pic->stride[0]))[x] =
                    (uint16_t)(value << (pic->bpc - 8));
            else
                ((uint8_t *)pic->data[0] + (ptrdiff_t)y * pic->stride[0])[x] = (uint8_t)value;
        }
}

typedef struct Scene {
    unsigned scene, frames, level;
} Scene;

/* Writes the first frame of each shot, except the first shot, to `found`. Returns their number. */
static unsigned find(const Scene *scenes, unsigned count, unsigned bpc, uint64_t *found)
{
    ShotLooker looker = { .count = 0 };
    ShotFinder finder = { .count = 0 };
    ShotFrame frame;
    ShotChange change;
    VmafPicture pic;
    unsigned shots = 0;
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, bpc, WIDTH, HEIGHT), 0);
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < scenes[i].frames; k++) {
            paint(&pic, scenes[i].scene, k, scenes[i].level);
            shot_frame_of_picture(&frame, &pic);
            shot_look(&looker, &frame, &change);
            if (shot_finder_add(&finder, &change, &found[shots]))
                shots++;
        }
    if (shot_finder_end(&finder, &found[shots]))
        shots++;
    vmaf_picture_unref(&pic);
    return shots;
}

static void cuts_are_found_to_the_frame(void **state)
{
    static const Scene scenes[] = { { 0, 20, 20 }, { 1, 7, 90 }, { 2, 30, 150 }, { 0, 11, 60 } };
    for (unsigned bpc = 8; bpc <= 10; bpc += 2) {
        uint64_t found[8];
        assert_int_equal(find(scenes, COUNT(scenes), bpc, found), 3);
        assert_int_equal(found[0], 20);
        assert_int_equal(found[1], 27);
        assert_int_equal(found[2], 57);
    }
}

static void motion_and_flashes_are_no_cuts(void **state)
{
    static const Scene motion[] = { { 1, 90, 40 } };
    static const Scene flash[] = { { 1, 20, 40 }, { 1, 1, 150 }, { 1, 20, 40 } };
    uint64_t found[8];
    assert_int_equal(find(motion, COUNT(motion), 8, found), 0);
    assert_int_equal(find(flash, COUNT(flash), 8, found), 0);
}

static void the_last_frame_may_be_a_shot(void **state)
{
    static const Scene scenes[] = { { 0, 20, 20 }, { 2, 1, 150 } };
    uint64_t found[8];
    assert_int_equal(find(scenes, COUNT(scenes), 8, found), 1);
    assert_int_equal(found[0], 20);
    assert_int_equal(find(scenes, 0, 8, found), 0);
}

TEST_MAIN(shots)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_are_found_to_the_frame),
        cmocka_unit_test(motion_and_flashes_are_no_cuts),
        cmocka_unit_test(the_last_frame_may_be_a_shot),
    };
    return cmocka_run_group_tests_name("cuts", tests, NULL, NULL);
}
