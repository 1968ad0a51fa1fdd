/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/converter.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/colour.h"
#include "engine/zimg.h"

/* zimg needs planes and rows that begin at multiples of this. Pictures that the library allocates
 * have them; wrapped pictures may not. */
enum { ZIMG_ALIGN = 32 };

struct VmafPictureConvertContext {
    const Zimg *zimg;
    FrameShape source, result;
    VmafColor source_colour, result_colour;
    zimg_filter_graph *graph;
    void *scratch;
#ifdef VMAF_PICTURE_HAS_COLOR
    bool demands_colour;
#endif
    void
        *aligned; /* a copy of a source picture that zimg cannot read where it is; NULL: none yet */
};

int converter_check_build(void)
{
    return 0;
}

static zimg_matrix_coefficients_e zimg_matrix(enum VmafColorMatrixCoefficients matrix)
{
    static const zimg_matrix_coefficients_e values[] = {
        [VMAF_COLOR_MATRIX_UNKNOWN] = ZIMG_MATRIX_UNSPECIFIED,
        [VMAF_COLOR_MATRIX_BT709] = ZIMG_MATRIX_BT709,
        [VMAF_COLOR_MATRIX_BT2020_NCL] = ZIMG_MATRIX_BT2020_NCL,
        [VMAF_COLOR_MATRIX_ICTCP] = ZIMG_MATRIX_ICTCP,
    };
    return values[matrix];
}

static zimg_color_primaries_e zimg_primaries(enum VmafColorPrimaries primaries)
{
    static const zimg_color_primaries_e values[] = {
        [VMAF_COLOR_PRIMARIES_UNKNOWN] = ZIMG_PRIMARIES_UNSPECIFIED,
        [VMAF_COLOR_PRIMARIES_BT709] = ZIMG_PRIMARIES_BT709,
        [VMAF_COLOR_PRIMARIES_BT2020] = ZIMG_PRIMARIES_BT2020,
        [VMAF_COLOR_PRIMARIES_SMPTE432] = ZIMG_PRIMARIES_ST432_1,
    };
    return values[primaries];
}

static void describe(const Zimg *zimg, zimg_image_format *to, const FrameShape *shape,
                     const VmafColor *colour)
{
    const bool grey = shape->pix_fmt == VMAF_PIX_FMT_YUV400P;
    zimg->image_format_default(to, ZIMG_API_VERSION);
    to->width = shape->w[0];
    to->height = shape->h[0];
    to->pixel_type = shape->bpc > 8 ? ZIMG_PIXEL_WORD : ZIMG_PIXEL_BYTE;
    to->depth = shape->bpc;
    to->subsample_w =
        shape->pix_fmt == VMAF_PIX_FMT_YUV420P || shape->pix_fmt == VMAF_PIX_FMT_YUV422P;
    to->subsample_h = shape->pix_fmt == VMAF_PIX_FMT_YUV420P;
    to->color_family = grey ? ZIMG_COLOR_GREY : ZIMG_COLOR_YUV;
    to->matrix_coefficients = zimg_matrix(colour->matrix);
    to->transfer_characteristics =
        colour->trc == VMAF_COLOR_TRC_BT709 ? ZIMG_TRANSFER_BT709 : ZIMG_TRANSFER_ST2084;
    to->color_primaries = zimg_primaries(colour->primaries);
    to->pixel_range = colour->range == VMAF_COLOR_RANGE_FULL ? ZIMG_RANGE_FULL : ZIMG_RANGE_LIMITED;
}

/* Logs zimg's reason and returns -ENOMEM or -EINVAL. */
static int failed(const Zimg *zimg, const char *what)
{
    char reason[256] = "";
    const zimg_error_code_e code = zimg->get_last_error(reason, sizeof(reason));
    log_error("zimg could not %s: %s", what, reason);
    return code == ZIMG_ERROR_OUT_OF_MEMORY ? -ENOMEM : -EINVAL;
}

/* These settings are the same as in the reference, because scores depend on them. */
static int build(VmafPictureConvertContext *c, enum VmafResampleFilter filter)
{
    static const int filters[] = {
        [VMAF_RESAMPLE_BILINEAR] = ZIMG_RESIZE_BILINEAR,
        [VMAF_RESAMPLE_BICUBIC] = ZIMG_RESIZE_BICUBIC,
        [VMAF_RESAMPLE_LANCZOS] = ZIMG_RESIZE_LANCZOS,
    };
    zimg_graph_builder_params params;
    zimg_image_format from, to;
    c->zimg->graph_builder_params_default(&params, ZIMG_API_VERSION);
    params.allow_approximate_gamma = 1;
    if (filter != VMAF_RESAMPLE_DEFAULT)
        params.resample_filter = (zimg_resample_filter_e)filters[filter];
    describe(c->zimg, &from, &c->source, &c->source_colour);
    describe(c->zimg, &to, &c->result, &c->result_colour);
    c->graph = c->zimg->filter_graph_build(&from, &to, &params);
    size_t size;
    if (!c->graph || c->zimg->filter_graph_get_tmp_size(c->graph, &size) != ZIMG_ERROR_SUCCESS)
        return failed(c->zimg, "prepare the conversion of a picture");
    c->scratch = mem_aligned_alloc(size ? size : 1);
    return c->scratch ? 0 : -ENOMEM;
}

static bool is_convertible(const VmafColor *colour)
{
    return colour_is_valid(colour) && colour_is_complete(colour);
}

int converter_create(VmafPictureConvertContext **out, const FrameShape *source,
                     const VmafColor *colour, const VmafPictureConvertTarget *target)
{
    FrameShape result;
    if (!is_convertible(colour) || !is_convertible(&target->color)) {
        log_error("converting a picture needs the range, primaries, trc and matrix of both sides");
        return -EINVAL;
    }
    if ((unsigned)target->resample_filter > VMAF_RESAMPLE_LANCZOS ||
        shape_init(&result, target->pix_fmt, target->bpc, target->w ? target->w : source->w[0],
                   target->h ? target->h : source->h[0]))
        return -EINVAL;
    const Zimg *const zimg = zimg_open();
    if (!zimg)
        return -ENOTSUP;
    VmafPictureConvertContext *const c = mem_zalloc(sizeof(*c));
    if (!c)
        return -ENOMEM;
    c->zimg = zimg;
    c->source = *source;
    c->result = result;
    c->source_colour = *colour;
    c->result_colour = target->color;
    const int err = build(c, target->resample_filter);
    if (err) {
        converter_destroy(c);
        return err;
    }
    *out = c;
    return 0;
}

int converter_destroy(VmafPictureConvertContext *c)
{
    if (!c)
        return 0;
    c->zimg->filter_graph_free(c->graph);
    mem_aligned_free(c->scratch);
    mem_aligned_free(c->aligned);
    mem_free(c);
    return 0;
}

static bool is_aligned(const VmafPicture *pic)
{
    bool aligned = true;
    for (unsigned p = 0; p < 3; p++)
        aligned = aligned && (uintptr_t)pic->data[p] % ZIMG_ALIGN == 0 &&
                  pic->stride[p] % ZIMG_ALIGN == 0;
    return aligned;
}

/* Copies the picture to memory that zimg can read, and makes *view a picture of the copy. */
static int copy_aligned(VmafPictureConvertContext *c, const VmafPicture *pic, VmafPicture *view)
{
    if (!c->aligned)
        c->aligned = mem_aligned_alloc(picture_size(&c->source));
    if (!c->aligned)
        return -ENOMEM;
    char *at = c->aligned;
    *view = *pic;
    for (unsigned p = 0; p < 3; p++) {
        const size_t stride = picture_stride(&c->source, p);
        const size_t row = (size_t)pic->w[p] * shape_sample_size(&c->source);
        view->data[p] = pic->data[p] ? at : NULL;
        view->stride[p] = (ptrdiff_t)stride;
        for (unsigned y = 0; pic->data[p] && y < pic->h[p]; y++, at += stride)
            memcpy(at, (const char *)pic->data[p] + (ptrdiff_t)y * pic->stride[p], row);
    }
    return 0;
}

static int process(VmafPictureConvertContext *c, const VmafPicture *dst, const VmafPicture *src)
{
    zimg_image_buffer_const from = { .version = ZIMG_API_VERSION };
    zimg_image_buffer to = { .version = ZIMG_API_VERSION };
    for (unsigned p = 0; p < 3; p++) {
        from.plane[p].data = src->data[p];
        from.plane[p].stride = src->stride[p];
        from.plane[p].mask = ZIMG_BUFFER_MAX;
        to.plane[p].data = dst->data[p];
        to.plane[p].stride = dst->stride[p];
        to.plane[p].mask = ZIMG_BUFFER_MAX;
    }
    if (c->zimg->filter_graph_process(c->graph, &from, &to, c->scratch, NULL, NULL, NULL, NULL) ==
        ZIMG_ERROR_SUCCESS)
        return 0;
    failed(c->zimg, "convert a picture");
    return -EINVAL;
}

static bool is_source(const VmafPictureConvertContext *c, const VmafPicture *src)
{
    FrameShape shape;
    shape_of_picture(&shape, src);
#ifdef VMAF_PICTURE_HAS_COLOR
    /* Pictures without colours count as having the colours that the context was made for. */
    const VmafColor none = { 0 };
    if (!colour_equal(&src->color, &c->source_colour) &&
        (c->demands_colour || !colour_equal(&src->color, &none)))
        return false;
#endif
    return !memcmp(&shape, &c->source, sizeof(shape));
}

int converter_run(VmafPictureConvertContext *c, VmafPicture *dst, const VmafPicture *src)
{
    VmafPicture made, view = *src;
    if (!is_source(c, src)) {
        log_error("the picture differs from those that the conversion was prepared for");
        return -EINVAL;
    }
    int err = is_aligned(src) ? 0 : copy_aligned(c, src, &view);
    if (!err)
        err = picture_alloc(&made, &c->result);
    if (err)
        return err;
    err = process(c, &made, &view);
    if (err) {
        picture_release(&made);
        return err;
    }
#ifdef VMAF_PICTURE_HAS_COLOR
    made.color = c->result_colour;
#endif
    *dst = made;
    return 0;
}

#ifdef VMAF_PICTURE_HAS_COLOR
void converter_demand_colour(VmafPictureConvertContext *c)
{
    c->demands_colour = true;
}
#endif
