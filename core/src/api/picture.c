/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The public functions of libvmaf/picture.h. */
#include "libvmaf/picture.h"

#include <errno.h>

#include "engine/converter.h"
#include "engine/picture.h"

int vmaf_picture_alloc(VmafPicture *pic, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w,
                       unsigned h)
{
    FrameShape shape;
    if (!pic || shape_init(&shape, pix_fmt, bpc, w, h))
        return -EINVAL;
    return picture_alloc(pic, &shape);
}

int vmaf_picture_ref(VmafPicture *out, const VmafPicture *pic)
{
    if (!out || !pic || !pic->ref)
        return -EINVAL;
    picture_retain(out, pic);
    return 0;
}

int vmaf_picture_unref(VmafPicture *pic)
{
    if (!pic || !pic->ref)
        return -EINVAL;
    picture_release(pic);
    return 0;
}

int vmaf_picture_rows_written(const VmafPicture *pic, unsigned plane, unsigned rows)
{
    if (!pic || !pic->ref || plane > 2 || rows > pic->h[plane])
        return -EINVAL;
    range_scan_rows(pic, plane, rows);
    return 0;
}

int vmaf_picture_wrap(VmafPicture *pic, VmafPictureWrapped wrapped)
{
    return pic ? picture_wrap_planes(pic, &wrapped) : -EINVAL;
}

int vmaf_picture_convert_context_init_with_color(VmafPictureConvertContext **ctx,
                                                 const VmafPicture *src, const VmafColor *src_color,
                                                 const VmafPictureConvertTarget *target)
{
    FrameShape shape;
    const int err = converter_check_build();
    if (err)
        return err;
    if (!ctx || !src || !src_color || !target ||
        shape_init(&shape, src->pix_fmt, src->bpc, src->w[0], src->h[0]))
        return -EINVAL;
    return converter_create(ctx, &shape, src_color, target);
}

#ifdef VMAF_PICTURE_HAS_COLOR
int vmaf_picture_convert_context_init(VmafPictureConvertContext **ctx, const VmafPicture *src,
                                      const VmafPictureConvertTarget *target)
{
    const int err =
        vmaf_picture_convert_context_init_with_color(ctx, src, src ? &src->color : NULL, target);
    if (!err)
        converter_demand_colour(*ctx);
    return err;
}
#endif

int vmaf_picture_convert(VmafPictureConvertContext *ctx, VmafPicture *dst, const VmafPicture *src)
{
    const int err = converter_check_build();
    if (err)
        return err;
    return ctx && dst && src && src->ref ? converter_run(ctx, dst, src) : -EINVAL;
}

int vmaf_picture_convert_context_close(VmafPictureConvertContext *ctx)
{
    const int err = converter_check_build();
    if (err)
        return err;
    return ctx ? converter_destroy(ctx) : -EINVAL;
}
