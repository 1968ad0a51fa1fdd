/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The log: levels, who sets them, the line's form, and silence where it is due. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "testing.h"

/* No call of log_set_level at all. */
#define UNASKED 1000

/* Checks the output of a message of one level while another level is set. */
static void check(int level, int message, const char *expected)
{
    char text[256] = { 0 };
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    const int terminal = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    if (level != UNASKED)
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

/* The first message of the process: nobody has set a level yet. */
static void the_environment_is_heard_before_any_session(void **state)
{
    setenv("VMAF_LOG", "debug", 1);
    check(UNASKED, VMAF_LOG_LEVEL_DEBUG, "libvmaf DEBUG number 7\n");
    unsetenv("VMAF_LOG");
}

static void the_environment_wins(void **state)
{
    static const char *const names[] = { "none", "error", "warning", "info", "debug" };
    static const char *const digits[] = { "0", "1", "2", "3", "4" };
    static const char *const lines[] = {
        "",
        "libvmaf ERROR number 7\n",
        "libvmaf WARNING number 7\n",
        "libvmaf INFO number 7\n",
        "libvmaf DEBUG number 7\n",
    };
    for (int asked = VMAF_LOG_LEVEL_NONE; asked <= VMAF_LOG_LEVEL_DEBUG; asked++) {
        for (int message = VMAF_LOG_LEVEL_ERROR; message <= VMAF_LOG_LEVEL_DEBUG; message++) {
            const char *expected = message <= asked ? lines[message] : "";
            setenv("VMAF_LOG", names[asked], 1);
            check(VMAF_LOG_LEVEL_NONE, message, expected);
            check(VMAF_LOG_LEVEL_DEBUG, message, expected);
            setenv("VMAF_LOG", digits[asked], 1);
            check(VMAF_LOG_LEVEL_NONE, message, expected);
            assert_int_equal(log_wanted((enum VmafLogLevel)message), message <= asked);
        }
    }
    unsetenv("VMAF_LOG");
    check(VMAF_LOG_LEVEL_ERROR, VMAF_LOG_LEVEL_WARNING, "");
}

static void unknown_levels_are_ignored(void **state)
{
    setenv("VMAF_LOG", "", 1);
    check(VMAF_LOG_LEVEL_ERROR, VMAF_LOG_LEVEL_WARNING, "");
    setenv("VMAF_LOG", "loud", 1);
    check(VMAF_LOG_LEVEL_WARNING, VMAF_LOG_LEVEL_ERROR,
          "libvmaf WARNING ignoring VMAF_LOG=loud: use none, error, warning, info or debug\n"
          "libvmaf ERROR number 7\n");
    /* Once is enough. */
    check(VMAF_LOG_LEVEL_WARNING, VMAF_LOG_LEVEL_ERROR, "libvmaf ERROR number 7\n");
    setenv("VMAF_LOG", "33", 1);
    check(VMAF_LOG_LEVEL_ERROR, VMAF_LOG_LEVEL_WARNING, "");
    unsetenv("VMAF_LOG");
}

TEST_MAIN(log)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_environment_is_heard_before_any_session), /* must be the first */
        cmocka_unit_test(lines_name_their_level),
        cmocka_unit_test(the_level_decides),
        cmocka_unit_test(no_such_level_prints_nothing),
        cmocka_unit_test(the_environment_wins),
        cmocka_unit_test(unknown_levels_are_ignored),
    };
    unsetenv("VMAF_LOG");
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
