/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Converting pictures with zimg: a VmafPictureConvertContext. For one thread at a time.
 * converter_absent.c is for builds without zimg. */
#ifndef ENGINE_CONVERTER_H
#define ENGINE_CONVERTER_H

#include "engine/picture.h"

/* 0, or -ENOTSUP (logged): the build has no zimg. */
int converter_check_build(void);

/* These log what is wrong. -EINVAL for unknown colours and for conversions that zimg does not have;
 * -ENOMEM; -ENOTSUP without zimg. */
int converter_create(VmafPictureConvertContext **out, const FrameShape *source,
                     const VmafColor *colour, const VmafPictureConvertTarget *target);
/* Makes `dst`, which must not hold a picture. -EINVAL if `src` has another shape. */
int converter_run(VmafPictureConvertContext *converter, VmafPicture *dst, const VmafPicture *src);
/* 0, or -ENOTSUP. NULL is fine. */
int converter_destroy(VmafPictureConvertContext *converter);

#ifdef VMAF_PICTURE_HAS_COLOR
/* From now on pictures without colours are refused, too. */
void converter_demand_colour(VmafPictureConvertContext *converter);
#endif

#endif
