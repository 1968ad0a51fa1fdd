/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Imports of pictures that a kernel must unpack: interleaved chroma, and values in the high
 * bits. */
#include <errno.h>
#include <string.h>

#include "makers.h"

typedef struct Packed {
    SynthClip clip;
    unsigned first_plane, shift;
    ImportPacking packing[3];
} Packed;

static const Packed packed[] = {
    /* interleaved chroma */
    { { "NV12", SYNTH_MIX, 61, 37, VMAF_PIX_FMT_YUV420P, 8, 1 },
      1,
      0,
      { { 1, 0, false }, { 2, 0, false }, { 2, 1, false } } },
    { { "NV21", SYNTH_MIX, 66, 20, VMAF_PIX_FMT_YUV422P, 8, 1 },
      1,
      0,
      { { 1, 0, false }, { 2, 1, false }, { 2, 0, false } } },
    /* the same, with values in the high bits */
    { { "P010", SYNTH_MIX, 61, 37, VMAF_PIX_FMT_YUV420P, 10, 1 },
      0,
      6,
      { { 1, 0, false }, { 2, 0, false }, { 2, 1, false } } },
    { { "P412", SYNTH_MIX, 300, 9, VMAF_PIX_FMT_YUV444P, 12, 1 },
      0,
      4,
      { { 1, 0, false }, { 2, 0, false }, { 2, 1, false } } },
    { { "Y10", SYNTH_MIX, 259, 21, VMAF_PIX_FMT_YUV400P, 10, 1 }, 0, 6, { { 1, 0, false } } },
    { { "I016", SYNTH_MIX, 35, 12, VMAF_PIX_FMT_YUV420P, 16, 1 },
      1,
      0,
      { { 1, 0, false }, { 1, 0, false }, { 1, 0, false } } },
};

typedef struct PackedSource {
    const Packed *how;
    GpuBuffer *buffer; /* laid out like `raw`, with luma behind it at the picture's strides */
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

/* Writes the samples in their packing, with noise between the rows and in the unused bits. */
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
    const unsigned straight_planes = (1u << from->how->first_plane) - 1;
    import_unpack(target, target->planes & ~straight_planes, from->how->packing, from->how->shift);
    return 0;
}

/* Compares the samples of an imported picture as the device holds them. */
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

TEST_MAIN(imports_packed)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unpacking),
    };
    return RIG_RUN(argc, argv, tests);
}
