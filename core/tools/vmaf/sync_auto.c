/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "sync_auto.h"

#include <errno.h>
#include <stdlib.h>

#include "input/thumbs.h"
#include "common/interrupt.h"
#include "common/message.h"

/* Frames of each video that are looked at: an offset can be so large, less what must overlap. */
enum { LOOKED_AT = 300 };

static int reopen(Video **copy, const Video *video)
{
    int err = video_create(copy, video->path, video->raw ? &video->native : NULL);
    if (err)
        return err;
    (*copy)->options = video->options;
    (*copy)->options.quiet = true;
    return video_begin(*copy);
}

static enum FrameStatus read_thumb(Video *video, const VmafPicture *pic, Thumb *thumb)
{
    uint64_t offset;
    enum FrameStatus status = video_find(video, &offset);
    if (status == FRAME_WHOLE)
        status = video_read(video, offset, 1, pic);
    if (status == FRAME_WHOLE)
        thumb_of_picture(thumb, pic);
    return status;
}

static int read_thumbs(Thumbs *thumbs, Video *video, uint64_t skip)
{
    const VideoFormat *const format = &video->format;
    VmafPicture pic = { 0 };
    enum FrameStatus status = video_skip(video, (unsigned)skip);
    thumbs->at = calloc(LOOKED_AT, sizeof(*thumbs->at));
    int err = thumbs->at ? 0 : -ENOMEM;
    if (!err)
        err = vmaf_picture_alloc(&pic, format->pix_fmt, format->bitdepth, format->width,
                                 format->height);
    while (!err && status == FRAME_WHOLE && thumbs->count < LOOKED_AT) {
        status = read_thumb(video, &pic, &thumbs->at[thumbs->count]);
        thumbs->count += status == FRAME_WHOLE;
        if (interrupt_signal())
            err = -EINTR;
    }
    if (pic.ref)
        vmaf_picture_unref(&pic);
    return err ? err : status == FRAME_ERROR ? -EIO : 0;
}

static int look_at(Thumbs *thumbs, const Video *video, uint64_t skip)
{
    Video *copy = NULL;
    int err = reopen(&copy, video);
    if (!err)
        err = read_thumbs(thumbs, copy, skip);
    video_close(copy);
    return err;
}

static int settle(SyncPlan *plan, Video *const *videos, unsigned i, const ThumbsFit *fit)
{
    const char *const ref = videos[0]->path, *const dist = videos[i]->path;
    if (!fit->sure) {
        say("%s: the pictures do not tell its offset to %s: give it with --offset", dist, ref);
        return -EINVAL;
    }
    sync_shift(plan, i, fit->offset);
    plan->videos[i].found = true;
    if (!fit->offset)
        say("%s and %s begin together: found by --sync auto", ref, dist);
    else
        say("%s begins %d frame%s into %s: found by --sync auto, and %.1f times better than any other "
            "offset",
            fit->offset > 0 ? ref : dist, abs(fit->offset), abs(fit->offset) == 1 ? "" : "s",
            fit->offset > 0 ? dist : ref, fit->times);
    return 0;
}

static int find_offset(SyncPlan *plan, Video *const *videos, unsigned i, Thumbs *ref)
{
    Thumbs own = { 0 };
    int err = look_at(&own, videos[i], plan->videos[i].skip);
    if (!err) {
        const ThumbsFit fit = thumbs_fit(ref, &own);
        err = settle(plan, videos, i, &fit);
    }
    free(own.at);
    return err;
}

int sync_find_offsets(SyncPlan *plan, Video *const *videos)
{
    for (unsigned i = 0; i < plan->count; i++) {
        if (videos[i]->source->seekable)
            continue;
        say("--sync auto looks at the beginning of each video first, which it cannot of a pipe: %s; give "
            "--offset, or a file",
            videos[i]->path);
        return -EINVAL;
    }
    Thumbs ref = { 0 };
    int err = look_at(&ref, videos[0], plan->videos[0].skip);
    for (unsigned i = 1; !err && i < plan->count; i++)
        err = find_offset(plan, videos, i, &ref);
    free(ref.at);
    return err;
}
