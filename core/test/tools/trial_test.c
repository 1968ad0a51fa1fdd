/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests when the doctor accepts a device: every score equals the CPU's, and an extractor ran
 * there. */
#include <stdlib.h>
#include <string.h>

#include "vmaf/doctor/doctor.h"
#include "testing.h"

static void compare(const char *device, const char *cpu, const char *says)
{
    json_t *const a = json_loads(device, 0, NULL), *const b = json_loads(cpu, 0, NULL);
    assert_non_null(a);
    assert_non_null(b);
    char *const wrong = trial_compare(a, b);
    if (says) {
        assert_non_null(wrong);
        assert_non_null(strstr(wrong, says));
    } else {
        assert_null(wrong);
    }
    free(wrong);
    json_decref(a);
    json_decref(b);
}

static const char cpu[] = "{ \"vmaf 0\": 91.5, \"psnr_y 0\": 40.25, \"on_device\": [] }";

static void equal_scores_pass(void **unused)
{
    compare("{ \"vmaf 0\": 91.5, \"psnr_y 0\": 40.25, \"on_device\": [\"psnr\"] }", cpu, NULL);
}

static void the_last_bit_counts(void **unused)
{
    compare("{ \"vmaf 0\": 91.5, \"psnr_y 0\": 40.250000000000007, \"on_device\": [\"psnr\"] }",
            cpu, "psnr_y 0");
}

static void a_missing_score_fails(void **unused)
{
    compare("{ \"psnr_y 0\": 40.25, \"on_device\": [\"psnr\"] }", cpu, "vmaf 0");
}

static void a_device_that_did_nothing_does_not_work(void **unused)
{
    compare("{ \"vmaf 0\": 91.5, \"psnr_y 0\": 40.25, \"on_device\": [] }", cpu,
            "no extractor ran");
}

/* Frames that the CPU measured again equal the CPU's, whatever the device does. */
static void frames_of_the_cpu_prove_nothing(void **unused)
{
    compare("{ \"vmaf 0\": 91.5, \"psnr_y 0\": 40.25, \"on_device\": [\"psnr\", \"vif\"], "
            "\"again_on_cpu\": [\"vif\"] }",
            cpu, "frames of vif again");
}

/* Every feature gives the trial's videos a score that is not trivial, and the same each time. */
static void the_trial_scores(void **unused)
{
    json_t *const first = trial_score(NULL), *const second = trial_score(NULL);
    assert_non_null(first);
    assert_true(json_equal(first, second));
    const double vmaf = json_real_value(json_object_get(first, "vmaf 1"));
    assert_true(vmaf > 1 && vmaf < 99);
    assert_int_equal(32, json_object_size(first)); /* 10 for each of 3 frames, and two lists */
    json_decref(first);
    json_decref(second);
}

TEST_MAIN(trial)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_scores_pass),
        cmocka_unit_test(the_last_bit_counts),
        cmocka_unit_test(a_missing_score_fails),
        cmocka_unit_test(a_device_that_did_nothing_does_not_work),
        cmocka_unit_test(frames_of_the_cpu_prove_nothing),
        cmocka_unit_test(the_trial_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
