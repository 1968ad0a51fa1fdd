/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The scheduler: reports in stream order, the same scores for every number of threads, errors kept,
 * safe ends at any moment. The features are made up, so that order and history show in their
 * scores. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/scheduler.h"
#include "engine/scores.h"
#include "testing.h"

#define FRAMES 40

static atomic_int fail_position = -1; /* where `pixels` fails */
static atomic_uint concurrent;        /* measures of `history` under way */

/* Some frames take longer than others. */
static void dawdle(uint64_t position)
{
    if (position % 3 == 0)
        usleep(300);
}

static unsigned first_sample(const VmafPicture *pic)
{
    return pic ? *(const uint8_t *)pic->data[0] : 0;
}

/* pixels: anything goes; bands shared with the team. */
typedef struct PixelsResult {
    unsigned ref, dist, before[2];
    atomic_uint bands;
} PixelsResult;

static void add_band(void *arg, unsigned job)
{
    atomic_fetch_add((atomic_uint *)arg, job);
}

static int pixels_measure(const Feature *f, void *scratch, const FramePair *pair, void *result,
                          Team *team)
{
    dawdle(pair->position);
    if ((int)pair->position == atomic_load(&fail_position))
        return 1; /* a positive code, as some features of the reference return */
    PixelsResult *r = result;
    r->ref = first_sample(pair->ref);
    r->dist = first_sample(pair->dist);
    for (unsigned i = 0; i < 2; i++)
        r->before[i] = first_sample(pair->prev_ref[i]);
    atomic_store(&r->bands, 0);
    team_run(team, 8, add_band, &r->bands);
    *(unsigned *)scratch += 1;
    return 0;
}

static int counter_create(const Feature *f, void **scratch)
{
    *scratch = mem_zalloc(sizeof(unsigned));
    return *scratch ? 0 : -ENOMEM;
}

/* The state holds the position that must come next, or later. */
static int pixels_init(Feature *f)
{
    f->state = mem_zalloc(sizeof(uint64_t));
    return f->state ? 0 : -ENOMEM;
}

static int pixels_report(Feature *f, const FrameId *id, const void *result)
{
    const PixelsResult *r = result;
    uint64_t *next = f->state;
    if (id->position < *next)
        return -EIO;
    *next = id->position + 1;
    const double value = r->ref + 1e3 * r->dist + 1e6 * r->before[0] + 1e9 * r->before[1] +
                         1e12 * atomic_load(&r->bands);
    return feature_emit(f, 0, id->index, value);
}

static int pixels_flush(Feature *f)
{
    return feature_emit_aggregate(f, "frames", (double)*(uint64_t *)f->state);
}

static const FeatureDef pixels = {
    .name = "pixels",
    .outputs = (const FeatureOutput[]){ { .name = "pixels" }, { .name = NULL } },
    .result_size = sizeof(PixelsResult),
    .reach = 2,
    .init = pixels_init,
    .close = feature_free_state,
    .scratch_create = counter_create,
    .scratch_destroy = mem_free,
    .measure = pixels_measure,
    .report = pixels_report,
    .flush = pixels_flush,
};

/* history: each measure needs the one before it. */
static int history_measure(const Feature *f, void *scratch, const FramePair *pair, void *result,
                           Team *team)
{
    if (atomic_fetch_add(&concurrent, 1) != 0)
        return -EIO;
    dawdle(pair->position + 1);
    unsigned *hash = scratch;
    *hash = *hash * 31 + first_sample(pair->ref) + (unsigned)pair->position;
    *(unsigned *)result = *hash;
    atomic_fetch_sub(&concurrent, 1);
    return 0;
}

static int history_report(Feature *f, const FrameId *id, const void *result)
{
    return feature_emit(f, 0, id->index, *(const unsigned *)result);
}

static const FeatureDef history = {
    .name = "history",
    .outputs = (const FeatureOutput[]){ { .name = "history" }, { .name = NULL } },
    .flags = FEATURE_SERIAL | FEATURE_EVERY_FRAME,
    .result_size = sizeof(unsigned),
    .scratch_create = counter_create,
    .scratch_destroy = mem_free,
    .measure = history_measure,
    .report = history_report,
};

/* delayed: a frame's score comes with the frame after it, and that of the last one with the
 * flush. */
typedef struct DelayedState {
    unsigned index;
    bool any;
} DelayedState;

static int delayed_init(Feature *f)
{
    f->state = mem_zalloc(sizeof(DelayedState));
    return f->state ? 0 : -ENOMEM;
}

static int delayed_measure(const Feature *f, void *scratch, const FramePair *pair, void *result,
                           Team *team)
{
    return 0;
}

static int delayed_flush(Feature *f)
{
    const DelayedState *s = f->state;
    return s->any ? feature_emit(f, 1, s->index, s->index) : 0;
}

static int delayed_report(Feature *f, const FrameId *id, const void *result)
{
    DelayedState *s = f->state;
    int err = delayed_flush(f);
    if (!err)
        err = feature_emit(f, 0, id->index, id->index);
    *s = (DelayedState){ id->index, true };
    return err;
}

static const FeatureDef delayed = {
    .name = "delayed",
    .outputs =
        (const FeatureOutput[]){ { .name = "at once" }, { .name = "late" }, { .name = NULL } },
    .flags = FEATURE_EVERY_FRAME,
    .init = delayed_init,
    .close = feature_free_state,
    .measure = delayed_measure,
    .report = delayed_report,
    .flush = delayed_flush,
};

/* shared: all features but number 9 are measured in one call. */
typedef struct SharedOptions {
    int number;
} SharedOptions;

static const Option shared_options[] = {
    INT_OPTION(SharedOptions, number, "number", "n", 0, 0, 9, "its number"),
    { 0 },
};

static atomic_uint shared_calls;

static int shared_number(const Feature *f)
{
    return ((const SharedOptions *)f->options)->number;
}

static unsigned shared_value(const VmafPicture *ref, int number)
{
    return first_sample(ref) + 1000 * (unsigned)number;
}

static bool shared_can_join(const Feature *f, const Feature *other)
{
    return shared_number(f) != 9 && shared_number(other) != 9;
}

static int shared_measure_all(const Feature *f, void *scratch, const FramePair *pair,
                              void *const *results, Team *team)
{
    atomic_fetch_add(&shared_calls, 1);
    dawdle(pair->position);
    if ((int)pair->position == atomic_load(&fail_position))
        return -EIO;
    *(unsigned *)results[0] = shared_value(pair->ref, shared_number(f));
    for (unsigned i = 0; i < f->guest_count; i++)
        *(unsigned *)results[i + 1] = shared_value(pair->ref, shared_number(f->guests[i]));
    return 0;
}

static int shared_measure(const Feature *f, void *scratch, const FramePair *pair, void *result,
                          Team *team)
{
    assert_int_equal(f->guest_count, 0);
    return shared_measure_all(f, scratch, pair, &result, team);
}

static const FeatureDef shared = {
    .name = "shared",
    .options = shared_options,
    .options_size = sizeof(SharedOptions),
    .outputs = (const FeatureOutput[]){ { .name = "shared" }, { .name = NULL } },
    .result_size = sizeof(unsigned),
    .can_join = shared_can_join,
    .measure = shared_measure,
    .measure_all = shared_measure_all,
    .report = history_report,
};

typedef struct Rig {
    ScoreStore *scores;
    Scheduler *scheduler;
    FrameShape shape;
    uint64_t position;
} Rig;

static void rig_add_with(Rig *rig, const FeatureDef *def, Dict *options)
{
    Feature *f;
    assert_int_equal(feature_create(&f, def, options), 0);
    f->scores = rig->scores;
    f->order = scheduler_feature_count(rig->scheduler);
    assert_int_equal(scheduler_add(rig->scheduler, f), 0);
}

static void rig_add(Rig *rig, const FeatureDef *def)
{
    rig_add_with(rig, def, NULL);
}

static void rig_add_shared(Rig *rig, const char *number)
{
    Dict *options = NULL;
    assert_int_equal(dict_set(&options, "number", number), 0);
    rig_add_with(rig, &shared, options);
}

static void rig_open_empty(Rig *rig, unsigned threads)
{
    *rig = (Rig){ 0 };
    shape_init(&rig->shape, VMAF_PIX_FMT_YUV400P, 8, 16, 16);
    assert_int_equal(scores_create(&rig->scores), 0);
    assert_int_equal(scheduler_create(&rig->scheduler, threads), 0);
}

static void rig_open(Rig *rig, unsigned threads)
{
    rig_open_empty(rig, threads);
    rig_add(rig, &pixels);
    rig_add(rig, &history);
}

static void rig_close(Rig *rig)
{
    scheduler_destroy(rig->scheduler);
    scores_destroy(rig->scores);
}

static int rig_read(Rig *rig, bool scored)
{
    VmafPicture ref, dist;
    assert_int_equal(picture_alloc(&ref, &rig->shape), 0);
    assert_int_equal(picture_alloc(&dist, &rig->shape), 0);
    *(uint8_t *)ref.data[0] = (uint8_t)(rig->position * 7 + 1);
    *(uint8_t *)dist.data[0] = (uint8_t)(rig->position * 11 + 2);
    int err = scheduler_prepare(rig->scheduler, &rig->shape);
    assert_int_equal(err, 0);
    scores_set_step(rig->scores, (unsigned)rig->position + 1);
    err = scheduler_read(rig->scheduler,
                         &(FrameInput){ .ref = &ref,
                                        .dist = &dist,
                                        .id = { rig->position, (unsigned)rig->position },
                                        .scored = scored });
    rig->position++;
    picture_release(&ref);
    picture_release(&dist);
    return err;
}

static double score(Rig *rig, const char *name, unsigned index)
{
    double value;
    return scores_get(rig->scores, name, index, &value) ? -1 : value;
}

static double expected_pixels(unsigned i)
{
    const unsigned ref = (uint8_t)(i * 7 + 1), dist = (uint8_t)(i * 11 + 2);
    const unsigned before = i > 0 ? (uint8_t)(i * 7 - 6) : 0;
    const unsigned before2 = i > 1 ? (uint8_t)(i * 7 - 13) : 0;
    return ref + 1e3 * dist + 1e6 * before + 1e9 * before2 + 1e12 * 28;
}

static void check_scores(Rig *rig)
{
    unsigned hash = 0;
    for (unsigned i = 0; i < FRAMES; i++) {
        hash = hash * 31 + (uint8_t)(i * 7 + 1) + i;
        assert_true(score(rig, "pixels", i) == expected_pixels(i));
        assert_true(score(rig, "history", i) == hash);
    }
    const char *name;
    double value;
    assert_int_equal(scores_aggregate(rig->scores, 0, &name, &value), 0);
    assert_true(value == FRAMES);
    ScoreTable table;
    assert_int_equal(scores_copy(rig->scores, &table), 0);
    assert_string_equal(table.columns[0].name, "pixels");
    score_table_clear(&table);
}

static const unsigned thread_counts[] = { 0, 1, 2, 5 };

static void scores_do_not_depend_on_threads(void **state)
{
    for (size_t t = 0; t < COUNT(thread_counts); t++) {
        Rig rig;
        rig_open(&rig, thread_counts[t]);
        for (unsigned i = 0; i < FRAMES; i++)
            assert_int_equal(rig_read(&rig, true), 0);
        assert_int_equal(scheduler_flush(rig.scheduler), 0);
        check_scores(&rig);
        rig_close(&rig);
    }
}

static void skipped_frames_reach_only_features_that_need_them(void **state)
{
    for (size_t t = 0; t < COUNT(thread_counts); t++) {
        Rig rig;
        rig_open(&rig, thread_counts[t]);
        for (unsigned i = 0; i < FRAMES; i++)
            assert_int_equal(rig_read(&rig, i % 3 == 0), 0);
        assert_int_equal(scheduler_flush(rig.scheduler), 0);
        for (unsigned i = 0; i < FRAMES; i++) {
            assert_true(score(&rig, "history", i) >= 0);
            assert_true(score(&rig, "pixels", i) == (i % 3 ? -1 : expected_pixels(i)));
        }
        rig_close(&rig);
    }
}

static void errors_come_back(void **state)
{
    for (size_t t = 0; t < COUNT(thread_counts); t++) {
        Rig rig;
        rig_open(&rig, thread_counts[t]);
        atomic_store(&fail_position, 7);
        int first = 0;
        for (unsigned i = 0; i < FRAMES; i++) {
            const int err = rig_read(&rig, true);
            if (err && !first)
                first = err;
            if (!thread_counts[t])
                assert_int_equal(err, i == 7 ? -EINVAL : 0);
        }
        if (thread_counts[t]) {
            scheduler_wait(rig.scheduler);
            first = scheduler_error(rig.scheduler);
        }
        assert_int_equal(first, -EINVAL);
        assert_int_equal(scheduler_error(rig.scheduler), 0);
        assert_int_equal(scheduler_flush(rig.scheduler), 0);
        assert_true(score(&rig, "pixels", 7) == -1);
        assert_true(score(&rig, "pixels", 8) == expected_pixels(8));
        atomic_store(&fail_position, -1);
        rig_close(&rig);
    }
}

/* A frame on which one feature fails has no score of any: not of those that were measured before or
 * after it, nor what they say of it later. What they say of the frame before it stays. */
static void failed_frames_leave_nothing(void **state)
{
    for (unsigned stored = 0; stored < 2; stored++) {
        for (size_t t = 0; t < COUNT(thread_counts); t++) {
            Rig rig;
            rig_open(&rig, thread_counts[t]);
            rig_add(&rig, &delayed);
            if (stored) /* a score is there already */
                assert_int_equal(scores_set(rig.scores, "history", 7, -5, NULL), 0);
            else
                atomic_store(&fail_position, 7);
            for (unsigned i = 0; i < FRAMES; i++)
                rig_read(&rig, true);
            scheduler_flush(rig.scheduler);
            assert_int_equal(scheduler_flush(rig.scheduler), 0);
            for (unsigned i = 0; i < FRAMES; i++) {
                const bool failed = i == 7;
                assert_true(score(&rig, "pixels", i) == (failed ? -1 : expected_pixels(i)));
                assert_true(score(&rig, "at once", i) == (failed ? -1 : (double)i));
                assert_true(score(&rig, "late", i) == (failed ? -1 : (double)i));
                if (!stored || !failed)
                    assert_true((score(&rig, "history", i) >= 0) == !failed);
            }
            atomic_store(&fail_position, -1);
            rig_close(&rig);
        }
    }
}

static void may_end_at_any_moment(void **state)
{
    const long live = mem_live();
    for (unsigned frames = 0; frames < 12; frames++) {
        for (size_t t = 0; t < COUNT(thread_counts); t++) {
            Rig rig;
            rig_open(&rig, thread_counts[t]);
            for (unsigned i = 0; i < frames; i++)
                rig_read(&rig, true);
            rig_close(&rig);
            assert_int_equal(mem_live(), live);
        }
    }
}

static void steady_state_allocates_nothing(void **state)
{
    enum { THREADS = 2, WARM_UP = 20, STEADY = 40 }; /* fewer than scores have room for at first */
    Rig rig;
    rig_open(&rig, THREADS);
    for (unsigned i = 0; i < WARM_UP; i++)
        rig_read(&rig, true);
    scheduler_wait(rig.scheduler);
    mem_fail_after(0);
    for (unsigned i = 0; i < STEADY; i++)
        rig_read(&rig, true);
    scheduler_wait(rig.scheduler);
    /* Two pictures a frame, of three blocks each, are the test's own. A feature gets working memory
     * for a further worker when two of its frames first overlap, which may be late. */
    const long counted = mem_fail_after(0);
    const long late = (long)scheduler_feature_count(rig.scheduler) * (THREADS - 1);
    assert_in_range(counted, STEADY * 6, STEADY * 6 + late);
    rig_close(&rig);
}

static int late_measure(const Feature *f, void *scratch, const FramePair *pair, void *result,
                        Team *team)
{
    *(unsigned *)result = first_sample(pair->prev_ref[0]);
    return 0;
}

static const FeatureDef late = {
    .name = "late",
    .outputs = (const FeatureOutput[]){ { .name = "late" }, { .name = NULL } },
    .result_size = sizeof(unsigned),
    .reach = 1,
    .measure = late_measure,
    .report = history_report,
};

/* Features 1, 2 and 3 are measured in one call a frame; feature 9 and those that are registered
 * late are measured alone. An error of a shared call counts for all of its features. */
static void features_share_a_measure(void **state)
{
    enum { LATE = 10, FAILS = 20 };
    for (size_t t = 0; t < COUNT(thread_counts); t++) {
        Rig rig;
        rig_open(&rig, thread_counts[t]);
        rig_add_shared(&rig, "1");
        rig_add_shared(&rig, "9");
        rig_add_shared(&rig, "2");
        rig_add(&rig, &delayed);
        rig_add_shared(&rig, "3");
        atomic_store(&shared_calls, 0);
        atomic_store(&fail_position, FAILS);
        for (unsigned i = 0; i < FRAMES; i++) {
            if (i == LATE)
                rig_add_shared(&rig, "4");
            rig_read(&rig, i % 2 == 0);
        }
        scheduler_flush(rig.scheduler);
        assert_int_equal(scheduler_flush(rig.scheduler), 0);
        assert_int_equal(atomic_load(&shared_calls), 2 * FRAMES / 2 + (FRAMES - LATE) / 2);
        for (unsigned i = 0; i < FRAMES; i++) {
            static const int numbers[] = { 1, 2, 3, 9, 4 };
            for (size_t n = 0; n < COUNT(numbers); n++) {
                char name[16];
                snprintf(name, sizeof(name), "shared_n_%d", numbers[n]);
                const bool has = i % 2 == 0 && i != FAILS && (numbers[n] != 4 || i >= LATE);
                const uint8_t ref = (uint8_t)(i * 7 + 1);
                assert_true(score(&rig, name, i) == (has ? ref + 1000 * numbers[n] : -1));
            }
        }
        atomic_store(&fail_position, -1);
        rig_close(&rig);
    }
}

static void late_features_start_with_the_next_pair(void **state)
{
    for (size_t t = 0; t < COUNT(thread_counts); t++) {
        Rig rig;
        rig_open(&rig, thread_counts[t]);
        for (unsigned i = 0; i < 10; i++)
            rig_read(&rig, true);
        rig_add(&rig, &late);
        for (unsigned i = 10; i < FRAMES; i++)
            rig_read(&rig, true);
        assert_int_equal(scheduler_flush(rig.scheduler), 0);
        assert_true(score(&rig, "late", 9) == -1);
        assert_true(score(&rig, "late", 10) == 9 * 7 + 1);
        check_scores(&rig);
        rig_close(&rig);
    }
}

static void references_are_kept_as_far_as_features_look_back(void **state)
{
    long live[3];
    for (unsigned reach = 0; reach < 3; reach++) {
        FeatureDef def = history;
        def.reach = reach;
        Rig rig;
        rig_open_empty(&rig, 0);
        rig_add(&rig, &def);
        for (unsigned i = 0; i < 10; i++)
            assert_int_equal(rig_read(&rig, true), 0);
        live[reach] = mem_live();
        rig_close(&rig);
    }
    /* A picture is three blocks. */
    assert_int_equal(live[1] - live[0], 3);
    assert_int_equal(live[2] - live[0], 6);
}

static atomic_uint slow_frames; /* frames that `slow` has measured */

static int slow_measure(const Feature *f, void *scratch, const FramePair *pair, void *result,
                        Team *team)
{
    usleep(2000);
    atomic_fetch_add(&slow_frames, 1);
    return 0;
}

static const FeatureDef slow = {
    .name = "slow",
    .outputs = (const FeatureOutput[]){ { .name = "slow" }, { .name = NULL } },
    .result_size = sizeof(unsigned),
    .measure = slow_measure,
    .report = history_report,
};

/* A caller that reads faster than its frames are scored has to wait, and the memory in use stays
 * that of the pairs under way. */
static void fast_readers_wait(void **state)
{
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        Rig rig;
        rig_open_empty(&rig, threads);
        rig_add(&rig, &slow);
        atomic_store(&slow_frames, 0);
        const unsigned most = scheduler_in_flight(rig.scheduler);
        for (unsigned i = 0; i < most; i++)
            rig_read(&rig, true);
        scheduler_wait(rig.scheduler);
        const long live = mem_live();
        for (unsigned i = most; i < 5 * most; i++) {
            rig_read(&rig, true);
            assert_true(i + 1 - atomic_load(&slow_frames) <= most);
            /* A picture is three blocks. */
            assert_true(mem_live() - live <= 6 * (long)most);
        }
        rig_close(&rig);
    }
}

TEST_MAIN(scheduler)
{
    log_set_level(VMAF_LOG_LEVEL_NONE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_do_not_depend_on_threads),
        cmocka_unit_test(skipped_frames_reach_only_features_that_need_them),
        cmocka_unit_test(errors_come_back),
        cmocka_unit_test(failed_frames_leave_nothing),
        cmocka_unit_test(may_end_at_any_moment),
        cmocka_unit_test(steady_state_allocates_nothing),
        cmocka_unit_test(features_share_a_measure),
        cmocka_unit_test(late_features_start_with_the_next_pair),
        cmocka_unit_test(references_are_kept_as_far_as_features_look_back),
        cmocka_unit_test(fast_readers_wait),
    };
    return cmocka_run_group_tests_name("scheduler", tests, NULL, NULL);
}
