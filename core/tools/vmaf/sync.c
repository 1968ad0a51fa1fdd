/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "sync.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/reader.h"
#include "common/message.h"

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

/* Containers round rates: those that part by less than a frame in 2000 are the same. 24 and 23.976 are
 * not. */
static bool same_rate(const Video *a, const Video *b)
{
    if (!has_rate(a) || !has_rate(b))
        return true;
    const double x = rate_of(a), y = rate_of(b);
    return (x > y ? x - y : y - x) * 2000 <= x;
}

/* Of those without times, some count frames at a rate they know. */
static const Video *without_clock(Video *const *videos, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!has_times(videos[i]) && !has_rate(videos[i]))
            return videos[i];
    return NULL;
}

/* NULL: all have them. */
static const Video *without_times(Video *const *videos, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!has_times(videos[i]))
            return videos[i];
    return NULL;
}

/* ---- what frames are paired by ---- */

/* As nobody said what to do: the rates must be the same, but that one may vary. */
static int check_rates(Video *const *videos, unsigned count, bool by_time)
{
    const Video *const ref = videos[0];
    for (unsigned i = 1; i < count; i++) {
        const Video *const dist = videos[i];
        const bool varies = dist->traits.variable_rate || ref->traits.variable_rate;
        if (varies && !by_time)
            continue;
        if (varies && !same_rate(ref, dist)) {
            say("%s has a frame rate that varies: each frame of the reference is compared with the "
                "nearest in time",
                dist->traits.variable_rate ? dist->path : ref->path);
        } else if (!same_rate(ref, dist)) {
            say("%s has %g frames a second, %s has %g: --fps N brings both to N, --sync nearest "
                "takes the frame nearest in time to each of the reference, --sync index counts "
                "frames whatever their times",
                ref->path, rate_of(ref), dist->path, rate_of(dist));
            return -EINVAL;
        }
    }
    return 0;
}

/* By number, since one of them has no times: what the others' times say is lost. */
static int check_uneven(Video *const *videos, unsigned count, const Video *timeless)
{
    for (unsigned i = 0; i < count; i++)
        if (videos[i]->traits.variable_rate)
            say("%s has a frame rate that varies, and %s has no times: frames are paired by number; "
                "--sync nearest pairs them by time",
                videos[i]->path, timeless->path);
    return check_rates(videos, count, false);
}

static void warn_of_rates(Video *const *videos, unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        if (!same_rate(videos[0], videos[i]))
            say("Warning: %s has %g frames a second, %s has %g: frames are paired by number; --fps "
                "and --sync nearest pair them by time",
                videos[0]->path, rate_of(videos[0]), videos[i]->path, rate_of(videos[i]));
}

static int choose(SyncPlan *plan, const Options *options, Video *const *videos, unsigned count)
{
    const Video *const lost = without_clock(videos, count);
    const Video *const timeless = without_times(videos, count);
    bool any_timed = false;
    for (unsigned i = 0; i < count; i++)
        any_timed = any_timed || has_times(videos[i]);
    const bool asked = options->fps_num || options->sync == SYNC_NEAREST;
    plan->by = PAIR_BY_NUMBER;
    if (options->sync == SYNC_INDEX)
        return 0;
    if (asked && lost) {
        say("%s has neither times nor a frame rate: its frames can only be paired by number",
            lost->path);
        return -EINVAL;
    }
    if (options->fps_num) {
        plan->by = PAIR_AT_RATE;
        plan->rate_num = options->fps_num;
        plan->rate_den = options->fps_den;
    } else if (options->sync == SYNC_NEAREST) {
        plan->by = PAIR_BY_TIME;
    } else if (!timeless) {
        plan->by = PAIR_BY_TIME;
        return check_rates(videos, count, true);
    } else if (any_timed) {
        return check_uneven(videos, count, timeless);
    } else if (options->sync == SYNC_DEFAULT) {
        warn_of_rates(videos, count);
    }
    return 0;
}

/* ---- where they begin and end ---- */

static int64_t to_frames(const Video *video, int64_t time)
{
    const double frames = (double)time * rate_of(video) / 1e9;
    return (int64_t)(frames < 0 ? frames - 0.5 : frames + 0.5);
}

/* The video that tells how long a frame is; NULL: none does. */
static const Video *timekeeper(Video *const *videos, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (has_rate(videos[i]))
            return videos[i];
    return NULL;
}

static int need_rate(const char *option)
{
    say("--%s is in seconds, but no video tells its frame rate: give it in frames", option);
    return -EINVAL;
}

void sync_shift(SyncPlan *plan, unsigned video, int64_t frames)
{
    SyncVideo *const dist = &plan->videos[video];
    dist->frames = frames;
    if (plan->by == PAIR_AT_RATE) {
        const int64_t time = frame_time((uint64_t)llabs(frames), plan->rate_num, plan->rate_den);
        dist->pairing.offset = frames < 0 ? -time : time;
    } else if (frames < 0) {
        dist->pairing.skipped += (uint64_t)-frames;
    } else {
        dist->skip += (uint64_t)frames;
    }
}

static int set_offset(SyncPlan *plan, const Length *offset, Video *const *videos)
{
    const Video *const keeper = timekeeper(videos, plan->count);
    if (!offset->given)
        return 0;
    if (!offset->in_frames && plan->by == PAIR_BY_NUMBER && !keeper)
        return need_rate("offset");
    for (unsigned i = 1; i < plan->count; i++) {
        if (offset->in_frames)
            sync_shift(plan, i, offset->frames);
        else if (plan->by == PAIR_BY_NUMBER)
            sync_shift(plan, i, to_frames(keeper, offset->time));
        else
            plan->videos[i].pairing.offset = offset->time;
    }
    return 0;
}

static int set_end(SyncPlan *plan, const Options *options, Video *const *videos)
{
    const Length *const duration = &options->duration;
    const Video *const keeper = timekeeper(videos, plan->count);
    uint64_t frames = 0;
    plan->limit = options->frame_limit;
    if (!duration->given)
        return 0;
    if (duration->in_frames) {
        frames = (uint64_t)duration->frames;
    } else if (plan->by != PAIR_BY_NUMBER) {
        plan->duration = duration->time;
    } else if (keeper) {
        const int64_t rounded = to_frames(keeper, duration->time);
        frames = rounded > 0 ? (uint64_t)rounded : 1;
    } else {
        return need_rate("duration");
    }
    if (frames && (!plan->limit || frames < plan->limit))
        plan->limit = frames;
    return 0;
}

int sync_plan(SyncPlan *plan, const Options *options, Video *const *videos, unsigned count)
{
    *plan = (SyncPlan){ .count = count, .videos = calloc(count, sizeof(*plan->videos)) };
    if (!plan->videos)
        return -ENOMEM;
    for (unsigned i = 0; i < count; i++) {
        plan->videos[i].pairing.rate_num = videos[i]->traits.rate_num;
        plan->videos[i].pairing.rate_den = videos[i]->traits.rate_den;
        plan->videos[i].skip = options->skip[i ? SIDE_DIST : SIDE_REF];
    }
    int err = choose(plan, options, videos, count);
    if (!err)
        err = set_offset(plan, &options->offset, videos);
    return err ? err : set_end(plan, options, videos);
}

void sync_destroy(SyncPlan *plan)
{
    free(plan->videos);
    *plan = (SyncPlan){ 0 };
}

/* ---- in words ---- */

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

void sync_describe(const SyncPlan *plan, unsigned video, const PairingPart *part, char *text,
                   size_t size)
{
    const SyncVideo *const dist = &plan->videos[video];
    *text = 0;
    if (plan->by == PAIR_AT_RATE)
        append(text, size, "at %g frames a second", (double)plan->rate_num / plan->rate_den);
    else
        append(text, size, plan->by == PAIR_BY_TIME ? "by time" : "by number");
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
