/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "sync.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "input/reader.h"
#include "input/thumbs.h"

/* ---- rates ---- */

static bool has_times(const Video *video)
{
    return video->reader->time && !video->traits.timeless;
}

bool sync_alike(const Video *a, const Video *b)
{
    return has_times(a) == has_times(b);
}

static bool has_rate(const Video *video)
{
    return video->traits.rate_num && video->traits.rate_den;
}

static double rate_of(const Video *video)
{
    return (double)video->traits.rate_num / video->traits.rate_den;
}

/* True if the rates are equal, or one is unknown. Containers round rates: those that differ by less
 * than one frame in 2000 are equal; 24 and 23.976 are not. */
static bool same_rate(const Video *a, const Video *b)
{
    if (!has_rate(a) || !has_rate(b))
        return true;
    const double x = rate_of(a), y = rate_of(b);
    return (x > y ? x - y : y - x) * 2000 <= x;
}

/* The first video that has neither times nor a frame rate; NULL: none. */
static const Video *without_clock(Video *const *videos, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!has_times(videos[i]) && !has_rate(videos[i]))
            return videos[i];
    return NULL;
}

/* The first video without times; NULL: all have them. */
static const Video *without_times(Video *const *videos, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!has_times(videos[i]))
            return videos[i];
    return NULL;
}

/* ---- by number or by time ---- */

/* For SYNC_DEFAULT: the rates must be equal, except that one may vary. */
static int check_rates(Video *const *videos, unsigned count, bool by_time)
{
    const Video *const ref = videos[0];
    for (unsigned i = 1; i < count; i++) {
        const Video *const dist = videos[i];
        const bool varies = dist->traits.variable_rate || ref->traits.variable_rate;
        if (varies && !by_time)
            continue;
        if (varies && !same_rate(ref, dist)) {
            video_note(videos[dist->traits.variable_rate ? i : 0], "variable_rate", false,
                       "has a variable frame rate: each frame of the reference is compared with "
                       "the frame nearest in time");
        } else if (!same_rate(ref, dist)) {
            say("%s has %g frames a second, %s has %g: use --fps N to bring both to N, --sync nearest "
                "to compare each reference frame with the one nearest in time, or --sync index to "
                "pair frames by number",
                ref->path, rate_of(ref), dist->path, rate_of(dist));
            return -EINVAL;
        }
    }
    return 0;
}

/* Pairing is by number because `timeless` has no times: warns that the times of other videos are
 * ignored. */
static int check_uneven(Video *const *videos, unsigned count, const Video *timeless)
{
    for (unsigned i = 0; i < count; i++)
        if (videos[i]->traits.variable_rate)
            video_note(videos[i], "variable_rate", false,
                       "has a variable frame rate, and %s has no times: frames are paired by "
                       "number; --sync nearest pairs them by time",
                       timeless->path);
    return check_rates(videos, count, false);
}

static void warn_of_rates(Video *const *videos, unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        if (!same_rate(videos[0], videos[i]))
            video_note(videos[i], "frame_rate", false,
                       "has %g frames a second, %s has %g: frames are paired by number; --fps and "
                       "--sync nearest pair them by time",
                       rate_of(videos[i]), videos[0]->path, rate_of(videos[0]));
}

/* Decides what frames are paired by. */
static int choose(SyncSchedule *schedule, const Options *options, Video *const *videos,
                  unsigned count)
{
    const Video *const lost = without_clock(videos, count);
    const Video *const timeless = without_times(videos, count);
    bool any_timed = false;
    for (unsigned i = 0; i < count; i++)
        any_timed = any_timed || has_times(videos[i]);
    const bool asked = options->fps_num || options->sync == SYNC_NEAREST;
    schedule->by = PAIR_BY_NUMBER;
    if (options->sync == SYNC_INDEX)
        return 0;
    if (asked && lost) {
        say("%s has neither times nor a frame rate: its frames can only be paired by number",
            lost->path);
        return -EINVAL;
    }
    if (options->fps_num) {
        schedule->by = PAIR_AT_RATE;
        schedule->rate_num = options->fps_num;
        schedule->rate_den = options->fps_den;
    } else if (options->sync == SYNC_NEAREST) {
        schedule->by = PAIR_BY_TIME;
    } else if (!timeless) {
        schedule->by = PAIR_BY_TIME;
        return check_rates(videos, count, true);
    } else if (any_timed) {
        return check_uneven(videos, count, timeless);
    } else if (options->sync == SYNC_DEFAULT) {
        warn_of_rates(videos, count);
    }
    return 0;
}

/* ---- the first and the last pair ---- */

static int64_t to_frames(const Video *video, int64_t time)
{
    const double frames = (double)time * rate_of(video) / 1e9;
    return (int64_t)(frames < 0 ? frames - 0.5 : frames + 0.5);
}

/* The first video whose frame rate is known; NULL: none. */
static const Video *video_with_rate(Video *const *videos, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (has_rate(videos[i]))
            return videos[i];
    return NULL;
}

static int need_rate(const char *option)
{
    say("--%s is in seconds, but no video states its frame rate: give it in frames", option);
    return -EINVAL;
}

/* Sets the offset of a distorted video, as --offset in frames does. */
static void shift(SyncSchedule *schedule, unsigned video, int64_t frames)
{
    SyncVideo *const dist = &schedule->videos[video];
    dist->frames = frames;
    if (schedule->by == PAIR_AT_RATE) {
        const int64_t time =
            frame_time((uint64_t)llabs(frames), schedule->rate_num, schedule->rate_den);
        dist->pairing.offset = frames < 0 ? -time : time;
    } else if (frames < 0) {
        dist->pairing.skipped += (uint64_t)-frames;
    } else {
        dist->skip += (uint64_t)frames;
    }
}

static int set_offset(SyncSchedule *schedule, const Length *offset, Video *const *videos)
{
    const Video *const rated = video_with_rate(videos, schedule->count);
    if (!offset->given)
        return 0;
    if (!offset->in_frames && schedule->by == PAIR_BY_NUMBER && !rated)
        return need_rate("offset");
    for (unsigned i = 1; i < schedule->count; i++) {
        if (offset->in_frames)
            shift(schedule, i, offset->frames);
        else if (schedule->by == PAIR_BY_NUMBER)
            shift(schedule, i, to_frames(rated, offset->time));
        else
            schedule->videos[i].pairing.offset = offset->time;
    }
    return 0;
}

static int set_end(SyncSchedule *schedule, const Options *options, Video *const *videos)
{
    const Length *const duration = &options->duration;
    const Video *const rated = video_with_rate(videos, schedule->count);
    uint64_t frames = 0;
    schedule->limit = options->frame_limit;
    if (!duration->given)
        return 0;
    if (duration->in_frames) {
        frames = (uint64_t)duration->frames;
    } else if (schedule->by != PAIR_BY_NUMBER) {
        schedule->duration = duration->time;
    } else if (rated) {
        const int64_t rounded = to_frames(rated, duration->time);
        frames = rounded > 0 ? (uint64_t)rounded : 1;
    } else {
        return need_rate("duration");
    }
    if (frames && (!schedule->limit || frames < schedule->limit))
        schedule->limit = frames;
    return 0;
}

int sync_schedule(SyncSchedule *schedule, const Options *options, Video *const *videos,
                  unsigned count)
{
    *schedule =
        (SyncSchedule){ .count = count, .videos = calloc(count, sizeof(*schedule->videos)) };
    if (!schedule->videos)
        return -ENOMEM;
    for (unsigned i = 0; i < count; i++) {
        schedule->videos[i].pairing.rate_num = videos[i]->traits.rate_num;
        schedule->videos[i].pairing.rate_den = videos[i]->traits.rate_den;
        schedule->videos[i].skip = options->skip[i ? SIDE_DIST : SIDE_REF];
    }
    int err = choose(schedule, options, videos, count);
    if (!err)
        err = set_offset(schedule, &options->offset, videos);
    return err ? err : set_end(schedule, options, videos);
}

void sync_destroy(SyncSchedule *schedule)
{
    free(schedule->videos);
    *schedule = (SyncSchedule){ 0 };
}

/* ---- how many pairs there will be ---- */

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t frames_after(const Video *video, uint64_t skipped)
{
    const uint64_t left = video_frames_left(video);
    return left > skipped ? left - skipped : 0;
}

/* The pairs that distorted video `i` will have, by the frames of both videos and their rates. */
static double pairs_of_video(const SyncSchedule *schedule, Video *const *videos, unsigned i)
{
    const Video *const ref = videos[0], *const dist = videos[i];
    const bool rates = has_rate(ref) && has_rate(dist);
    double pairs =
        (double)frames_after(ref, schedule->videos[0].skip + schedule->videos[i].pairing.skipped);
    double of_dist = (double)frames_after(dist, schedule->videos[i].skip);
    if (schedule->by != PAIR_BY_NUMBER && rates)
        of_dist = floor(of_dist * rate_of(ref) / rate_of(dist) + 0.5);
    if (video_frames_left(dist) && of_dist < pairs)
        pairs = of_dist;
    if (schedule->by != PAIR_AT_RATE)
        return pairs;
    const double rate = (double)schedule->rate_num / schedule->rate_den;
    return has_rate(ref) ? pairs * rate / rate_of(ref) : 0.0;
}

uint64_t sync_expected_pairs(const SyncSchedule *schedule, Video *const *videos)
{
    double rate = has_rate(videos[0]) ? rate_of(videos[0]) : 0.0, pairs = 0.0;
    if (schedule->by == PAIR_AT_RATE)
        rate = (double)schedule->rate_num / schedule->rate_den;
    for (unsigned i = 1; i < schedule->count && video_frames_left(videos[0]); i++) {
        const double own = pairs_of_video(schedule, videos, i);
        pairs = own > pairs ? own : pairs;
    }
    if (schedule->duration && rate > 0.0 && pairs > (double)schedule->duration * rate / 1e9)
        pairs = (double)schedule->duration * rate / 1e9 + 1.0;
    const uint64_t count = (uint64_t)pairs;
    return schedule->limit ? lesser(count, schedule->limit) : count;
}

uint64_t sync_pairs_of_run(const PartChoice *part, uint64_t pairs, unsigned distorted)
{
    if (part->kind == PART_FRAMES) {
        const uint64_t last = pairs && part->last >= pairs ? pairs - 1 : part->last;
        return last >= part->first ? last - part->first + 1 : 0;
    }
    if (part->kind == PART_SHARD)
        return pairs ? pairs / part->count + 1 : 0;
    return pairs * distorted;
}

/* ---- the description for reports ---- */

static void append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void append(char *text, size_t size, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, size - used, format, list);
    va_end(list);
}

void sync_offset_option(const SyncVideo *dist, const Video *ref, int frames, char *text,
                        size_t size)
{
    const bool in_seconds = dist->pairing.offset && !dist->frames && has_rate(ref);
    if (in_seconds)
        snprintf(text, size, "--offset=%.3fs",
                 (double)dist->pairing.offset / 1e9 + frames / rate_of(ref));
    else
        snprintf(text, size, "--offset=%" PRId64, dist->frames + frames);
}

void sync_describe(const SyncSchedule *schedule, unsigned video, const PairingProgress *part,
                   char *text, size_t size)
{
    const SyncVideo *const dist = &schedule->videos[video];
    *text = 0;
    if (schedule->by == PAIR_AT_RATE)
        append(text, size, "at %g frames a second",
               (double)schedule->rate_num / schedule->rate_den);
    else
        append(text, size, schedule->by == PAIR_BY_TIME ? "by time" : "by number");
    if (dist->frames)
        append(text, size, ", offset %" PRId64 " frames", dist->frames);
    else if (dist->pairing.offset)
        append(text, size, ", offset %g s", (double)dist->pairing.offset / 1e9);
    if (dist->found)
        append(text, size, dist->frames ? " (found)" : ", offset 0 (found)");
    if (part->repeated)
        append(text, size, ", %" PRIu64 " repeated", part->repeated);
    if (part->left_out)
        append(text, size, ", %" PRIu64 " left out", part->left_out);
}

/* ---- --sync auto ---- */

/* Frames of each video to look at. An offset can be that large, less the frames that must
 * overlap. */
enum { LOOKED_AT = 300 };

static enum FrameStatus read_thumb(Video *video, const VmafPicture *pic, Thumb *thumb)
{
    uint64_t offset;
    enum FrameStatus status = video_find(video, &offset);
    if (status == FRAME_WHOLE)
        status = video_read(video, offset, 1, pic);
    if (status == FRAME_WHOLE)
        thumb_of_picture(thumb, pic, 1);
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
    int err = video_reopen(&copy, video);
    if (!err)
        err = read_thumbs(thumbs, copy, skip);
    video_close(copy);
    return err;
}

/* Applies the offset that was found, and prints it. */
static int settle(SyncSchedule *schedule, Video *const *videos, unsigned i, const ThumbsFit *fit)
{
    const char *const ref = videos[0]->path, *const dist = videos[i]->path;
    if (!fit->sure) {
        say("%s: cannot find its offset to %s from the pictures: give it with --offset", dist, ref);
        return -EINVAL;
    }
    shift(schedule, i, fit->offset);
    schedule->videos[i].found = true;
    if (!fit->offset)
        say("%s and %s begin together: found by --sync auto", ref, dist);
    else
        say("%s begins %d frame%s into %s: found by --sync auto, and %.1f times better than any other "
            "offset",
            fit->offset > 0 ? ref : dist, abs(fit->offset), abs(fit->offset) == 1 ? "" : "s",
            fit->offset > 0 ? dist : ref, fit->times);
    return 0;
}

static int find_offset(SyncSchedule *schedule, Video *const *videos, unsigned i, Thumbs *ref)
{
    Thumbs own = { 0 };
    int err = look_at(&own, videos[i], schedule->videos[i].skip);
    if (!err) {
        const ThumbsFit fit = thumbs_fit(ref, &own);
        err = settle(schedule, videos, i, &fit);
    }
    free(own.at);
    return err;
}

int sync_find_offsets(SyncSchedule *schedule, Video *const *videos)
{
    for (unsigned i = 0; i < schedule->count; i++) {
        if (videos[i]->source->seekable)
            continue;
        say("--sync auto reads the beginning of each video twice, which is impossible with a pipe: %s; "
            "use --offset, or a file",
            videos[i]->path);
        return -EINVAL;
    }
    Thumbs ref = { 0 };
    int err = look_at(&ref, videos[0], schedule->videos[0].skip);
    for (unsigned i = 1; !err && i < schedule->count; i++)
        err = find_offset(schedule, videos, i, &ref);
    free(ref.at);
    return err;
}
