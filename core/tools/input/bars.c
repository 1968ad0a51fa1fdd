/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/bars.h"

#include <errno.h>
#include <stdlib.h>

#include "input/convert.h"
#include "common/message.h"

/* Frames of a file to look at. */
#define LOOKS 12
/* Where a file cannot be searched by time: the frames from one look to the next. */
#define STRIDE 20
/* The largest mean of a black row or column, for 8 bits: black itself is 16 or 0, and encoders add
 * some noise. */
#define BLACK_LIMITED 24
#define BLACK_FULL 8

/* ---- one frame ---- */

static unsigned sample(const VmafPicture *pic, unsigned x, unsigned y)
{
    const uint8_t *const row = (const uint8_t *)pic->data[0] + (ptrdiff_t)y * pic->stride[0];
    return pic->bpc > 8 ? ((const uint16_t *)(const void *)row)[x] : row[x];
}

static bool is_black(uint64_t sum, unsigned count, const VmafPicture *pic, bool full)
{
    const uint64_t limit = (uint64_t)(full ? BLACK_FULL : BLACK_LIMITED) << (pic->bpc - 8);
    return sum <= limit * count;
}

static bool is_row_black(const VmafPicture *pic, unsigned y, bool full)
{
    uint64_t sum = 0;
    for (unsigned x = 0; x < pic->w[0]; x++)
        sum += sample(pic, x, y);
    return is_black(sum, pic->w[0], pic, full);
}

/* Looks at the rows between the bars only. */
static bool is_column_black(const VmafPicture *pic, unsigned x, const Bars *own, bool full)
{
    const unsigned end = pic->h[0] - own->bottom;
    uint64_t sum = 0;
    for (unsigned y = own->top; y < end; y++)
        sum += sample(pic, x, y);
    return is_black(sum, end - own->top, pic, full);
}

static unsigned lesser(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

void bars_look(Bars *bars, const VmafPicture *pic, bool full)
{
    const unsigned w = pic->w[0], h = pic->h[0];
    Bars own = { 0 };
    while (own.top < h && is_row_black(pic, own.top, full))
        own.top++;
    if (own.top == h)
        return;
    while (is_row_black(pic, h - 1 - own.bottom, full))
        own.bottom++;
    while (own.left < w && is_column_black(pic, own.left, &own, full))
        own.left++;
    while (own.left + own.right < w && is_column_black(pic, w - 1 - own.right, &own, full))
        own.right++;
    if (bars->frames++) {
        own.top = lesser(own.top, bars->top);
        own.bottom = lesser(own.bottom, bars->bottom);
        own.left = lesser(own.left, bars->left);
        own.right = lesser(own.right, bars->right);
    }
    own.frames = bars->frames;
    *bars = own;
}

/* ---- the rectangle ---- */

/* Cuts `before` and `after` off a side and rounds inwards to the grid where it cuts. */
static void cut(unsigned side, unsigned before, unsigned after, unsigned step, unsigned *start,
                unsigned *length)
{
    *start = (before + step - 1) / step * step;
    *length = side > *start + after ? side - *start - after : 0;
    if (after)
        *length = *length / step * step;
}

VideoCrop bars_crop(const Bars *bars, const VideoFormat *format, unsigned across, unsigned down)
{
    VideoCrop crop = { 0 };
    if (!bars->frames)
        return crop;
    cut(format->width, bars->left, bars->right, across, &crop.x, &crop.width);
    cut(format->height, bars->top, bars->bottom, down, &crop.y, &crop.height);
    return crop.width * 2 < format->width || crop.height * 2 < format->height ? (VideoCrop){ 0 }
                                                                              : crop;
}

/* ---- the file ---- */

static enum FrameStatus look(Bars *bars, Video *video, VmafPicture *pic)
{
    uint64_t offset;
    enum FrameStatus status = video_find(video, &offset);
    if (status == FRAME_WHOLE)
        status = video_read(video, offset, 1, pic);
    if (status == FRAME_WHOLE)
        bars_look(bars, pic, video->traits.range == RANGE_FULL);
    return status;
}

/* Looks at frames that are spread over the whole file. */
static void look_across(Bars *bars, Video *video, VmafPicture *pic)
{
    const uint64_t frames = video_frames_left(video);
    uint64_t at = 0;
    enum FrameStatus status = FRAME_WHOLE;
    for (unsigned i = 0; frames && status == FRAME_WHOLE && i < LOOKS; i++) {
        const uint64_t target = frames * (2 * i + 1) / (2 * LOOKS);
        if (target < at)
            continue;
        status = video_approach(video, at, target);
        if (status == FRAME_WHOLE)
            status = look(bars, video, pic);
        at = target + 1;
    }
}

/* Looks at some frames from the beginning on. */
static void look_along(Bars *bars, Video *video, VmafPicture *pic)
{
    enum FrameStatus status = FRAME_WHOLE;
    for (unsigned i = 0; status == FRAME_WHOLE && i < LOOKS; i++) {
        status = look(bars, video, pic);
        if (status == FRAME_WHOLE)
            status = video_skip(video, STRIDE - 1);
    }
}

/* Opens the file once more, and looks at it in one of the two ways. */
static int look_at_file(Bars *bars, const Video *video,
                        void (*way)(Bars *bars, Video *video, VmafPicture *pic))
{
    Video *copy = NULL;
    VmafPicture pic;
    int err = video_reopen(&copy, video);
    if (!err)
        err = vmaf_picture_alloc(&pic, copy->format.pix_fmt, copy->format.bitdepth,
                                 copy->format.width, copy->format.height);
    if (!err) {
        way(bars, copy, &pic);
        vmaf_picture_unref(&pic);
    }
    video_close(copy);
    return err;
}

/* Finds the rectangle of a video that is not cropped yet. */
static int find(const Video *video, VideoCrop *crop)
{
    Bars bars = { 0 };
    Planes shape;
    if (!video->source->seekable) {
        say("%s is a pipe, in which black bars cannot be looked for: give the rectangle as W:H:X:Y",
            video->path);
        return -EINVAL;
    }
    int err = look_at_file(&bars, video, look_across);
    if (!err && !bars.frames)
        err = look_at_file(&bars, video, look_along);
    if (err)
        return err;
    planes_lay_out(&shape, &video->native);
    *crop = bars_crop(&bars, &video->native, planes_grid(&shape, true), planes_grid(&shape, false));
    if (crop->width)
        return 0;
    say("%s: black bars cannot be told from its dark pictures: give the rectangle as W:H:X:Y",
        video->path);
    return -EINVAL;
}

/* True if two rectangles of pictures of one size differ only by what noise does to their edges. */
static bool is_near(const VideoCrop *a, const VideoCrop *b)
{
    enum { NEAR = 8 };
    const unsigned first[] = { a->x, a->y, a->x + a->width, a->y + a->height };
    const unsigned second[] = { b->x, b->y, b->x + b->width, b->y + b->height };
    for (unsigned i = 0; i < 4; i++)
        if ((first[i] > second[i] ? first[i] - second[i] : second[i] - first[i]) > NEAR)
            return false;
    return true;
}

static bool is_same_size(const Video *a, const Video *b)
{
    return a->native.width == b->native.width && a->native.height == b->native.height &&
           a->native.pix_fmt == b->native.pix_fmt;
}

static int apply(Video *video, const VideoCrop *crop)
{
    if (crop->width != video->native.width || crop->height != video->native.height) {
        video->options.bars = true;
        return video_crop(video, crop);
    }
    if (!video->options.quiet)
        say("%s: no black bars were found", video->path);
    return 0;
}

int videos_crop_bars(Video *const *videos, unsigned count, const bool asked[SIDES])
{
    VideoCrop ref = { 0 };
    int err = asked[SIDE_REF] ? find(videos[0], &ref) : 0;
    if (!err && asked[SIDE_REF])
        err = apply(videos[0], &ref);
    for (unsigned i = 1; !err && asked[SIDE_DIST] && i < count; i++) {
        VideoCrop own;
        err = find(videos[i], &own);
        if (!err && ref.width && is_same_size(videos[0], videos[i]) && is_near(&ref, &own))
            own = ref;
        if (!err)
            err = apply(videos[i], &own);
    }
    return err;
}
