/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A file is replaced as a whole or stays as it was; what is no plain file is written through. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "testing.h"

static char start[1024], folder[] = "/tmp/vmaf-outfile-XXXXXX";

static int set_up(void **unused)
{
    assert_non_null(getcwd(start, sizeof(start)));
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    assert_non_null(mkdtemp(folder));
    return chdir(folder);
}

/* Everything that a test made is removed by it: a temporary file left behind shows here. */
static int tear_down(void **unused)
{
    assert_int_equal(0, chdir(start));
    assert_int_equal(0, rmdir(folder));
    return 0;
}

static void make(const char *path, const char *text)
{
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void expect(const char *path, const char *text)
{
    char bytes[64] = "";
    FILE *const file = fopen(path, "r");
    assert_non_null(file);
    bytes[fread(bytes, 1, sizeof(bytes) - 1, file)] = 0;
    fclose(file);
    assert_string_equal(bytes, text);
}

static int write_text(const char *path, enum OutfileKind kind, const char *text)
{
    Outfile *file;
    const int err = outfile_open(&file, path, kind);
    if (err)
        return err;
    fputs(text, outfile_stream(file));
    return outfile_commit(file);
}

static void replaces_as_a_whole(void **unused)
{
    Outfile *file;
    make("a", "old");
    assert_int_equal(0, outfile_open(&file, "a", OUTFILE_REPLACE));
    fputs("new", outfile_stream(file));
    fflush(outfile_stream(file));
    expect("a", "old");
    assert_int_equal(0, outfile_commit(file));
    expect("a", "new");
    remove("a");
}

static void keeps_the_old_one_without_a_commit(void **unused)
{
    Outfile *file;
    make("a", "old");
    assert_int_equal(0, outfile_open(&file, "a", OUTFILE_REPLACE));
    fputs("new", outfile_stream(file));
    outfile_discard(file);
    expect("a", "old");
    remove("a");
}

static void keeps_the_mode(void **unused)
{
    struct stat info;
    make("a", "old");
    assert_int_equal(0, chmod("a", 0604));
    assert_int_equal(0, write_text("a", OUTFILE_REPLACE, "new"));
    assert_int_equal(0, stat("a", &info));
    assert_int_equal(0604, info.st_mode & 07777);
    remove("a");

    const mode_t mask = umask(027);
    assert_int_equal(0, write_text("a", OUTFILE_REPLACE, "new"));
    umask(mask);
    assert_int_equal(0, stat("a", &info));
    assert_int_equal(0640, info.st_mode & 07777);
    remove("a");
}

/* By way of relative and absolute links, to a file or to none yet. */
static void replaces_what_a_link_names(void **unused)
{
    char path[128];
    struct stat info;
    snprintf(path, sizeof(path), "%s/there/b", folder);
    assert_int_equal(0, mkdir("there", 0700));
    assert_int_equal(0, symlink("there/c", "a"));
    assert_int_equal(0, symlink(path, "there/c"));
    assert_int_equal(0, write_text("a", OUTFILE_REPLACE, "first"));
    assert_int_equal(0, write_text("a", OUTFILE_REPLACE, "second"));
    assert_int_equal(0, lstat("a", &info));
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(0, lstat("there/b", &info));
    assert_true(S_ISREG(info.st_mode));
    expect("a", "second");
    remove("a");
    remove("there/b");
    remove("there/c");
    rmdir("there");

    assert_int_equal(0, symlink("a", "a"));
    assert_int_equal(-ELOOP, write_text("a", OUTFILE_REPLACE, "text"));
    remove("a");
}

static void writes_to_all_names_of_a_file(void **unused)
{
    make("a", "the old text, which was longer");
    assert_int_equal(0, link("a", "b"));
    assert_int_equal(0, write_text("a", OUTFILE_REPLACE, "new"));
    expect("b", "new");
    remove("a");
    remove("b");
}

static void *read_pipe(void *text)
{
    const int fd = open("pipe", O_RDONLY);
    const ssize_t size = read(fd, text, 16);
    close(fd);
    return (void *)size;
}

static void writes_through_to_pipes(void **unused)
{
    char text[17] = "";
    struct stat info;
    pthread_t thread;
    assert_int_equal(0, mkfifo("pipe", 0600));
    assert_int_equal(0, pthread_create(&thread, NULL, read_pipe, text));
    assert_int_equal(0, write_text("pipe", OUTFILE_REPLACE, "through"));
    pthread_join(thread, NULL);
    assert_string_equal(text, "through");
    assert_int_equal(0, stat("pipe", &info));
    assert_true(S_ISFIFO(info.st_mode));
    remove("pipe");
}

/* The file of stdout is written, not replaced: the program that opened it holds the file, not its
 * name. */
static void writes_through_to_stdout(void **unused)
{
    const int before = dup(STDOUT_FILENO);
    struct stat info;
    fflush(stdout);
    const int fd = open("a", O_RDWR | O_CREAT, 0600);
    assert_int_equal(STDOUT_FILENO, dup2(fd, STDOUT_FILENO));
    const int first = write_text("/dev/stdout", OUTFILE_REPLACE, "one");
    assert_int_equal(0, symlink("/dev/stdout", "b"));
    const int second = write_text("b", OUTFILE_REPLACE, "two");
    const int third = write_text("a", OUTFILE_REPLACE, "three");
    dup2(before, STDOUT_FILENO);
    close(before);
    assert_int_equal(0, first);
    assert_int_equal(0, second);
    assert_int_equal(0, third);
    assert_int_equal(0, fstat(fd, &info));
    assert_int_equal(1, info.st_nlink);
    assert_int_equal(5, info.st_size);
    close(fd);
    expect("a", "three");
    remove("a");
    remove("b");
}

static void finds_a_full_disk(void **unused)
{
    if (access("/dev/full", W_OK))
        skip();
    assert_int_equal(-ENOSPC, write_text("/dev/full", OUTFILE_REPLACE, "text"));
    Outfile *file;
    assert_int_equal(0, outfile_open(&file, "/dev/full", OUTFILE_IN_PLACE));
    assert_int_equal(-ENOSPC, outfile_write_at(file, "text", 4, 0));
    assert_int_equal(-ENOSPC, outfile_commit(file));
}

static void reports_files_that_cannot_be_opened(void **unused)
{
    assert_int_equal(-EISDIR, write_text(".", OUTFILE_REPLACE, "text"));
    assert_int_equal(-ENOENT, write_text("", OUTFILE_REPLACE, "text"));
    assert_int_equal(-ENOENT, write_text("no/such", OUTFILE_REPLACE, "text"));
    assert_int_equal(-EISDIR, write_text("new/", OUTFILE_REPLACE, "text"));
    assert_int_equal(-ENOENT, write_text("no/such", OUTFILE_PRIVATE, "text"));
}

static void writes_at_any_position(void **unused)
{
    Outfile *file;
    make("a", "an old one, and longer");
    assert_int_equal(0, outfile_open(&file, "a", OUTFILE_IN_PLACE));
    assert_int_equal(0, outfile_write_at(file, "cd", 2, 2));
    assert_int_equal(0, outfile_write_at(file, "ab", 2, 0));
    assert_int_equal(0, outfile_commit(file));
    expect("a", "abcd");
    remove("a");
}

static void private_files_follow_no_link(void **unused)
{
    struct stat info;
    make("mine", "mine");
    assert_int_equal(0, symlink("mine", "a"));
    assert_int_equal(0, write_text("a", OUTFILE_PRIVATE, "new"));
    expect("mine", "mine");
    expect("a", "new");
    assert_int_equal(0, lstat("a", &info));
    assert_true(S_ISREG(info.st_mode));
    assert_int_equal(0600, info.st_mode & 07777);
    remove("a");
    remove("mine");
}

/* A file among the first three would be printed into by whatever goes to stderr. */
static void keeps_off_the_standard_streams(void **unused)
{
    Outfile *file;
    const int before = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    const int err = outfile_open(&file, "a", OUTFILE_REPLACE);
    const int taken = fcntl(STDIN_FILENO, F_GETFD);
    dup2(before, STDIN_FILENO);
    close(before);
    assert_int_equal(0, err);
    assert_int_equal(-1, taken);
    assert_int_equal(0, outfile_commit(file));
    remove("a");
}

static void survives_missing_memory(void **unused)
{
    make("a", "old");
    for (unsigned n = 1;; n++) {
        const long live = mem_live();
        mem_fail_after(n);
        const int err = write_text("a", OUTFILE_REPLACE, "new");
        mem_fail_after(0);
        assert_int_equal(live, mem_live());
        if (!err)
            break;
        assert_int_equal(-ENOMEM, err);
        expect("a", "old");
    }
    expect("a", "new");
    remove("a");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(outfile)
{
    const struct CMUnitTest tests[] = {
        TEST(replaces_as_a_whole),
        TEST(keeps_the_old_one_without_a_commit),
        TEST(keeps_the_mode),
        TEST(replaces_what_a_link_names),
        TEST(writes_to_all_names_of_a_file),
        TEST(writes_through_to_pipes),
        TEST(writes_through_to_stdout),
        TEST(finds_a_full_disk),
        TEST(reports_files_that_cannot_be_opened),
        TEST(writes_at_any_position),
        TEST(private_files_follow_no_link),
        TEST(keeps_off_the_standard_streams),
        TEST(survives_missing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
