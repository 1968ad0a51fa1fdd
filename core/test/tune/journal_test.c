/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A journal keeps all complete lines, even if the last line is torn. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "testing.h"
#include "extras/tune/journal.h"

#define PATH "journal_test.jsonl"

static void write_file(const char *text)
{
    FILE *const file = fopen(PATH, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_file(const char *expected)
{
    static char text[65536];
    FILE *const file = fopen(PATH, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    fclose(file);
    assert_string_equal(text, expected);
}

static Journal *open_journal(void)
{
    Journal *journal;
    assert_int_equal(journal_open(&journal, PATH), 0);
    return journal;
}

static void lines_are_added_and_found_again(void **state)
{
    unlink(PATH);
    Journal *journal = open_journal();
    assert_int_equal(journal_count(journal), 0);
    assert_int_equal(journal_add(journal, "a\n\"b", json_pack("{s:i}", "x", 1)), 0);
    assert_true(journal_has(journal, "a\n\"b"));
    journal_close(journal);
    assert_file("{\"x\":1,\"key\":\"a\\n\\\"b\"}\n");
    journal = open_journal();
    assert_true(journal_has(journal, "a\n\"b"));
    assert_false(journal_has(journal, "a"));
    assert_int_equal(journal_add(journal, "c", json_object()), 0);
    journal_close(journal);
    assert_file("{\"x\":1,\"key\":\"a\\n\\\"b\"}\n{\"key\":\"c\"}\n");
}

/* Cut the file after any number of bytes, as a kill would. */
static void a_torn_line_is_dropped(void **state)
{
    static const char whole[] = "{\"key\":\"a\"}\n{\"x\":[1,2],\"key\":\"b\"}\n";
    const size_t first = strcspn(whole, "\n") + 1;
    for (size_t length = first; length < sizeof(whole) - 1; length++) {
        char text[sizeof(whole)];
        memcpy(text, whole, length);
        text[length] = 0;
        write_file(text);
        Journal *const journal = open_journal();
        assert_int_equal(journal_count(journal), 1);
        assert_true(journal_has(journal, "a"));
        assert_false(journal_has(journal, "b"));
        assert_file("{\"key\":\"a\"}\n");
        assert_int_equal(journal_add(journal, "b", json_object()), 0);
        journal_close(journal);
        assert_file("{\"key\":\"a\"}\n{\"key\":\"b\"}\n");
    }
}

static void a_first_line_may_be_torn_too(void **state)
{
    static const char *const torn[] = { "", "{", "{\"", "{\"key\":\"a", "{\"key\":\"a\"}" };
    for (size_t i = 0; i < COUNT(torn); i++) {
        write_file(torn[i]);
        Journal *const journal = open_journal();
        assert_int_equal(journal_count(journal), 0);
        journal_close(journal);
        assert_file("");
    }
}

static void objects_are_given_back(void **state)
{
    unlink(PATH);
    Journal *journal = open_journal();
    assert_null(journal_get(journal, "a"));
    assert_int_equal(journal_add(journal, "a", json_pack("{s:i}", "x", 5)), 0);
    assert_int_equal(json_integer_value(json_object_get(journal_get(journal, "a"), "x")), 5);
    journal_close(journal);
    journal = open_journal();
    assert_int_equal(json_integer_value(json_object_get(journal_get(journal, "a"), "x")), 5);
    journal_close(journal);
}

static void other_files_stay_as_they_are(void **state)
{
    static const char *const foreign[] = { "hello\n", "{\"key\":\"a\"}\nhello\n{\"key\":\"b\"}\n",
                                           "{}\n",    "{\"key\":1}\n",
                                           "[]\n",    "\n" };
    for (size_t i = 0; i < COUNT(foreign); i++) {
        Journal *journal;
        write_file(foreign[i]);
        assert_int_equal(journal_open(&journal, PATH), -EINVAL);
        assert_null(journal);
        assert_file(foreign[i]);
    }
}

static void one_at_a_time(void **state)
{
    Journal *second;
    unlink(PATH);
    Journal *const first = open_journal();
    assert_int_equal(journal_open(&second, PATH), -EBUSY);
    journal_close(first);
    assert_int_equal(journal_open(&second, PATH), 0);
    journal_close(second);
}

static void what_cannot_be_a_journal_is_refused(void **state)
{
    Journal *journal;
    assert_int_equal(journal_open(&journal, "."), -EISDIR);
    assert_int_equal(journal_open(&journal, "/dev/full"), -EINVAL);
    assert_int_equal(journal_open(&journal, "no/such/folder/x"), -ENOENT);
}

/* ---- keys ---- */

#define SOURCE "journal_source"
#define TWIN "journal_twin" /* another name of the same file, so size and time are equal */
#define MODEL "journal_model"

static void write_text(const char *path, const char *text)
{
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Everything that a key must contain. */
typedef struct Keyed {
    const char *path, *metric, *pool, *model, *ffmpeg, *label, *command, *what;
} Keyed;

static char *key_of(const Keyed *k)
{
    TuneOptions options = { .metric = k->metric, .ffmpeg = k->ffmpeg };
    Encoder encoder = { .label = strdup(k->label) };
    assert_true(pooling_parse(&options.pooling, k->pool, strlen(k->pool)));
    argv_add_all(&options.score_words, (const char *const[]){ "--model", k->model, NULL });
    argv_add_all(&encoder.command.words, (const char *const[]){ "encode", k->command, NULL });
    char *const key = key_make(k->path, &options, &encoder, k->what);
    assert_non_null(key);
    argv_free(&options.score_words);
    argv_free(&encoder.command.words);
    free(encoder.label);
    return key;
}

static void a_key_holds_all_that_a_result_depends_on(void **state)
{
    static const Keyed plain = { SOURCE,   "vmaf", "mean", "path=" MODEL ":name=x",
                                 "ffmpeg", "x264", "fast", "30" };
    const Keyed others[] = {
        { TWIN, plain.metric, plain.pool, plain.model, plain.ffmpeg, plain.label, plain.command,
          plain.what },
        { plain.path, "psnr_y", plain.pool, plain.model, plain.ffmpeg, plain.label, plain.command,
          plain.what },
        { plain.path, plain.metric, "p5", plain.model, plain.ffmpeg, plain.label, plain.command,
          plain.what },
        { plain.path, plain.metric, plain.pool, "path=" MODEL ":name=y", plain.ffmpeg, plain.label,
          plain.command, plain.what },
        { plain.path, plain.metric, plain.pool, plain.model, "./ffmpeg", plain.label, plain.command,
          plain.what },
        { plain.path, plain.metric, plain.pool, plain.model, plain.ffmpeg, "x265", plain.command,
          plain.what },
        { plain.path, plain.metric, plain.pool, plain.model, plain.ffmpeg, plain.label, "slow",
          plain.what },
        { plain.path, plain.metric, plain.pool, plain.model, plain.ffmpeg, plain.label,
          plain.command, "31" },
    };
    write_text(SOURCE, "video");
    write_text(MODEL, "model");
    unlink(TWIN);
    assert_int_equal(link(SOURCE, TWIN), 0);
    char *const key = key_of(&plain), *const same = key_of(&plain);
    assert_string_equal(key, same);
    free(same);
    for (size_t i = 0; i < COUNT(others); i++) {
        char *const other = key_of(&others[i]);
        assert_string_not_equal(key, other);
        free(other);
    }
    write_text(SOURCE, "another video");
    char *const changed = key_of(&plain);
    assert_string_not_equal(key, changed);
    write_text(MODEL, "another model");
    char *const scored = key_of(&plain);
    assert_string_not_equal(changed, scored);
    free(key);
    free(changed);
    free(scored);
    unlink(SOURCE);
    unlink(TWIN);
    unlink(MODEL);
}

TEST_MAIN(journal)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_added_and_found_again),
        cmocka_unit_test(a_torn_line_is_dropped),
        cmocka_unit_test(a_first_line_may_be_torn_too),
        cmocka_unit_test(objects_are_given_back),
        cmocka_unit_test(other_files_stay_as_they_are),
        cmocka_unit_test(one_at_a_time),
        cmocka_unit_test(what_cannot_be_a_journal_is_refused),
        cmocka_unit_test(a_key_holds_all_that_a_result_depends_on),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(PATH);
    return failed;
}
