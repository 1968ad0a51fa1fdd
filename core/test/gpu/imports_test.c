/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Imports: pictures in memory of the caller on the device. They are not read before they are ready
 * and not after they were given back, whatever thread imports them and in whatever order, and they
 * are scored like pictures in plain memory, to the last bit. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "makers.h"

/* ---- one after another ---- */

static void test_scores(void **unused)
{
    for (unsigned c = 0; c < IMPORT_CLIPS; c++) {
        for (unsigned threads = 0; threads <= 2; threads += 2) {
            for (unsigned count = ON_DEVICE; count <= IMPORT_FEATURES; count++) {
                Maker makers[2];
                VmafContext *vmaf = open_context(rig_device(), &import_clips[c], count, threads);
                GpuClient *client = client_for(rig_device(), vmaf);
                for (unsigned side = 0; side < 2; side++)
                    maker_create(&makers[side], rig_gpu(), &import_clips[c]);
                for (unsigned t = 0; t < import_clips[c].frames; t++) {
                    for (unsigned side = 0; side < 2; side++)
                        assert_int_equal(
                            0, import_painted(client, &import_clips[c], side, t, t, &makers[side]));
                    assert_int_equal(0, client_read_imported(client, t));
                    /* The picture was given back, so its owner may overwrite it. */
                    for (unsigned side = 0; side < 2; side++)
                        maker_scribble(&makers[side]);
                }
                close_equal(vmaf, cpu_scores(&import_clips[c], count));
                for (unsigned side = 0; side < 2; side++)
                    maker_destroy(&makers[side]);
            }
        }
    }
}

/* Depths that not every feature takes. */
static void test_depths(void **unused)
{
    static const ClipFeature some[] = { { "motion", { 0 } }, { "vif", { 0 } } };
    for (unsigned bits = 9; bits <= 15; bits++) {
        const SynthClip clip = { "", SYNTH_MIX, 50, 37, VMAF_PIX_FMT_YUV420P, bits, 3 };
        const ScoreRun run = {
            .clip = &clip, .features = some, .feature_count = COUNT(some), .device = rig_device()
        };
        ScoreRun plain = run;
        plain.device = NULL;
        Maker makers[2];
        VmafContext *vmaf;
        char *wanted;
        assert_int_equal(0, score_run(&plain, &wanted));
        assert_int_equal(0, score_open(&run, &vmaf));
        GpuClient *client = client_for(rig_device(), vmaf);
        for (unsigned side = 0; side < 2; side++)
            maker_create(&makers[side], rig_gpu(), &clip);
        for (unsigned t = 0; t < clip.frames; t++) {
            for (unsigned side = 0; side < 2; side++)
                assert_int_equal(0, import_painted(client, &clip, side, t, t, &makers[side]));
            assert_int_equal(0, client_read_imported(client, t));
        }
        close_equal(vmaf, wanted);
        for (unsigned side = 0; side < 2; side++)
            maker_destroy(&makers[side]);
    }
}

/* ---- samples above the depth ---- */

static void put_high_sample(Maker *maker, unsigned plane, unsigned x, unsigned y)
{
    const uint16_t value = (uint16_t)(1u << maker->shape.bpc);
    memcpy(maker->host + maker->offset[plane] + y * maker->stride[plane] + 2 * x, &value, 2);
}

/* A sample above the depth is refused wherever it lies. The same frame without it is scored as
 * usual. */
static void test_range(void **unused)
{
    for (unsigned c = 1; c < 3; c++) {
        const SynthClip *clip = &import_clips[c];
        Maker makers[2];
        VmafContext *vmaf = open_context(rig_device(), clip, ON_DEVICE, c);
        GpuClient *client = client_for(rig_device(), vmaf);
        for (unsigned side = 0; side < 2; side++) {
            maker_create(&makers[side], rig_gpu(), clip);
            maker_scribble(&makers[side]); /* also between the rows */
        }
        for (unsigned t = 0; t < clip->frames; t++) {
            const FrameShape *shape = &makers[0].shape;
            for (unsigned corner = 0; corner < 4; corner++) {
                const unsigned bad = (t + corner) % 2, p = (t + corner) % 3;
                for (unsigned side = 0; side < 2; side++) {
                    assert_int_equal(0, maker_paint(&makers[side], clip, side, t));
                    if (side == bad)
                        put_high_sample(&makers[side], p, corner & 1 ? shape->w[p] - 1 : 0,
                                        corner & 2 ? shape->h[p] - 1 : 0);
                    assert_int_equal(0, import_made(client, clip, side, t, &makers[side]));
                }
                assert_int_equal(-ERANGE, client_read_imported(client, t));
            }
            for (unsigned side = 0; side < 2; side++)
                assert_int_equal(0, import_painted(client, clip, side, t, t, &makers[side]));
            assert_int_equal(0, client_read_imported(client, t));
        }
        close_equal(vmaf, cpu_scores(clip, ON_DEVICE));
        for (unsigned side = 0; side < 2; side++)
            maker_destroy(&makers[side]);
    }
}

/* ---- waits and signals ---- */

/* Waits for a value of the time line, and fails after a minute. */
static void await_clock(uintptr_t clock, uint64_t value)
{
    for (unsigned ms = 0; rig_backend()->clock_get(rig_gpu(), clock) < value && ms < 60000; ms++)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    assert_int_equal(value, rig_backend()->clock_get(rig_gpu(), clock));
}

/* Each picture is imported before it is painted, waits for two time lines and signals two. */
static void test_waits_and_signals(void **unused)
{
    const RigBackend *words = rig_backend();
    GpuDevice *gpu = rig_gpu();
    const uintptr_t probe = words->clock_create ? words->clock_create(gpu) : 0;
    if (!probe) {
        print_message("there are no time lines of others here\n");
        return;
    }
    words->clock_destroy(gpu, probe);
    const SynthClip *clip = &import_clips[0];
    Maker makers[2];
    uintptr_t clocks[2][2]; /* by side: time lines to wait for, and to signal */
    VmafContext *vmaf = open_context(rig_device(), clip, ON_DEVICE, 2);
    GpuClient *client = client_for(rig_device(), vmaf);
    for (unsigned side = 0; side < 2; side++) {
        maker_create(&makers[side], gpu, clip);
        for (unsigned i = 0; i < 2; i++)
            clocks[side][i] = words->clock_create(gpu);
        words->clock_set(gpu, clocks[side][1], 1); /* with some APIs 0 means no time line */
    }
    for (unsigned t = 0; t < clip->frames; t++) {
        for (unsigned side = 0; side < 2; side++) {
            const GpuForeign waits[] = { { clocks[side][0], 2 * t + 1 },
                                         { clocks[side][1], 3 * t + 1 } };
            const GpuForeign signals[] = { { clocks[side][1], 3 * t + 4 },
                                           { clocks[side][0], 2 * t + 2 } };
            GpuIncoming in = incoming(clip, side, t);
            in.waits = waits;
            in.wait_count = 2;
            in.signals = signals;
            in.signal_count = 2;
            maker_scribble(&makers[side]);
            assert_int_equal(0, imports_add(client->imports, &in, record_rows, &makers[side]));
        }
        for (unsigned side = 0; side < 2; side++) {
            assert_int_equal(2 * t, words->clock_get(gpu, clocks[side][0]));
            assert_int_equal(3 * t + 1, words->clock_get(gpu, clocks[side][1]));
            assert_int_equal(0, maker_paint(&makers[side], clip, side, t));
            words->clock_set(gpu, clocks[side][0], 2 * t + 1);
        }
        assert_int_equal(0, client_read_imported(client, t));
        for (unsigned side = 0; side < 2; side++)
            maker_scribble(&makers[side]);
        /* A driver may wake the waiting host before it signals the time lines. */
        assert_int_equal(0, gpu->ops->drain(gpu));
        for (unsigned side = 0; side < 2; side++) {
            await_clock(clocks[side][0], 2 * t + 2);
            await_clock(clocks[side][1], 3 * t + 4);
        }
    }
    close_equal(vmaf, cpu_scores(clip, ON_DEVICE));
    for (unsigned side = 0; side < 2; side++) {
        maker_destroy(&makers[side]);
        for (unsigned i = 0; i < 2; i++)
            words->clock_destroy(gpu, clocks[side][i]);
    }
}

/* ---- indices ---- */

static void test_indices(void **unused)
{
    const SynthClip *clip = &import_clips[0];
    const unsigned depth = rig_session(rig_device())->depth;
    Maker makers[2];
    VmafContext *vmaf = open_context(rig_device(), clip, ON_DEVICE, 0);
    GpuClient *client = client_for(rig_device(), vmaf);
    for (unsigned side = 0; side < 2; side++)
        maker_create(&makers[side], rig_gpu(), clip);

    assert_int_equal(-EINVAL, client_read_imported(client, 0)); /* nothing was imported */
    assert_int_equal(0, import_painted(client, clip, SYNTH_REF, 0, 0, &makers[SYNTH_REF]));
    assert_int_equal(-EINVAL, client_read_imported(client, 0)); /* only one side was imported */
    assert_int_equal(0, import_painted(client, clip, SYNTH_DIST, 1, 0, &makers[SYNTH_DIST]));
    assert_int_equal(0, rig_gpu()->ops->drain(rig_gpu()));
    assert_int_equal(0, import_painted(client, clip, SYNTH_DIST, 0, 0, &makers[SYNTH_DIST]));
    /* Another frame of the same slot. */
    assert_int_equal(-EINVAL, client_read_imported(client, depth));
    /* The later import replaces the earlier one. */
    assert_int_equal(0, client_read_imported(client, 0));
    /* A pair can be read once only. */
    assert_int_equal(-EINVAL, client_read_imported(client, 0));

    /* A frame that is imported too late replaces one that was not read. */
    for (unsigned side = 0; side < 2; side++) {
        assert_int_equal(0, import_made(client, clip, side, 3, &makers[side]));
        assert_int_equal(0, rig_gpu()->ops->drain(rig_gpu()));
        assert_int_equal(0, import_painted(client, clip, side, 1, 3 + depth, &makers[side]));
    }
    assert_int_equal(-EINVAL, client_read_imported(client, 3));
    assert_int_equal(0, client_read_imported(client, 3 + depth));

    /* Imports a whole ring of frames in reverse order, and reads them in order. */
    for (unsigned i = depth; i-- > 0;) {
        for (unsigned side = 0; side < 2; side++) {
            assert_int_equal(0, import_painted(client, clip, side, 2 + i, 100 + i, &makers[side]));
            assert_int_equal(0, rig_gpu()->ops->drain(rig_gpu()));
        }
    }
    for (unsigned i = 0; i < depth; i++)
        assert_int_equal(0, client_read_imported(client, 100 + i));

    /* The same frames in plain memory. */
    const ScoreRun plain = { .clip = clip,
                             .features = import_features,
                             .feature_count = ON_DEVICE };
    VmafContext *cpu;
    char *wanted;
    assert_int_equal(0, score_open(&plain, &cpu));
    assert_int_equal(0, score_read(&plain, cpu, 0, 0));
    assert_int_equal(0, score_read(&plain, cpu, 1, 3 + depth));
    for (unsigned i = 0; i < depth; i++)
        assert_int_equal(0, score_read(&plain, cpu, 2 + i, 100 + i));
    assert_int_equal(0, score_close(cpu, &wanted));

    close_equal(vmaf, wanted);

    /* After the end of the stream nothing can be imported. */
    vmaf = open_context(rig_device(), clip, ON_DEVICE, 0);
    client = client_for(rig_device(), vmaf);
    for (unsigned t = 0; t < 2; t++) {
        for (unsigned side = 0; side < 2; side++)
            assert_int_equal(0, import_made(client, clip, side, t, &makers[side]));
        assert_int_equal(t ? -EINVAL : 0, client_read_imported(client, t));
        if (!t)
            assert_int_equal(0, vmaf_read_pictures(vmaf, NULL, NULL, 0));
    }
    assert_int_equal(0, vmaf_close(vmaf));
    for (unsigned side = 0; side < 2; side++)
        maker_destroy(&makers[side]);
}

static void test_shapes(void **unused)
{
    const SynthClip *clip = &import_clips[0];
    Maker makers[2];
    VmafContext *vmaf = open_context(rig_device(), clip, ON_DEVICE, 0);
    GpuClient *client = client_for(rig_device(), vmaf);
    for (unsigned side = 0; side < 2; side++)
        maker_create(&makers[side], rig_gpu(), clip);
    static const SynthClip never[] = {
        { "7 bits", SYNTH_MIX, 61, 37, VMAF_PIX_FMT_YUV420P, 7, 1 },
        { "17 bits", SYNTH_MIX, 61, 37, VMAF_PIX_FMT_YUV420P, 17, 1 },
        { "no width", SYNTH_MIX, 0, 37, VMAF_PIX_FMT_YUV420P, 8, 1 },
        { "no format", SYNTH_MIX, 61, 37, VMAF_PIX_FMT_UNKNOWN, 8, 1 },
    };
    static const SynthClip others[] = {
        { "wider", SYNTH_MIX, 62, 37, VMAF_PIX_FMT_YUV420P, 8, 1 },
        { "lower", SYNTH_MIX, 61, 36, VMAF_PIX_FMT_YUV420P, 8, 1 },
        { "deeper", SYNTH_MIX, 61, 37, VMAF_PIX_FMT_YUV420P, 10, 1 },
        { "other chroma", SYNTH_MIX, 61, 37, VMAF_PIX_FMT_YUV444P, 8, 1 },
    };
    for (unsigned i = 0; i < COUNT(never); i++)
        assert_int_equal(-EINVAL, import_made(client, &never[i], SYNTH_REF, 0, &makers[0]));
    for (unsigned t = 0; t < clip->frames; t++) {
        assert_int_equal(0, import_painted(client, clip, SYNTH_REF, t, t, &makers[SYNTH_REF]));
        for (unsigned i = 0; i < COUNT(others); i++)
            assert_int_equal(-EINVAL, import_made(client, &others[i], i % 2, t, &makers[i % 2]));
        for (unsigned i = 0; i < COUNT(never); i++)
            assert_int_equal(-EINVAL, import_made(client, &never[i], i % 2, t, &makers[0]));
        assert_int_equal(0, import_painted(client, clip, SYNTH_DIST, t, t, &makers[SYNTH_DIST]));
        assert_int_equal(0, client_read_imported(client, t));
    }
    close_equal(vmaf, cpu_scores(clip, ON_DEVICE));
    for (unsigned side = 0; side < 2; side++)
        maker_destroy(&makers[side]);
}

/* ---- several threads ---- */

#define THREADS 4 /* two for each side; they share its frames */
#define THREAD_FRAMES 24

typedef struct Crew {
    GpuClient *client;
    SynthClip clip;
    unsigned depth;
    atomic_uint imported[THREAD_FRAMES]; /* sides imported, by frame */
    atomic_uint read;                    /* frames read so far */
    atomic_int err;
} Crew;

typedef struct Hand {
    Crew *crew;
    enum SynthSide side;
    unsigned first; /* the first frame; the thread imports every second one from there */
    Maker makers[2];
} Hand;

static void *bring_frames(void *arg)
{
    Hand *hand = arg;
    Crew *crew = hand->crew;
    int err = 0;
    for (unsigned t = hand->first; t < THREAD_FRAMES && !err && !atomic_load(&crew->err); t += 2) {
        while (t >= atomic_load(&crew->read) + crew->depth && !atomic_load(&crew->err))
            sched_yield();
        /* The maker of two frames ago is free: its frame was read, or its copy is done. */
        Maker *maker = &hand->makers[t / 2 % 2];
        if (t >= 4)
            while (atomic_load(&crew->read) <= t - 4 && !atomic_load(&crew->err))
                sched_yield();
        err = import_painted(crew->client, &crew->clip, hand->side, t, t, maker);
        atomic_fetch_add(&crew->imported[t], 1);
    }
    if (err)
        atomic_store(&crew->err, err);
    return NULL;
}

static void test_threads(void **unused)
{
    Crew crew = { .clip = import_clips[0], .depth = rig_session(rig_device())->depth };
    crew.clip.frames = THREAD_FRAMES;
    VmafContext *vmaf = open_context(rig_device(), &crew.clip, ON_DEVICE, 2);
    crew.client = client_for(rig_device(), vmaf);
    Hand hands[THREADS];
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        hands[i] = (Hand){ .crew = &crew, .side = i % 2, .first = i / 2 };
        for (unsigned m = 0; m < 2; m++)
            maker_create(&hands[i].makers[m], rig_gpu(), &crew.clip);
    }
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(0, pthread_create(&threads[i], NULL, bring_frames, &hands[i]));
    for (unsigned t = 0; t < THREAD_FRAMES && !atomic_load(&crew.err); t++) {
        while (atomic_load(&crew.imported[t]) < 2 && !atomic_load(&crew.err))
            sched_yield();
        const int err = client_read_imported(crew.client, t);
        atomic_fetch_add(&crew.read, 1);
        if (err)
            atomic_store(&crew.err, err);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(0, atomic_load(&crew.err));
    close_equal(vmaf, cpu_scores(&crew.clip, ON_DEVICE));
    for (unsigned i = 0; i < THREADS; i++)
        for (unsigned m = 0; m < 2; m++)
            maker_destroy(&hands[i].makers[m]);
}

/* Several threads fill one slot; only one at a time may record. */
static atomic_int recording;

static int record_slowly(ImportTarget *target, const void *source)
{
    const int others = atomic_fetch_add(&recording, 1);
    nanosleep(&(struct timespec){ .tv_nsec = 500000 }, NULL);
    const int err = others ? -EBUSY : record_rows(target, source);
    atomic_fetch_sub(&recording, 1);
    return err;
}

static void *bring_one(void *arg)
{
    Hand *hand = arg;
    const GpuIncoming in = incoming(&hand->crew->clip, SYNTH_REF, 0);
    for (unsigned n = 0; n < 8; n++) {
        const int err =
            imports_add(hand->crew->client->imports, &in, record_slowly, &hand->makers[0]);
        if (err)
            atomic_store(&hand->crew->err, err);
    }
    return NULL;
}

static void test_one_slot(void **unused)
{
    Crew crew = { .clip = import_clips[0] };
    VmafContext *vmaf = open_context(rig_device(), &crew.clip, ON_DEVICE, 0);
    crew.client = client_for(rig_device(), vmaf);
    Hand hands[THREADS];
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        hands[i] = (Hand){ .crew = &crew };
        maker_create(&hands[i].makers[0], rig_gpu(), &crew.clip);
        assert_int_equal(0, maker_paint(&hands[i].makers[0], &crew.clip, SYNTH_REF, 0));
    }
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(0, pthread_create(&threads[i], NULL, bring_one, &hands[i]));
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(0, atomic_load(&crew.err));
    Maker *makers[2] = { &hands[0].makers[0], &hands[1].makers[0] };
    assert_int_equal(0, rig_gpu()->ops->drain(rig_gpu()));
    assert_int_equal(0, import_painted(crew.client, &crew.clip, SYNTH_DIST, 0, 0, makers[1]));
    assert_int_equal(0, client_read_imported(crew.client, 0));
    for (unsigned t = 1; t < crew.clip.frames; t++) {
        for (unsigned side = 0; side < 2; side++)
            assert_int_equal(0, import_painted(crew.client, &crew.clip, side, t, t, makers[side]));
        assert_int_equal(0, client_read_imported(crew.client, t));
    }
    close_equal(vmaf, cpu_scores(&crew.clip, ON_DEVICE));
    for (unsigned i = 0; i < THREADS; i++)
        maker_destroy(&hands[i].makers[0]);
}

/* ---- contexts and their ends ---- */

static void test_two_contexts(void **unused)
{
    VmafDevice *own = rig_open(2);
    GpuDevice *gpu = rig_session(own)->device;
    VmafContext *vmaf[2];
    GpuClient *clients[2];
    Maker makers[2][2];
    log_set_level(VMAF_LOG_LEVEL_NONE);
    assert_null(session_client(rig_session(own)));
    for (unsigned c = 0; c < 2; c++) {
        vmaf[c] = open_context(own, &import_clips[c], IMPORT_FEATURES, 2 * c);
        clients[c] = client_for(own, vmaf[c]);
        assert_ptr_equal(c ? NULL : clients[0], session_client(rig_session(own)));
        for (unsigned side = 0; side < 2; side++)
            maker_create(&makers[c][side], gpu, &import_clips[c]);
    }
    for (unsigned t = 0; t < import_clips[0].frames; t++) {
        for (unsigned side = 0; side < 2; side++)
            for (unsigned c = 0; c < 2; c++)
                assert_int_equal(
                    0, import_painted(clients[c], &import_clips[c], side, t, t, &makers[c][side]));
        for (unsigned c = 0; c < 2; c++)
            assert_int_equal(0, client_read_imported(clients[c], t));
    }
    close_equal(vmaf[0], cpu_scores(&import_clips[0], IMPORT_FEATURES));
    assert_ptr_equal(clients[1], session_client(rig_session(own)));
    close_equal(vmaf[1], cpu_scores(&import_clips[1], IMPORT_FEATURES));
    assert_null(session_client(rig_session(own)));
    for (unsigned c = 0; c < 2; c++)
        for (unsigned side = 0; side < 2; side++)
            maker_destroy(&makers[c][side]);
    vmaf_device_close(&own);
}

/* Closes the device first, or the context first, with pictures imported and not read. */
static void test_ends(void **unused)
{
    const SynthClip *clip = &import_clips[0];
    for (unsigned device_first = 0; device_first < 2; device_first++) {
        for (unsigned frames = 0; frames <= 2; frames++) {
            VmafDevice *own = rig_open(2);
            GpuDevice *gpu = rig_session(own)->device;
            gpu_device_retain(gpu); /* for the makers */
            VmafContext *vmaf = open_context(own, clip, ON_DEVICE, 2);
            GpuClient *client = client_for(own, vmaf);
            Maker makers[2];
            for (unsigned side = 0; side < 2; side++)
                maker_create(&makers[side], gpu, clip);
            if (device_first)
                vmaf_device_close(&own);
            for (unsigned t = 0; t < frames; t++) {
                for (unsigned side = 0; side < 2; side++)
                    assert_int_equal(0, import_painted(client, clip, side, t, t, &makers[side]));
                assert_int_equal(0, client_read_imported(client, t));
            }
            assert_int_equal(0, import_made(client, clip, SYNTH_REF, frames, &makers[SYNTH_REF]));
            assert_int_equal(0, vmaf_close(vmaf));
            vmaf_device_close(&own);
            for (unsigned side = 0; side < 2; side++)
                maker_destroy(&makers[side]);
            gpu_device_release(gpu);
        }
    }
}

TEST_MAIN(imports)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores),       cmocka_unit_test(test_depths),
        cmocka_unit_test(test_range),        cmocka_unit_test(test_waits_and_signals),
        cmocka_unit_test(test_indices),      cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_threads),      cmocka_unit_test(test_one_slot),
        cmocka_unit_test(test_two_contexts), cmocka_unit_test(test_ends),
    };
    return RIG_RUN(argc, argv, tests);
}
