/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "makers.h"

#include <stdlib.h>
#include <string.h>

const ClipFeature import_features[IMPORT_FEATURES] = { { "psnr", { 0 } },
                                                       { "motion", { 0 } },
                                                       { "on_cpu", { 0 } } };

const SynthClip import_clips[IMPORT_CLIPS] = {
    { "8 bits", SYNTH_MIX, 61, 37, VMAF_PIX_FMT_YUV420P, 8, 7 },
    { "10 bits", SYNTH_MIX, 50, 27, VMAF_PIX_FMT_YUV422P, 10, 7 },
    { "12 bits", SYNTH_MIX, 33, 29, VMAF_PIX_FMT_YUV444P, 12, 7 },
    { "4:0:0", SYNTH_MIX, 64, 26, VMAF_PIX_FMT_YUV400P, 16, 7 },
};

void maker_layout(Maker *maker, GpuDevice *device, const SynthClip *clip)
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

void maker_create(Maker *maker, GpuDevice *device, const SynthClip *clip)
{
    maker_layout(maker, device, clip);
    assert_int_equal(0,
                     device->ops->buffer_create(device, GPU_UPLOAD, maker->size, &maker->buffer));
    maker->host = maker->buffer->host;
}

void maker_destroy(Maker *maker)
{
    maker->device->ops->buffer_destroy(maker->device, maker->buffer);
    if (maker->memory.host)
        rig_backend()->memory_destroy(maker->device, &maker->memory);
}

void maker_scribble(Maker *maker)
{
    memset(maker->host, 0x5b, maker->size);
}

int maker_paint(Maker *maker, const SynthClip *clip, enum SynthSide side, unsigned t)
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

int record_rows(ImportTarget *target, const void *source)
{
    const Maker *maker = source;
    for (unsigned p = 0; p < 3; p++)
        if (import_wants(target, p))
            target->device->ops->copy_rows(
                target->commands,
                &(GpuRows){ .from = maker->buffer,
                            .from_offset = maker->offset[p],
                            .from_stride = maker->stride[p],
                            .to = target->picture,
                            .to_offset = target->offset[p],
                            .to_stride = picture_stride(target->shape, p),
                            .row = maker->shape.w[p] * shape_sample_size(&maker->shape),
                            .rows = maker->shape.h[p] });
    return 0;
}

GpuIncoming incoming(const SynthClip *clip, enum SynthSide side, unsigned index)
{
    return (GpuIncoming){ .w = clip->width,
                          .h = clip->height,
                          .bpc = clip->bitdepth,
                          .pix_fmt = clip->pix_fmt,
                          .is_ref = side == SYNTH_REF,
                          .index = index };
}

int import_made(GpuClient *client, const SynthClip *clip, enum SynthSide side, unsigned index,
                const Maker *maker)
{
    const GpuIncoming in = incoming(clip, side, index);
    return imports_add(client->imports, &in, record_rows, maker);
}

int import_painted(GpuClient *client, const SynthClip *clip, enum SynthSide side, unsigned t,
                   unsigned index, Maker *maker)
{
    const int err = maker_paint(maker, clip, side, t);
    return err ? err : import_made(client, clip, side, index, maker);
}

GpuClient *client_for(VmafDevice *device, VmafContext *vmaf)
{
    GpuClient *client = client_of(vmaf, rig_session(device)->backend);
    assert_non_null(client);
    return client;
}

char *cpu_scores(const SynthClip *clip, unsigned feature_count)
{
    char *scores;
    assert_int_equal(0, score_run(&(ScoreRun){ .clip = clip,
                                               .features = import_features,
                                               .feature_count = feature_count },
                                  &scores));
    return scores;
}

VmafContext *open_context(VmafDevice *device, const SynthClip *clip, unsigned feature_count,
                          unsigned threads)
{
    VmafContext *vmaf;
    assert_int_equal(0, score_open(&(ScoreRun){ .device = device,
                                                .clip = clip,
                                                .features = import_features,
                                                .feature_count = feature_count,
                                                .threads = threads },
                                   &vmaf));
    return vmaf;
}

/* Closes the context and compares its scores with `wanted`. Frees both texts. */
void close_equal(VmafContext *vmaf, char *wanted)
{
    char *scores;
    assert_int_equal(0, score_close(vmaf, &scores));
    assert_true(score_same(wanted, scores));
    free(scores);
    free(wanted);
}
