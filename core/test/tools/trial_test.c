/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* When the doctor takes a device for one that works: every score is the CPU's, and something ran there. */
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

static void equal_scores_are_well(void **unused)
{
    compare("{ \"vmaf 0\": 91.5, \"psnr_y 0\": 40.25, \"on_device\": [\"psnr\"] }", cpu, NULL);
}

static void the_last_bit_counts(void **unused)
{
    compare("{ \"vmaf 0\": 91.5, \"psnr_y 0\": 40.250000000000007, \"on_device\": [\"psnr\"] }",
            cpu, "psnr_y 0");
}

static void a_score_that_is_missing_is_wrong(void **unused)
{
    compare("{ \"psnr_y 0\": 40.25, \"on_device\": [\"psnr\"] }", cpu, "vmaf 0");
}

static void a_device_that_did_nothing_does_not_work(void **unused)
{
    compare("{ \"vmaf 0\": 91.5, \"psnr_y 0\": 40.25, \"on_device\": [] }", cpu, "nothing ran");
}

/* The pair is one that every score says something of, and the same each time. */
static void the_trial_scores(void **unused)
{
    json_t *const first = trial_score(NULL, 0), *const second = trial_score(NULL, 0);
    assert_non_null(first);
    assert_true(json_equal(first, second));
    const double vmaf = json_real_value(json_object_get(first, "vmaf 1"));
    assert_true(vmaf > 1 && vmaf < 99);
    assert_int_equal(31, json_object_size(first)); /* ten for each of three frames, and the place */
    json_decref(first);
    json_decref(second);
}

TEST_MAIN(trial)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_scores_are_well),
        cmocka_unit_test(the_last_bit_counts),
        cmocka_unit_test(a_score_that_is_missing_is_wrong),
        cmocka_unit_test(a_device_that_did_nothing_does_not_work),
        cmocka_unit_test(the_trial_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
