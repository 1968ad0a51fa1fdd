/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Reads the version of NVIDIA's driver from what its kernel module reports. */
#include <stdio.h>
#include <string.h>

#include "gpu/backend/cuda_hip/api.h"
#include "testing.h"

static const char *module_text; /* NULL: the module is missing */
static unsigned asked;

static FILE *open_module(const char *path, const char *mode)
{
    assert_string_equal(path, "/sys/module/nvidia/version");
    assert_int_equal(mode[0], 'r');
    asked++;
    FILE *const file = module_text ? tmpfile() : NULL;
    if (file) {
        fputs(module_text, file);
        rewind(file);
    }
    return file;
}

FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode)
{
    return open_module(path, mode);
}

FILE *__wrap_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode)
{
    return open_module(path, mode);
}

static void the_module_tells(void **state)
{
    (void)state;
    char text[32];
    module_text = "580.159.04\n";
    asked = 0;
    cuda_driver_version(text, sizeof(text));
    assert_string_equal(text, "580.159.04");
    assert_int_equal(asked, 1);
    module_text = "no end of a line, and longer than there is room for";
    cuda_driver_version(text, 9);
    assert_string_equal(text, "no end o");
}

/* Without the module's report, the version comes from the management library, which may be missing
 * too. */
static void without_a_word_of_it_there_is_another_way(void **state)
{
    (void)state;
    char none[32] = "x", empty[32] = "y";
    module_text = NULL;
    cuda_driver_version(none, sizeof(none));
    module_text = "";
    cuda_driver_version(empty, sizeof(empty));
    assert_string_equal(none, empty);
    assert_true(!none[0] || strchr(none, '.'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_module_tells),
        cmocka_unit_test(without_a_word_of_it_there_is_another_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
