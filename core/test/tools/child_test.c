/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests child processes: they do as ordered, their output is heard, and they end with everything
 * they started, in every case. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/child.h"
#include "testing.h"

typedef struct Heard {
    char text[CHILD_STREAMS][4096];
    size_t count[CHILD_STREAMS];
} Heard;

static void hear(void *arg, enum ChildStream stream, const char *bytes, size_t count)
{
    Heard *const heard = arg;
    const size_t room = sizeof(heard->text[stream]) - 1 - heard->count[stream];
    const size_t taken = count < room ? count : room;
    memcpy(heard->text[stream] + heard->count[stream], bytes, taken);
    heard->count[stream] += taken;
    heard->text[stream][heard->count[stream]] = 0;
}

static ChildParams script(const char *argv[4], const char *text, Heard *heard)
{
    argv[0] = "sh";
    argv[1] = "-c";
    argv[2] = text;
    argv[3] = NULL;
    *heard = (Heard){ .count = { 0 } };
    return (ChildParams){
        .argv = argv, .sink = { CHILD_TO_US, CHILD_TO_US }, .heard = hear, .arg = heard
    };
}

static Children *create(void)
{
    Children *children;
    assert_int_equal(children_create(&children), 0);
    return children;
}

static ChildEnd wait_for(Children *children, Child *child)
{
    ChildEnd end;
    while (!child_ended(child, &end))
        assert_int_equal(children_wait(children, NULL, 0, -1), 0);
    return end;
}

/* Waits for the numbers that a script prints before the test does anything to it. */
static void wait_for_lines(Children *children, const Heard *heard, unsigned lines)
{
    for (;;) {
        unsigned have = 0;
        for (const char *c = heard->text[CHILD_OUT]; *c; c++)
            have += *c == '\n';
        if (have >= lines)
            return;
        assert_int_equal(children_wait(children, NULL, 0, 10), 0);
    }
}

static bool is_there(pid_t pid)
{
    return !kill(pid, 0) || errno != ESRCH;
}

/* A killed process may need a moment to disappear. */
static bool is_gone_soon(pid_t pid)
{
    for (unsigned i = 0; i < 10000; i++) {
        if (!is_there(pid))
            return true;
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
    return false;
}

static void hears_both_streams_and_the_code(void **state)
{
    Children *const children = create();
    const char *argv[4];
    Heard heard;
    ChildEnd end;
    const ChildParams params = script(argv, "echo one; echo two >&2; exit 7", &heard);
    assert_int_equal(child_run(children, &params, &end), 0);
    assert_string_equal(heard.text[CHILD_OUT], "one\n");
    assert_string_equal(heard.text[CHILD_ERR], "two\n");
    assert_int_equal(end.code, 7);
    assert_int_equal(end.signal, 0);
    assert_false(end.timed_out);
    children_destroy(children);
}

static void passes_arguments_as_they_are(void **state)
{
    Children *const children = create();
    Heard heard = { .count = { 0 } };
    ChildEnd end;
    const char *const argv[] = { "printf", "[%s]", "-n", "a b", "$HOME;\n'\"*", "", NULL };
    const ChildParams params = {
        .argv = argv, .sink = { CHILD_TO_US, CHILD_NOWHERE }, .heard = hear, .arg = &heard
    };
    assert_int_equal(child_run(children, &params, &end), 0);
    assert_string_equal(heard.text[CHILD_OUT], "[-n][a b][$HOME;\n'\"*][]");
    children_destroy(children);
}

static void runs_a_file_under_another_name(void **state)
{
    Children *const children = create();
    const char *argv[4];
    Heard heard;
    ChildEnd end;
    ChildParams params = script(argv, "echo $0; pwd", &heard);
    argv[0] = "called";
    params.program = "/bin/sh";
    params.folder = "/";
    assert_int_equal(child_run(children, &params, &end), 0);
    assert_string_equal(heard.text[CHILD_OUT], "called\n/\n");
    children_destroy(children);
}

static void reports_a_missing_program(void **state)
{
    Children *const children = create();
    const char *argv[4];
    Heard heard;
    Child *child;
    ChildParams params = script(argv, "exit 0", &heard);
    params.program = "no-such-program-anywhere";
    assert_int_equal(child_start(children, &params, &child), -ENOENT);
    assert_null(child);
    params.program = "/";
    assert_int_equal(child_start(children, &params, &child), -EACCES);
    params.program = NULL;
    params.folder = "/no/such/folder";
    assert_int_equal(child_start(children, &params, &child), -ENOENT);
    children_destroy(children);
}

static void distinguishes_signals_from_exit_codes(void **state)
{
    Children *const children = create();
    const char *argv[4];
    Heard heard;
    ChildEnd end;
    const ChildParams params = script(argv, "kill -SEGV $$", &heard);
    assert_int_equal(child_run(children, &params, &end), 0);
    assert_int_equal(end.signal, SIGSEGV);
    assert_int_equal(end.code, -1);
    children_destroy(children);
}

/* Each of the two processes waits for the other. */
static void runs_several_at_once(void **state)
{
    Children *const children = create();
    const char *argv[2][4];
    Heard heard[2];
    Child *child[2];
    unlink("child_fifo");
    assert_int_equal(mkfifo("child_fifo", 0600), 0);
    const ChildParams reads = script(argv[0], "cat child_fifo", &heard[0]);
    const ChildParams writes = script(argv[1], "echo hello > child_fifo", &heard[1]);
    assert_int_equal(child_start(children, &reads, &child[0]), 0);
    assert_int_equal(child_start(children, &writes, &child[1]), 0);
    assert_int_equal(wait_for(children, child[0]).code, 0);
    assert_int_equal(wait_for(children, child[1]).code, 0);
    assert_string_equal(heard[0].text[CHILD_OUT], "hello\n");
    child_destroy(child[0]);
    child_destroy(child[1]);
    children_destroy(children);
    unlink("child_fifo");
}

static const char *const family = "trap 'exit 3' TERM; sleep 1000 & echo $$; echo $!; wait";

static void stops_a_child_with_all_it_started(void **state)
{
    Children *const children = create();
    const char *argv[4];
    Heard heard;
    Child *child;
    int pid[2];
    const ChildParams params = script(argv, family, &heard);
    assert_int_equal(child_start(children, &params, &child), 0);
    wait_for_lines(children, &heard, 2);
    child_stop(child);
    const ChildEnd end = wait_for(children, child);
    assert_int_equal(end.code, 3);
    assert_false(end.timed_out);
    assert_int_equal(sscanf(heard.text[CHILD_OUT], "%d %d", &pid[0], &pid[1]), 2);
    assert_false(is_there(pid[0])); /* no wait: all of it has ended */
    assert_false(is_there(pid[1]));
    child_destroy(child);
    children_destroy(children);
}

static void kills_a_child_that_ignores_the_request(void **state)
{
    Children *const children = create();
    const char *argv[4];
    Heard heard;
    Child *child;
    int pid;
    const ChildParams params =
        script(argv, "trap '' TERM; echo $$; while :; do sleep 1000; done", &heard);
    assert_int_equal(child_start(children, &params, &child), 0);
    wait_for_lines(children, &heard, 1);
    child_stop(child);
    assert_int_equal(wait_for(children, child).signal, SIGKILL);
    assert_int_equal(sscanf(heard.text[CHILD_OUT], "%d", &pid), 1);
    assert_false(is_there(pid));
    child_destroy(child);
    children_destroy(children);
}

static void stops_a_child_that_never_stops_writing(void **state)
{
    Children *const children = create();
    const char *argv[4];
    Heard heard;
    ChildEnd end;
    ChildParams params = script(argv, "yes", &heard);
    params.time_limit = 0.05;
    assert_int_equal(child_run(children, &params, &end), 0);
    assert_true(end.timed_out);
    assert_int_equal(end.signal, SIGTERM);
    children_destroy(children);
}

static void leaves_no_background_process(void **state)
{
    Children *const children = create();
    const char *argv[4];
    Heard heard;
    ChildEnd end;
    int pid;
    const ChildParams params = script(argv, "sleep 1000 & echo $!", &heard);
    assert_int_equal(child_run(children, &params, &end), 0);
    assert_int_equal(end.code, 0);
    assert_int_equal(sscanf(heard.text[CHILD_OUT], "%d", &pid), 1);
    assert_false(is_there(pid));
    children_destroy(children);
}

static void destroys_running_children(void **state)
{
    Children *const children = create();
    const char *argv[2][4];
    Heard heard[2];
    Child *child[2];
    int pid[4];
    for (unsigned i = 0; i < 2; i++) {
        const ChildParams params = script(argv[i], family, &heard[i]);
        assert_int_equal(child_start(children, &params, &child[i]), 0);
    }
    for (unsigned i = 0; i < 2; i++) {
        wait_for_lines(children, &heard[i], 2);
        assert_int_equal(sscanf(heard[i].text[CHILD_OUT], "%d %d", &pid[2 * i], &pid[2 * i + 1]),
                         2);
    }
    children_destroy(children);
    for (unsigned i = 0; i < 4; i++)
        assert_false(is_there(pid[i]));
}

static void gives_a_child_only_its_streams(void **state)
{
    Children *const children = create();
    const char *argv[4];
    Heard heard;
    ChildEnd end;
    const int leaked = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const ChildParams params = script(
        argv, "for f in 0 1 2 3 4 5 6 7 8 9; do [ -e /dev/fd/$f ] && printf %s $f; done; cat",
        &heard);
    assert_int_equal(child_run(children, &params, &end), 0);
    assert_string_equal(heard.text[CHILD_OUT], "012");
    close(leaked);
    children_destroy(children);
}

static void gives_a_child_default_signals(void **state)
{
    Children *const children = create();
    const char *argv[4];
    Heard heard;
    ChildEnd end;
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    signal(SIGPIPE, SIG_IGN);
    const ChildParams params =
        script(argv, "kill -PIPE $$; kill -TERM $$; echo neither came", &heard);
    assert_int_equal(child_run(children, &params, &end), 0);
    assert_int_equal(end.signal, SIGPIPE);
    const ChildParams again = script(argv, "kill -TERM $$; echo it did not come", &heard);
    assert_int_equal(child_run(children, &again, &end), 0);
    assert_int_equal(end.signal, SIGTERM);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    signal(SIGPIPE, SIG_DFL);
    children_destroy(children);
}

static void wakes_and_watches_other_descriptors(void **state)
{
    Children *const children = create();
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    struct pollfd other = { .fd = ends[0], .events = POLLIN };
    assert_int_equal(children_wait(children, &other, 1, 0), 0);
    assert_int_equal(other.revents, 0);
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_int_equal(children_wait(children, &other, 1, -1), 0);
    assert_int_equal(other.revents, POLLIN);
    children_wake(children);
    assert_int_equal(children_wait(children, NULL, 0, -1), 0);
    close(ends[0]);
    close(ends[1]);
    children_destroy(children);
}

static void stops_a_run_when_woken(void **state)
{
    Children *const children = create();
    const char *argv[4];
    Heard heard;
    ChildEnd end;
    const ChildParams params = script(argv, "sleep 1000", &heard);
    children_wake(children);
    assert_int_equal(child_run(children, &params, &end), -EINTR);
    const ChildParams again = script(argv, "exit 4", &heard);
    assert_int_equal(child_run(children, &again, &end), 0);
    assert_int_equal(end.code, 4);
    children_destroy(children);
}

/* The parent is another process, which the test kills. */
static void dies_with_its_parent(void **state)
{
    int ends[2], pid[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t parent = fork();
    if (!parent) {
        const char *argv[4];
        Heard heard;
        Child *child;
        Children *const children = create();
        const ChildParams params = script(argv, family, &heard);
        if (child_start(children, &params, &child))
            _exit(1);
        wait_for_lines(children, &heard, 2);
        if (write(ends[1], heard.text[CHILD_OUT], heard.count[CHILD_OUT]) < 0)
            _exit(1);
        for (;;)
            pause();
    }
    close(ends[1]);
    char text[64] = "";
    assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
    assert_int_equal(sscanf(text, "%d %d", &pid[0], &pid[1]), 2);
    assert_true(is_there(pid[0]));
    kill(parent, SIGKILL);
    assert_int_equal(waitpid(parent, NULL, 0), parent);
    assert_true(is_gone_soon(pid[0]));
    assert_true(is_gone_soon(pid[1]));
    close(ends[0]);
}

TEST_MAIN(child)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hears_both_streams_and_the_code),
        cmocka_unit_test(passes_arguments_as_they_are),
        cmocka_unit_test(runs_a_file_under_another_name),
        cmocka_unit_test(reports_a_missing_program),
        cmocka_unit_test(distinguishes_signals_from_exit_codes),
        cmocka_unit_test(runs_several_at_once),
        cmocka_unit_test(stops_a_child_with_all_it_started),
        cmocka_unit_test(kills_a_child_that_ignores_the_request),
        cmocka_unit_test(stops_a_child_that_never_stops_writing),
        cmocka_unit_test(leaves_no_background_process),
        cmocka_unit_test(destroys_running_children),
        cmocka_unit_test(gives_a_child_only_its_streams),
        cmocka_unit_test(gives_a_child_default_signals),
        cmocka_unit_test(wakes_and_watches_other_descriptors),
        cmocka_unit_test(stops_a_run_when_woken),
#ifdef __linux__
        cmocka_unit_test(dies_with_its_parent),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
