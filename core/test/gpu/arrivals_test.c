/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pairs in memory of the caller that go straight to the kernels (gpu/import.h): reading does not
 * wait for them, each is released once and not before it was read, and the scores equal those of
 * pairs that are copied first. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/context_struct.h"
#include "makers.h"

/* ---- a pair ---- */

#define VISITS 16

struct Pair;

/* The engine may remember an arrival after it is gone, so each arrival is a new object. */
typedef struct Visit {
    GpuArrival arrival;
    struct Pair *pair;
} Visit;

typedef struct Pair {
    Visit visits[VISITS];
    unsigned visit_count;
    GpuArrival *arrival; /* the last one */
    Maker makers[2];     /* by SynthSide */
    atomic_uint left, destroyed;
    bool scribbles; /* after it was released */
} Pair;

static void leave(void *opaque)
{
    Pair *pair = opaque;
    for (unsigned side = 0; pair->scribbles && side < 2; side++)
        maker_scribble(&pair->makers[side]);
    atomic_fetch_add(&pair->left, 1);
}

static void destroy(GpuArrival *arrival)
{
    atomic_fetch_add(&((Visit *)arrival)->pair->destroyed, 1);
}

static void pair_create(Pair *pair, GpuDevice *gpu, const SynthClip *clip)
{
    *pair = (Pair){ .scribbles = true };
    for (unsigned side = 0; side < 2; side++)
        maker_create(&pair->makers[side], gpu, clip);
}

static void pair_destroy(Pair *pair)
{
    for (unsigned side = 0; side < 2; side++)
        maker_destroy(&pair->makers[side]);
}

static void paint(Pair *pair, const SynthClip *clip, unsigned t)
{
    for (unsigned side = 0; side < 2; side++)
        assert_int_equal(0, maker_paint(&pair->makers[side], clip, side, t));
}

/* Waits for a count, and fails after a minute. */
static void await(const atomic_uint *count, unsigned value)
{
    for (unsigned ms = 0; atomic_load(count) < value && ms < 60000; ms++)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    assert_int_equal(value, atomic_load(count));
}

static void expect(Pair *pair, unsigned index)
{
    assert_true(pair->visit_count < VISITS);
    Visit *visit = &pair->visits[pair->visit_count++];
    visit->pair = pair;
    pair->arrival = &visit->arrival;
    visit->arrival = (GpuArrival){
        .record = record_rows,
        .source = { &pair->makers[SYNTH_REF], &pair->makers[SYNTH_DIST] },
        .index = index,
        .release = { { leave, pair } },
        .destroy = destroy,
    };
    atomic_store(&pair->left, 0);
    atomic_store(&pair->destroyed, 0);
    arrival_init(pair->arrival);
}

static int read_expected(GpuClient *client, const SynthClip *clip, Pair *pair)
{
    FrameShape shape;
    clip_shape(clip, &shape);
    const int err = client_read_arrival(client, &shape, pair->arrival);
    arrival_release(pair->arrival);
    return err;
}

static int read_pair(GpuClient *client, const SynthClip *clip, unsigned t, Pair *pair)
{
    expect(pair, t);
    return read_expected(client, clip, pair);
}

#define PAIRS 12 /* more than a ring holds, and than the references that are kept */

static void check_scores(const SynthClip *clip, unsigned count, unsigned threads,
                         unsigned subsample)
{
    Pair pairs[PAIRS];
    const ScoreRun run = { .device = rig_device(),
                           .clip = clip,
                           .features = import_features,
                           .feature_count = count,
                           .threads = threads,
                           .subsample = subsample };
    VmafContext *vmaf;
    char *wanted;
    ScoreRun plain = run;
    plain.device = NULL;
    assert_int_equal(0, score_run(&plain, &wanted));
    assert_int_equal(0, score_open(&run, &vmaf));
    GpuClient *client = client_for(rig_device(), vmaf);
    for (unsigned t = 0; t < clip->frames; t++) {
        pair_create(&pairs[t], rig_gpu(), clip);
        paint(&pairs[t], clip, t);
        const GpuUpload *const before = rig_gpu()->uploads;
        assert_int_equal(0, read_pair(client, clip, t, &pairs[t]));
        assert_true(pairs[t].arrival->submitted);
        /* Nothing is copied to the host unless a feature on the CPU reads the pictures. Their
         * memory is taken with the first pair. */
        assert_true(rig_gpu()->uploads == before || count > ON_DEVICE);
        assert_true(rig_gpu()->uploads != before || count == ON_DEVICE || t);
    }
    close_equal(vmaf, wanted);
    for (unsigned t = 0; t < clip->frames; t++) {
        assert_int_equal(1, atomic_load(&pairs[t].left));
        assert_int_equal(1, atomic_load(&pairs[t].destroyed));
        pair_destroy(&pairs[t]);
    }
}

static void test_scores(void **unused)
{
    for (unsigned c = 0; c < IMPORT_CLIPS; c++) {
        for (unsigned threads = 0; threads <= 2; threads += 2)
            for (unsigned count = ON_DEVICE; count <= IMPORT_FEATURES; count++)
                check_scores(&import_clips[c], count, threads, 0);
        check_scores(&import_clips[c], ON_DEVICE, 0, 2);
    }
}

/* Copies on a queue of their own, kernels of several frames in one submission, and neither. */
static void test_tunings(void **unused)
{
    const size_t bytes[] = { 0, SIZE_MAX };
    for (unsigned i = 0; i < COUNT(bytes); i++)
        for (unsigned batch = 1; batch <= GPU_MAX_BATCH; batch++) {
            rig_tune(bytes[i], batch);
            check_scores(&import_clips[0], ON_DEVICE, 0, 0);
        }
}

/* ---- nobody waits ---- */

/* Reads pairs before they are painted: a read that waits for its pair never returns. Runs without
 * the driver's own checks, because Vulkan's layers of 2023 wait for a semaphore that the host
 * signals late. */
static void test_not_ready(void **unused)
{
    const RigBackend *words = rig_backend();
    VmafDevice *own;
    const VmafDeviceOptions options = { .size = sizeof(options),
                                        .backend = rig_gpu()->backend,
                                        .allow_software = 1 };
    assert_int_equal(0, vmaf_device_open(&own, &options));
    GpuDevice *gpu = rig_session(own)->device;
    const SynthClip *clip = &import_clips[0];
    const unsigned depth = rig_session(own)->depth;
    const uintptr_t ready = words->clock_create ? words->clock_create(gpu) : 0;
    if (!ready) {
        print_message("there are no time lines of others here\n");
        vmaf_device_close(&own);
        return;
    }
    const uintptr_t done = words->clock_create(gpu);
    words->clock_set(gpu, done, 1);
    Pair pairs[PAIRS];
    VmafContext *vmaf = open_context(own, clip, ON_DEVICE, 2);
    GpuClient *client = client_for(own, vmaf);
    for (unsigned t = 0; t < clip->frames; t++)
        pair_create(&pairs[t], gpu, clip);
    for (unsigned first = 0; first < clip->frames; first += depth) {
        const unsigned end = first + depth < clip->frames ? first + depth : clip->frames;
        for (unsigned t = first; t < end; t++) {
            Pair *pair = &pairs[t];
            expect(pair, t);
            pair->arrival->waits[pair->arrival->wait_count++] = (GpuForeign){ ready, t + 1 };
            pair->arrival->signals[pair->arrival->signal_count++] = (GpuForeign){ done, t + 2 };
            assert_int_equal(0, read_expected(client, clip, pair));
            assert_true(pair->arrival->submitted);
            assert_int_equal(0, atomic_load(&pair->left));
        }
        for (unsigned t = first; t < end; t++) {
            assert_int_equal(t + 1, words->clock_get(gpu, done));
            paint(&pairs[t], clip, t);
            words->clock_set(gpu, ready, t + 1);
            for (unsigned ms = 0; words->clock_get(gpu, done) < t + 2 && ms < 60000; ms++)
                nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
            assert_int_equal(t + 2, words->clock_get(gpu, done));
        }
        /* The host is told of releases even if nobody reads further pairs. */
        for (unsigned t = first; t < end; t++)
            await(&pairs[t].left, 1);
    }
    close_equal(vmaf, cpu_scores(clip, ON_DEVICE));
    for (unsigned t = 0; t < clip->frames; t++)
        pair_destroy(&pairs[t]);
    words->clock_destroy(gpu, ready);
    words->clock_destroy(gpu, done);
    vmaf_device_close(&own);
}

/* ---- among others ---- */

/* Host pictures and arrivals alternate, and temporal features look back at either kind. */
static void test_mixed(void **unused)
{
    const SynthClip *clip = &import_clips[0];
    const ScoreRun run = { .device = rig_device(),
                           .clip = clip,
                           .features = import_features,
                           .feature_count = ON_DEVICE };
    const size_t bytes[] = { 0, SIZE_MAX };
    for (unsigned i = 0; i < 2 * COUNT(bytes); i++) {
        Pair pairs[PAIRS];
        VmafContext *vmaf;
        rig_tune(bytes[i / 2], 2);
        assert_int_equal(0, score_open(&run, &vmaf));
        GpuClient *client = client_for(rig_device(), vmaf);
        for (unsigned t = 0; t < clip->frames; t++) {
            pair_create(&pairs[t], rig_gpu(), clip);
            paint(&pairs[t], clip, t);
            assert_int_equal(0, (t + i) % 2 ? read_pair(client, clip, t, &pairs[t])
                                            : score_read(&run, vmaf, t, t));
        }
        close_equal(vmaf, cpu_scores(clip, ON_DEVICE));
        for (unsigned t = 0; t < clip->frames; t++)
            pair_destroy(&pairs[t]);
    }
}

/* Two contexts on one device, of different sizes and depths. */
static void test_two_contexts(void **unused)
{
    VmafContext *vmaf[2];
    GpuClient *clients[2];
    Pair pairs[2][PAIRS];
    for (unsigned c = 0; c < 2; c++) {
        vmaf[c] = open_context(rig_device(), &import_clips[c], ON_DEVICE, 2 * c);
        clients[c] = client_for(rig_device(), vmaf[c]);
    }
    for (unsigned t = 0; t < import_clips[0].frames; t++)
        for (unsigned c = 0; c < 2; c++) {
            pair_create(&pairs[c][t], rig_gpu(), &import_clips[c]);
            paint(&pairs[c][t], &import_clips[c], t);
            assert_int_equal(0, read_pair(clients[c], &import_clips[c], t, &pairs[c][t]));
        }
    for (unsigned c = 0; c < 2; c++) {
        close_equal(vmaf[c], cpu_scores(&import_clips[c], ON_DEVICE));
        for (unsigned t = 0; t < import_clips[0].frames; t++)
            pair_destroy(&pairs[c][t]);
    }
}

/* ---- measured again ---- */

static int collect_in_doubt(const Feature *f, const void *readback, void *result)
{
    return -EAGAIN;
}

typedef struct Doubt {
    FeatureDef defs[ON_DEVICE];
    FeatureGpu gpus[ON_DEVICE];
} Doubt;

/* Lasts as long as the context. */
static void cast_doubt(VmafContext *vmaf, Doubt *doubt)
{
    for (unsigned i = 0; i < ON_DEVICE; i++) {
        Feature *f = scheduler_feature(vmaf->scheduler, i);
        doubt->gpus[i] = *f->def->gpu;
        doubt->gpus[i].collect = collect_in_doubt;
        doubt->defs[i] = *f->def;
        doubt->defs[i].gpu = &doubt->gpus[i];
        f->def = &doubt->defs[i];
    }
}

/* The device reports every frame as undecided, so each is measured on the CPU from what the device
 * holds. */
static void test_in_doubt(void **unused)
{
    for (unsigned c = 0; c < IMPORT_CLIPS; c++) {
        const SynthClip *clip = &import_clips[c];
        Pair pairs[PAIRS];
        Doubt doubt;
        VmafContext *vmaf = open_context(rig_device(), clip, ON_DEVICE, 0);
        GpuClient *client = client_for(rig_device(), vmaf);
        cast_doubt(vmaf, &doubt);
        for (unsigned t = 0; t < clip->frames; t++) {
            pair_create(&pairs[t], rig_gpu(), clip);
            paint(&pairs[t], clip, t);
            assert_int_equal(0, read_pair(client, clip, t, &pairs[t]));
        }
        close_equal(vmaf, cpu_scores(clip, ON_DEVICE));
        for (unsigned t = 0; t < clip->frames; t++)
            pair_destroy(&pairs[t]);
    }
}

/* ---- what is refused ---- */

/* Another size, a flushed context, and a feature that is added when earlier pictures are gone: each
 * is refused with a message, and no score is wrong. */
static void test_refusals(void **unused)
{
    const SynthClip *clip = &import_clips[0];
    SynthClip other = *clip;
    other.width--;
    Pair pair, narrow;
    VmafContext *vmaf = open_context(rig_device(), clip, ON_DEVICE, 0);
    GpuClient *client = client_for(rig_device(), vmaf);
    pair_create(&pair, rig_gpu(), clip);
    pair_create(&narrow, rig_gpu(), &other);
    for (unsigned t = 0; t < clip->frames; t++) {
        paint(&pair, clip, t);
        assert_int_equal(0, read_pair(client, clip, t, &pair));
        await(&pair.left, 1);
        /* That index was read already. */
        assert_int_equal(-EINVAL, read_pair(client, clip, t, &pair));
        assert_false(pair.arrival->submitted);
        assert_int_equal(1, atomic_load(&pair.left));
        assert_int_equal(-EINVAL, read_pair(client, &other, t + 1, &narrow));
        assert_false(narrow.arrival->submitted);
        assert_int_equal(1, atomic_load(&narrow.left));
        assert_int_equal(-EINVAL, vmaf_use_feature(vmaf, "ssim", NULL));
        /* The feature is there already. */
        assert_int_equal(0, vmaf_use_feature(vmaf, "motion", NULL));
    }
    close_equal(vmaf, cpu_scores(clip, ON_DEVICE));

    vmaf = open_context(rig_device(), clip, ON_DEVICE, 0);
    client = client_for(rig_device(), vmaf);
    paint(&pair, clip, 0);
    assert_int_equal(0, read_pair(client, clip, 0, &pair));
    assert_int_equal(0, vmaf_read_pictures(vmaf, NULL, NULL, 0));
    assert_int_equal(-EINVAL, read_pair(client, clip, 1, &pair)); /* after the end of the stream */
    assert_int_equal(1, atomic_load(&pair.left));
    assert_int_equal(0, vmaf_close(vmaf));
    pair_destroy(&pair);
    pair_destroy(&narrow);
}

/* The device finds samples above the depth, and the read or a later call fails. */
static void test_range(void **unused)
{
    for (unsigned c = 1; c < 3; c++) {
        const SynthClip *clip = &import_clips[c];
        for (unsigned corner = 0; corner < 4; corner++) {
            Pair pair;
            VmafContext *vmaf = open_context(rig_device(), clip, ON_DEVICE, 2 * (c - 1));
            GpuClient *client = client_for(rig_device(), vmaf);
            pair_create(&pair, rig_gpu(), clip);
            pair.scribbles = false;
            maker_scribble(&pair.makers[0]); /* also between the rows */
            paint(&pair, clip, 0);
            assert_int_equal(0, read_pair(client, clip, 0, &pair));
            await(&pair.left, 1);
            Maker *maker = &pair.makers[corner % 2];
            const unsigned p = (corner + c) % 3;
            const unsigned x = corner & 1 ? maker->shape.w[p] - 1 : 0;
            const unsigned y = corner & 2 ? maker->shape.h[p] - 1 : 0;
            const uint16_t high = (uint16_t)(1u << clip->bitdepth);
            memcpy(maker->host + maker->offset[p] + y * maker->stride[p] + 2 * x, &high, 2);
            int err = read_pair(client, clip, 1, &pair);
            if (!err)
                err = vmaf_read_pictures(vmaf, NULL, NULL, 0);
            assert_int_equal(-ERANGE, err);
            assert_int_equal(0, vmaf_close(vmaf));
            assert_int_equal(1, atomic_load(&pair.left));
            pair_destroy(&pair);
        }
    }
}

/* ---- failures and ends ---- */

/* When operations of the device fail, the pair is released once, whatever the read returns. */
static void test_faults(void **unused)
{
    static const enum TapOperation operations[] = { TAP_BUFFER_CREATE, TAP_COMMANDS_CREATE, TAP_END,
                                                    TAP_SUBMIT, TAP_WAIT };
    const SynthClip *clip = &import_clips[1];
    for (unsigned o = 0; o < COUNT(operations); o++) {
        for (unsigned nth = 1; nth < 12; nth++) {
            Pair pairs[4];
            VmafContext *vmaf = open_context(rig_device(), clip, ON_DEVICE, nth % 2);
            GpuClient *client = client_for(rig_device(), vmaf);
            for (unsigned t = 0; t < COUNT(pairs); t++) {
                pair_create(&pairs[t], rig_gpu(), clip);
                paint(&pairs[t], clip, t);
            }
            tap_open(rig_gpu());
            tap_fail(operations[o], nth, operations[o] == TAP_BUFFER_CREATE ? -ENOMEM : -EIO);
            for (unsigned t = 0; t < COUNT(pairs); t++)
                read_pair(client, clip, t, &pairs[t]);
            assert_int_equal(0, vmaf_close(vmaf));
            tap_close();
            for (unsigned t = 0; t < COUNT(pairs); t++) {
                assert_int_equal(1, atomic_load(&pairs[t].left));
                assert_int_equal(1, atomic_load(&pairs[t].destroyed));
                pair_destroy(&pairs[t]);
            }
        }
    }
}

static int run_once(const SynthClip *clip, Pair *pairs, bool in_doubt, const char *wanted)
{
    const ScoreRun run = { .device = rig_device(),
                           .clip = clip,
                           .features = import_features,
                           .feature_count = ON_DEVICE };
    Doubt doubt;
    VmafContext *vmaf;
    char *scores = NULL;
    int err = score_open(&run, &vmaf);
    if (err)
        return err;
    if (in_doubt)
        cast_doubt(vmaf, &doubt);
    unsigned shown = 0;
    while (shown < clip->frames && !err) {
        pairs[shown].visit_count = 0;
        err = read_pair(client_for(rig_device(), vmaf), clip, shown, &pairs[shown]);
        shown++;
    }
    const int close_err = score_close(vmaf, &scores);
    err = err ? err : close_err;
    assert_true(err || !strcmp(wanted, scores));
    free(scores);
    for (unsigned t = 0; t < shown; t++) {
        assert_int_equal(1, atomic_load(&pairs[t].left));
        assert_int_equal(1, atomic_load(&pairs[t].destroyed));
    }
    return err;
}

#ifdef __SANITIZE_THREAD__
enum { SOME = 17 }; /* a race detector makes the test slow */
#else
enum { SOME = 5 };
#endif

/* Lets each allocation of a run fail in turn: the run returns an error or the right scores, and
 * leaves nothing behind. */
static void check_allocations(const SynthClip *clip, Pair *pairs, bool in_doubt, const char *wanted)
{
    const unsigned step = rig_is_slow() || SOME > 5 ? SOME : 1;
    unsigned errors = 0;
    assert_int_equal(0, run_once(clip, pairs, in_doubt, wanted));
    mem_fail_after(0);
    assert_int_equal(0, run_once(clip, pairs, in_doubt, wanted));
    const unsigned long count = mem_fail_after(0);
    for (unsigned long n = 1; n <= count; n += step) {
        const long live = mem_live();
        mem_fail_after(n);
        errors += run_once(clip, pairs, in_doubt, wanted) != 0;
        mem_fail_after(0);
        assert_int_equal(live, mem_live());
    }
    print_message("%lu allocations, %u errors\n", count, errors);
    assert_true(errors > 0);
}

static void test_allocations(void **unused)
{
    const SynthClip *clip = &import_clips[1];
    Pair pairs[PAIRS];
    char *wanted = cpu_scores(clip, ON_DEVICE);
    log_set_level(VMAF_LOG_LEVEL_NONE);
    for (unsigned t = 0; t < clip->frames; t++) {
        pair_create(&pairs[t], rig_gpu(), clip);
        pairs[t].scribbles = false;
        paint(&pairs[t], clip, t);
    }
    check_allocations(clip, pairs, false, wanted);
    check_allocations(clip, pairs, true, wanted);
    for (unsigned t = 0; t < clip->frames; t++)
        pair_destroy(&pairs[t]);
    free(wanted);
}

/* The output pictures are overwritten whatever they held before: they hold no picture. */
static void test_no_pictures(void **unused)
{
    Pair pair = { 0 };
    FrameShape shape;
    clip_shape(&import_clips[0], &shape);
    for (unsigned long n = 1; n <= 2; n++) {
        VmafPicture ref, dist;
        memset(&ref, 0xa5, sizeof(ref));
        memset(&dist, 0xa5, sizeof(dist));
        expect(&pair, 0);
        mem_fail_after(n);
        assert_int_equal(-ENOMEM, arrival_pictures(pair.arrival, &shape, &ref, &dist));
        mem_fail_after(0);
        assert_int_equal(0, atomic_load(&pair.left));
        arrival_release(pair.arrival);
        assert_int_equal(1, atomic_load(&pair.left));
        assert_int_equal(1, atomic_load(&pair.destroyed));
    }
}

/* Closes the device first, or the context first, while pairs are in flight. */
static void test_ends(void **unused)
{
    const SynthClip *clip = &import_clips[0];
    for (unsigned device_first = 0; device_first < 2; device_first++) {
        VmafDevice *own = rig_open(2);
        GpuDevice *gpu = rig_session(own)->device;
        gpu_device_retain(gpu); /* for the makers */
        VmafContext *vmaf = open_context(own, clip, ON_DEVICE, 2);
        GpuClient *client = client_for(own, vmaf);
        Pair pairs[5];
        for (unsigned t = 0; t < COUNT(pairs); t++) {
            pair_create(&pairs[t], gpu, clip);
            paint(&pairs[t], clip, t);
            assert_int_equal(0, read_pair(client, clip, t, &pairs[t]));
        }
        if (device_first)
            vmaf_device_close(&own);
        assert_int_equal(0, vmaf_close(vmaf));
        vmaf_device_close(&own);
        for (unsigned t = 0; t < COUNT(pairs); t++) {
            assert_int_equal(1, atomic_load(&pairs[t].left));
            pair_destroy(&pairs[t]);
        }
        gpu_device_release(gpu);
    }
}

TEST_MAIN(arrivals)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores),       cmocka_unit_test(test_tunings),
        cmocka_unit_test(test_not_ready),    cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_two_contexts), cmocka_unit_test(test_in_doubt),
        cmocka_unit_test(test_refusals),     cmocka_unit_test(test_range),
        cmocka_unit_test(test_faults),       cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_no_pictures),  cmocka_unit_test(test_ends),
    };
    return RIG_RUN(argc, argv, tests);
}
