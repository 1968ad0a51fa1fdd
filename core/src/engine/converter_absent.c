/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A build without zimg converts nothing. */
#include "engine/converter.h"

#include <errno.h>

#include "base/log.h"

int converter_check_build(void)
{
    log_error(
        "this libvmaf was built without zimg and cannot convert colours: install libzimg-dev, "
        "and build it with -Denable_zimg=enabled");
    return -ENOTSUP;
}

int converter_create(VmafPictureConvertContext **out, const FrameShape *source,
                     const VmafColor *colour, const VmafPictureConvertTarget *target)
{
    return converter_check_build();
}

int converter_run(VmafPictureConvertContext *converter, VmafPicture *dst, const VmafPicture *src)
{
    return converter_check_build();
}

int converter_destroy(VmafPictureConvertContext *converter)
{
    return converter ? converter_check_build() : 0;
}

#ifdef VMAF_PICTURE_HAS_COLOR
void converter_demand_colour(VmafPictureConvertContext *converter)
{
}
#endif
