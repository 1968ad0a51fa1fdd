/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Files that are written under a temporary name: the next writer in the folder removes those of
 * killed processes, and leaves those of running processes alone. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/temp.h"
#include "test_folder.h"

static void remove_file(const char *name)
{
    char path[256];
    path_of(path, name);
    assert_int_equal(0, unlink(path));
}

/* Write a file, as another process would. */
static int write_file(const char *name)
{
    char path[256];
    Draft draft;
    path_of(path, name);
    const int err = draft_open(&draft, path);
    if (err)
        return err;
    fputs("whole\n", draft.file);
    return draft_close(&draft);
}

static bool is_whole(const char *name)
{
    char path[256], text[16] = "";
    path_of(path, name);
    FILE *const file = fopen(path, "r");
    const bool read = file && fgets(text, sizeof(text), file);
    if (file)
        fclose(file);
    return read && !strcmp(text, "whole\n");
}

static void kill_a_writer(void)
{
    int status;
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        char path[256];
        Draft draft;
        path_of(path, "never");
        if (!draft_open(&draft, path))
            raise(SIGKILL);
        _exit(1);
    }
    assert_int_equal(pid, waitpid(pid, &status, 0));
    assert_true(WIFSIGNALED(status));
    assert_int_equal(1, count_entries(".vmaf-tune-"));
}

static void the_next_file_sweeps(void **state)
{
    kill_a_writer();
    assert_int_equal(0, write_file("file"));
    assert_int_equal(0, count_entries(".vmaf-tune-"));
    assert_false(is_there("never"));
    assert_true(is_whole("file"));
    remove_file("file");
}

static void the_next_folder_sweeps(void **state)
{
    TempFolder *temp;
    kill_a_writer();
    assert_int_equal(0, temp_create(&temp, test_folder));
    temp_destroy(temp);
    assert_int_equal(0, count_entries(".vmaf-tune-"));
}

/* Another process writes a file while one is being written. */
static void two_at_once(void **state)
{
    char path[256];
    Draft draft;
    path_of(path, "first");
    assert_int_equal(0, draft_open(&draft, path));
    fputs("whole\n", draft.file);
    fflush(draft.file);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid)
        _exit(write_file("second") != 0);
    int status;
    assert_int_equal(pid, waitpid(pid, &status, 0));
    assert_int_equal(0, status);
    assert_int_equal(1, count_entries(".vmaf-tune-"));
    assert_int_equal(0, draft_close(&draft));
    assert_int_equal(0, count_entries(".vmaf-tune-"));
    assert_true(is_whole("first"));
    assert_true(is_whole("second"));
    remove_file("first");
    remove_file("second");
}

static void what_is_not_ours(void **state)
{
    static const char *const names[] = { ".vmaf-tune-mine.tmp", ".vmaf-tune-notes1.txt",
                                         ".vmaf-123456.tmp" };
    char link[256];
    for (unsigned i = 0; i < COUNT(names); i++)
        close(make_file(names[i]));
    path_of(link, ".vmaf-tune-link01.tmp");
    assert_int_equal(0, symlink(".vmaf-tune-mine.tmp", link));
    assert_int_equal(0, write_file("file"));
    assert_true(is_there(".vmaf-tune-link01.tmp"));
    for (unsigned i = 0; i < COUNT(names); i++) {
        assert_true(is_there(names[i]));
        remove_file(names[i]);
    }
    remove_file(".vmaf-tune-link01.tmp");
    remove_file("file");
}

#define PROCESSES 4
#define ROUNDS 300

static int write_many(unsigned number)
{
    char name[16];
    snprintf(name, sizeof(name), "file%u", number);
    for (unsigned i = 0; i < ROUNDS; i++)
        if (write_file(name) || !is_whole(name))
            return 1;
    return 0;
}

static void nobody_sweeps_the_living_away(void **state)
{
    pid_t pids[PROCESSES];
    for (unsigned i = 0; i < PROCESSES; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (!pids[i])
            _exit(write_many(i));
    }
    for (unsigned i = 0; i < PROCESSES; i++) {
        int status;
        char name[16];
        assert_int_equal(pids[i], waitpid(pids[i], &status, 0));
        assert_int_equal(0, status);
        snprintf(name, sizeof(name), "file%u", i);
        remove_file(name);
    }
    assert_int_equal(0, count_entries(".vmaf-tune-"));
}

TEST_MAIN(draft)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_file_sweeps),
        cmocka_unit_test(the_next_folder_sweeps),
        cmocka_unit_test(two_at_once),
        cmocka_unit_test(what_is_not_ours),
        cmocka_unit_test(nobody_sweeps_the_living_away),
    };
    return cmocka_run_group_tests_name("files under a temporary name", tests, folder_set_up,
                                       folder_tear_down);
}
