/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "pairs.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "gpu/plan.h"
#include "testing.h"

#define UNTOUCHED 0xee

/* ---- features and what they measure ---- */

static unsigned look_back(const Feature *f)
{
    GpuPlan *plan;
    unsigned back = 0;
    assert_int_equal(0, plan_create(&plan, f));
    for (unsigned b = 0; b < plan->buffer_count; b++)
        if (plan->buffers[b].back > back)
            back = plan->buffers[b].back;
    plan_destroy(plan);
    return back;
}

static void create_feature(Pairs *pairs, unsigned i, const ClipFeature *from)
{
    Dict *dict;
    const FeatureDef *def = feature_find(from->name);
    assert_non_null(def);
    assert_int_equal(0, clip_options(from, &dict));
    assert_int_equal(0, feature_create(&pairs->features[i], def, dict));
    Feature *f = pairs->features[i];
    f->shape = pairs->shape;
    f->planes = def->flags & FEATURE_CHROMA && pairs->shape.w[1] ? 7 : 1;
    if (def->init)
        assert_int_equal(0, def->init(f));
    if (def->scratch_create)
        assert_int_equal(0, def->scratch_create(f, &pairs->scratch[i]));
    pairs->back[i] = look_back(f);
    assert_non_null(pairs->results[i] = mem_zalloc(def->result_size));
}

FramePair pairs_at(const Pairs *pairs, unsigned frame)
{
    return (FramePair){
        .ref = &pairs->ref[frame],
        .dist = &pairs->dist[frame],
        .prev_ref = { frame > 0 ? &pairs->ref[frame - 1] : NULL,
                      frame > 1 ? &pairs->ref[frame - 2] : NULL },
        .position = frame,
    };
}

void pairs_create(Pairs *pairs, const SynthClip *clip, const ClipFeature *features, unsigned count)
{
    assert_true(count <= PAIRS_MAX_FEATURES && clip->frames <= PAIRS_MAX_FRAMES);
    *pairs = (Pairs){ .clip = *clip, .feature_count = count };
    clip_shape(clip, &pairs->shape);
    for (unsigned i = 0; i < count; i++)
        create_feature(pairs, i, &features[i]);
    pairs_place(pairs, NULL, CLIP_PLAIN, CLIP_PLAIN);
    for (unsigned frame = 0; frame < clip->frames; frame++) {
        const FramePair pair = pairs_at(pairs, frame);
        for (unsigned i = 0; i < count; i++) {
            const Feature *f = pairs->features[i];
            assert_non_null(pairs->expected[frame][i] = mem_zalloc(f->def->result_size));
            assert_int_equal(
                0, f->def->measure(f, pairs->scratch[i], &pair, pairs->expected[frame][i], NULL));
        }
    }
}

void pairs_place(Pairs *pairs, GpuDevice *device, enum ClipMemory ref, enum ClipMemory dist)
{
    for (unsigned frame = 0; frame < pairs->clip.frames; frame++) {
        picture_release(&pairs->ref[frame]);
        picture_release(&pairs->dist[frame]);
        assert_int_equal(
            0, clip_picture(device, ref, &pairs->clip, SYNTH_REF, frame, &pairs->ref[frame]));
        assert_int_equal(
            0, clip_picture(device, dist, &pairs->clip, SYNTH_DIST, frame, &pairs->dist[frame]));
    }
}

void pairs_destroy(Pairs *pairs)
{
    for (unsigned i = 0; i < pairs->feature_count; i++) {
        Feature *f = pairs->features[i];
        if (pairs->scratch[i])
            f->def->scratch_destroy(pairs->scratch[i]);
        if (f->def->close)
            f->def->close(f);
        feature_destroy(f);
        mem_free(pairs->results[i]);
        for (unsigned frame = 0; frame < pairs->clip.frames; frame++)
            mem_free(pairs->expected[frame][i]);
    }
    for (unsigned frame = 0; frame < pairs->clip.frames; frame++) {
        picture_release(&pairs->ref[frame]);
        picture_release(&pairs->dist[frame]);
    }
}

/* ---- comparing ---- */

void *const *pairs_results(Pairs *pairs)
{
    for (unsigned i = 0; i < pairs->feature_count; i++)
        memset(pairs->results[i], UNTOUCHED, pairs->features[i]->def->result_size);
    return pairs->results;
}

static bool is_right(const Pairs *pairs, unsigned frame, unsigned i, bool asked)
{
    const Feature *f = pairs->features[i];
    const unsigned char *result = pairs->results[i];
    for (size_t b = 0; !asked && b < f->def->result_size; b++)
        if (result[b] != UNTOUCHED)
            return false;
    /* At the start of a stream the earlier frame is undefined. */
    if (!asked || frame < pairs->back[i])
        return true;
    return f->def->gpu->same ? f->def->gpu->same(f, pairs->expected[frame][i], result)
                             : !memcmp(pairs->expected[frame][i], result, f->def->result_size);
}

int pairs_compare(const Pairs *pairs, unsigned frame, FeatureSet set)
{
    int wrong = 0;
    for (unsigned i = 0; i < pairs->feature_count; i++) {
        if (is_right(pairs, frame, i, set >> i & 1))
            continue;
        wrong++;
        print_error("frame %u: feature %u (%s) is wrong\n", frame, i,
                    pairs->features[i]->def->name);
    }
    return wrong;
}

/* ---- the ring ---- */

typedef struct Ride {
    Pairs *pairs;
    const PairsRun *run;
    GpuStream *stream;
    atomic_uint submitted;
    atomic_int submit_err;
} Ride;

static FeatureSet set_of(const Ride *ride, unsigned frame)
{
    const FeatureSet all = ((FeatureSet)1 << ride->pairs->feature_count) - 1;
    return ride->run->set ? ride->run->set(frame) & all : all;
}

static int submit(Ride *ride, unsigned frame)
{
    const FramePair pair = pairs_at(ride->pairs, frame);
    const int err = stream_submit(ride->stream, &pair, set_of(ride, frame));
    if (!err)
        atomic_fetch_add(&ride->submitted, 1);
    return err;
}

static int collect(Ride *ride, unsigned frame)
{
    const int err = stream_collect(ride->stream, pairs_results(ride->pairs));
    return err ? err : pairs_compare(ride->pairs, frame, set_of(ride, frame));
}

static void *submit_all(void *arg)
{
    Ride *ride = arg;
    int err = 0;
    for (unsigned frame = 0; frame < ride->pairs->clip.frames && !err; frame++)
        err = submit(ride, frame);
    atomic_store(&ride->submit_err, err);
    return NULL;
}

/* Lets the submitting thread get as far ahead as the ring allows. */
static void let_it_run_ahead(Ride *ride, unsigned collected)
{
    const unsigned left = ride->pairs->clip.frames - collected;
    const unsigned ahead = left < ride->run->depth ? left : ride->run->depth;
    while (atomic_load(&ride->submitted) < collected + ahead && !atomic_load(&ride->submit_err))
        nanosleep(&(struct timespec){ .tv_nsec = 100000 }, NULL);
    nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static int ride_on_threads(Ride *ride)
{
    pthread_t submitter;
    int result = -pthread_create(&submitter, NULL, submit_all, ride);
    if (result)
        return result;
    const unsigned frames = ride->pairs->clip.frames;
    /* Goes on to the end after an error, because the submitting thread waits for free slots. */
    for (unsigned frame = 0; frame < frames; frame++) {
        let_it_run_ahead(ride, frame);
        if (atomic_load(&ride->submit_err))
            break;
        if (atomic_load(&ride->submitted) > frame + ride->run->depth)
            result = -EOVERFLOW; /* more frames in flight than the ring has slots */
        const int wrong = collect(ride, frame);
        if (wrong < 0)
            result = wrong;
        else if (result >= 0)
            result += wrong;
    }
    pthread_join(submitter, NULL);
    const int err = atomic_load(&ride->submit_err);
    return err ? err : result;
}

static int ride_alone(Ride *ride)
{
    const unsigned frames = ride->pairs->clip.frames;
    int result = 0;
    for (unsigned collected = 0, submitted = 0; collected < frames && result >= 0; collected++) {
        int err = 0;
        for (; submitted < frames && submitted - collected < ride->run->depth && !err; submitted++)
            err = submit(ride, submitted);
        const int wrong = err ? err : collect(ride, collected);
        result = wrong < 0 ? wrong : result + wrong;
    }
    return result;
}

int pairs_stream(Pairs *pairs, GpuDevice *device, const PairsRun *run)
{
    Ride ride = { .pairs = pairs, .run = run };
    FeatureSet taken;
    int result = stream_create(&ride.stream,
                               &(GpuStreamParams){ .device = device,
                                                   .features = pairs->features,
                                                   .feature_count = pairs->feature_count,
                                                   .depth = run->depth,
                                                   .never_on_cpu = run->never_on_cpu },
                               &taken);
    if (result)
        return result;
    if (taken != ((FeatureSet)1 << pairs->feature_count) - 1)
        result = -ENOTSUP;
    else
        result = run->threads ? ride_on_threads(&ride) : ride_alone(&ride);
    stream_destroy(ride.stream);
    return result;
}
