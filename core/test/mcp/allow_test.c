/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests that vmaf-mcp reads no file outside its folders, even if somebody replaces folders and
 * files by links between the check of a path and its opening. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "extras/mcp/allow.h"
#include "testing.h"

/* Exchanges `swap`, which is inside, and `link`, which leads outside, again and again. */
typedef struct Exchange {
    atomic_bool stop;
    int folder;
} Exchange;

static void *exchange(void *arg)
{
    Exchange *const e = arg;
    while (!atomic_load(&e->stop))
        renameat2(e->folder, "swap", e->folder, "link", RENAME_EXCHANGE);
    return NULL;
}

static void put(const char *path, const char *text)
{
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) != EOF && !fclose(file));
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Opens the path again and again for a second while the two are exchanged. Returns how often it led
 * inside, and sets *outside to how often it led outside. */
static unsigned race(const char *path, unsigned *outside)
{
    Exchange e = { .folder = open("inside", O_RDONLY | O_DIRECTORY) };
    Allow *const allow = allow_create();
    pthread_t thread;
    char why[512];
    unsigned inside = 0;
    *outside = 0;
    assert_int_equal(allow_add(allow, "inside"), 0);
    assert_int_equal(pthread_create(&thread, NULL, exchange, &e), 0);
    for (const double end = now() + 1.0; now() < end;) {
        char text[8] = "";
        const int fd = allow_open(allow, path, 1000, why, sizeof(why));
        if (fd < 0)
            continue;
        assert_true(read(fd, text, sizeof(text) - 1) > 0);
        *(strcmp(text, "secret") ? &inside : outside) += 1;
        close(fd);
    }
    atomic_store(&e.stop, true);
    pthread_join(thread, NULL);
    close(e.folder);
    allow_destroy(allow);
    return inside;
}

static void begin(char folder[64])
{
    strcpy(folder, "/tmp/allow_test_XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(mkdir("inside", 0700), 0);
    assert_int_equal(mkdir("outside", 0700), 0);
    put("outside/file", "secret");
}

static void end(const char *folder)
{
    static const char *const names[] = { "inside/swap/file", "inside/link/file", "inside/swap",
                                         "inside/link",      "outside/file",     "inside",
                                         "outside" };
    /* The file in a folder is removed before the folder; links are removed as links. */
    for (size_t i = 0; i < COUNT(names); i++)
        remove(names[i]);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void a_folder_becomes_a_link(void **state)
{
    char folder[64];
    unsigned outside;
    begin(folder);
    assert_int_equal(mkdir("inside/swap", 0700), 0);
    put("inside/swap/file", "public");
    assert_int_equal(symlink("../outside", "inside/link"), 0);
    assert_true(race("swap/file", &outside) > 0);
    assert_int_equal(outside, 0);
    end(folder);
}

static void a_file_becomes_a_link(void **state)
{
    char folder[64];
    unsigned outside;
    begin(folder);
    put("inside/swap", "public");
    assert_int_equal(symlink("../outside/file", "inside/link"), 0);
    assert_true(race("swap", &outside) > 0);
    assert_int_equal(outside, 0);
    end(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_becomes_a_link),
        cmocka_unit_test(a_file_becomes_a_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
