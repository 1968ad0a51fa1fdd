/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/libav.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "common/message.h"

/* ---- damage and encryption ----
 *
 * Every frame that the decoder outputs counts, as with `ffmpeg -vsync passthrough`. */

/* Notes the first damage at once; note_end adds how often it happened. */
static void note_damage(Libav *libav, int err)
{
    char line[256];
    if (libav->seeking)
        return;
    if (!libav->damaged++)
        video_note(
            libav->video, "damaged", false,
            "the video is damaged at frame %llu (%s); what the decoder makes of it is scored",
            (unsigned long long)libav->found, libav_reason(libav, err, line, sizeof(line)));
}

/* Notes damage that no frame was marked with, at the end of the video or once a marked frame would
 * have come out. */
static void note_concealed(Libav *libav, bool at_end)
{
    enum { LAG = 48 }; /* frames that a decoder with its threads may be ahead by */
    const unsigned concealed = atomic_load(&libav->concealed);
    char line[256];
    if (libav->seeking || !concealed)
        return;
    libav->end_damaged |= at_end && concealed > libav->concealed_before;
    if (!libav->concealed_at)
        libav->concealed_at = libav->found + 1;
    if (libav->damaged || (!at_end && libav->found < libav->concealed_at + LAG))
        return;
    libav->damaged++;
    video_note(
        libav->video, "damaged", false,
        "the video is damaged before frame %llu (%s); what the decoder makes of it is scored",
        (unsigned long long)libav->found,
        libav_reason(libav, AVERROR_INVALIDDATA, line, sizeof(line)));
}

static void note_end(Libav *libav)
{
    note_concealed(libav, true);
    if (libav->damaged > 1)
        video_note(libav->video, "damaged", false, "%llu places were damaged",
                   (unsigned long long)libav->damaged);
}

/* Decoders try to decode encrypted packets, so the reader has to check. */
static bool is_encrypted(const AVPacket *packet)
{
    for (int i = 0; i < packet->side_data_elems; i++)
        if (packet->side_data[i].type == AV_PKT_DATA_ENCRYPTION_INFO)
            return true;
    return false;
}

/* Notes how far the packets reach. */
static void note_reach(Libav *libav)
{
    const AVPacket *const packet = libav->packet;
    const AVStream *const stream = libav->format->streams[packet->stream_index];
    const VideoTraits *const traits = &libav->video->traits;
    const int64_t time = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
    double lasts = (double)packet->duration * av_q2d(stream->time_base);
    if (packet->duration <= 0 && stream == libav->stream && traits->rate_num)
        lasts = (double)traits->rate_den / traits->rate_num;
    if (time != AV_NOPTS_VALUE)
        libav->packets_end =
            fmax(libav->packets_end, (double)time * av_q2d(stream->time_base) + lasts);
}

int libav_read_packet(Libav *libav)
{
    for (;;) {
        const int err = av_read_frame(libav->format, libav->packet);
        if (libav->refused) /* that was logged */
            return AVERROR_EXIT;
        if (err) {
            if (err != AVERROR_EOF || libav->last_packet_damaged)
                atomic_store(&libav->cut, true);
            return err == AVERROR_EXIT ? err : AVERROR_EOF;
        }
        note_reach(libav);
        if (libav->packet->stream_index == libav->stream->index)
            break;
        av_packet_unref(libav->packet);
    }
    libav->packets++;
    libav->last_packet_damaged = libav->packet->flags & AV_PKT_FLAG_CORRUPT;
    return libav_last_keep(libav) ? AVERROR(ENOMEM) : 0;
}

/* True, after logging an error, if the device failed. That is not the video's fault, so frames
 * must not be left out as if they were damaged. */
static bool has_device_failed(Libav *libav, int err)
{
    char line[256];
    const bool there = libav->device_named || libav->video->traits.hwaccel;
    if (!libav->device || !there || err != AVERROR_EXTERNAL)
        return false;
    say("%s: decoding with %s failed at frame %llu: %s", libav->video->path, libav->device_name,
        (unsigned long long)libav->found, libav_reason(libav, err, line, sizeof(line)));
    return true;
}

/* True if the device turned out not to decode this video before any frame was found. */
static bool is_refused(const Libav *libav)
{
    return libav->device && libav->device_refused && !libav->found;
}

static int go_on_without_device(Libav *libav)
{
    const int err = libav_open_on_cpu(libav);
    return !err || err == -ENOMEM ? err : AVERROR_EXIT;
}

/* ---- positions of frames in the file ---- */

void libav_note_sent(SentPackets *sent, const AVPacket *packet)
{
    sent->packets[sent->next] = (SentPacket){ packet->pts, packet->pos };
    sent->next = (sent->next + 1) % LIBAV_SENT;
}

static void note_sent(Libav *libav)
{
    if (libav->device && !libav->opening && !libav->found)
        libav->opening = av_packet_clone(libav->packet);
    libav_note_sent(&libav->sent, libav->packet);
    libav->last_packet_time = libav->packet->pts;
}

/* In a file joined from several, a time may occur again: the oldest packet is the right one. */
uint64_t libav_position(SentPackets *sent, const AVFrame *frame)
{
    const int64_t time = frame->pts;
    for (unsigned i = 0; i < LIBAV_SENT && time != AV_NOPTS_VALUE; i++) {
        SentPacket *const packet = &sent->packets[(sent->next + i) % LIBAV_SENT];
        if (packet->time != time || packet->position <= 0)
            continue;
        const uint64_t position = (uint64_t)packet->position;
        *packet = (SentPacket){ 0 };
        return position;
    }
    return VIDEO_NO_POSITION;
}

/* ---- packets and frames ---- */

/* Sends the decoder the next packet. Negative: decoding cannot continue. */
static int feed(Libav *libav)
{
    int err = libav_read_packet(libav);
    if (err && err != AVERROR_EOF)
        return err;
    libav->draining = err != 0;
    if (!libav->draining && is_encrypted(libav->packet)) {
        say("%s: the video is encrypted", libav->video->path);
        return AVERROR(EACCES);
    }
    if (!libav->draining)
        libav->concealed_before = atomic_load(&libav->concealed);
    err = avcodec_send_packet(libav->codec, libav->draining ? NULL : libav->packet);
    if (libav->draining)
        return 0;
    note_sent(libav);
    av_packet_unref(libav->packet);
    libav->end_damaged = err != 0;
    if (!err || err == AVERROR(ENOMEM))
        return err;
    if (is_refused(libav))
        return go_on_without_device(libav);
    if (has_device_failed(libav, err))
        return AVERROR_EXIT;
    note_damage(libav, err);
    return 0;
}

static enum FrameStatus failed(const Libav *libav, int err)
{
    if (err == AVERROR(ENOMEM)) /* all others were logged, or reading was cancelled */
        video_read_error(libav->video, -ENOMEM);
    return FRAME_ERROR;
}

/* Adds the cropping that the container asks for, which libavformat reports since FFmpeg 7.1. */
static void add_container_crop(Libav *libav, AVFrame *frame)
{
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 19, 100)
    const AVCodecParameters *const par = libav->stream->codecpar;
    const AVPacketSideData *const side = av_packet_side_data_get(
        par->coded_side_data, par->nb_coded_side_data, AV_PKT_DATA_FRAME_CROPPING);
    if (!side || side->size < 16)
        return;
    const uint32_t top = AV_RL32(side->data), bottom = AV_RL32(side->data + 4);
    const uint32_t left = AV_RL32(side->data + 8), right = AV_RL32(side->data + 12);
    if (!(top | bottom | left | right))
        return;
    if (!libav->found && !libav->first)
        video_note(
            libav->video, "cropped", true,
            "cropped by %u rows above, %u below, %u columns left, %u right, as it is to be shown",
            top, bottom, left, right);
    frame->crop_top += top;
    frame->crop_bottom += bottom;
    frame->crop_left += left;
    frame->crop_right += right;
#else
    (void)libav;
    (void)frame;
#endif
}

/* Applies cropping that the decoder left to us: the left and top edges of frames on a device,
 * and the container's. */
static int crop(Libav *libav)
{
    AVFrame *const frame = libav_host_frame(libav);
    add_container_crop(libav, frame);
    if (!(frame->crop_top | frame->crop_bottom | frame->crop_left | frame->crop_right))
        return 0;
    if (av_frame_apply_cropping(frame, AV_FRAME_CROP_UNALIGNED) >= 0)
        return 0;
    say("%s: the cropping in the file leaves nothing of its frames", libav->video->path);
    return -EINVAL;
}

/* Frames are deinterlaced before they are cropped, which may begin with a line of either field. */
static int deinterlace(Libav *libav)
{
    const bool wanted = libav->video->options.deinterlace && libav_is_interlaced(libav->frame);
    return wanted ? libav_deinterlace(libav->video, libav_host_frame(libav)) : 0;
}

/* True if the frame was decoded from the packet that was sent last. Frames without times can only
 * be told from earlier ones roughly: they came out after the last packet. */
static bool is_of_last_packet(const Libav *libav)
{
    const int64_t time = libav->frame->pts;
    return time == AV_NOPTS_VALUE ? libav->draining : time == libav->last_packet_time;
}

/* Decodes the next frame with the one decoder of the Libav. */
static enum FrameStatus decode(Libav *libav)
{
    enum { FAILURES_MAX = 1000 }; /* a decoder that fails without end is stopped */
    const AVFrame *const frame = libav->frame;
    int err;
    for (unsigned failures = 0; (err = avcodec_receive_frame(libav->codec, libav->frame));) {
        if (err == AVERROR(EAGAIN) && !libav->draining) {
            err = feed(libav);
        } else if (is_refused(libav)) {
            err = go_on_without_device(libav);
        } else if (has_device_failed(libav, err)) {
            err = AVERROR_EXIT;
        } else if (err != AVERROR_EOF && err != AVERROR(ENOMEM) && failures++ < FAILURES_MAX) {
            note_damage(libav, err);
            libav->end_damaged |= libav->draining;
            err = 0;
        } else if (err != AVERROR(ENOMEM)) {
            note_end(libav);
            return atomic_load(&libav->cut) || libav->end_damaged ? FRAME_CUT : FRAME_NONE;
        }
        if (atomic_load(&libav->video->source->cancelled))
            err = AVERROR_EXIT;
        if (err)
            return failed(libav, err);
    }
    if (frame->flags & AV_FRAME_FLAG_CORRUPT || frame->decode_error_flags) {
        note_damage(libav, AVERROR_INVALIDDATA);
        libav->end_damaged |= is_of_last_packet(libav);
    }
    note_concealed(libav, false);
    libav->position = libav_position(&libav->sent, libav->frame);
    libav->fetched = false;
    if (libav->keep)
        return FRAME_WHOLE;
    if (libav_hw_fetch(libav) || deinterlace(libav))
        return FRAME_ERROR;
    return crop(libav) ? FRAME_ERROR : FRAME_WHOLE;
}

/* ---- sections ---- */

void libav_drop_sections(Libav *libav)
{
    sections_destroy(libav->sections);
    libav->sections = NULL;
    libav->not_cut = true;
}

/* Goes on with the one decoder, which has decoded the first frame so far. It meets what stopped the
 * sections by itself and handles it as if there had been none. */
static enum FrameStatus catch_up(Libav *libav)
{
    const uint64_t wanted = libav->found;
    enum FrameStatus status = FRAME_WHOLE;
    libav_drop_sections(libav);
    libav->found = 1;
    while (status == FRAME_WHOLE && libav->found < wanted) {
        status = decode(libav);
        libav->found += status == FRAME_WHOLE;
    }
    return status;
}

enum FrameStatus libav_decode(Libav *libav)
{
    bool gave_up = false;
    if (!libav->sections && !libav->not_cut && libav->found == 1)
        sections_start(libav);
    if (!libav->sections)
        return decode(libav);
    enum FrameStatus status = sections_next(libav->sections, libav, &gave_up);
    if (gave_up) {
        status = catch_up(libav);
        return status == FRAME_WHOLE ? decode(libav) : status;
    }
    if (status == FRAME_WHOLE && !libav->keep && (deinterlace(libav) || crop(libav)))
        return FRAME_ERROR;
    return status;
}

/* ---- the end ----
 *
 * A file that was cut between two packets ends like any other: only its header tells. Durations are
 * not exact, and a count may include slots without a packet, so neither is believed without the
 * other where both are known. Packets are counted, not frames: an edit list hides some of these. */

/* How many seconds are missing, if the file says how long the video is. A container that counts
 * frames counts its duration from the first one, others from time 0. */
static double missing_seconds(const Libav *libav)
{
    const AVStream *const stream = libav->stream;
    const double unit = av_q2d(stream->time_base);
    const bool from_first = stream->nb_frames > 0 && stream->start_time != AV_NOPTS_VALUE;
    const double begin = from_first ? (double)stream->start_time * unit : 0.0;
    const double lasts = stream->duration > 0 ? (double)stream->duration * unit
                                              : (double)libav->format->duration / AV_TIME_BASE;
    return libav->packets_end > 0.0 && lasts > 0.0 ? begin + lasts - libav->packets_end : 0.0;
}

/* True if the first gap in the times is right before the end, although frames have a constant rate:
 * pictures are stored after later ones that they refer to, and some of the last were cut off.
 * Videos in which frames are left out on purpose have gaps elsewhere, too. */
static bool lacks_last_frames(const Libav *libav)
{
    enum { STEPS_LEAST = 8 };
    const int told = libav->stream->codecpar->video_delay, seen = libav->codec->has_b_frames;
    const uint64_t delay = (uint64_t)(told > seen ? told : seen);
    return libav->gap && libav->steps >= STEPS_LEAST && libav_is_even(libav) &&
           libav->found < libav->gap + delay;
}

bool libav_ends_early(const Libav *reader)
{
    Video *const video = reader->video;
    const uint64_t found = reader->found;
    const Libav *const libav = reader->sections ? sections_reader(reader->sections) : reader;
    const VideoTraits *const traits = &video->traits;
    const AVStream *const stream = libav->stream;
    const double frame = traits->rate_num ? (double)traits->rate_den / traits->rate_num : 0.04;
    const double missing = missing_seconds(libav);
    const bool measured = libav->format->duration_estimation_method != AVFMT_DURATION_FROM_STREAM;
    if (traits->timeless)
        return false;
    if (stream->nb_frames > 0) {
        const uint64_t came = libav->sought ? found : libav->packets;
        if ((uint64_t)stream->nb_frames <= came || missing < frame * 3 / 4)
            return false;
        snprintf(video->cut, sizeof(video->cut), ": its header says %lld frames, and it has %llu",
                 (long long)stream->nb_frames, (unsigned long long)found);
        return true;
    }
    if (lacks_last_frames(reader)) {
        snprintf(video->cut, sizeof(video->cut), ": frames are missing before its last one");
        return true;
    }
    if (measured || missing < fmax(0.5, 3.0 * frame))
        return false;
    snprintf(video->cut, sizeof(video->cut), ": its header says that %.2f seconds more follow",
             missing);
    return true;
}

/* ---- seeking ----
 *
 * A frame is found by its time, starting at the key frame before it. This needs a constant rate,
 * so that the number of a frame gives its time; every frame that is read is checked for that. */

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

/* The time from the first frame to the latest, in frames. */
static double frames_behind(const Libav *libav)
{
    const VideoTraits *const traits = &libav->video->traits;
    const double ticks = (double)(libav->frame->best_effort_timestamp - libav->begin);
    return ticks * av_q2d(libav->stream->time_base) * traits->rate_num / traits->rate_den;
}

/* The limit is a quarter of a frame: if both videos of a pair stay within it, no other frame is
 * nearer. A frame without a time follows the one before it. */
bool libav_keeps_time(const Libav *libav)
{
    if (libav->frame->best_effort_timestamp == AV_NOPTS_VALUE)
        return true;
    const double off = frames_behind(libav) - (double)libav->found;
    if (fabs(off) < 0.245)
        return true;
    say("%s: frame %llu is %.2f frames off its expected time, so parts cannot be found by time; pass "
        "--from_start to all parts",
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

/* True if decoding can start at this frame: a key frame, or the first frame of the video, which
 * in a piece cut out of another file may be of any kind. */
static bool is_entry(const Libav *libav)
{
    const int64_t time = libav->frame->best_effort_timestamp;
    return time != AV_NOPTS_VALUE && (is_key(libav->frame) || time == libav->begin);
}

static int seek_time(Libav *libav, int64_t time)
{
    libav_drop_sections(libav);
    return avformat_seek_file(libav->format, libav->stream->index, INT64_MIN, time, time, 0);
}

/* After seek_time: decodes up to the first frame where decoding can start. Frames before it may
 * refer to frames that were not decoded, so they are dropped. */
static enum FrameStatus decode_key(Libav *libav)
{
    avcodec_flush_buffers(libav->codec);
    memset(&libav->sent, 0, sizeof(libav->sent));
    libav->draining = libav->last_packet_damaged = libav->end_damaged = libav->timed = false;
    libav->sought = true;
    atomic_store(&libav->cut, false);
    libav->seeking = true;
    enum FrameStatus status;
    do
        status = libav_decode(libav);
    while (status == FRAME_WHOLE && !is_entry(libav));
    libav->seeking = false;
    atomic_store(&libav->concealed, 0);
    libav->gap = libav->steps = libav->concealed_at = libav->concealed_before = libav->untimed = 0;
    return status;
}

static enum FrameStatus find_key(Libav *libav, int64_t time)
{
    const int err = seek_time(libav, time);
    if (err >= 0)
        return decode_key(libav);
    char line[256];
    say("%s: cannot seek to a frame (%s); pass --from_start to all parts", libav->video->path,
        libav_reason(libav, err, line, sizeof(line)));
    return FRAME_ERROR;
}

enum FrameStatus libav_approach(Video *video, uint64_t frame)
{
    Libav *const libav = video->state;
    const VideoTraits *const traits = &video->traits;
    if (traits->timeless || !traits->rate_num || libav->begin == AV_NOPTS_VALUE ||
        seek_time(libav, expected(libav, frame)) < 0)
        return FRAME_NONE;
    const enum FrameStatus status = decode_key(libav);
    libav->first = status == FRAME_WHOLE;
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
        /* Some containers find packets by decoding time, which is before the display time. So
         * the last try seeks to a second before the beginning. */
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
            say("%s: there is no key frame before frame %llu; pass --from_start to all parts",
                video->path, (unsigned long long)frame);
            return FRAME_ERROR;
        }
    }
}
