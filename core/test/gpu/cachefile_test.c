/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What is kept between runs comes back as it was written, or not at all. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "gpu/cachefile.h"
#include "testing.h"

static char top[] = "/tmp/vmaf-cachefile-XXXXXX", folder[64], path[80];
static const char text[] = "what was learnt";

static int set_up(void **unused)
{
    strcpy(top + strlen(top) - 6, "XXXXXX");
    assert_non_null(mkdtemp(top));
    snprintf(folder, sizeof(folder), "%s/not/there", top);
    snprintf(path, sizeof(path), "%s/verdict", folder);
    setenv("VMAF_CACHE_DIR", folder, 1);
    return 0;
}

/* Nothing but the file is left, and that only where a test wrote it. */
static int tear_down(void **unused)
{
    char between[64];
    snprintf(between, sizeof(between), "%s/not", top);
    remove(path);
    rmdir(folder);
    rmdir(between);
    assert_int_equal(0, rmdir(top));
    return 0;
}

static int read_back(void)
{
    void *data = NULL;
    size_t size = 0;
    const int err = cachefile_read("verdict", &data, &size);
    if (!err) {
        assert_int_equal(sizeof(text), size);
        assert_memory_equal(text, data, size);
        mem_free(data);
    }
    return err;
}

static void test_round_trip(void **unused)
{
    assert_int_equal(-ENOENT, read_back());
    assert_int_equal(0, cachefile_write("verdict", "something else", 15));
    assert_int_equal(0, cachefile_write("verdict", text, sizeof(text)));
    assert_int_equal(0, read_back());
}

/* Any byte that changed, and any that is missing, makes the file as if it were not there. */
static void test_damage(void **unused)
{
    assert_int_equal(0, cachefile_write("verdict", text, sizeof(text)));
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(0, fseek(file, 0, SEEK_END));
    const long size = ftell(file);
    for (long at = 0; at < size; at++) {
        for (unsigned back = 0; back < 2; back++) {
            fseek(file, at, SEEK_SET);
            const int byte = fgetc(file);
            fseek(file, at, SEEK_SET);
            fputc(byte ^ 0x10, file);
            fflush(file);
            assert_int_equal(back ? 0 : -ENOENT, read_back());
        }
    }
    fclose(file);
    for (long shorter = size - 1; shorter >= 0; shorter--) {
        assert_int_equal(0, truncate(path, shorter));
        assert_int_equal(-ENOENT, read_back());
    }
}

/* An empty name switches it off; a folder that cannot be made is an error and nothing else. */
static void test_nowhere(void **unused)
{
    setenv("VMAF_CACHE_DIR", "", 1);
    assert_int_equal(-ENOENT, cachefile_write("verdict", text, sizeof(text)));
    assert_int_equal(-ENOENT, read_back());
    setenv("VMAF_CACHE_DIR", "/dev/null/here", 1);
    assert_true(cachefile_write("verdict", text, sizeof(text)) < 0);
    assert_int_equal(-ENOENT, read_back());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_damage, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nowhere, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
