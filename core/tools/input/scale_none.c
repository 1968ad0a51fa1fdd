/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Without libswscale. */
#include <errno.h>

#include "input/scale.h"
#include "common/message.h"

int plane_scaler_create(PlaneScaler **scaler, const PlaneSize *from, const PlaneSize *to,
                        enum VideoScale method)
{
    (void)scaler;
    (void)method;
    say("%ux%u cannot be scaled to %ux%u: this vmaf was built without libswscale (Meson's option "
        "-Dlibav=enabled)",
        from->width, from->height, to->width, to->height);
    return -ENOSYS;
}

void plane_scaler_destroy(PlaneScaler *scaler)
{
    (void)scaler;
}

int plane_scaler_run(PlaneScaler *scaler, const uint8_t *data, ptrdiff_t stride,
                     const uint8_t **scaled, ptrdiff_t *scaled_stride)
{
    (void)scaler;
    (void)data;
    (void)stride;
    (void)scaled;
    (void)scaled_stride;
    return -ENOSYS;
}
