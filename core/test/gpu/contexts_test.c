/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Several contexts on one device, one after another and at once: different sizes, features and
 * numbers of threads, subsampled clips, contexts that are closed early, and a device that is closed
 * first. Each context scores as if it were alone on the CPU. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libvmaf/metadata.h"
#include "rig.h"
#include "score.h"
#include "tap.h"

static const SynthClip clips[] = {
    { "8 bits", SYNTH_MIX, 61, 37, VMAF_PIX_FMT_YUV420P, 8, 9 },
    { "10 bits", SYNTH_BLUR, 80, 44, VMAF_PIX_FMT_YUV422P, 10, 8 },
    { "4:4:4", SYNTH_SHIFT, 35, 50, VMAF_PIX_FMT_YUV444P, 12, 7 },
    { "4:0:0", SYNTH_NOISE, 130, 20, VMAF_PIX_FMT_YUV400P, 16, 5 },
};

/* On the device, on the CPU beside it, and looking back. */
static const ClipFeature features[][3] = {
    { { "psnr", { 0 } }, { "motion", { 0 } }, { "on_cpu", { 0 } } },
    { { "motion", { "motion_five_frame_window", "true" } }, { "vif", { 0 } }, { "psnr", { 0 } } },
    { { "adm", { 0 } }, { "float_ssim", { 0 } }, { "motion", { "debug", "true" } } },
    { { "motion", { "motion_force_zero", "true" } }, { "psnr", { 0 } }, { "motion", { 0 } } },
};

static ScoreRun a_run(VmafDevice *device, unsigned i)
{
    return (ScoreRun){ .device = device,
                       .clip = &clips[i % COUNT(clips)],
                       .features = features[i % COUNT(features)],
                       .feature_count = COUNT(features[0]) };
}

static char *cpu_scores(unsigned i, unsigned subsample)
{
    ScoreRun run = a_run(NULL, i);
    char *scores;
    run.subsample = subsample;
    assert_int_equal(0, score_run(&run, &scores));
    return scores;
}

/* ---- one after another ---- */

/* A new size or other features need a new context, but not a new device. */
static void test_sizes_in_turn(void **unused)
{
    for (unsigned i = 0; i < COUNT(clips); i++) {
        for (unsigned subsample = 0; subsample <= 3; subsample += 3) {
            char *wanted = cpu_scores(i, subsample);
            for (unsigned threads = 0; threads <= 4; threads += 2) {
                ScoreRun run = a_run(rig_device(), i);
                char *scores;
                run.threads = threads;
                run.subsample = subsample;
                run.pooled = threads == 2;
                assert_int_equal(0, score_run(&run, &scores));
                assert_true(score_same(wanted, scores));
                free(scores);
            }
            free(wanted);
        }
    }
}

/* Any frame numbers of the caller work. */
static void test_indices(void **unused)
{
    static const unsigned indices[] = { 7, 3, 4, 1000, 5, 6, 0, 2 };
    char *scores[2];
    for (unsigned on_device = 0; on_device < 2; on_device++) {
        ScoreRun run = a_run(on_device ? rig_device() : NULL, 0);
        VmafContext *vmaf;
        run.threads = 2 * on_device;
        assert_int_equal(0, score_open(&run, &vmaf));
        for (unsigned t = 0; t < COUNT(indices); t++)
            assert_int_equal(0, score_read(&run, vmaf, t, indices[t]));
        /* This number was read already. */
        assert_int_equal(-EINVAL, score_read(&run, vmaf, 0, 1000));
        assert_int_equal(0, score_close(vmaf, &scores[on_device]));
    }
    assert_true(score_same(scores[0], scores[1]));
    free(scores[0]);
    free(scores[1]);
}

/* Without threads, a frame's score is available as soon as the frame was read. */
static void test_scores_at_once(void **unused)
{
    ScoreRun run = a_run(rig_device(), 0), cpu = a_run(NULL, 0);
    VmafContext *vmaf[2];
    assert_int_equal(0, score_open(&run, &vmaf[0]));
    assert_int_equal(0, score_open(&cpu, &vmaf[1]));
    for (unsigned t = 0; t < run.clip->frames; t++) {
        double score[2];
        assert_int_equal(0, score_read(&run, vmaf[0], t, t));
        assert_int_equal(0, score_read(&cpu, vmaf[1], t, t));
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(0, vmaf_feature_score_at_index(vmaf[i], "psnr_cb", &score[i], t));
        assert_true(score[0] == score[1]);
    }
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(0, vmaf_close(vmaf[i]));
}

/* ---- frames that fail ---- */

/* Reads all frames but the first, one of which fails on the device, and flushes; how many errors
 * were returned. After an error the pair is read again: it was not taken if the error was that of
 * an earlier frame. */
static unsigned read_with_errors(const ScoreRun *run, VmafContext *vmaf)
{
    unsigned errors = 0;
    for (unsigned t = 1; t < run->clip->frames; t++) {
        if (!score_read(run, vmaf, t, t))
            continue;
        errors++;
        score_read(run, vmaf, t, t);
    }
    while (vmaf_read_pictures(vmaf, NULL, NULL, 0)) {
        errors++;
        assert_true(errors < run->clip->frames);
    }
    return errors;
}

/* How many frames have no score at all. All other frames have the scores of the CPU. */
static unsigned failed_frames(const ScoreRun *run, VmafContext *vmaf, VmafContext *cpu)
{
    static const char *const metrics[] = { "psnr_y", "psnr_cb", "on_cpu" };
    unsigned failed = 0;
    for (unsigned t = 0; t < run->clip->frames; t++) {
        unsigned count = 0;
        for (unsigned m = 0; m < COUNT(metrics); m++) {
            double score, wanted;
            assert_int_equal(0, vmaf_feature_score_at_index(cpu, metrics[m], &wanted, t));
            if (vmaf_feature_score_at_index(vmaf, metrics[m], &score, t))
                continue;
            assert_true(score == wanted);
            count++;
        }
        assert_true(count == 0 || count == COUNT(metrics));
        failed += count == 0;
    }
    return failed;
}

/* A frame that fails on the device, when it is queued or when it is collected: the error is
 * returned once, the frame has no score, and later frames are scored. */
static void test_failed_frames(void **unused)
{
    static const enum TapOperation operations[] = { TAP_END, TAP_SUBMIT };
    const ScoreRun on_cpu = a_run(NULL, 0);
    VmafContext *vmaf, *cpu;
    assert_int_equal(0, score_open(&on_cpu, &cpu));
    assert_int_equal(0, score_read(&on_cpu, cpu, 0, 0));
    assert_int_equal(0, read_with_errors(&on_cpu, cpu));
    for (unsigned i = 0; i < 2 * COUNT(operations); i++) {
        ScoreRun run = a_run(rig_device(), 0);
        run.threads = i % 2;
        assert_int_equal(0, score_open(&run, &vmaf));
        assert_int_equal(0, score_read(&run, vmaf, 0, 0));
        tap_open(rig_gpu());
        tap_fail(operations[i / 2], 3, -EIO);
        assert_int_equal(1, read_with_errors(&run, vmaf));
        assert_true(tap_has_failed());
        tap_close();
        const unsigned failed = failed_frames(&run, vmaf, cpu);
        assert_in_range(failed, 1, run.clip->frames - 1);
        assert_int_equal(0, vmaf_close(vmaf));
    }
    assert_int_equal(0, vmaf_close(cpu));
}

/* ---- at once ---- */

#define CONTEXTS 6

typedef struct Job {
    ScoreRun run;
    unsigned rounds;
    const char *wanted;
    int err;
} Job;

static void *score_rounds(void *arg)
{
    Job *job = arg;
    for (unsigned round = 0; round < job->rounds && !job->err; round++) {
        char *scores;
        job->err = score_run(&job->run, &scores);
        if (!job->err && strcmp(job->wanted, scores))
            job->err = 1;
        free(scores);
    }
    return NULL;
}

static void check_at_once(VmafDevice *device)
{
    Job jobs[CONTEXTS];
    pthread_t threads[CONTEXTS];
    char *wanted[COUNT(clips)];
    for (unsigned i = 0; i < COUNT(clips); i++)
        wanted[i] = cpu_scores(i, 0);
    for (unsigned i = 0; i < CONTEXTS; i++) {
        jobs[i] = (Job){ .run = a_run(device, i), .wanted = wanted[i % COUNT(clips)], .rounds = 3 };
        jobs[i].run.threads = i % 3;
        jobs[i].run.pooled = i % 2;
        jobs[i].run.ref = i % CLIP_MIRROR;
    }
    for (unsigned i = 0; i < CONTEXTS; i++)
        assert_int_equal(0, pthread_create(&threads[i], NULL, score_rounds, &jobs[i]));
    for (unsigned i = 0; i < CONTEXTS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < CONTEXTS; i++)
        assert_int_equal(0, jobs[i].err);
    for (unsigned i = 0; i < COUNT(clips); i++)
        free(wanted[i]);
}

static void test_at_once(void **unused)
{
    rig_tune(SIZE_MAX, GPU_MAX_BATCH);
    check_at_once(rig_device());
    rig_tune(0, GPU_MAX_BATCH);
    check_at_once(rig_device());
}

/* Two contexts in one thread, frames in turn. */
static void test_in_turn(void **unused)
{
    ScoreRun runs[2] = { a_run(rig_device(), 0), a_run(rig_device(), 1) };
    VmafContext *vmaf[2];
    for (unsigned c = 0; c < 2; c++) {
        runs[c].threads = 2 * c;
        assert_int_equal(0, score_open(&runs[c], &vmaf[c]));
    }
    for (unsigned t = 0; t < clips[0].frames; t++)
        for (unsigned c = 0; c < 2; c++)
            if (t < runs[c].clip->frames)
                assert_int_equal(0, score_read(&runs[c], vmaf[c], t, t));
    for (unsigned c = 0; c < 2; c++) {
        char *scores, *wanted = cpu_scores(c, 0);
        assert_int_equal(0, score_close(vmaf[c], &scores));
        assert_true(score_same(wanted, scores));
        free(scores);
        free(wanted);
    }
}

/* ---- asking for scores from another thread ---- */

typedef struct Asker {
    VmafContext *vmaf;
    atomic_bool stop;
    unsigned frames; /* scores of this many frames were available, with none missing between them */
} Asker;

static void *ask(void *arg)
{
    Asker *asker = arg;
    double score;
    while (!atomic_load(&asker->stop))
        while (!vmaf_feature_score_at_index(asker->vmaf, "psnr_y", &score, asker->frames))
            asker->frames++;
    return NULL;
}

/* Asks from before the first frame on, in a context without threads of its own. */
static void test_asked_all_along(void **unused)
{
    ScoreRun run = a_run(rig_device(), 0);
    Asker asker = { 0 };
    pthread_t thread;
    char *scores, *wanted = cpu_scores(0, 0);
    assert_int_equal(0, score_open(&run, &asker.vmaf));
    assert_int_equal(0, pthread_create(&thread, NULL, ask, &asker));
    for (unsigned t = 0; t < run.clip->frames; t++)
        assert_int_equal(0, score_read(&run, asker.vmaf, t, t));
    double last;
    assert_int_equal(
        0, vmaf_feature_score_at_index(asker.vmaf, "psnr_y", &last, run.clip->frames - 1));
    atomic_store(&asker.stop, true);
    pthread_join(thread, NULL);
    assert_true(asker.frames <= run.clip->frames);
    assert_int_equal(0, score_close(asker.vmaf, &scores));
    assert_true(score_same(wanted, scores));
    free(scores);
    free(wanted);
}

typedef struct Curious {
    VmafContext *vmaf;
    unsigned told, wrong;
} Curious;

/* Asks for the score it was given, for one that cannot exist, and for one that would need
 * waiting. */
static void ask_inside(void *data, VmafMetadata *m)
{
    Curious *curious = data;
    double score = -1, none = -1;
    VmafPicture ref = { 0 }, dist = { 0 };
    curious->told++;
    curious->wrong +=
        vmaf_feature_score_at_index(curious->vmaf, m->feature_name, &score, m->picture_index) != 0;
    curious->wrong += score != m->score;
    curious->wrong += vmaf_feature_score_at_index(curious->vmaf, "psnr_y", &none, 1000) == 0;
    curious->wrong += vmaf_read_pictures(curious->vmaf, &ref, &dist, 1000) != -EINVAL;
    curious->wrong += vmaf_read_pictures(curious->vmaf, NULL, NULL, 0) != -EINVAL;
    curious->wrong += vmaf_close(curious->vmaf) != -EINVAL;
}

/* A frame stays in flight while its handler runs, so asking there must not wait for it, whether the
 * score was measured on the device, on the CPU, or imported. */
static void test_asked_by_a_handler(void **unused)
{
    static char on_device[] = "psnr_y", beside_it[] = "on_cpu", imported[] = "mine";
    for (unsigned threads = 0; threads <= 2; threads += 2) {
        ScoreRun run = a_run(rig_device(), 0);
        Curious curious = { 0 };
        run.threads = threads;
        assert_int_equal(0, score_open(&run, &curious.vmaf));
        char *const names[] = { on_device, beside_it, imported };
        for (unsigned i = 0; i < COUNT(names); i++) {
            const VmafMetadataConfiguration handler = { names[i], ask_inside, &curious };
            assert_int_equal(0, vmaf_register_metadata_handler(curious.vmaf, handler));
        }
        for (unsigned t = 0; t < run.clip->frames; t++) {
            assert_int_equal(0, score_read(&run, curious.vmaf, t, t));
            assert_int_equal(0, vmaf_import_feature_score(curious.vmaf, imported, t, t));
        }
        assert_int_equal(0, vmaf_read_pictures(curious.vmaf, NULL, NULL, 0));
        assert_int_equal(COUNT(names) * run.clip->frames, curious.told);
        assert_int_equal(0, curious.wrong);
        assert_int_equal(0, vmaf_close(curious.vmaf));
    }
}

/* ---- ends ---- */

static void *close_device(void *arg)
{
    vmaf_device_close(arg);
    return NULL;
}

/* Context and device are closed at once; the later one frees everything. */
static void test_closed_by_two(void **unused)
{
    for (unsigned frames = 0; frames < 6; frames++) {
        VmafDevice *own = rig_open(3);
        ScoreRun run = a_run(own, 0);
        VmafContext *vmaf;
        VmafPicture kept = { 0 };
        pthread_t thread;
        run.pooled = true;
        run.threads = frames % 2;
        assert_int_equal(0, score_open(&run, &vmaf));
        for (unsigned t = 0; t < frames; t++)
            assert_int_equal(0, score_read(&run, vmaf, t, t));
        assert_int_equal(0, vmaf_fetch_preallocated_picture(vmaf, &kept));
        assert_int_equal(0, pthread_create(&thread, NULL, close_device, &own));
        assert_int_equal(0, vmaf_close(vmaf));
        pthread_join(thread, NULL);
        memset(kept.data[0], 1, run.clip->width); /* the picture is still there */
        assert_int_equal(0, vmaf_picture_unref(&kept));
    }
}

/* Contexts closed before the first frame, with frames in flight, and with all frames read but not
 * flushed. */
static void test_closed_half_way(void **unused)
{
    for (unsigned frames = 0; frames <= clips[1].frames; frames++) {
        ScoreRun run = a_run(rig_device(), 1);
        VmafContext *vmaf;
        run.threads = frames % 3;
        run.pooled = frames % 2;
        assert_int_equal(0, score_open(&run, &vmaf));
        for (unsigned t = 0; t < frames; t++)
            assert_int_equal(0, score_read(&run, vmaf, t, t));
        assert_int_equal(0, vmaf_close(vmaf));
    }
}

static void test_device_closed_first(void **unused)
{
    for (unsigned frames = 0; frames < 4; frames++) {
        VmafDevice *own = rig_open(1 + 2 * frames);
        ScoreRun run = a_run(own, 0);
        VmafContext *vmaf;
        char *scores, *wanted = cpu_scores(0, 0);
        run.threads = 2;
        assert_int_equal(0, score_open(&run, &vmaf));
        for (unsigned t = 0; t < run.clip->frames; t++) {
            if (t == frames)
                vmaf_device_close(&own);
            run.device = own;
            assert_int_equal(0, score_read(&run, vmaf, t, t));
        }
        assert_int_equal(0, score_close(vmaf, &scores));
        assert_true(score_same(wanted, scores));
        free(scores);
        free(wanted);
    }
}

/* Asks for several depths. */
static void test_depths(void **unused)
{
    static const unsigned depths[][2] = { { 0, 4 },   { 1, 1 },   { 5, 5 },
                                          { 32, 32 }, { 33, 32 }, { 1000, 32 } };
    char *wanted = cpu_scores(0, 0);
    for (unsigned i = 0; i < COUNT(depths); i++) {
        VmafDevice *own = rig_open(depths[i][0]);
        ScoreRun run = a_run(own, 0);
        char *scores;
        run.threads = 2;
        assert_int_equal(depths[i][1], rig_session(own)->depth);
        assert_int_equal(0, score_run(&run, &scores));
        assert_true(score_same(wanted, scores));
        free(scores);
        vmaf_device_close(&own);
        assert_null(own);
    }
    free(wanted);
}

/* A context may change its device until its first frame, but not later, and nothing leaks. */
static void test_changed_mind(void **unused)
{
    VmafDevice *own = rig_open(2);
    ScoreRun run = a_run(own, 0);
    VmafContext *vmaf;
    char *scores, *wanted = cpu_scores(0, 0);
    assert_int_equal(0, score_open(&run, &vmaf));
    assert_int_equal(0, vmaf_use_device(vmaf, rig_device()));
    assert_null(rig_session(own)->clients);
    vmaf_device_close(&own);
    run.device = NULL;
    assert_int_equal(-EINVAL, vmaf_use_device(NULL, NULL));
    assert_int_equal(-EINVAL, vmaf_use_device(NULL, rig_device()));
    for (unsigned t = 0; t < run.clip->frames; t++) {
        assert_int_equal(0, score_read(&run, vmaf, t, t));
        assert_int_equal(-EINVAL, vmaf_use_device(vmaf, rig_device()));
    }
    assert_int_equal(0, score_close(vmaf, &scores));
    assert_true(score_same(wanted, scores));
    free(scores);
    free(wanted);
}

/* A feature that is asked for under a backend's name runs on that backend or fails. */
static void test_named_features(void **unused)
{
    char name[64];
    snprintf(name, sizeof(name), "psnr_%s", rig_gpu()->backend);
    const ClipFeature named = { name, { 0 } }, plain = { "psnr", { 0 } };
    ScoreRun run = {
        .device = rig_device(), .clip = &clips[0], .features = &named, .feature_count = 1
    };
    char *scores, *wanted;
    tap_open(rig_gpu());
    assert_int_equal(0, score_run(&run, &scores));
    assert_true(tap_calls(TAP_SUBMIT) > 0);
    tap_close();
    run.features = &plain;
    run.device = NULL;
    assert_int_equal(0, score_run(&run, &wanted));
    assert_true(score_same(wanted, scores));
    free(scores);
    free(wanted);
    run.features = &named;
    VmafContext *vmaf;
    assert_int_equal(-EINVAL, score_open(&run, &vmaf));
}

/* Reads a pair with samples above its depth, in plain and in pooled memory. It is refused, and
 * later scores are unaffected. */
static void read_high_samples(VmafContext *vmaf, const SynthClip *clip, bool pooled, unsigned index)
{
    VmafPicture pair[2];
    for (unsigned side = 0; side < 2; side++) {
        assert_int_equal(0, pooled ? vmaf_fetch_preallocated_picture(vmaf, &pair[side])
                                   : vmaf_picture_alloc(&pair[side], clip->pix_fmt, clip->bitdepth,
                                                        clip->width, clip->height));
        for (unsigned p = 0; p < 3; p++)
            memset(pair[side].data[p], 0, (size_t)pair[side].stride[p] * pair[side].h[p]);
    }
    ((uint16_t *)pair[index % 2].data[0])[7] = 0xffc0;
    assert_int_equal(-ERANGE, vmaf_read_pictures(vmaf, &pair[0], &pair[1], index));
    for (unsigned side = 0; side < 2; side++)
        assert_int_equal(0, vmaf_picture_unref(&pair[side]));
}

static void test_range(void **unused)
{
    for (unsigned i = 0; i < 4; i++) {
        ScoreRun run = a_run(rig_device(), 1 + i / 2);
        VmafContext *vmaf;
        char *scores, *wanted = cpu_scores(1 + i / 2, 0);
        run.pooled = i % 2;
        run.threads = i;
        assert_int_equal(0, score_open(&run, &vmaf));
        for (unsigned t = 0; t < run.clip->frames; t++) {
            read_high_samples(vmaf, run.clip, run.pooled, t);
            assert_int_equal(0, score_read(&run, vmaf, t, t));
        }
        assert_int_equal(0, score_close(vmaf, &scores));
        assert_true(score_same(wanted, scores));
        free(scores);
        free(wanted);
    }
}

TEST_MAIN(contexts)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes_in_turn),
        cmocka_unit_test(test_indices),
        cmocka_unit_test(test_scores_at_once),
        cmocka_unit_test(test_failed_frames),
        cmocka_unit_test(test_at_once),
        cmocka_unit_test(test_in_turn),
        cmocka_unit_test(test_asked_all_along),
        cmocka_unit_test(test_asked_by_a_handler),
        cmocka_unit_test(test_closed_by_two),
        cmocka_unit_test(test_closed_half_way),
        cmocka_unit_test(test_device_closed_first),
        cmocka_unit_test(test_depths),
        cmocka_unit_test(test_changed_mind),
        cmocka_unit_test(test_named_features),
        cmocka_unit_test(test_range),
    };
    return RIG_RUN(argc, argv, tests);
}
