/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests the effect of a signal on a process that does not check for signals. */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/interrupt.h"
#include "testing.h"

static void sleep_ms(long ms)
{
    const struct timespec time = { ms / 1000, ms % 1000 * 1000000 };
    nanosleep(&time, NULL);
}

/* Starts a process that goes on for three seconds after a signal, then exits with 7. */
static pid_t start(bool soon)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        interrupt_watch();
        interrupt_soon(soon);
        if (write(ready[1], "", 1) != 1)
            _exit(1);
        while (!interrupt_signal())
            sleep_ms(20);
        sleep_ms(3000);
        _exit(7);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

static int end_of(pid_t child)
{
    int status;
    kill(child, SIGTERM);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void work_may_end_in_order(void **state)
{
    const int status = end_of(start(false));
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

static void work_that_waits_is_ended(void **state)
{
    const int status = end_of(start(true));
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

TEST_MAIN(interrupt)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_may_end_in_order),
        cmocka_unit_test(work_that_waits_is_ended),
    };
    return cmocka_run_group_tests_name("interrupt", tests, NULL, NULL);
}
