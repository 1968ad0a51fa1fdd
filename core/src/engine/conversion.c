/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/conversion.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "engine/colour.h"
#include "engine/converter.h"

static const char *const sides[2] = { "reference", "distorted" };

void conversion_clear(Conversion *c)
{
    for (unsigned side = 0; side < 2; side++)
        converter_destroy(c->converters[side]);
    *c = (Conversion){ 0 };
}

static bool same_target(const VmafPictureConvertTarget *a, const VmafPictureConvertTarget *b)
{
    return a->pix_fmt == b->pix_fmt && a->bpc == b->bpc && colour_equal(&a->color, &b->color);
}

int conversion_check_model(const Conversion *c, const char *model,
                           const VmafPictureConvertTarget *target, bool begun)
{
    const char *why = NULL;
    if (c->decided && c->wanted != !!target)
        why = target ? "asks for a conversion of colours, and a model before it does not"
                     : "asks for no conversion of colours, and a model before it does";
    else if (target && c->decided && !same_target(target, &c->target))
        why = "asks for other colours, format or depth than a model before it";
    else if (target && begun && !c->decided)
        why = "asks for a conversion of colours, and pairs were read without it";
    if (!why)
        return 0;
    log_error("model \"%s\" %s: score it in a run of its own", model, why);
    return -EINVAL;
}

void conversion_add_model(Conversion *c, const VmafPictureConvertTarget *target)
{
    c->decided = true;
    c->wanted = target;
    if (target)
        c->target = *target;
}

int conversion_set_source(Conversion *c, const VmafColor *ref, const VmafColor *dist)
{
    const VmafColor *const given[2] = { ref, dist };
    for (unsigned side = 0; side < 2; side++)
        if (given[side] && !colour_is_valid(given[side]))
            return -EINVAL;
    if (c->begun)
        return -EBUSY;
    for (unsigned side = 0; side < 2; side++)
        c->source[side] = given[side] ? *given[side] : (VmafColor){ 0 };
    return 0;
}

void conversion_shape(const Conversion *c, const FrameShape *shape, FrameShape *result)
{
    const VmafPictureConvertTarget *const t = &c->target;
    if (!c->wanted || shape_init(result, t->pix_fmt ? t->pix_fmt : shape->pix_fmt,
                                 t->bpc ? t->bpc : shape->bpc, shape->w[0], shape->h[0]))
        *result = *shape;
}

/* Returns the colours of a picture: its own, or if it has none those that were set for its
 * video. */
static VmafColor colour_of(const Conversion *c, unsigned side, const VmafPicture *pic)
{
#ifdef VMAF_PICTURE_HAS_COLOR
    const VmafColor none = { 0 };
    if (!colour_equal(&pic->color, &none))
        return pic->color;
#endif
    return c->source[side];
}

static int check_colour(const VmafColor *colour, unsigned side)
{
    char text[COLOUR_TEXT_SIZE];
    if (!colour_is_valid(colour)) {
        log_error("the colours of the %s pictures are not among the values that libvmaf knows",
                  sides[side]);
        return -EINVAL;
    }
    if (colour_is_complete(colour))
        return 0;
    log_error("the model asks for a conversion of colours, and these of the %s video are unknown: "
              "%s. Tell them with vmaf_set_input_colorimetry(), or with --color_range, "
              "--color_primaries, --color_trc and --color_matrix",
              sides[side], colour_print_unknown(colour, text));
    return -EINVAL;
}

static bool matches(const Conversion *c, const VmafPicture *pic, const VmafColor *colour)
{
    const VmafPictureConvertTarget *const t = &c->target;
    return colour_equal(colour, &t->color) && (!t->pix_fmt || t->pix_fmt == pic->pix_fmt) &&
           (!t->bpc || t->bpc == pic->bpc);
}

static int prepare(Conversion *c, unsigned side, const VmafPicture *pic, const VmafColor *colour)
{
    FrameShape shape;
    VmafPictureConvertTarget target = c->target;
    char from[COLOUR_TEXT_SIZE], to[COLOUR_TEXT_SIZE];
    if (c->converters[side] && colour_equal(colour, &c->from[side]))
        return 0;
    converter_destroy(c->converters[side]);
    c->converters[side] = NULL;
    c->from[side] = *colour;
    if (shape_init(&shape, pic->pix_fmt, pic->bpc, pic->w[0], pic->h[0]))
        return -EINVAL;
    target.pix_fmt = target.pix_fmt ? target.pix_fmt : pic->pix_fmt;
    target.bpc = target.bpc ? target.bpc : pic->bpc;
    const int err = converter_create(&c->converters[side], &shape, colour, &target);
    if (!err)
        log_info("%s pictures are converted: %u bits, %s; to %u bits, %s", sides[side], pic->bpc,
                 colour_print(colour, from), target.bpc, colour_print(&target.color, to));
    return err;
}

static int convert(Conversion *c, unsigned side, const VmafPicture *pic, unsigned index,
                   VmafPicture *made)
{
    const VmafColor colour = colour_of(c, side, pic);
    if (matches(c, pic, &colour)) {
        picture_retain(made, pic);
        return 0;
    }
    int err = prepare(c, side, pic, &colour);
    if (!err)
        err = range_check(pic, sides[side], 7, index);
    return err ? err : converter_run(c->converters[side], made, pic);
}

int conversion_run(Conversion *c, const VmafPicture *ref, const VmafPicture *dist, unsigned index,
                   VmafPicture made[2])
{
    const VmafPicture *const pics[2] = { ref, dist };
    for (unsigned side = 0; side < 2; side++) {
        const VmafColor colour = colour_of(c, side, pics[side]);
        const int err = pics[side]->ref ? check_colour(&colour, side) : -EINVAL;
        if (err)
            return err;
    }
    int err = convert(c, 0, ref, index, &made[0]);
    if (err)
        return err;
    err = convert(c, 1, dist, index, &made[1]);
    if (err)
        picture_release(&made[0]);
    c->begun = c->begun || !err;
    return err;
}
