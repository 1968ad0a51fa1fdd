/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "clip.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/upload.h"

const char *const clip_memory_names[CLIP_MEMORIES] = { "plain", "odd", "upload", "mirror" };

void clip_shape(const SynthClip *clip, FrameShape *shape)
{
    shape_init(shape, clip->pix_fmt, clip->bitdepth, clip->width, clip->height);
}

int clip_options(const ClipFeature *feature, Dict **dict)
{
    if (feature_find(feature_on_cpu.name) != &feature_on_cpu)
        return -ENOSYS; /* not defined in on_cpu.c's registry */
    int err = 0;
    *dict = NULL;
    for (const char *const *o = feature->options; *o && !err; o += 2)
        err = dict_set(dict, o[0], o[1]);
    return err;
}

void clip_copy(VmafPicture *to, const VmafPicture *from)
{
    const unsigned bytes = from->bpc > 8 ? 2 : 1;
    for (unsigned p = 0; p < 3; p++)
        for (unsigned y = 0; y < from->h[p]; y++)
            memcpy((char *)to->data[p] + (ptrdiff_t)y * to->stride[p],
                   (const char *)from->data[p] + (ptrdiff_t)y * from->stride[p],
                   (size_t)from->w[p] * bytes);
}

static void spoil(void *block, size_t size)
{
    unsigned char *bytes = block;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * 167 + 13);
}

/* ---- plain memory, odd strides ---- */

static void free_block(VmafPicture *pic, void *block)
{
    mem_free(block);
}

static int odd_picture(const FrameShape *shape, VmafPicture *out)
{
    const unsigned bytes = shape_sample_size(shape);
    size_t offset[3], stride[3], size = 0;
    for (unsigned p = 0; p < 3; p++) {
        stride[p] = (shape->w[p] + 3 + 2 * p) * bytes;
        offset[p] = size + bytes;
        size += stride[p] * (shape->h[p] + 1);
    }
    char *block = mem_alloc(size);
    if (!block)
        return -ENOMEM;
    spoil(block, size);
    const int err = picture_wrap(out, shape, block, free_block, block);
    if (err) {
        mem_free(block);
        return err;
    }
    for (unsigned p = 0; p < 3 && shape->h[p]; p++) {
        out->data[p] = block + offset[p];
        out->stride[p] = (ptrdiff_t)stride[p];
    }
    return 0;
}

/* ---- memory of the device ---- */

static void free_upload(VmafPicture *pic, void *device)
{
    upload_free(device, pic->data[0]);
}

static int device_picture(GpuDevice *device, bool mirror, const FrameShape *shape, VmafPicture *out)
{
    void *block;
    int err = mirror ? upload_alloc_mirror(device, picture_size(shape), &block)
                     : upload_alloc(device, picture_size(shape), &block);
    if (err)
        return err;
    spoil(block, picture_size(shape));
    err = picture_wrap(out, shape, block, free_upload, device);
    if (err)
        upload_free(device, block);
    return err;
}

/* Writes what a command of the device would have written. */
static int fill_mirror(GpuDevice *device, const VmafPicture *pic, const VmafPicture *from)
{
    const GpuOps *ops = device->ops;
    FrameShape shape;
    VmafPicture laid_out;
    GpuBuffer *staging = NULL;
    GpuCommands *commands = NULL;
    shape_of_picture(&shape, from);
    int err = ops->buffer_create(device, GPU_UPLOAD, picture_size(&shape), &staging);
    if (!err)
        err = ops->commands_create(device, GPU_COMPUTE, &commands);
    if (!err)
        err = picture_wrap(&laid_out, &shape, staging->host, NULL, NULL);
    if (!err) {
        clip_copy(&laid_out, from);
        picture_release(&laid_out);
        ops->begin(commands);
        ops->copy(commands, &(GpuRange){ staging, 0, picture_size(&shape) },
                  &(GpuRange){ upload_source(device, pic), 0, picture_size(&shape) });
        ops->barrier(commands);
        err = ops->end(commands);
    }
    if (!err)
        err = gpu_device_run(device, commands);
    ops->commands_destroy(device, commands);
    ops->buffer_destroy(device, staging);
    return err;
}

int clip_picture(GpuDevice *device, enum ClipMemory memory, const SynthClip *clip,
                 enum SynthSide side, unsigned t, VmafPicture *out)
{
    FrameShape shape;
    VmafPicture plain = { 0 };
    clip_shape(clip, &shape);
    int err = synth_picture(clip, side, t, &plain);
    if (err || memory == CLIP_PLAIN) {
        *out = plain;
        return err;
    }
    if (memory == CLIP_ODD)
        err = odd_picture(&shape, out);
    else
        err = device_picture(device, memory == CLIP_MIRROR, &shape, out);
    if (!err && memory == CLIP_MIRROR)
        err = fill_mirror(device, out, &plain);
    else if (!err)
        clip_copy(out, &plain);
    picture_release(&plain);
    return err;
}
