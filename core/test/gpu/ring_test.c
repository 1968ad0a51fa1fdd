/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The ring of frames in flight: whatever its depth, its batch size, the queue that uploads and the
 * features that each frame asks for, every result equals the scalar code's. */
#include <errno.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/graph.h"
#include "pairs.h"
#include "rig.h"
#include "tap.h"

#define SMALL(depth_, frames_)                                                                     \
    {                                                                                              \
        "small", SYNTH_MIX, 47, 35, VMAF_PIX_FMT_YUV420P, depth_, frames_                          \
    }

/* Features with one kernel each: one plan twice, and features that look one and two frames back. */
static const ClipFeature light[] = {
    { "psnr", { 0 } },
    { "motion", { 0 } },
    { "psnr", { "enable_mse", "true" } },
    { "motion", { "motion_five_frame_window", "true" } },
    { "motion", { "motion_force_zero", "true" } },
};

/* Features with several stages, tables, zeroed and undefined scratch memory, and chroma. */
static const ClipFeature heavy[] = {
    { "vif", { 0 } },        { "motion", { 0 } },
    { "adm", { 0 } },        { "vif", { "debug", "true" } },
    { "psnr_hvs", { 0 } },   { "ciede", { 0 } },
    { "float_ssim", { 0 } }, { "vif", { "vif_enhn_gain_limit", "1" } },
};

/* ---- which features a frame asks for ---- */

/* As subsampling does: some features for every frame, the others for every third one. */
static FeatureSet every_third(unsigned frame)
{
    return frame % 3 ? 0x2 : ~(FeatureSet)0;
}

static FeatureSet now_and_then(unsigned frame)
{
    return frame % 2 ? 0 : ~(FeatureSet)0;
}

static FeatureSet changing(unsigned frame)
{
    return (frame * 2654435761u) >> 13;
}

static FeatureSet (*const sets[])(unsigned frame) = { NULL, every_third, now_and_then, changing };

/* ---- rings ---- */

static void check_ring(Pairs *pairs, const PairsRun *run)
{
    const int wrong = pairs_stream(pairs, rig_gpu(), run);
    if (wrong)
        print_error("depth %u, batches of %u, uploads on the %s queue, threads: %d\n", run->depth,
                    rig_gpu()->tuning.max_batch,
                    rig_gpu()->tuning.own_upload_bytes ? "compute" : "copy", run->threads);
    assert_int_equal(0, wrong);
}

static void test_depths_and_batches(void **unused)
{
    const SynthClip clip = SMALL(8, 2 * 8 + 5);
    Pairs pairs;
    pairs_create(&pairs, &clip, light, COUNT(light));
    tap_open(rig_gpu());
    for (unsigned depth = 1; depth <= 8; depth += SANITIZED ? 3 : 1) {
        for (unsigned batch = 1; batch <= 4; batch++) {
            for (unsigned q = 0; q < 2; q++) {
                rig_tune(q ? SIZE_MAX : 0, batch);
                check_ring(&pairs, &(PairsRun){ .depth = depth,
                                                .set = sets[(depth + batch) % COUNT(sets)],
                                                .threads = (depth / 2 + batch + q) % 2 });
            }
        }
    }
    pairs_destroy(&pairs);
}

/* Each batch comes round more than once. */
static void test_large_batches(void **unused)
{
    const SynthClip clip = SMALL(8, 60);
    Pairs pairs;
    pairs_create(&pairs, &clip, light, COUNT(light));
    tap_open(rig_gpu());
    for (unsigned batch = 5; batch <= GPU_MAX_BATCH; batch += 3) {
        for (unsigned q = 0; q < 2; q++) {
            rig_tune(q ? SIZE_MAX : 0, batch);
            check_ring(&pairs, &(PairsRun){ .depth = 16, .set = sets[batch / 2 % COUNT(sets)] });
        }
    }
    pairs_destroy(&pairs);
}

static void test_many_features(void **unused)
{
    for (unsigned bpc = 8; bpc <= 10; bpc += 2) {
        const SynthClip clip = SMALL(bpc, 7);
        Pairs pairs;
        pairs_create(&pairs, &clip, heavy, COUNT(heavy));
        tap_open(rig_gpu());
        for (unsigned s = 0; s < COUNT(sets); s++) {
            rig_tune(s % 2 ? SIZE_MAX : 0, s < 2 ? GPU_MAX_BATCH : 2);
            check_ring(&pairs, &(PairsRun){ .depth = 5, .set = sets[s], .threads = s == 1 });
        }
        pairs_destroy(&pairs);
    }
}

/* ---- features that share a plan ---- */

#define VIEW(key, value)                                                                           \
    {                                                                                              \
        "adm",                                                                                     \
        {                                                                                          \
            key, value                                                                             \
        }                                                                                          \
    }

/* Features that share a transform, and others between them. `owner` is the one whose run serves a
 * feature. */
static const ClipFeature views[] = {
    VIEW("adm_norm_view_dist", "3"),
    { "psnr", { 0 } },
    VIEW("adm_norm_view_dist", "5"),
    VIEW("adm_enhn_gain_limit", "1.5"),
    VIEW("adm_noise_weight", "1"), /* the sums of the first one */
    VIEW("adm_csf_mode", "1"),
    { "adm", { "adm_norm_view_dist", "7", "adm_enhn_gain_limit", "1.5" } },
    VIEW("adm_skip_scale0", "true"),
    VIEW("adm_norm_view_dist", "6.5"),
    { "adm", { "adm_norm_view_dist", "5", "adm_dlm_weight", "0.7" } },
};
static const unsigned owner[COUNT(views)] = { 0, 1, 0, 3, 0, 0, 3, 7, 0, 0 };
static const unsigned passes[COUNT(views)] = { 2, 1, 2, 2, 2, 2, 2, 2, 2, 2 };

/* Every feature reports the launches of its owner. */
static void count_launches(Pairs *pairs)
{
    GpuStream *stream;
    FeatureSet taken;
    assert_int_equal(0, stream_create(&stream,
                                      &(GpuStreamParams){ .device = rig_gpu(),
                                                          .features = pairs->features,
                                                          .feature_count = pairs->feature_count,
                                                          .depth = 1 },
                                      &taken));
    for (unsigned t = 0; t < 3; t++) {
        const FramePair pair = pairs_at(pairs, t);
        assert_int_equal(0, stream_submit(stream, &pair, taken));
        assert_int_equal(0, stream_collect(stream, pairs_results(pairs)));
        assert_int_equal(0, pairs_compare(pairs, t, taken));
    }
    for (unsigned f = 0; f < pairs->feature_count; f++) {
        GpuTally tally;
        stream_tally(stream, f, &tally);
        assert_int_equal(passes[f], tally.passes);
        assert_int_equal(3 * passes[f], tally.launches);
    }
    stream_destroy(stream);
}

/* Nine adm take three transforms, of two passes each: one for each gain limit, and one that skips
 * the finest level. */
static void check_owners(const Pairs *pairs)
{
    Graph *graph;
    unsigned launched = 0;
    assert_int_equal(0, graph_create(&graph, rig_gpu(), pairs->features, pairs->feature_count));
    const FeatureSet owners = graph_owners(graph, graph->taken);
    for (unsigned f = 0; f < pairs->feature_count; f++) {
        assert_int_equal(owner[f], graph->features[f].owner);
        launched += owners >> f & 1 ? graph->features[f].plan->pass_count : 0;
    }
    graph_destroy(graph);
    assert_int_equal(2 + 1 + 2 + 2, launched);
}

/* Memory that is lacking while plans are shared is an error, and nothing is left behind. */
static void check_memory(const Pairs *pairs)
{
    const long live = mem_live();
    unsigned long count = 1;
    unsigned errors = 0;
    Graph *graph;
    log_set_level(VMAF_LOG_LEVEL_NONE);
    for (unsigned long n = 1; n <= count; n++) {
        mem_fail_after(n);
        const int err = graph_create(&graph, rig_gpu(), pairs->features, pairs->feature_count);
        const unsigned long made = mem_fail_after(0);
        count = err ? n + 1 : made;
        errors += err != 0;
        graph_destroy(graph);
        assert_int_equal(live, mem_live());
    }
    log_set_level(VMAF_LOG_LEVEL_INFO);
    assert_true(errors > COUNT(views));
}

/* Any number of viewing distances share a transform, in every frame and also when only some of them
 * are asked for. */
static void test_views(void **unused)
{
    static const unsigned sizes[][2] = { { 47, 35 }, { 201, 183 }, { 130, 34 } };
    for (unsigned s = 0; s < COUNT(sizes); s++) {
        const SynthClip clip = {
            "views", SYNTH_MIX, sizes[s][0], sizes[s][1], VMAF_PIX_FMT_YUV420P, s == 1 ? 8 : 10, 4
        };
        Pairs pairs;
        pairs_create(&pairs, &clip, views, COUNT(views));
        check_owners(&pairs);
        if (s == 0)
            check_memory(&pairs);
        count_launches(&pairs);
        check_ring(&pairs, &(PairsRun){ .depth = 3, .set = sets[s], .threads = s == 1 });
        pairs_destroy(&pairs);
    }
}

/* The thresholds have the described effect; otherwise the tests above would test one way only. */
static void test_ways(void **unused)
{
    const SynthClip clip = SMALL(8, 16);
    Pairs pairs;
    pairs_create(&pairs, &clip, light, 1);
    tap_open(rig_gpu());

    rig_tune(0, 1);
    check_ring(&pairs, &(PairsRun){ .depth = 8 });
    assert_int_equal(16, tap_submits(GPU_TRANSFER));
    assert_int_equal(16, tap_submits(GPU_COMPUTE));

    tap_fail(TAP_OPERATIONS, 0, 0);
    rig_tune(SIZE_MAX, 1);
    check_ring(&pairs, &(PairsRun){ .depth = 8 });
    assert_int_equal(0, tap_submits(GPU_TRANSFER));
    assert_int_equal(16, tap_submits(GPU_COMPUTE));

    tap_fail(TAP_OPERATIONS, 0, 0);
    rig_tune(SIZE_MAX, GPU_MAX_BATCH);
    check_ring(&pairs, &(PairsRun){ .depth = 8 });
    assert_int_equal(0, tap_submits(GPU_TRANSFER));
    assert_true(tap_submits(GPU_COMPUTE) < 16);

    pairs_destroy(&pairs);
}

/* An idle device gets the first frame at once; later frames may wait for the rest of their
 * batch. */
static void test_starts_at_once(void **unused)
{
    const SynthClip clip = SMALL(8, 1);
    GpuStream *stream;
    FeatureSet taken;
    Pairs pairs;
    pairs_create(&pairs, &clip, light, 1);
    assert_int_equal(0, stream_create(&stream,
                                      &(GpuStreamParams){ .device = rig_gpu(),
                                                          .features = pairs.features,
                                                          .feature_count = 1,
                                                          .depth = 8 },
                                      &taken));
    tap_open(rig_gpu());
    const FramePair pair = pairs_at(&pairs, 0);
    assert_int_equal(0, stream_submit(stream, &pair, taken));
    assert_int_equal(1, tap_submits(GPU_COMPUTE));
    assert_int_equal(0, stream_collect(stream, pairs_results(&pairs)));
    assert_int_equal(0, pairs_compare(&pairs, 0, taken));
    tap_close();
    stream_destroy(stream);
    pairs_destroy(&pairs);
}

/* ---- after a failure ---- */

/* Submits and collects in turn, `depth` frames apart, while one submission fails. Frames must be
 * right or report an error, and later frames must be right again. Returns the number of errors, or
 * -1 if a result was wrong. */
static int failing_ride(Pairs *pairs, GpuStream *stream, unsigned depth)
{
    unsigned queued[PAIRS_MAX_FRAMES], queued_count = 0, collected = 0;
    int failed = 0;
    for (unsigned frame = 0; frame < pairs->clip.frames || collected < queued_count; frame++) {
        if (frame < pairs->clip.frames) {
            const FramePair pair = pairs_at(pairs, frame);
            if (stream_submit(stream, &pair, 1))
                failed++;
            else
                queued[queued_count++] = frame;
        }
        if (queued_count - collected < depth && frame < pairs->clip.frames)
            continue;
        if (stream_collect(stream, pairs_results(pairs)))
            failed++;
        else if (pairs_compare(pairs, queued[collected], 1))
            return -1;
        collected++;
    }
    return failed;
}

/* True if there was an nth submission. */
static bool check_failure(Pairs *pairs, unsigned depth, unsigned nth)
{
    GpuStream *stream;
    FeatureSet taken;
    assert_int_equal(0, stream_create(&stream,
                                      &(GpuStreamParams){ .device = rig_gpu(),
                                                          .features = pairs->features,
                                                          .feature_count = 1,
                                                          .depth = depth },
                                      &taken));
    tap_fail(TAP_SUBMIT, nth, -EIO);
    const int failed = failing_ride(pairs, stream, depth);
    stream_destroy(stream);
    if (!tap_has_failed())
        assert_int_equal(0, failed);
    else
        assert_true(failed >= 1 && failed <= (int)rig_gpu()->tuning.max_batch);
    return tap_has_failed();
}

static void test_after_a_failure(void **unused)
{
    const SynthClip clip = SMALL(8, 12);
    Pairs pairs;
    pairs_create(&pairs, &clip, light, 1);
    tap_open(rig_gpu());
    for (unsigned q = 0; q < 2; q++) {
        for (unsigned depth = 1; depth <= 4; depth++) {
            rig_tune(q ? SIZE_MAX : 0, 2);
            unsigned nth = 1;
            while (check_failure(&pairs, depth, nth))
                nth++;
            assert_true(nth > clip.frames / 2);
        }
    }
    pairs_destroy(&pairs);
}

/* A ring that is destroyed with frames in flight. */
static void test_left_half_way(void **unused)
{
    const SynthClip clip = SMALL(8, 6);
    Pairs pairs;
    pairs_create(&pairs, &clip, light, COUNT(light));
    for (unsigned left = 0; left <= 6; left++) {
        GpuStream *stream;
        FeatureSet taken;
        rig_tune(left % 2 ? SIZE_MAX : 0, 2);
        assert_int_equal(0, stream_create(&stream,
                                          &(GpuStreamParams){ .device = rig_gpu(),
                                                              .features = pairs.features,
                                                              .feature_count = COUNT(light),
                                                              .depth = 6 },
                                          &taken));
        for (unsigned frame = 0; frame < left; frame++) {
            const FramePair pair = pairs_at(&pairs, frame);
            assert_int_equal(0, stream_submit(stream, &pair, taken));
        }
        if (left > 3) {
            assert_int_equal(0, stream_collect(stream, pairs_results(&pairs)));
            assert_int_equal(0, pairs_compare(&pairs, 0, taken));
        }
        stream_destroy(stream);
    }
    pairs_destroy(&pairs);
}

TEST_MAIN(ring)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_depths_and_batches),
        cmocka_unit_test(test_large_batches),
        cmocka_unit_test(test_many_features),
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_ways),
        cmocka_unit_test(test_starts_at_once),
        cmocka_unit_test(test_after_a_failure),
        cmocka_unit_test(test_left_half_way),
    };
    return RIG_RUN(argc, argv, tests);
}
