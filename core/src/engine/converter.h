/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Converts pictures with zimg. The caller owns the converter, which is a VmafPictureConvertContext,
 * and one thread at a time may use it. Builds without zimg use converter_absent.c. */
#ifndef ENGINE_CONVERTER_H
#define ENGINE_CONVERTER_H

#include "engine/picture.h"

/* 0, or -ENOTSUP (logged): the build has no zimg. */
int converter_check_build(void);

/* Both log what is wrong. -EINVAL for unknown colours and for conversions that zimg does not have;
 * -ENOMEM; -ENOTSUP without zimg. */
int converter_create(VmafPictureConvertContext **out, const FrameShape *source,
                     const VmafColor *colour, const VmafPictureConvertTarget *target);
/* Allocates `dst`, which must not hold a picture yet, and converts `src` into it. -EINVAL if `src`
 * has another shape. */
int converter_run(VmafPictureConvertContext *converter, VmafPicture *dst, const VmafPicture *src);
/* 0, or -ENOTSUP. NULL is fine. */
int converter_destroy(VmafPictureConvertContext *converter);

#ifdef VMAF_PICTURE_HAS_COLOR
/* From now on pictures without colours are refused, too. */
void converter_demand_colour(VmafPictureConvertContext *converter);
#endif

#endif
