/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The ring on the host device: as many frames in flight as it takes, features that look back, and
 * frames that ask for fewer features; uploads on either queue, submissions shared or not, on one
 * compute queue or several. Every frame has the result of the scalar code under every schedule. */
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/stream.h"
#include "gpu/upload.h"
#include "gpu/backend/host/host.h"
#include "gpu/backend/host/random.h"
#include "testing.h"

#define W 70
#define H 54
#define FRAMES 14
/* The first frames have nothing to look back at, so their results are not read. */
#define LOOK_BACK 2

static const char *const names[] = { "psnr", "motion", "vif", "adm" };
#define FEATURES 4

static Feature *features[FEATURES];
static void *cpu[FRAMES][FEATURES];
static FrameShape shape;

static void paint(VmafPicture *pic, unsigned frame, bool is_dist)
{
    HostRandom noise = random_of(2 * frame + is_dist);
    for (unsigned p = 0; p < 3; p++)
        for (unsigned y = 0; y < pic->h[p]; y++) {
            uint8_t *row = (uint8_t *)pic->data[p] + y * pic->stride[p];
            for (unsigned x = 0; x < pic->w[p]; x++)
                row[x] =
                    (uint8_t)(x * 3 + y * (2 + frame) + random_below(&noise, 20 + 60 * is_dist));
        }
}

static FramePair pair_of(const VmafPicture (*pics)[2], unsigned i)
{
    return (FramePair){
        .ref = &pics[i][0],
        .dist = &pics[i][1],
        .prev_ref = { i > 0 ? &pics[i - 1][0] : NULL, i > 1 ? &pics[i - 2][0] : NULL },
        .position = i,
    };
}

/* Some frames ask for fewer features. */
static FeatureSet set_of(unsigned frame)
{
    return frame % 5 == 3 ? 5 : 15;
}

static int set_up(void **unused)
{
    assert_int_equal(0, shape_init(&shape, VMAF_PIX_FMT_YUV420P, 8, W, H));
    VmafPicture pics[FRAMES][2];
    for (unsigned i = 0; i < FRAMES; i++)
        for (unsigned side = 0; side < 2; side++) {
            assert_int_equal(0, picture_alloc(&pics[i][side], &shape));
            paint(&pics[i][side], i, side);
        }
    for (unsigned f = 0; f < FEATURES; f++) {
        const FeatureDef *def = feature_find(names[f]);
        assert_int_equal(0, feature_create(&features[f], def, NULL));
        features[f]->shape = shape;
        features[f]->planes = def->flags & FEATURE_CHROMA ? 7 : 1;
        assert_int_equal(0, def->init ? def->init(features[f]) : 0);
        void *scratch = NULL;
        assert_int_equal(0, def->scratch_create ? def->scratch_create(features[f], &scratch) : 0);
        for (unsigned i = 0; i < FRAMES; i++) {
            const FramePair pair = pair_of((const VmafPicture(*)[2])pics, i);
            cpu[i][f] = mem_zalloc(def->result_size);
            assert_int_equal(0, def->measure(features[f], scratch, &pair, cpu[i][f], NULL));
        }
        if (scratch)
            def->scratch_destroy(scratch);
    }
    for (unsigned i = 0; i < FRAMES; i++)
        for (unsigned side = 0; side < 2; side++)
            picture_release(&pics[i][side]);
    return 0;
}

static int tear_down(void **unused)
{
    for (unsigned f = 0; f < FEATURES; f++) {
        if (features[f]->def->close)
            features[f]->def->close(features[f]);
        feature_destroy(features[f]);
        for (unsigned i = 0; i < FRAMES; i++)
            mem_free(cpu[i][f]);
    }
    return 0;
}

static void free_upload(VmafPicture *pic, void *device)
{
    upload_free(device, pic->data[0]);
}

/* Makes a picture in upload memory or in plain memory. */
static int make_picture(GpuDevice *device, VmafPicture *pic, unsigned frame, bool is_dist)
{
    void *block = NULL;
    int err = 0;
    if ((frame + is_dist) % 3) {
        err = picture_alloc(pic, &shape);
    } else {
        err = upload_alloc(device, picture_size(&shape), &block);
        if (!err)
            err = picture_wrap(pic, &shape, block, free_upload, device);
    }
    if (!err)
        paint(pic, frame, is_dist);
    return err;
}

static bool is_right(unsigned frame, void *const *results)
{
    for (unsigned f = 0; f < FEATURES; f++)
        if (set_of(frame) >> f & 1 &&
            memcmp(cpu[frame][f], results[f], features[f]->def->result_size))
            return false;
    return true;
}

typedef struct Setting {
    HostParams params;
    unsigned depth, batch, compute_queues;
    size_t own_upload_bytes;
} Setting;

typedef struct Run {
    GpuDevice *device;
    GpuStream *stream;
    VmafPicture pics[FRAMES][2];
    int err;         /* error of the submitting thread */
    sem_t submitted; /* frames that can be collected */
} Run;

/* Submits frames as fast as the ring takes them. */
static void *submit_all(void *opaque)
{
    Run *run = opaque;
    for (unsigned i = 0; i < FRAMES; i++) {
        for (unsigned side = 0; side < 2 && !run->err; side++)
            run->err = make_picture(run->device, &run->pics[i][side], i, side);
        const FramePair pair = pair_of((const VmafPicture(*)[2])run->pics, i);
        if (!run->err)
            run->err = stream_submit(run->stream, &pair, set_of(i));
        sem_post(&run->submitted);
    }
    return NULL;
}

/* Overwrites the picture: the memory of a collected frame may change, unless later frames look back
 * at it. */
static void spoil(VmafPicture *pic)
{
    for (unsigned p = 0; p < 3; p++)
        memset(pic->data[p], 0xee, (size_t)pic->stride[p] * pic->h[p]);
}

/* Collects the frames. Returns the number of right ones. */
static unsigned collect_all(Run *run)
{
    void *results[FEATURES];
    for (unsigned f = 0; f < FEATURES; f++)
        results[f] = mem_zalloc(features[f]->def->result_size);
    unsigned right = 0;
    for (unsigned i = 0; i < FRAMES; i++) {
        sem_wait(&run->submitted);
        assert_int_equal(0, stream_collect(run->stream, results));
        right += i < LOOK_BACK || is_right(i, results);
        for (unsigned side = 0; i >= LOOK_BACK && side < 2; side++)
            spoil(&run->pics[i - LOOK_BACK][side]);
    }
    for (unsigned f = 0; f < FEATURES; f++)
        mem_free(results[f]);
    return right;
}

static unsigned run_ring(const Setting *setting)
{
    Run run = { 0 };
    FeatureSet taken;
    pthread_t thread;
    assert_int_equal(0, host_open(&setting->params, &run.device));
    run.device->tuning.max_batch = setting->batch;
    run.device->tuning.compute_queues = setting->compute_queues;
    run.device->tuning.own_upload_bytes = setting->own_upload_bytes;
    assert_int_equal(0, stream_create(&run.stream,
                                      &(GpuStreamParams){ .device = run.device,
                                                          .features = features,
                                                          .feature_count = FEATURES,
                                                          .depth = setting->depth },
                                      &taken));
    assert_int_equal(15, taken);
    assert_int_equal(0, sem_init(&run.submitted, 0, 0));
    assert_int_equal(0, pthread_create(&thread, NULL, submit_all, &run));
    const unsigned right = collect_all(&run);
    pthread_join(thread, NULL);
    sem_destroy(&run.submitted);
    assert_int_equal(0, run.err);
    stream_destroy(run.stream);
    for (unsigned i = 0; i < FRAMES; i++)
        for (unsigned side = 0; side < 2; side++)
            picture_release(&run.pics[i][side]);
    gpu_device_release(run.device);
    return right;
}

static void test_ring(void **unused)
{
    static const unsigned depths[] = { 1, 2, 4, 8 };
    unsigned seed = 0;
    for (enum HostSchedule schedule = 0; schedule < HOST_SCHEDULES; schedule++)
        for (unsigned d = 0; d < 4; d++)
            for (unsigned own = 0; own < 2; own++, seed++) {
                const Setting setting = { .params = { .schedule = schedule, .seed = seed },
                                          .depth = depths[d],
                                          .batch = seed % 3 ? GPU_MAX_BATCH : 1,
                                          .compute_queues = 1 + seed % 5 % GPU_MAX_COMPUTE_QUEUES,
                                          .own_upload_bytes = own ? 0 : SIZE_MAX };
                const unsigned right = run_ring(&setting);
                if (right != FRAMES)
                    print_error(
                        "schedule %d, seed %u, depth %u, batch %u, queues %u, own uploads %u: %u of "
                        "%d frames are right\n",
                        schedule, seed, setting.depth, setting.batch, setting.compute_queues, own,
                        right, FRAMES);
                assert_int_equal(FRAMES, right);
            }
}

TEST_MAIN(host_ring)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_ring) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
