/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* adm: pictures and viewing conditions that it refuses. */
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

TEST_MAIN(adm)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_close_is_logged_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
