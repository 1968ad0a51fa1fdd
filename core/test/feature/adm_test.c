/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* adm: pictures and viewing conditions that it refuses, and scores without energy. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "feature/scoring.h"
#include "testing.h"

#define FRAMES 4

static unsigned grey(unsigned p, unsigned x, unsigned y)
{
    return 128;
}

static int read_pair(VmafContext *vmaf, unsigned index)
{
    VmafPicture ref = scoring_picture(VMAF_PIX_FMT_YUV400P, 8, 32, 32, grey);
    VmafPicture dist = scoring_picture(VMAF_PIX_FMT_YUV400P, 8, 32, 32, grey);
    const int err = vmaf_read_pictures(vmaf, &ref, &dist, index);
    if (err) {
        vmaf_picture_unref(&ref);
        vmaf_picture_unref(&dist);
    }
    return err;
}

/* Reads all pairs, which adm refuses, and redirects standard error to `log` meanwhile. */
static void read_too_close(FILE *log)
{
    VmafContext *vmaf;
    VmafFeatureDictionary *options = NULL;
    const VmafConfiguration cfg = { .log_level = VMAF_LOG_LEVEL_ERROR };
    assert_int_equal(0, vmaf_init(&vmaf, cfg));
    assert_int_equal(0, vmaf_feature_dictionary_set(&options, "adm_norm_view_dist", "1"));
    assert_int_equal(0, vmaf_use_feature(vmaf, "adm", options));
    fflush(stderr);
    const int before = dup(2);
    assert_true(before >= 0 && dup2(fileno(log), 2) == 2);
    int err[FRAMES];
    for (unsigned i = 0; i < FRAMES; i++)
        err[i] = read_pair(vmaf, i);
    fflush(stderr);
    assert_int_equal(2, dup2(before, 2));
    close(before);
    for (unsigned i = 0; i < FRAMES; i++)
        assert_int_equal(-EINVAL, err[i]);
    vmaf_close(vmaf);
}

/* adm refuses every frame, and logs that once. */
static void too_close_is_logged_once(void **state)
{
    char said[4096];
    FILE *log = tmpfile();
    assert_non_null(log);
    read_too_close(log);
    rewind(log);
    said[fread(said, 1, sizeof(said) - 1, log)] = '\0';
    fclose(log);
    const char *first = strstr(said, "must be 3240 or more");
    assert_non_null(first);
    assert_null(strstr(first + 1, "must be 3240 or more"));
}

static unsigned checks(unsigned p, unsigned x, unsigned y)
{
    return (x ^ y) & 2 ? 100 : 150;
}

/* Without a noise floor a flat reference has no energy to divide by: then all of it is preserved,
 * and nothing was added. */
static void flat_references_have_defined_scores(void **state)
{
    static const struct {
        const char *metric;
        double score;
    } rows[] = {
        { "integer_adm2_nw_0", 1.0 },
        { "integer_aim_nw_0", 0.0 },
        { "integer_adm3_nw_0", 1.0 },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_true(score_of("adm", "adm_noise_weight=0",
                             scoring_picture(VMAF_PIX_FMT_YUV400P, 8, 64, 64, grey),
                             scoring_picture(VMAF_PIX_FMT_YUV400P, 8, 64, 64, checks),
                             rows[i].metric) == rows[i].score);
    /* with the floor they are ordinary numbers */
    const double added = score_of(
        "adm", NULL, scoring_picture(VMAF_PIX_FMT_YUV400P, 8, 64, 64, grey),
        scoring_picture(VMAF_PIX_FMT_YUV400P, 8, 64, 64, checks), "VMAF_integer_feature_aim_score");
    assert_true(added > 0.0);
}

TEST_MAIN(adm)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_close_is_logged_once),
        cmocka_unit_test(flat_references_have_defined_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
