/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The score store: written once, read by name or alias, listed as a serial run would write it. */
#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "engine/scores.h"
#include "testing.h"

static int setup(void **state)
{
    ScoreStore *store;
    assert_int_equal(scores_create(&store), 0);
    *state = store;
    return 0;
}

static int teardown(void **state)
{
    scores_destroy(*state);
    return 0;
}

static void slots_are_written_once(void **state)
{
    ScoreStore *store = *state;
    double value = -1;
    assert_int_equal(scores_get(store, "a", 0, &value), -EINVAL);
    assert_int_equal(scores_set(store, "a", 3, 1.5, NULL), 0);
    assert_int_equal(scores_set(store, "a", 3, 2.5, NULL), -EINVAL);
    assert_int_equal(scores_get(store, "a", 2, &value), -EINVAL);
    assert_int_equal(scores_get(store, "a", 1000, &value), -EINVAL);
    assert_true(value == -1);
    assert_int_equal(scores_get(store, "a", 3, &value), 0);
    assert_true(value == 1.5);
}

static void grows_past_its_first_size(void **state)
{
    ScoreStore *store = *state;
    for (unsigned m = 0; m < 40; m++) {
        char name[16];
        snprintf(name, sizeof(name), "metric%u", m);
        for (unsigned i = 0; i < 300; i++)
            assert_int_equal(scores_set(store, name, i, m * 1000.0 + i, NULL), 0);
    }
    ScoreTable table;
    assert_int_equal(scores_copy(store, &table), 0);
    assert_int_equal(table.column_count, 40);
    score_table_clear(&table);
    double value;
    assert_int_equal(scores_get(store, "metric37", 299, &value), 0);
    assert_true(value == 37299);
}

static void aliases_are_understood(void **state)
{
    ScoreStore *store = *state;
    const char *stored = "VMAF_integer_feature_adm2_score";
    scores_set(store, stored, 0, 0.5, NULL);
    assert_string_equal(scores_resolve(store, stored), stored);
    assert_string_equal(scores_resolve(store, "integer_adm2"), stored);
    assert_string_equal(scores_resolve(store, "adm2"), "adm2");
    /* A score of exactly that name comes first; and only the outside speaks in aliases. */
    double value;
    assert_int_equal(scores_get(store, "integer_adm2", 0, &value), -EINVAL);
    scores_set(store, "integer_adm2", 3, 1.5, NULL);
    assert_string_equal(scores_resolve(store, "integer_adm2"), "integer_adm2");
}

static void check_order(ScoreStore *store, const char *const *names, size_t count)
{
    ScoreTable table;
    assert_int_equal(scores_copy(store, &table), 0);
    assert_int_equal(table.column_count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(table.columns[i].name, names[i]);
    score_table_clear(&table);
}

static void columns_are_in_serial_order(void **state)
{
    ScoreStore *store = *state;
    scores_set(store, "imported before", 0, 0, NULL);
    scores_set_step(store, 1);
    scores_set(store, "second feature", 0, 0, &(ScoreOrder){ 1, 1, 0 });
    scores_set(store, "at the flush", 0, 0, &(ScoreOrder){ SCORES_FLUSH, 0, 2 });
    scores_set(store, "next frame", 0, 0, &(ScoreOrder){ 2, 0, 1 });
    scores_set(store, "first feature, then", 0, 0, &(ScoreOrder){ 1, 0, 1 });
    scores_set(store, "first feature", 0, 0, &(ScoreOrder){ 1, 0, 0 });
    scores_set(store, "imported after one", 0, 0, NULL);
    scores_set_step(store, 2);
    scores_set_step(store, SCORES_FLUSH);
    scores_set(store, "vmaf", 0, 0, NULL);
    static const char *const expected[] = { "imported before",     "first feature",
                                            "first feature, then", "second feature",
                                            "imported after one",  "next frame",
                                            "at the flush",        "vmaf" };
    check_order(store, expected, COUNT(expected));
}

static void one_pair_moves_late_scores_to_the_flush(void **state)
{
    ScoreStore *store = *state;
    scores_set_step(store, 1);
    scores_set(store, "next frame of 1", 0, 0, &(ScoreOrder){ 2, 1, 0 });
    scores_set(store, "flush of 0", 0, 0, &(ScoreOrder){ SCORES_FLUSH, 0, 0 });
    scores_set(store, "now", 0, 0, &(ScoreOrder){ 1, 1, 1 });
    scores_set_step(store, SCORES_FLUSH);
    static const char *const expected[] = { "now", "flush of 0", "next frame of 1" };
    check_order(store, expected, COUNT(expected));
}

/* A stream without end can forget scores some frames behind the last one. */
static void forgotten_scores_are_gone(void **state)
{
    enum { FRAMES = 10000, KEPT = 20 };
    ScoreStore *store = *state;
    double value;
    for (unsigned i = 0; i < FRAMES; i++) {
        assert_int_equal(scores_set(store, "a", i, i + 0.5, NULL), 0);
        if (i >= 3000 && i % 3 == 0)
            assert_int_equal(scores_set(store, "later", i, i * 2.0, NULL), 0);
        if (i <= KEPT)
            continue;
        scores_forget(store, i - KEPT);
        assert_int_equal(scores_get(store, "a", i - KEPT - 1, &value), -EINVAL);
        assert_int_equal(scores_get(store, "a", i - KEPT, &value), 0);
        assert_true(value == i - KEPT + 0.5);
        assert_int_equal(scores_get(store, "a", i, &value), 0);
        assert_true(value == i + 0.5);
    }
    assert_int_equal(scores_get(store, "later", 9990, &value), 0);
    assert_true(value == 2.0 * 9990);
    assert_int_equal(scores_get(store, "later", 9991, &value), -EINVAL);

    ScoreTable table;
    assert_int_equal(scores_copy(store, &table), 0);
    assert_int_equal(table.column_count, 2);
    for (unsigned i = 0; i < FRAMES; i++)
        assert_int_equal(i < table.columns[0].capacity && table.columns[0].written[i],
                         i >= FRAMES - 1 - KEPT);
    assert_true(table.columns[0].values[FRAMES - 1] == FRAMES - 0.5);
    score_table_clear(&table);
}

static void forgotten_indices_take_no_scores(void **state)
{
    ScoreStore *store = *state;
    double value = 1;
    size_t culprit;
    scores_set(store, "a", 70, 7, NULL);
    scores_forget(store, 70);
    scores_forget(store, 10); /* forgotten scores do not come back */
    assert_int_equal(scores_set(store, "a", 69, 6, NULL), -EINVAL);
    assert_int_equal(scores_settle(store, "a", 69, &value, NULL), -ERANGE);
    assert_int_equal(scores_set(store, "a", 70, 6, NULL), -EINVAL);
    assert_int_equal(scores_get(store, "a", 70, &value), 0);
    assert_true(value == 7);
    /* A late score for a forgotten frame is left out; the other scores of the same call are
     * stored. */
    ScoreEntry entries[] = { { .name = "a", .index = 69, .value = 1 },
                             { .name = "a", .index = 71, .value = 2 },
                             { .name = "b", .index = 71, .value = 3 } };
    assert_int_equal(scores_store(store, entries, 3, &(ScoreFrame){ .index = 71 }, &culprit), 0);
    assert_false(entries[0].stored);
    assert_true(entries[1].stored && entries[2].stored);
    /* A frame of which one score is refused gets none, also after forgetting. */
    ScoreEntry refused[] = { { .name = "b", .index = 70, .value = 1 },
                             { .name = "a", .index = 70, .value = 2 } };
    assert_int_equal(scores_store(store, refused, 2, &(ScoreFrame){ .index = 70 }, &culprit),
                     -EINVAL);
    assert_int_equal(scores_get(store, "b", 70, &value), -EINVAL);
    assert_int_equal(scores_get(store, "b", 71, &value), 0);
    assert_true(value == 3);
}

static void aggregates_keep_the_last_value(void **state)
{
    ScoreStore *store = *state;
    const char *name;
    double value;
    for (unsigned i = 0; i < 10; i++) {
        char text[8];
        snprintf(text, sizeof(text), "a%u", i);
        assert_int_equal(scores_set_aggregate(store, text, i), 0);
    }
    assert_int_equal(scores_set_aggregate(store, "a3", 33), 0);
    assert_int_equal(scores_aggregate_count(store), 10);
    assert_int_equal(scores_aggregate(store, 3, &name, &value), 0);
    assert_string_equal(name, "a3");
    assert_true(value == 33);
    assert_int_equal(scores_aggregate(store, 10, &name, &value), -EINVAL);
}

static void far_indices_cost_no_memory(void **state)
{
    ScoreStore *store = *state;
    double value;
    assert_int_equal(scores_set(store, "far", 10000000, 7, NULL), 0);
    assert_int_equal(scores_set(store, "far", 0, 8, NULL), 0);
    assert_int_equal(scores_get(store, "far", 10000000, &value), 0);
    assert_true(value == 7);
    ScoreTable table;
    assert_int_equal(scores_copy(store, &table), 0);
    assert_true(table.columns[0].written[10000000] && table.columns[0].values[10000000] == 7);
    score_table_clear(&table);
}

/* A copy does not change when more is written later. */
static void a_copy_is_of_one_instant(void **state)
{
    ScoreStore *store = *state;
    ScoreTable table;
    assert_int_equal(scores_set(store, "a", 1, 5, NULL), 0);
    assert_int_equal(scores_copy(store, &table), 0);
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(scores_set(store, i % 2 ? "a" : "b", i + 2, i, NULL), 0);
    assert_int_equal(table.column_count, 1);
    assert_string_equal(table.columns[0].name, "a");
    for (size_t i = 0; i < table.columns[0].capacity; i++)
        assert_int_equal(table.columns[0].written[i], i == 1);
    assert_true(table.columns[0].values[1] == 5);
    score_table_clear(&table);
}

static void the_first_value_settles_it(void **state)
{
    ScoreStore *store = *state;
    double value = 3;
    assert_int_equal(scores_settle(store, "a", 0, &value, NULL), 0);
    assert_true(value == 3);
    value = 4;
    assert_int_equal(scores_settle(store, "a", 0, &value, NULL), 0);
    assert_true(value == 3);
}

TEST_MAIN(scores)
{
    log_set_level(VMAF_LOG_LEVEL_NONE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(slots_are_written_once, setup, teardown),
        cmocka_unit_test_setup_teardown(grows_past_its_first_size, setup, teardown),
        cmocka_unit_test_setup_teardown(aliases_are_understood, setup, teardown),
        cmocka_unit_test_setup_teardown(columns_are_in_serial_order, setup, teardown),
        cmocka_unit_test_setup_teardown(one_pair_moves_late_scores_to_the_flush, setup, teardown),
        cmocka_unit_test_setup_teardown(forgotten_scores_are_gone, setup, teardown),
        cmocka_unit_test_setup_teardown(forgotten_indices_take_no_scores, setup, teardown),
        cmocka_unit_test_setup_teardown(aggregates_keep_the_last_value, setup, teardown),
        cmocka_unit_test_setup_teardown(a_copy_is_of_one_instant, setup, teardown),
        cmocka_unit_test_setup_teardown(the_first_value_settles_it, setup, teardown),
        cmocka_unit_test_setup_teardown(far_indices_cost_no_memory, setup, teardown),
    };
    return cmocka_run_group_tests_name("scores", tests, NULL, NULL);
}
