/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Imports of planes of rows in memory that somebody else allocated (imports_add_memory). */
#include <errno.h>
#include <string.h>

#include "makers.h"

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

/* Layouts that reach beyond the memory, and rows that overlap, are refused. */
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
        /* They are refused before the device is asked. */
        assert_int_equal(0, tap_calls(TAP_BUFFER_IMPORT));
    }
}

static void test_memory(void **unused)
{
    const RigBackend *words = rig_backend();
    for (unsigned c = 0; words->memory_create && c < IMPORT_CLIPS; c++) {
        Maker makers[2];
        VmafContext *vmaf = open_context(rig_device(), &import_clips[c], IMPORT_FEATURES, 2);
        GpuClient *client = client_for(rig_device(), vmaf);
        for (unsigned t = 0; t < import_clips[c].frames; t++) {
            for (unsigned side = 0; side < 2; side++) {
                Maker *maker = &makers[side];
                maker_layout(maker, rig_gpu(), &import_clips[c]);
                assert_int_equal(0, words->memory_create(rig_gpu(), maker->size, &maker->memory));
                maker->host = maker->memory.host;
                assert_int_equal(0, maker_paint(maker, &import_clips[c], side, t));
                if (!t) {
                    tap_open(rig_gpu());
                    check_bad_layouts(client, &import_clips[c], side, maker);
                    tap_close();
                }
                const GpuForeignPicture picture = foreign_picture(maker);
                assert_int_equal(0, import_memory(client, &import_clips[c], side, t, &picture));
            }
            assert_int_equal(0, client_read_imported(client, t));
            for (unsigned side = 0; side < 2; side++) {
                maker_scribble(&makers[side]);
                maker_destroy(&makers[side]);
            }
        }
        close_equal(vmaf, cpu_scores(&import_clips[c], IMPORT_FEATURES));
    }
}

/* Imports more frames than there are slots, each before its owner starts to fill it: an import that
 * waits for anything never returns. */
static void test_memory_in_advance(void **unused)
{
    const RigBackend *words = rig_backend();
    GpuDevice *gpu = rig_gpu();
    const SynthClip *clip = &import_clips[0];
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
            const unsigned side = (t / 4 + i) % 2; /* either side may come first */
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

/* A handle that the device cannot take is refused, and its slot can be used again. */
static void test_refused_memory(void **unused)
{
    const SynthClip *clip = &import_clips[0];
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

TEST_MAIN(imports_memory)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_in_advance),
        cmocka_unit_test(test_refused_memory),
    };
    return RIG_RUN(argc, argv, tests);
}
