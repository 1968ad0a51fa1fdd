/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The log: levels, the line's form, and silence where it is due. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "testing.h"

/* What a message of some level prints under some other level. */
static void check(int level, int message, const char *expected)
{
    char text[256] = { 0 };
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    const int terminal = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    log_set_level((enum VmafLogLevel)level);
    log_write((enum VmafLogLevel)message, "number %d", 7);
    fflush(stderr);
    dup2(terminal, STDERR_FILENO);
    close(terminal);
    rewind(file);
    const size_t length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    assert_int_equal(length, strlen(expected));
    assert_string_equal(text, expected);
}

static void lines_name_their_level(void **state)
{
    check(VMAF_LOG_LEVEL_DEBUG, VMAF_LOG_LEVEL_ERROR, "libvmaf ERROR number 7\n");
    check(VMAF_LOG_LEVEL_DEBUG, VMAF_LOG_LEVEL_WARNING, "libvmaf WARNING number 7\n");
    check(VMAF_LOG_LEVEL_DEBUG, VMAF_LOG_LEVEL_INFO, "libvmaf INFO number 7\n");
    check(VMAF_LOG_LEVEL_DEBUG, VMAF_LOG_LEVEL_DEBUG, "libvmaf DEBUG number 7\n");
}

static void the_level_decides(void **state)
{
    check(VMAF_LOG_LEVEL_NONE, VMAF_LOG_LEVEL_ERROR, "");
    check(VMAF_LOG_LEVEL_WARNING, VMAF_LOG_LEVEL_INFO, "");
    check(VMAF_LOG_LEVEL_WARNING, VMAF_LOG_LEVEL_WARNING, "libvmaf WARNING number 7\n");
    check(99, VMAF_LOG_LEVEL_DEBUG, "libvmaf DEBUG number 7\n");
    check(-3, VMAF_LOG_LEVEL_ERROR, "");
}

static void no_such_level_prints_nothing(void **state)
{
    check(VMAF_LOG_LEVEL_DEBUG, VMAF_LOG_LEVEL_NONE, "");
    check(VMAF_LOG_LEVEL_DEBUG, VMAF_LOG_LEVEL_DEBUG + 1, "");
    check(VMAF_LOG_LEVEL_DEBUG, -1, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_name_their_level),
        cmocka_unit_test(the_level_decides),
        cmocka_unit_test(no_such_level_prints_nothing),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
