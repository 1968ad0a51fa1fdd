/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures that are on the device already, in memory of others: not read before they are ready, not
 * after they were given back, whatever thread brings them, in whatever order; and scored to the last bit
 * as if they had come the long way. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/import.h"
#include "gpu/upload.h"
#include "rig.h"
#include "score.h"
#include "tap.h"

/* On the device alone, and with a feature that reads the same pictures on the CPU. */
static const ClipFeature features[] = { { "psnr", { 0 } },
                                        { "motion", { 0 } },
                                        { "float_psnr", { 0 } } };
#define ON_DEVICE 2

static const SynthClip clips[] = {
    { "8 bits", SYNTH_MIX, 61, 37, VMAF_PIX_FMT_YUV420P, 8, 7 },
    { "10 bits", SYNTH_MIX, 50, 27, VMAF_PIX_FMT_YUV422P, 10, 7 },
    { "12 bits", SYNTH_MIX, 33, 29, VMAF_PIX_FMT_YUV444P, 12, 7 },
    { "4:0:0", SYNTH_MIX, 64, 26, VMAF_PIX_FMT_YUV400P, 16, 7 },
};

/* ---- somebody who makes pictures ---- */

/* One picture, in a buffer or in memory to import, rows at strides of its own. */
typedef struct Maker {
    GpuDevice *device;
    FrameShape shape;
    size_t offset[3], stride[3], size;
    GpuBuffer *buffer;
    RigMemory memory; /* in place of the buffer */
    char *host;
} Maker;

static void maker_layout(Maker *maker, GpuDevice *device, const SynthClip *clip)
{
    *maker = (Maker){ .device = device };
    clip_shape(clip, &maker->shape);
    const unsigned bytes = shape_sample_size(&maker->shape);
    for (unsigned p = 0; p < 3; p++) {
        maker->offset[p] = maker->size + 16;
        maker->stride[p] = (maker->shape.w[p] + 1 + p) * bytes;
        maker->size = maker->offset[p] + maker->stride[p] * maker->shape.h[p];
    }
}

static void maker_create(Maker *maker, GpuDevice *device, const SynthClip *clip)
{
    maker_layout(maker, device, clip);
    assert_int_equal(0,
                     device->ops->buffer_create(device, GPU_UPLOAD, maker->size, &maker->buffer));
    maker->host = maker->buffer->host;
}

static void maker_destroy(Maker *maker)
{
    maker->device->ops->buffer_destroy(maker->device, maker->buffer);
    if (maker->memory.host)
        rig_backend()->memory_destroy(maker->device, &maker->memory);
}

static void maker_scribble(Maker *maker)
{
    memset(maker->host, 0x5b, maker->size);
}

static int maker_paint(Maker *maker, const SynthClip *clip, enum SynthSide side, unsigned t)
{
    VmafPicture pic;
    const int err = synth_picture(clip, side, t, &pic);
    if (err)
        return err;
    for (unsigned p = 0; p < 3; p++)
        for (unsigned y = 0; y < pic.h[p]; y++)
            memcpy(maker->host + maker->offset[p] + y * maker->stride[p],
                   (char *)pic.data[p] + y * pic.stride[p],
                   pic.w[p] * shape_sample_size(&maker->shape));
    return vmaf_picture_unref(&pic);
}

static int record_rows(ImportTarget *target, const void *source)
{
    const Maker *maker = source;
    for (unsigned p = 0; p < 3 && maker->shape.h[p]; p++)
        target->device->ops->copy_rows(
            target->commands,
            &(GpuRows){ .from = maker->buffer,
                        .from_offset = maker->offset[p],
                        .from_stride = maker->stride[p],
                        .to = target->picture,
                        .to_offset = import_plane_offset(target->shape, p),
                        .to_stride = picture_stride(target->shape, p),
                        .row = maker->shape.w[p] * shape_sample_size(&maker->shape),
                        .rows = maker->shape.h[p] });
    return 0;
}

static GpuIncoming incoming(const SynthClip *clip, enum SynthSide side, unsigned index)
{
    return (GpuIncoming){ .w = clip->width,
                          .h = clip->height,
                          .bpc = clip->bitdepth,
                          .pix_fmt = clip->pix_fmt,
                          .is_ref = side == SYNTH_REF,
                          .index = index };
}

static int import(GpuClient *client, const SynthClip *clip, enum SynthSide side, unsigned index,
                  const Maker *maker)
{
    const GpuIncoming in = incoming(clip, side, index);
    return imports_add(client->imports, &in, record_rows, maker);
}

static int import_painted(GpuClient *client, const SynthClip *clip, enum SynthSide side, unsigned t,
                          unsigned index, Maker *maker)
{
    const int err = maker_paint(maker, clip, side, t);
    return err ? err : import(client, clip, side, index, maker);
}

static GpuClient *client_for(VmafDevice *device, VmafContext *vmaf)
{
    GpuClient *client = client_of(vmaf, rig_session(device)->backend);
    assert_non_null(client);
    return client;
}

static char *cpu_scores(const SynthClip *clip, unsigned feature_count)
{
    char *scores;
    assert_int_equal(
        0,
        score_run(&(ScoreRun){ .clip = clip, .features = features, .feature_count = feature_count },
                  &scores));
    return scores;
}

static VmafContext *open_context(VmafDevice *device, const SynthClip *clip, unsigned feature_count,
                                 unsigned threads)
{
    VmafContext *vmaf;
    assert_int_equal(0, score_open(&(ScoreRun){ .device = device,
                                                .clip = clip,
                                                .features = features,
                                                .feature_count = feature_count,
                                                .threads = threads },
                                   &vmaf));
    return vmaf;
}

/* Ends the context and compares; both texts are freed. */
static void close_equal(VmafContext *vmaf, char *wanted)
{
    char *scores;
    assert_int_equal(0, score_close(vmaf, &scores));
    assert_true(score_same(wanted, scores));
    free(scores);
    free(wanted);
}

/* ---- one after another ---- */

static void test_scores(void **unused)
{
    for (unsigned c = 0; c < COUNT(clips); c++) {
        for (unsigned threads = 0; threads <= 2; threads += 2) {
            for (unsigned count = ON_DEVICE; count <= COUNT(features); count++) {
                Maker makers[2];
                VmafContext *vmaf = open_context(rig_device(), &clips[c], count, threads);
                GpuClient *client = client_for(rig_device(), vmaf);
                for (unsigned side = 0; side < 2; side++)
                    maker_create(&makers[side], rig_gpu(), &clips[c]);
                for (unsigned t = 0; t < clips[c].frames; t++) {
                    for (unsigned side = 0; side < 2; side++)
                        assert_int_equal(
                            0, import_painted(client, &clips[c], side, t, t, &makers[side]));
                    assert_int_equal(0, client_read_imported(client, t));
                    /* Given back: whatever their owner does now. */
                    for (unsigned side = 0; side < 2; side++)
                        maker_scribble(&makers[side]);
                }
                close_equal(vmaf, cpu_scores(&clips[c], count));
                for (unsigned side = 0; side < 2; side++)
                    maker_destroy(&makers[side]);
            }
        }
    }
}

/* ---- samples above the depth ---- */

static void put_high_sample(Maker *maker, unsigned plane, unsigned x, unsigned y)
{
    const uint16_t value = (uint16_t)(1u << maker->shape.bpc);
    memcpy(maker->host + maker->offset[plane] + y * maker->stride[plane] + 2 * x, &value, 2);
}

/* Refused wherever they are; the same frame without them is scored as if nothing had happened. */
static void test_range(void **unused)
{
    for (unsigned c = 1; c < 3; c++) {
        const SynthClip *clip = &clips[c];
        Maker makers[2];
        VmafContext *vmaf = open_context(rig_device(), clip, ON_DEVICE, c);
        GpuClient *client = client_for(rig_device(), vmaf);
        for (unsigned side = 0; side < 2; side++) {
            maker_create(&makers[side], rig_gpu(), clip);
            maker_scribble(&makers[side]); /* between the rows, too */
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
                    assert_int_equal(0, import(client, clip, side, t, &makers[side]));
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

/* Ten seconds are for ever. */
static void await_clock(uintptr_t clock, uint64_t value)
{
    for (unsigned ms = 0; rig_backend()->clock_get(rig_gpu(), clock) < value && ms < 10000; ms++)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    assert_int_equal(value, rig_backend()->clock_get(rig_gpu(), clock));
}

/* Each picture is imported before it is painted, waits for two time lines and moves two on. */
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
    const SynthClip *clip = &clips[0];
    Maker makers[2];
    uintptr_t clocks[2][2]; /* by side: that say when, that hear when */
    VmafContext *vmaf = open_context(rig_device(), clip, ON_DEVICE, 2);
    GpuClient *client = client_for(rig_device(), vmaf);
    for (unsigned side = 0; side < 2; side++) {
        maker_create(&makers[side], gpu, clip);
        for (unsigned i = 0; i < 2; i++)
            clocks[side][i] = words->clock_create(gpu);
        words->clock_set(gpu, clocks[side][1],
                         1); /* with some APIs 0 says that it is no time line */
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
        /* A driver may tell us before it tells others. */
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
    const SynthClip *clip = &clips[0];
    const unsigned depth = rig_session(rig_device())->depth;
    Maker makers[2];
    VmafContext *vmaf = open_context(rig_device(), clip, ON_DEVICE, 0);
    GpuClient *client = client_for(rig_device(), vmaf);
    for (unsigned side = 0; side < 2; side++)
        maker_create(&makers[side], rig_gpu(), clip);

    assert_int_equal(-EINVAL, client_read_imported(client, 0)); /* nothing there */
    assert_int_equal(0, import_painted(client, clip, SYNTH_REF, 0, 0, &makers[SYNTH_REF]));
    assert_int_equal(-EINVAL, client_read_imported(client, 0)); /* half of it */
    assert_int_equal(0, import_painted(client, clip, SYNTH_DIST, 1, 0, &makers[SYNTH_DIST]));
    assert_int_equal(0, rig_gpu()->ops->drain(rig_gpu()));
    assert_int_equal(0, import_painted(client, clip, SYNTH_DIST, 0, 0, &makers[SYNTH_DIST]));
    assert_int_equal(-EINVAL, client_read_imported(client, depth)); /* the same slot */
    assert_int_equal(0, client_read_imported(client, 0));           /* the later one counts */
    assert_int_equal(-EINVAL, client_read_imported(client, 0));     /* once */

    /* A frame that was imported too late takes the place of one that was not read. */
    for (unsigned side = 0; side < 2; side++) {
        assert_int_equal(0, import(client, clip, side, 3, &makers[side]));
        assert_int_equal(0, rig_gpu()->ops->drain(rig_gpu()));
        assert_int_equal(0, import_painted(client, clip, side, 1, 3 + depth, &makers[side]));
    }
    assert_int_equal(-EINVAL, client_read_imported(client, 3));
    assert_int_equal(0, client_read_imported(client, 3 + depth));

    /* All of the ring at once, back to front; read in order. */
    for (unsigned i = depth; i-- > 0;) {
        for (unsigned side = 0; side < 2; side++) {
            assert_int_equal(0, import_painted(client, clip, side, 2 + i, 100 + i, &makers[side]));
            assert_int_equal(0, rig_gpu()->ops->drain(rig_gpu()));
        }
    }
    for (unsigned i = 0; i < depth; i++)
        assert_int_equal(0, client_read_imported(client, 100 + i));

    /* The same frames the plain way. */
    const ScoreRun plain = { .clip = clip, .features = features, .feature_count = ON_DEVICE };
    VmafContext *cpu;
    char *wanted;
    assert_int_equal(0, score_open(&plain, &cpu));
    assert_int_equal(0, score_read(&plain, cpu, 0, 0));
    assert_int_equal(0, score_read(&plain, cpu, 1, 3 + depth));
    for (unsigned i = 0; i < depth; i++)
        assert_int_equal(0, score_read(&plain, cpu, 2 + i, 100 + i));
    assert_int_equal(0, score_close(cpu, &wanted));

    close_equal(vmaf, wanted);

    /* None after the end. */
    vmaf = open_context(rig_device(), clip, ON_DEVICE, 0);
    client = client_for(rig_device(), vmaf);
    for (unsigned t = 0; t < 2; t++) {
        for (unsigned side = 0; side < 2; side++)
            assert_int_equal(0, import(client, clip, side, t, &makers[side]));
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
    const SynthClip *clip = &clips[0];
    Maker makers[2];
    VmafContext *vmaf = open_context(rig_device(), clip, ON_DEVICE, 0);
    GpuClient *client = client_for(rig_device(), vmaf);
    for (unsigned side = 0; side < 2; side++)
        maker_create(&makers[side], rig_gpu(), clip);
    static const SynthClip never[] = {
        { "9 bits", SYNTH_MIX, 61, 37, VMAF_PIX_FMT_YUV420P, 9, 1 },
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
        assert_int_equal(-EINVAL, import(client, &never[i], SYNTH_REF, 0, &makers[0]));
    for (unsigned t = 0; t < clip->frames; t++) {
        assert_int_equal(0, import_painted(client, clip, SYNTH_REF, t, t, &makers[SYNTH_REF]));
        for (unsigned i = 0; i < COUNT(others); i++)
            assert_int_equal(-EINVAL, import(client, &others[i], i % 2, t, &makers[i % 2]));
        for (unsigned i = 0; i < COUNT(never); i++)
            assert_int_equal(-EINVAL, import(client, &never[i], i % 2, t, &makers[0]));
        assert_int_equal(0, import_painted(client, clip, SYNTH_DIST, t, t, &makers[SYNTH_DIST]));
        assert_int_equal(0, client_read_imported(client, t));
    }
    close_equal(vmaf, cpu_scores(clip, ON_DEVICE));
    for (unsigned side = 0; side < 2; side++)
        maker_destroy(&makers[side]);
}

/* ---- memory ---- */

static GpuForeignPicture foreign_picture(const Maker *maker)
{
    GpuForeignPicture picture = { .memory = maker->memory.handle };
    for (unsigned p = 0; p < 3; p++) {
        picture.offset[p] = maker->offset[p];
        picture.stride[p] = maker->stride[p];
    }
    return picture;
}

static int import_memory(GpuClient *client, const SynthClip *clip, enum SynthSide side,
                         unsigned index, const GpuForeignPicture *picture)
{
    const GpuIncoming in = incoming(clip, side, index);
    return imports_add_memory(client->imports, &in, picture);
}

/* Whatever reaches beyond the memory, and rows that overlap. */
static void check_bad_layouts(GpuClient *client, const SynthClip *clip, enum SynthSide side,
                              const Maker *maker)
{
    const GpuForeignPicture good = foreign_picture(maker);
    for (unsigned p = 0; p < 3; p++) {
        if (!maker->shape.h[p])
            continue;
        const size_t row = maker->shape.w[p] * shape_sample_size(&maker->shape);
        const size_t end = maker->offset[p] + maker->stride[p] * (maker->shape.h[p] - 1) + row;
        GpuForeignPicture bad[6];
        for (unsigned i = 0; i < COUNT(bad); i++)
            bad[i] = good;
        bad[0].stride[p] = row - 1;
        bad[1].stride[p] = (maker->size - maker->offset[p] - row) / (maker->shape.h[p] - 1) + 1;
        bad[2].offset[p] += maker->size - end + 1;
        bad[3].offset[p] = UINT64_MAX;
        bad[4].stride[p] = UINT64_MAX / 2;
        bad[5].memory.size = end - 1;
        for (unsigned i = 0; i < COUNT(bad); i++)
            assert_int_equal(-EINVAL, import_memory(client, clip, side, 0, &bad[i]));
        assert_int_equal(0, tap_calls(TAP_BUFFER_IMPORT)); /* the device has not been asked */
    }
}

static void test_memory(void **unused)
{
    const RigBackend *words = rig_backend();
    for (unsigned c = 0; words->memory_create && c < COUNT(clips); c++) {
        Maker makers[2];
        VmafContext *vmaf = open_context(rig_device(), &clips[c], COUNT(features), 2);
        GpuClient *client = client_for(rig_device(), vmaf);
        for (unsigned t = 0; t < clips[c].frames; t++) {
            for (unsigned side = 0; side < 2; side++) {
                Maker *maker = &makers[side];
                maker_layout(maker, rig_gpu(), &clips[c]);
                assert_int_equal(0, words->memory_create(rig_gpu(), maker->size, &maker->memory));
                maker->host = maker->memory.host;
                assert_int_equal(0, maker_paint(maker, &clips[c], side, t));
                if (!t) {
                    tap_open(rig_gpu());
                    check_bad_layouts(client, &clips[c], side, maker);
                    tap_close();
                }
                const GpuForeignPicture picture = foreign_picture(maker);
                assert_int_equal(0, import_memory(client, &clips[c], side, t, &picture));
            }
            assert_int_equal(0, client_read_imported(client, t));
            for (unsigned side = 0; side < 2; side++) {
                maker_scribble(&makers[side]);
                maker_destroy(&makers[side]);
            }
        }
        close_equal(vmaf, cpu_scores(&clips[c], COUNT(features)));
    }
}

/* More frames than there are slots, each imported before its owner has begun with it: an import that waits
 * for anything waits for ever. */
static void test_memory_in_advance(void **unused)
{
    const RigBackend *words = rig_backend();
    GpuDevice *gpu = rig_gpu();
    const SynthClip *clip = &clips[0];
    const uintptr_t clock =
        words->memory_create && words->clock_create ? words->clock_create(gpu) : 0;
    if (!clock)
        return;
    const unsigned frames = 4 * rig_session(rig_device())->depth;
    Maker makers[2];
    VmafContext *vmaf = open_context(rig_device(), clip, ON_DEVICE, 0);
    GpuClient *client = client_for(rig_device(), vmaf);
    for (unsigned side = 0; side < 2; side++) {
        maker_layout(&makers[side], gpu, clip);
        assert_int_equal(0, words->memory_create(gpu, makers[side].size, &makers[side].memory));
        makers[side].host = makers[side].memory.host;
    }
    for (unsigned t = 0; t < frames; t++) {
        const GpuForeign wait = { clock, t + 1 };
        for (unsigned i = 0; i < 2; i++) {
            const unsigned side = (t / 4 + i) % 2; /* either may be first */
            const GpuForeignPicture picture = foreign_picture(&makers[side]);
            GpuIncoming in = incoming(clip, side, t);
            in.waits = &wait;
            in.wait_count = 1;
            maker_scribble(&makers[side]);
            assert_int_equal(0, imports_add_memory(client->imports, &in, &picture));
        }
        assert_int_equal(t, words->clock_get(gpu, clock));
        for (unsigned side = 0; side < 2; side++)
            assert_int_equal(0, maker_paint(&makers[side], clip, side, t));
        words->clock_set(gpu, clock, t + 1);
        assert_int_equal(0, client_read_imported(client, t));
    }
    SynthClip longer = *clip;
    longer.frames = frames;
    close_equal(vmaf, cpu_scores(&longer, ON_DEVICE));
    for (unsigned side = 0; side < 2; side++)
        maker_destroy(&makers[side]);
    words->clock_destroy(gpu, clock);
}

/* A handle that the device cannot take is refused, and the slot takes another picture. */
static void test_refused_memory(void **unused)
{
    const SynthClip *clip = &clips[0];
    static char nobody[8192];
    const GpuHandle handle =
        rig_backend()->memory_create
            ? (GpuHandle){ GPU_HANDLE_WIN32, (intptr_t)nobody, sizeof(nobody) }
            : (GpuHandle){ GPU_HANDLE_ADDRESS, (intptr_t)nobody, sizeof(nobody) };
    const GpuForeignPicture picture = { .memory = handle,
                                        .stride = { 64, 32, 32 },
                                        .offset = { 0, 4000, 5000 } };
    Maker makers[2];
    VmafContext *vmaf = open_context(rig_device(), clip, ON_DEVICE, 0);
    GpuClient *client = client_for(rig_device(), vmaf);
    for (unsigned side = 0; side < 2; side++)
        maker_create(&makers[side], rig_gpu(), clip);
    for (unsigned t = 0; t < clip->frames; t++) {
        for (unsigned side = 0; side < 2; side++) {
            assert_int_equal(-ENOTSUP, import_memory(client, clip, side, t, &picture));
            assert_int_equal(-EINVAL, client_read_imported(client, t));
            assert_int_equal(0, import_painted(client, clip, side, t, t, &makers[side]));
        }
        assert_int_equal(0, client_read_imported(client, t));
    }
    close_equal(vmaf, cpu_scores(clip, ON_DEVICE));
    for (unsigned side = 0; side < 2; side++)
        maker_destroy(&makers[side]);
}

/* ---- samples that must be sorted out ---- */

typedef struct Packed {
    SynthClip clip;
    unsigned first_plane, shift;
    ImportPacking packing[3];
} Packed;

static const Packed packed[] = {
    /* chroma in pairs */
    { { "NV12", SYNTH_MIX, 61, 37, VMAF_PIX_FMT_YUV420P, 8, 1 },
      1,
      0,
      { { 1, 0 }, { 2, 0 }, { 2, 1 } } },
    { { "NV21", SYNTH_MIX, 66, 20, VMAF_PIX_FMT_YUV422P, 8, 1 },
      1,
      0,
      { { 1, 0 }, { 2, 1 }, { 2, 0 } } },
    /* and values in the high bits */
    { { "P010", SYNTH_MIX, 61, 37, VMAF_PIX_FMT_YUV420P, 10, 1 },
      0,
      6,
      { { 1, 0 }, { 2, 0 }, { 2, 1 } } },
    { { "P412", SYNTH_MIX, 300, 9, VMAF_PIX_FMT_YUV444P, 12, 1 },
      0,
      4,
      { { 1, 0 }, { 2, 0 }, { 2, 1 } } },
    { { "Y10", SYNTH_MIX, 259, 21, VMAF_PIX_FMT_YUV400P, 10, 1 }, 0, 6, { { 1, 0 } } },
    { { "I016", SYNTH_MIX, 35, 12, VMAF_PIX_FMT_YUV420P, 16, 1 },
      1,
      0,
      { { 1, 0 }, { 1, 0 }, { 1, 0 } } },
};

typedef struct PackedSource {
    const Packed *how;
    GpuBuffer *buffer; /* laid out as `raw` is, and luma behind it as the picture has it */
} PackedSource;

static unsigned get_sample(const void *row, unsigned x, unsigned bytes)
{
    return bytes == 2 ? ((const uint16_t *)row)[x] : ((const uint8_t *)row)[x];
}

static void put_sample(void *row, unsigned x, unsigned bytes, unsigned value)
{
    if (bytes == 2)
        ((uint16_t *)row)[x] = (uint16_t)value;
    else
        ((uint8_t *)row)[x] = (uint8_t)value;
}

/* Each sample where its packing says, noise between and below them. */
static void pack(const Packed *how, const VmafPicture *pic, const FrameShape *shape, char *raw)
{
    const unsigned bytes = shape_sample_size(shape);
    const unsigned noise = (1u << how->shift) - 1;
    for (unsigned p = how->first_plane; p < 3 && shape->h[p]; p++) {
        const ImportPacking *packing = &how->packing[p];
        char *plane = raw + 2 * import_plane_offset(shape, p);
        for (unsigned y = 0; y < shape->h[p]; y++) {
            char *to = plane + y * picture_stride(shape, p) * packing->step;
            const char *from = (char *)pic->data[p] + y * pic->stride[p];
            for (unsigned x = 0; x < shape->w[p] * packing->step; x++)
                put_sample(to, x, bytes, x * 2654435761u >> 9);
            for (unsigned x = 0; x < shape->w[p]; x++)
                put_sample(to, x * packing->step + packing->first, bytes,
                           get_sample(from, x, bytes) << how->shift | (x & noise));
        }
    }
}

static int record_packed(ImportTarget *target, const void *source)
{
    const PackedSource *from = source;
    const FrameShape *shape = target->shape;
    const GpuOps *ops = target->device->ops;
    const size_t size = picture_size(shape);
    GpuBuffer *raw;
    const int err = import_unpack_begin(target, &raw);
    if (err)
        return err;
    ops->copy(target->commands, &(GpuRange){ from->buffer, 0, 2 * size },
              &(GpuRange){ raw, 0, 2 * size });
    const size_t straight = import_plane_offset(shape, from->how->first_plane);
    if (straight)
        ops->copy(target->commands, &(GpuRange){ from->buffer, 2 * size, straight },
                  &(GpuRange){ target->picture, 0, straight });
    import_unpack(target, from->how->first_plane, from->how->packing, from->how->shift);
    return 0;
}

/* The samples of an imported picture, as the device holds them. */
static void check_samples(const VmafPicture *wanted, const VmafPicture *pic)
{
    const unsigned bytes = wanted->bpc > 8 ? 2 : 1;
    assert_int_equal(0, upload_fetch(rig_gpu(), pic));
    for (unsigned p = 0; p < 3; p++)
        for (unsigned y = 0; y < wanted->h[p]; y++)
            assert_memory_equal((char *)wanted->data[p] + y * wanted->stride[p],
                                (char *)pic->data[p] + y * pic->stride[p], wanted->w[p] * bytes);
}

static void check_packed(const Packed *how)
{
    FrameShape shape;
    GpuImports *imports;
    clip_shape(&how->clip, &shape);
    const size_t size = picture_size(&shape);
    assert_int_equal(0, imports_create(&imports, rig_gpu(), 2));
    for (unsigned t = 0; t < 5; t++) {
        VmafPicture wanted[2], pics[2];
        PackedSource sources[2];
        for (unsigned side = 0; side < 2; side++) {
            sources[side].how = how;
            assert_int_equal(0, rig_gpu()->ops->buffer_create(rig_gpu(), GPU_UPLOAD, 3 * size,
                                                              &sources[side].buffer));
            assert_int_equal(0, synth_picture(&how->clip, side, t, &wanted[side]));
            char *host = sources[side].buffer->host;
            pack(how, &wanted[side], &shape, host);
            memcpy(host + 2 * size, wanted[side].data[0],
                   import_plane_offset(&shape, how->first_plane));
            const GpuIncoming in = incoming(&how->clip, side, t);
            assert_int_equal(0, imports_add(imports, &in, record_packed, &sources[side]));
        }
        assert_int_equal(0, imports_take(imports, t, &pics[SYNTH_REF], &pics[SYNTH_DIST]));
        VmafPicture none[2];
        assert_int_equal(-EINVAL, imports_take(imports, t, &none[0], &none[1]));
        for (unsigned side = 0; side < 2; side++) {
            check_samples(&wanted[side], &pics[side]);
            picture_release(&pics[side]);
            picture_release(&wanted[side]);
            rig_gpu()->ops->buffer_destroy(rig_gpu(), sources[side].buffer);
        }
    }
    imports_destroy(imports);
}

static void test_unpacking(void **unused)
{
    for (unsigned i = 0; i < COUNT(packed); i++)
        check_packed(&packed[i]);
}

/* ---- several threads ---- */

#define THREADS 4 /* two for each side, which share its frames */
#define THREAD_FRAMES 24

typedef struct Crew {
    GpuClient *client;
    SynthClip clip;
    unsigned depth;
    atomic_uint imported[THREAD_FRAMES]; /* sides of a frame that are there */
    atomic_uint read;                    /* frames so far */
    atomic_int err;
} Crew;

typedef struct Hand {
    Crew *crew;
    enum SynthSide side;
    unsigned first; /* frame; then every second one */
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
        /* The maker of two frames ago is free: that frame was read, or its copy is done. */
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
    Crew crew = { .clip = clips[0], .depth = rig_session(rig_device())->depth };
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

/* All at the same slot: one at a time gets it. */
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
    Crew crew = { .clip = clips[0] };
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
        vmaf[c] = open_context(own, &clips[c], COUNT(features), 2 * c);
        clients[c] = client_for(own, vmaf[c]);
        assert_ptr_equal(c ? NULL : clients[0], session_client(rig_session(own)));
        for (unsigned side = 0; side < 2; side++)
            maker_create(&makers[c][side], gpu, &clips[c]);
    }
    for (unsigned t = 0; t < clips[0].frames; t++) {
        for (unsigned side = 0; side < 2; side++)
            for (unsigned c = 0; c < 2; c++)
                assert_int_equal(
                    0, import_painted(clients[c], &clips[c], side, t, t, &makers[c][side]));
        for (unsigned c = 0; c < 2; c++)
            assert_int_equal(0, client_read_imported(clients[c], t));
    }
    close_equal(vmaf[0], cpu_scores(&clips[0], COUNT(features)));
    assert_ptr_equal(clients[1], session_client(rig_session(own)));
    close_equal(vmaf[1], cpu_scores(&clips[1], COUNT(features)));
    assert_null(session_client(rig_session(own)));
    for (unsigned c = 0; c < 2; c++)
        for (unsigned side = 0; side < 2; side++)
            maker_destroy(&makers[c][side]);
    vmaf_device_close(&own);
}

/* The device goes first or the context does, with pictures imported and not read. */
static void test_ends(void **unused)
{
    const SynthClip *clip = &clips[0];
    for (unsigned device_first = 0; device_first < 2; device_first++) {
        for (unsigned frames = 0; frames <= 2; frames++) {
            VmafDevice *own = rig_open(2);
            GpuDevice *gpu = rig_session(own)->device;
            gpu_device_retain(gpu); /* the makers' */
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
            assert_int_equal(0, import(client, clip, SYNTH_REF, frames, &makers[SYNTH_REF]));
            assert_int_equal(0, vmaf_close(vmaf));
            vmaf_device_close(&own);
            for (unsigned side = 0; side < 2; side++)
                maker_destroy(&makers[side]);
            gpu_device_release(gpu);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_waits_and_signals),
        cmocka_unit_test(test_indices),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_in_advance),
        cmocka_unit_test(test_refused_memory),
        cmocka_unit_test(test_unpacking),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_one_slot),
        cmocka_unit_test(test_two_contexts),
        cmocka_unit_test(test_ends),
    };
    return RIG_RUN(argc, argv, tests);
}
