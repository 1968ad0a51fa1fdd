/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/pairing.h"

#include <errno.h>
#include <stdlib.h>

#define SECOND 1000000000

/* The progress through one video. */
typedef struct Cursor {
    unsigned rate_num, rate_den;
    uint64_t seen; /* frames with a known time: those taken, and the next one if it was looked at */
    uint64_t taken;
    bool looked; /* next_status is known */
    enum FrameStatus next_status;
    bool timed;    /* the first frame has a time */
    int64_t begin; /* its time on the video's clock */
    int64_t next;  /* the next frame's time since `begin` */
    bool in_hand;  /* there is a current frame */
    bool used;     /* the current frame was in a pair */
    int64_t time;  /* the current frame's time */
    int64_t lasts; /* a frame's duration: from the rate, else the latest frame's */
} Cursor;

typedef struct Dist {
    PairingProgress progress;
    int64_t offset;
    uint64_t skipped;
    int64_t origin; /* the reference's time that matches this video's time 0 */
    int64_t first;  /* the reference's time of its first pair */
} Dist;

struct Pairing {
    PairingConfig config;
    uint64_t step; /* frames of the reference, or ticks, before this one */
    Cursor *cursors;
    Dist *dists; /* [0] is unused */
};

int64_t frame_time(uint64_t n, unsigned rate_num, unsigned rate_den)
{
    if (!rate_num || !rate_den)
        return 0;
    /* Whole runs of rate_num frames last rate_den seconds each; counting them first avoids
     * overflow. */
    const uint64_t runs = n / rate_num, rest = n % rate_num;
    const long double part = (long double)rest * rate_den * SECOND / rate_num;
    return (int64_t)(runs * rate_den * SECOND) + (int64_t)(part + 0.5L);
}

int64_t frame_duration(unsigned rate_num, unsigned rate_den)
{
    return frame_time(1, rate_num, rate_den);
}

/* ---- one video ---- */

static int64_t time_after(const Cursor *cursor, int64_t time)
{
    if (!cursor->timed && cursor->rate_num)
        return frame_time(cursor->seen, cursor->rate_num, cursor->rate_den);
    if (!cursor->timed || time == VIDEO_NO_TIME)
        return cursor->next + cursor->lasts;
    return time - cursor->begin;
}

/* Sets the time of the next frame. A frame without a time, or with one that does not increase,
 * follows the frame before it. */
static void set_next_time(Cursor *cursor, int64_t time)
{
    if (!cursor->seen) {
        cursor->timed = time != VIDEO_NO_TIME;
        cursor->begin = cursor->timed ? time : 0;
        cursor->next = 0;
    } else {
        const int64_t before = cursor->next, after = time_after(cursor, time);
        cursor->next = after > before ? after : before + 1;
        if (!cursor->rate_num)
            cursor->lasts = cursor->next - before;
    }
    cursor->seen++;
}

static enum FrameStatus look(Pairing *pairing, unsigned video)
{
    Cursor *const cursor = &pairing->cursors[video];
    if (cursor->looked)
        return cursor->next_status;
    int64_t time;
    cursor->looked = true;
    cursor->next_status = pairing->config.look(pairing->config.arg, video, &time);
    if (cursor->next_status == FRAME_WHOLE)
        set_next_time(cursor, time);
    return cursor->next_status;
}

static void take(Pairing *pairing, unsigned video)
{
    Cursor *const cursor = &pairing->cursors[video];
    Dist *const dist = &pairing->dists[video];
    if (video && cursor->in_hand && !cursor->used && dist->progress.pairs)
        dist->progress.left_out++;
    pairing->config.take(pairing->config.arg, video);
    cursor->taken++;
    cursor->looked = false;
    cursor->in_hand = true;
    cursor->used = false;
    cursor->time = cursor->next;
}

/* True if the current frame, the last one, belongs to a target that is shown for `lasts`: it is
 * within half of its own duration, or it is still shown in the middle of that time. */
static bool reaches(const Cursor *cursor, int64_t target, int64_t lasts)
{
    const int64_t after = target - cursor->time;
    return after <= cursor->lasts / 2 || after <= cursor->lasts - lasts / 2;
}

/* For how long the frame of the reference, or the tick, of this step is shown. */
static int64_t step_duration(const Pairing *pairing)
{
    const PairingConfig *const config = &pairing->config;
    return config->by == PAIR_AT_RATE ? frame_duration(config->rate_num, config->rate_den)
                                      : pairing->cursors[0].lasts;
}

/* Takes frames until the current one is nearest to the target; of two equally near, the earlier.
 * If the last frame does not reach the target, returns the status of the end. */
static enum FrameStatus seek(Pairing *pairing, unsigned video, int64_t target)
{
    Cursor *const cursor = &pairing->cursors[video];
    for (;;) {
        if (cursor->in_hand && cursor->time >= target)
            return FRAME_WHOLE;
        const enum FrameStatus status = look(pairing, video);
        if (status != FRAME_WHOLE)
            return cursor->in_hand && reaches(cursor, target, step_duration(pairing)) ? FRAME_WHOLE
                                                                                      : status;
        if (cursor->in_hand && cursor->next - target >= target - cursor->time)
            return FRAME_WHOLE;
        take(pairing, video);
    }
}

/* ---- pairs ---- */

static void end(Dist *dist, enum FrameStatus ref, enum FrameStatus own)
{
    dist->progress.state = PAIR_OVER;
    dist->progress.ref = ref;
    dist->progress.dist = own;
}

/* Ends a video that has all pairs that were asked for. */
static void end_enough(Dist *dist)
{
    end(dist, FRAME_NONE, FRAME_NONE);
    dist->progress.enough = true;
}

/* True if the time is after the duration that is to be scored. */
static bool is_late(const Pairing *pairing, const Dist *dist, int64_t time)
{
    const PairingConfig *const config = &pairing->config;
    /* Times are rounded: half a step is close enough. */
    return config->duration && dist->progress.pairs &&
           time - dist->first > config->duration - 1 - step_duration(pairing) / 2;
}

/* Makes a pair of the current frame and frame `ref` of the reference. */
static void make_pair(Dist *dist, Cursor *cursor, uint64_t ref, int64_t time)
{
    if (!dist->progress.pairs++) {
        dist->first = time;
        dist->progress.first[SIDE_REF] = ref;
        dist->progress.first[SIDE_DIST] = cursor->taken - 1;
    }
    dist->progress.repeated += cursor->used;
    cursor->used = true;
    dist->progress.state = PAIR_READY;
}

/* `ref`: the status of the reference's next frame, which is not taken yet. */
static void pair_by_number(Pairing *pairing, unsigned video, enum FrameStatus ref)
{
    Dist *const dist = &pairing->dists[video];
    const bool failed = ref == FRAME_CUT || ref == FRAME_ERROR;
    dist->progress.state = PAIR_NOT_YET;
    if (ref == FRAME_WHOLE && pairing->step < dist->skipped)
        return;
    const enum FrameStatus own = failed ? FRAME_WHOLE : look(pairing, video);
    if (ref != FRAME_WHOLE || own != FRAME_WHOLE) {
        end(dist, ref, own);
        return;
    }
    take(pairing, video);
    make_pair(dist, &pairing->cursors[video], pairing->cursors[0].taken, 0);
}

/* `time`: of the reference's frame; after its end, of the frame that would follow the last. */
static void pair_by_time(Pairing *pairing, unsigned video, enum FrameStatus ref, int64_t time)
{
    Dist *const dist = &pairing->dists[video];
    Cursor *const cursor = &pairing->cursors[video];
    dist->progress.state = PAIR_NOT_YET;
    if (ref == FRAME_WHOLE && pairing->step < dist->skipped)
        return;
    if (pairing->step == dist->skipped)
        dist->origin = time;
    if (is_late(pairing, dist, time)) {
        end_enough(dist);
        return;
    }
    if (ref == FRAME_CUT || ref == FRAME_ERROR) {
        end(dist, ref, FRAME_WHOLE);
        return;
    }
    const int64_t target = time - dist->origin + dist->offset;
    const uint64_t left_out = dist->progress.left_out;
    const enum FrameStatus own = seek(pairing, video, target);
    if (ref == FRAME_NONE) { /* was there a partner for a next frame of the reference? */
        dist->progress.left_out = left_out;
        end(dist, ref, own);
        return;
    }
    dist->progress.begins[0] = pairing->cursors[0].begin;
    dist->progress.begins[1] = cursor->begin;
    if (own != FRAME_WHOLE)
        end(dist, ref, own);
    else if (dist->progress.pairs || cursor->time - target <= cursor->lasts / 2)
        make_pair(dist, cursor, pairing->cursors[0].taken - 1, time);
}

/* Finds the reference's frame for this step and its time. PAIR_BY_NUMBER only looks at it. */
static enum FrameStatus find_reference(Pairing *pairing, int64_t *time)
{
    const PairingConfig *const config = &pairing->config;
    if (config->by == PAIR_AT_RATE) {
        *time = frame_time(pairing->step, config->rate_num, config->rate_den);
        return seek(pairing, 0, *time);
    }
    const Cursor *const cursor = &pairing->cursors[0];
    const enum FrameStatus status = look(pairing, 0);
    if (config->by == PAIR_BY_TIME && status == FRAME_WHOLE)
        take(pairing, 0);
    *time = cursor->time + (status == FRAME_WHOLE ? 0 : cursor->lasts);
    return status;
}

bool pairing_step(Pairing *pairing)
{
    const PairingConfig *const config = &pairing->config;
    bool any_left = false, any_more = false;
    for (unsigned i = 1; i < config->count; i++) {
        Dist *const dist = &pairing->dists[i];
        if (config->limit && dist->progress.pairs >= config->limit &&
            dist->progress.state != PAIR_OVER)
            end_enough(dist);
        any_left |= dist->progress.state != PAIR_OVER;
    }
    if (!any_left)
        return false;
    int64_t time = 0;
    const enum FrameStatus ref = find_reference(pairing, &time);
    for (unsigned i = 1; i < config->count; i++) {
        if (pairing->dists[i].progress.state == PAIR_OVER)
            continue;
        if (config->by == PAIR_BY_NUMBER)
            pair_by_number(pairing, i, ref);
        else
            pair_by_time(pairing, i, ref, time);
        any_more |= pairing->dists[i].progress.state != PAIR_OVER;
    }
    if (config->by == PAIR_BY_NUMBER && ref == FRAME_WHOLE && any_more)
        take(pairing, 0);
    pairing->step++;
    return true;
}

const PairingProgress *pairing_progress(const Pairing *pairing, unsigned video)
{
    return &pairing->dists[video].progress;
}

uint64_t pairing_taken(const Pairing *pairing, unsigned video)
{
    return pairing->cursors[video].taken;
}

int64_t pairing_time(const Pairing *pairing, unsigned video)
{
    const Cursor *const cursor = &pairing->cursors[video];
    return cursor->timed ? cursor->begin + cursor->time : VIDEO_NO_TIME;
}

void pairing_drop(Pairing *pairing, unsigned video)
{
    end(&pairing->dists[video], FRAME_WHOLE, FRAME_WHOLE);
}

int pairing_create(Pairing **out, const PairingConfig *config)
{
    Pairing *const pairing = calloc(1, sizeof(*pairing));
    if (!pairing)
        return -ENOMEM;
    pairing->config = *config;
    pairing->config.videos = NULL;
    pairing->cursors = calloc(config->count, sizeof(*pairing->cursors));
    pairing->dists = calloc(config->count, sizeof(*pairing->dists));
    if (!pairing->cursors || !pairing->dists) {
        pairing_destroy(pairing);
        return -ENOMEM;
    }
    for (unsigned i = 0; i < config->count; i++) {
        const PairingVideo *const video = &config->videos[i];
        Cursor *const cursor = &pairing->cursors[i];
        cursor->rate_num = video->rate_num;
        cursor->rate_den = video->rate_den;
        cursor->lasts = frame_duration(video->rate_num, video->rate_den);
        pairing->dists[i].offset = video->offset;
        pairing->dists[i].skipped = video->skipped;
        pairing->dists[i].progress.state = PAIR_NOT_YET;
    }
    *out = pairing;
    return 0;
}

void pairing_destroy(Pairing *pairing)
{
    if (!pairing)
        return;
    free(pairing->cursors);
    free(pairing->dists);
    free(pairing);
}
