/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The ring of frames in flight: whatever its depth, its batch size, the queue that uploads and the
 * features that each frame asks for, every result equals the scalar code's. */
#include <errno.h>

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
        cmocka_unit_test(test_depths_and_batches), cmocka_unit_test(test_large_batches),
        cmocka_unit_test(test_many_features),      cmocka_unit_test(test_ways),
        cmocka_unit_test(test_starts_at_once),     cmocka_unit_test(test_after_a_failure),
        cmocka_unit_test(test_left_half_way),
    };
    return RIG_RUN(argc, argv, tests);
}
