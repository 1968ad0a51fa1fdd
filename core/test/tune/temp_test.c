/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Temporary folders: the next process removes those that killed processes left, whenever these were
 * killed, and leaves those of running processes alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/inotify.h>
#endif

#include "common/temp.h"
#include "test_folder.h"

static void make_folder(const char *name)
{
    char path[256];
    path_of(path, name);
    assert_int_equal(0, mkdir(path, 0700));
}

/* Create and destroy a temporary folder, as another process would. */
static void pass_by(void)
{
    TempFolder *temp;
    assert_int_equal(0, temp_create(&temp, test_folder));
    temp_destroy(temp);
}

/* ---- what others left ---- */

static void before_its_lock_was_made(void **state)
{
    make_folder(".vmaf-tune-empty1");
    pass_by();
    assert_int_equal(0, count_entries(""));
}

static void before_its_lock_was_taken(void **state)
{
    make_folder(".vmaf-tune-free01");
    close(make_file(".vmaf-tune-free01/lock"));
    pass_by();
    assert_int_equal(0, count_entries(""));
}

static void at_work(void **state)
{
    make_folder(".vmaf-tune-work01");
    make_folder(".vmaf-tune-work01/inner");
    const int lock = make_file(".vmaf-tune-work01/lock");
    close(make_file(".vmaf-tune-work01/1.mkv"));
    close(make_file(".vmaf-tune-work01/inner/2.mkv"));
    assert_int_equal(0, flock(lock, LOCK_EX));
    pass_by();
    assert_true(is_there(".vmaf-tune-work01/1.mkv"));
    assert_true(is_there(".vmaf-tune-work01/inner/2.mkv"));
    close(lock);
    pass_by();
    assert_int_equal(0, count_entries(""));
}

/* Files of other origin, and things that only look like our folders. */
static void what_is_not_ours(void **state)
{
    char link[256], target[256];
    make_folder("other");
    make_folder(".vmaf-tune-full01");
    close(make_file(".vmaf-tune-full01/theirs"));
    path_of(link, ".vmaf-tune-link01");
    path_of(target, ".vmaf-tune-full01");
    assert_int_equal(0, symlink("other", link));
    pass_by();
    assert_true(is_there("other"));
    assert_true(is_there(".vmaf-tune-full01/theirs"));
    assert_true(is_there(".vmaf-tune-link01"));
    unlink(link);
    path_of(link, ".vmaf-tune-full01/theirs");
    unlink(link);
    rmdir(target);
    path_of(target, "other");
    rmdir(target);
    assert_int_equal(0, count_entries(""));
}

/* ---- going ---- */

/* If the process is killed meanwhile, the rest can still be recognised as ours. */
static void the_lock_goes_last(void **state)
{
#ifdef __linux__
    TempFolder *temp;
    char events[4096] __attribute__((aligned(8)));
    const char *last = "";
    assert_int_equal(0, temp_create(&temp, test_folder));
    for (unsigned i = 0; i < 3; i++) {
        char *const path = temp_file(temp, "mkv");
        const int file = open(path, O_RDWR | O_CREAT, 0600);
        assert_true(file >= 0);
        close(file);
        free(path);
    }
    const int watch = inotify_init1(IN_NONBLOCK);
    assert_true(watch >= 0);
    assert_true(inotify_add_watch(watch, temp_path(temp), IN_DELETE) >= 0);
    temp_destroy(temp);
    const ssize_t size = read(watch, events, sizeof(events));
    unsigned count = 0;
    for (ssize_t at = 0; at < size; count++) {
        const struct inotify_event *const event = (const void *)(events + at);
        if (event->mask & IN_DELETE)
            last = event->name;
        at += (ssize_t)(sizeof(*event) + event->len);
    }
    assert_true(count >= 4);
    assert_string_equal("lock", last);
    close(watch);
    assert_int_equal(0, count_entries(""));
#else
    skip();
#endif
}

/* ---- many at once ---- */

#define PROCESSES 4
#define ROUNDS 300

static int come_and_go(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        TempFolder *temp;
        if (temp_create(&temp, test_folder))
            return 1;
        char *const path = temp_file(temp, "mkv");
        const int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
        close(file);
        usleep(i % 7 * 10);
        struct stat info;
        const bool stays = file >= 0 && !stat(path, &info);
        free(path);
        temp_destroy(temp);
        if (!stays)
            return 2;
    }
    return 0;
}

static void nobody_sweeps_the_living_away(void **state)
{
    pid_t pids[PROCESSES];
    for (unsigned i = 0; i < PROCESSES; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (!pids[i])
            _exit(come_and_go());
    }
    for (unsigned i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(pids[i], waitpid(pids[i], &status, 0));
        assert_int_equal(0, status);
    }
    assert_int_equal(0, count_entries(""));
}

TEST_MAIN(temp)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_its_lock_was_made),
        cmocka_unit_test(before_its_lock_was_taken),
        cmocka_unit_test(at_work),
        cmocka_unit_test(what_is_not_ours),
        cmocka_unit_test(the_lock_goes_last),
        cmocka_unit_test(nobody_sweeps_the_living_away),
    };
    return cmocka_run_group_tests_name("temporary folders", tests, folder_set_up, folder_tear_down);
}
