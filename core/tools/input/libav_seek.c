/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Frames found by their times, from the key frame before them: for videos whose frames keep their rate, so that
 * number and time are one. That they do is checked with each frame that is read. */
#include <math.h>
#include <string.h>

#include "input/libav.h"
#include "common/message.h"

bool libav_is_even(const Libav *libav)
{
    const VideoTraits *const traits = &libav->video->traits;
    return !traits->timeless && !traits->variable_rate && traits->rate_num && traits->rate_den &&
           libav->begin != AV_NOPTS_VALUE;
}

static int64_t expected(const Libav *libav, uint64_t frame)
{
    const VideoTraits *const traits = &libav->video->traits;
    const AVRational lasts = { (int)traits->rate_den, (int)traits->rate_num };
    return libav->begin + av_rescale_q((int64_t)frame, lasts, libav->stream->time_base);
}

int64_t libav_time_of(const Video *video, uint64_t frame)
{
    const Libav *const libav = video->state;
    if (!libav_is_even(libav))
        return VIDEO_NO_TIME;
    return av_rescale_q(expected(libav, frame), libav->stream->time_base,
                        (AVRational){ 1, 1000000000 });
}

/* The frame at hand is so many frames behind the first. */
static double frames_behind(const Libav *libav)
{
    const VideoTraits *const traits = &libav->video->traits;
    const double ticks = (double)(libav->frame->best_effort_timestamp - libav->begin);
    return ticks * av_q2d(libav->stream->time_base) * traits->rate_num / traits->rate_den;
}

/* Of two videos, each may be off by less than a quarter, so that no other frame comes nearer. One without a time
 * follows the one before. */
bool libav_keeps_time(const Libav *libav)
{
    if (libav->frame->best_effort_timestamp == AV_NOPTS_VALUE)
        return true;
    const double off = frames_behind(libav) - (double)libav->found;
    if (fabs(off) < 0.245)
        return true;
    say("%s: frame %llu is shown %.2f frames off its time, so that parts cannot be found by times: give all "
        "of them --from_start",
        libav->video->path, (unsigned long long)libav->found, off);
    return false;
}

static bool is_key(const AVFrame *frame)
{
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    return frame->flags & AV_FRAME_FLAG_KEY;
#else
    return frame->key_frame;
#endif
}

/* Can be begun with: a key frame, or the one that the video begins with, whatever that is in a piece that was cut out
 * of another. */
static bool is_entry(const Libav *libav)
{
    const int64_t time = libav->frame->best_effort_timestamp;
    return time != AV_NOPTS_VALUE && (is_key(libav->frame) || time == libav->begin);
}

/* To the first such frame that comes when packets are read from that time on. Frames before it may lack what they
 * refer to, whatever the decoder makes of them. */
static enum FrameStatus find_key(Libav *libav, int64_t time)
{
    const int err =
        avformat_seek_file(libav->format, libav->stream->index, INT64_MIN, time, time, 0);
    if (err < 0) {
        char line[256];
        say("%s: it cannot be searched for a frame (%s): give all parts --from_start",
            libav->video->path, libav_reason(libav, err, line, sizeof(line)));
        return FRAME_ERROR;
    }
    avcodec_flush_buffers(libav->codec);
    memset(libav->sent, 0, sizeof(libav->sent));
    libav->draining = libav->cut = libav->last_packet_damaged = false;
    libav->seeking = true;
    enum FrameStatus status;
    do
        status = libav_decode(libav);
    while (status == FRAME_WHOLE && !is_entry(libav));
    libav->seeking = false;
    return status;
}

enum FrameStatus libav_leap(Video *video, uint64_t frame, uint64_t *next)
{
    Libav *const libav = video->state;
    const int64_t second = av_rescale_q(1, (AVRational){ 1, 1 }, libav->stream->time_base);
    *next = 0;
    if (!libav_is_even(libav) || !video->options.even)
        return FRAME_WHOLE;
    const int64_t wanted = expected(libav, frame);
    libav->found = frame;
    bool at_begin = false;
    for (int64_t back = 0;; back = back ? 2 * back : second) {
        /* Some packets are found by when they are decoded, which is before they are shown: last, a bit earlier. */
        const bool last = at_begin;
        at_begin = wanted - back <= libav->begin;
        const int64_t time = !at_begin ? wanted - back : libav->begin - (last ? second : 0);
        const enum FrameStatus status = find_key(libav, time);
        if (status == FRAME_ERROR)
            return status;
        const double number = status == FRAME_WHOLE ? frames_behind(libav) : INFINITY;
        if (number < (double)frame + 0.5) {
            libav->first = true;
            libav->found = *next = (uint64_t)(number > 0.0 ? number + 0.5 : 0.0);
            return FRAME_WHOLE;
        }
        if (last) {
            say("%s: there is no key frame before frame %llu: give all parts --from_start",
                video->path, (unsigned long long)frame);
            return FRAME_ERROR;
        }
    }
}
