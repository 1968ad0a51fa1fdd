/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A cache file comes back exactly as this user wrote it, or not at all. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "gpu/cachefile.h"
#include "testing.h"

static char top[] = "/tmp/vmaf-cachefile-XXXXXX", folder[64], path[80], key[80];
static const char text[] = "what was learnt";

static int set_up(void **unused)
{
    strcpy(top + strlen(top) - 6, "XXXXXX");
    assert_non_null(mkdtemp(top));
    snprintf(folder, sizeof(folder), "%s/not/there", top);
    snprintf(path, sizeof(path), "%s/verdict", folder);
    snprintf(key, sizeof(key), "%s/key", folder);
    setenv("VMAF_CACHE_DIR", folder, 1);
    return 0;
}

/* Only the file and its key may be left, and only where a test wrote them. */
static int tear_down(void **unused)
{
    char between[64];
    snprintf(between, sizeof(between), "%s/not", top);
    remove(path);
    remove(key);
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

/* A file with a changed or a missing byte is treated as missing. */
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

/* An empty folder name switches the cache off. A folder that cannot be created is only an error. */
static void test_nowhere(void **unused)
{
    setenv("VMAF_CACHE_DIR", "", 1);
    assert_int_equal(-ENOENT, cachefile_write("verdict", text, sizeof(text)));
    assert_int_equal(-ENOENT, read_back());
    setenv("VMAF_CACHE_DIR", "/dev/null/here", 1);
    assert_true(cachefile_write("verdict", text, sizeof(text)) < 0);
    assert_int_equal(-ENOENT, read_back());
}

/* Published test vectors: key 00 01 ... 0f, an empty message and the message 00. */
static void test_tag(void **unused)
{
    static const uint8_t wanted[2][SIPHASH_SIZE] = {
        { 0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02,
          0x93 },
        { 0xda, 0x87, 0xc1, 0xd8, 0x6b, 0x99, 0xaf, 0x44, 0x34, 0x76, 0x59, 0x11, 0x9b, 0x22, 0xfc,
          0x45 },
    };
    uint8_t known[SIPHASH_SIZE], value[SIPHASH_SIZE];
    for (unsigned i = 0; i < SIPHASH_SIZE; i++)
        known[i] = (uint8_t)i;
    for (unsigned size = 0; size < 2; size++) {
        siphash(known, "", size, value);
        assert_memory_equal(wanted[size], value, sizeof(value));
    }
}

/* A file planted by someone who cannot read the key is not used. */
static void test_planted(void **unused)
{
    char other[80];
    snprintf(other, sizeof(other), "%s/other", folder);
    assert_int_equal(0, cachefile_write("verdict", text, sizeof(text)));
    assert_int_equal(0, rename(path, other));
    assert_int_equal(-ENOENT, read_back());
    void *data;
    size_t size;
    assert_int_equal(-ENOENT,
                     cachefile_read("other", &data, &size)); /* a tag made for another name */
    assert_int_equal(0, rename(other, path));
    assert_int_equal(0, read_back());

    /* The key file holds a different key: a new key is made. */
    assert_int_equal(0, remove(key));
    assert_int_equal(-ENOENT, read_back());
    assert_int_equal(0, cachefile_write("another", text, sizeof(text)));
    assert_int_equal(-ENOENT, read_back());
    snprintf(other, sizeof(other), "%s/another", folder);
    remove(other);
}

static void test_key(void **unused)
{
    struct stat info;
    assert_int_equal(0, cachefile_write("verdict", text, sizeof(text)));
    assert_int_equal(0, stat(key, &info));
    assert_int_equal(0600, info.st_mode & 07777);
    assert_int_equal(SIPHASH_SIZE, info.st_size);
    assert_int_equal(0, stat(path, &info));
    assert_int_equal(0600, info.st_mode & 07777);
    /* A key file that is cut, or that others may write, is replaced. */
    assert_int_equal(0, truncate(key, 3));
    assert_int_equal(-ENOENT, read_back());
    assert_int_equal(0, cachefile_write("verdict", text, sizeof(text)));
    assert_int_equal(0, read_back());
    assert_int_equal(0, chmod(key, 0622));
    assert_int_equal(-ENOENT, read_back());
    assert_int_equal(0, cachefile_write("verdict", text, sizeof(text)));
    assert_int_equal(0, read_back());
}

static void make(const char *name, const char *content)
{
    FILE *const file = fopen(name, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

/* Links are not followed, pipes are not waited for, and writing replaces both. */
static void test_no_plain_file(void **unused)
{
    char away[80];
    struct stat info;
    snprintf(away, sizeof(away), "%s/away", top);
    assert_int_equal(0, cachefile_write("verdict", text, sizeof(text)));
    assert_int_equal(0, rename(path, away));
    assert_int_equal(0, symlink(away, path));
    assert_int_equal(-ENOENT, read_back());
    assert_int_equal(0, remove(away));
    make(away, "somebody's");
    assert_int_equal(0, cachefile_write("verdict", text, sizeof(text)));
    assert_int_equal(0, read_back());
    assert_int_equal(0, stat(away, &info));
    assert_int_equal(strlen("somebody's"), info.st_size);
    remove(away);

    assert_int_equal(0, remove(path));
    assert_int_equal(0, mkfifo(path, 0600));
    assert_int_equal(-ENOENT, read_back());
    assert_int_equal(0, cachefile_write("verdict", text, sizeof(text)));
    assert_int_equal(0, read_back());

    assert_int_equal(0, remove(path));
    assert_int_equal(0, mkdir(path, 0700));
    assert_int_equal(-ENOENT, read_back());
    assert_true(cachefile_write("verdict", text, sizeof(text)) < 0);
    assert_int_equal(0, rmdir(path));
}

static void test_others_may_write(void **unused)
{
    assert_int_equal(0, cachefile_write("verdict", text, sizeof(text)));
    assert_int_equal(0, chmod(path, 0660));
    assert_int_equal(-ENOENT, read_back());
    assert_int_equal(0, chmod(path, 0600));
    assert_int_equal(0, read_back());
    assert_int_equal(0, chmod(folder, 0777));
    assert_int_equal(-ENOENT, read_back());
    assert_int_equal(-EPERM, cachefile_write("verdict", text, sizeof(text)));
    assert_int_equal(0, chmod(folder, 0700));
    assert_int_equal(0, read_back());
}

static void test_foreign_owner(void **unused)
{
    assert_int_equal(0, cachefile_write("verdict", text, sizeof(text)));
    if (chown(path, 12345, (gid_t)-1))
        skip(); /* only root can give files away */
    assert_int_equal(-ENOENT, read_back());
    assert_int_equal(0, chown(path, geteuid(), (gid_t)-1));
    assert_int_equal(0, read_back());
    assert_int_equal(0, chown(folder, 12345, (gid_t)-1));
    assert_int_equal(-ENOENT, read_back());
    assert_int_equal(-EPERM, cachefile_write("verdict", text, sizeof(text)));
}

static void test_linked_folder(void **unused)
{
    char way[80];
    snprintf(way, sizeof(way), "%s/way", top);
    assert_int_equal(0, cachefile_write("verdict", text, sizeof(text)));
    assert_int_equal(0, symlink(folder, way));
    setenv("VMAF_CACHE_DIR", way, 1);
    assert_int_equal(-ENOENT, read_back());
    assert_int_equal(-EPERM, cachefile_write("verdict", text, sizeof(text)));
    remove(way);
}

/* Nothing is created where the home folder is missing, and a relative name is not used. */
static void test_home(void **unused)
{
    char home[80], below[128];
    snprintf(home, sizeof(home), "%s/home", top);
    unsetenv("VMAF_CACHE_DIR");
    setenv("XDG_CACHE_HOME", "relative", 1);
    unsetenv("HOME");
    assert_int_equal(-ENOENT, cachefile_write("verdict", text, sizeof(text)));
    assert_int_equal(-1, access("relative", F_OK));
    setenv("HOME", "relative", 1);
    assert_int_equal(-ENOENT, cachefile_write("verdict", text, sizeof(text)));
    setenv("HOME", home, 1);
    assert_int_equal(-ENOENT, cachefile_write("verdict", text, sizeof(text)));
    assert_int_equal(-1, access(home, F_OK));
    make(home, "a file");
    assert_int_equal(-ENOENT, cachefile_write("verdict", text, sizeof(text)));
    remove(home);

    assert_int_equal(0, mkdir(home, 0755));
    assert_int_equal(0, cachefile_write("verdict", text, sizeof(text)));
    assert_int_equal(0, read_back());
    static const char *const made[] = { "/.cache/vmaf/verdict", "/.cache/vmaf/key", "/.cache/vmaf",
                                        "/.cache", "" };
    for (unsigned i = 0; i < COUNT(made); i++) {
        snprintf(below, sizeof(below), "%s%s", home, made[i]);
        assert_int_equal(0, remove(below));
    }
    unsetenv("XDG_CACHE_HOME");
}

static void *write_many(void *failed)
{
    for (unsigned i = 0; i < 100; i++)
        if (cachefile_write("verdict", text, sizeof(text)))
            *(int *)failed = 1;
    return NULL;
}

/* Readers see a complete file while several processes write it. */
static void test_many_writers(void **unused)
{
    pthread_t writers[3];
    int failed[3] = { 0 };
    assert_int_equal(0, cachefile_write("verdict", text, sizeof(text)));
    for (unsigned i = 0; i < COUNT(writers); i++)
        assert_int_equal(0, pthread_create(&writers[i], NULL, write_many, &failed[i]));
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(0, read_back());
    for (unsigned i = 0; i < COUNT(writers); i++) {
        pthread_join(writers[i], NULL);
        assert_int_equal(0, failed[i]);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(cachefile)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tag),
        TEST(test_round_trip),
        TEST(test_damage),
        TEST(test_nowhere),
        TEST(test_planted),
        TEST(test_key),
        TEST(test_no_plain_file),
        TEST(test_others_may_write),
        TEST(test_foreign_owner),
        TEST(test_linked_folder),
        TEST(test_home),
        TEST(test_many_writers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
