/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A small made-up clip: noise that moves, and a coarser copy of it. */
#ifndef TEST_API_CLIP_H
#define TEST_API_CLIP_H

#include <libvmaf/libvmaf.h>

static inline void clip_fill(VmafPicture *pic, unsigned frame, int distorted)
{
    for (unsigned p = 0; p < 3; p++) {
        for (unsigned y = 0; y < pic->h[p]; y++) {
            char *row = (char *)pic->data[p] + y * pic->stride[p];
            for (unsigned x = 0; x < pic->w[p]; x++) {
                const unsigned sx = x + 2 * frame, sy = y + frame;
                unsigned v = (sx * 5 + sy * 3 + ((sx * 2654435761u ^ sy * 40503u) >> 27)) & 255;
                if (distorted)
                    v = v & ~7u;
                v <<= pic->bpc - 8;
                if (pic->bpc == 8)
                    ((unsigned char *)row)[x] = (unsigned char)v;
                else
                    ((unsigned short *)row)[x] = (unsigned short)v;
            }
        }
    }
}

static inline int clip_alloc(VmafPicture *pic, unsigned w, unsigned h, unsigned frame,
                             int distorted)
{
    const int err = vmaf_picture_alloc(pic, VMAF_PIX_FMT_YUV420P, 8, w, h);
    if (!err)
        clip_fill(pic, frame, distorted);
    return err;
}

#endif
