/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Sizes of the planes in a video file. Raw and Y4M files round the halves of odd sides up. The
 * library's pictures round them down (engine/picture.h), so what a file has beyond that is skipped
 * when a frame is read. */
#ifndef TOOLS_INPUT_PLANE_SIZE_H
#define TOOLS_INPUT_PLANE_SIZE_H

#include <stdbool.h>

#include "libvmaf/picture.h"

static inline unsigned half_rounded_up(unsigned side)
{
    return side / 2 + side % 2;
}

/* Plane 0 is luma, 1 and 2 are chroma, 3 is alpha. */
static inline unsigned file_plane_width(enum VmafPixelFormat pix_fmt, unsigned width,
                                        unsigned plane)
{
    const bool halved = pix_fmt == VMAF_PIX_FMT_YUV420P || pix_fmt == VMAF_PIX_FMT_YUV422P;
    return halved && (plane == 1 || plane == 2) ? half_rounded_up(width) : width;
}

static inline unsigned file_plane_height(enum VmafPixelFormat pix_fmt, unsigned height,
                                         unsigned plane)
{
    const bool halved = pix_fmt == VMAF_PIX_FMT_YUV420P;
    return halved && (plane == 1 || plane == 2) ? half_rounded_up(height) : height;
}

#endif
