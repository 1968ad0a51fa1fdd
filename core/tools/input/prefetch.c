/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "input/prefetch.h"
#include "input/convert.h"
#include "common/message.h"

/* One frame on its way from the video to the caller. A track uses its slots in turn. */
typedef struct Slot {
    bool done;
    enum FrameStatus status;
    int64_t time;
    Prefetched frame;
} Slot;

/* One video. */
typedef struct Track {
    Prefetch *prefetch;
    Video *video;
    uint64_t frame_limit;
    pthread_mutex_t find_lock; /* frames are found in order, by one thread at a time */
    pthread_cond_t room;       /* there may be room, or a need to hold */
    uint64_t found, taken;     /* slots booked; frames that the caller took */
    bool held;                 /* threads read frames that were decoded, while the next ones are */
    bool ended;
    bool dropped;   /* the caller dropped it */
    bool holding;   /* its thread reads ahead into memory */
    bool full;      /* holding is not possible any more */
    size_t to_hold; /* the most bytes that had to be held so far */
    Slot *slots;
    pthread_t *threads;
    unsigned thread_count;
} Track;

struct Prefetch {
    PrefetchConfig config;
    pthread_mutex_t lock; /* guards slots, counters and flags */
    pthread_cond_t done;  /* the frame that the caller waits for may be done */
    bool stop;
    bool interrupted;
    const Track *awaited;  /* the video that the caller waits for; NULL: none */
    struct timespec tired; /* from then on the wait counts as long */
    Track *tracks;         /* the reference is the first */
};

void prefetched_release(Prefetched *frame)
{
    if (frame->pic.ref)
        vmaf_picture_unref(&frame->pic);
    kept_release(frame->kept);
    frame->kept = NULL;
}

unsigned prefetch_pool_size(unsigned videos, unsigned ahead, unsigned in_work)
{
    const unsigned kept = 3;    /* earlier pictures that the features of a context look back at */
    const unsigned in_hand = 1; /* frames of each video that the caller has taken */
    return videos * (ahead + in_work + in_hand) + kept * (videos - 1);
}

unsigned prefetch_pool_least(unsigned videos, unsigned ahead, unsigned in_work)
{
    const unsigned in_hand = videos - 1; /* the caller holds all pictures of a pair but the last */
    return videos * (ahead + in_work) + in_hand;
}

static bool has_room_locked(const Track *track)
{
    return track->found < track->taken + track->prefetch->config.ahead;
}

static bool is_tired_locked(const Prefetch *prefetch)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec > prefetch->tired.tv_sec ||
           (now.tv_sec == prefetch->tired.tv_sec && now.tv_nsec >= prefetch->tired.tv_nsec);
}

/* True if the pipe must be read into memory although there is no room for its frames: the
 * program that writes it may also write the awaited video, and may only continue with that
 * afterwards. What had to be held once is held again at once. */
static bool must_hold_locked(const Track *track)
{
    const Prefetch *const prefetch = track->prefetch;
    const bool awaited = prefetch->awaited && prefetch->awaited != track;
    return !track->full && !track->video->source->seekable &&
           (track->video->source->held < track->to_hold || (awaited && is_tired_locked(prefetch)));
}

/* Reads the pipe into memory; unlocks and locks again meanwhile. */
static void hold_locked(Track *track)
{
    Prefetch *const prefetch = track->prefetch;
    track->holding = true;
    pthread_mutex_unlock(&prefetch->lock);
    const int err = video_hold(track->video);
    pthread_mutex_lock(&prefetch->lock);
    track->holding = false;
    track->full = err != 0;
    const size_t held = track->video->source->held;
    if (held > track->to_hold)
        track->to_hold = held;
}

/* Waits until there may be room, or a need to hold. */
static void wait_for_room_locked(Track *track)
{
    Prefetch *const prefetch = track->prefetch;
    if (prefetch->awaited && !is_tired_locked(prefetch))
        pthread_cond_timedwait(&track->room, &prefetch->lock, &prefetch->tired);
    else
        pthread_cond_wait(&track->room, &prefetch->lock);
}

/* Wakes all threads. Other code wakes only the threads concerned, because there may be thousands
 * of frames a second. */
static void wake_all_locked(Prefetch *prefetch)
{
    pthread_cond_signal(&prefetch->done);
    for (unsigned i = 0; prefetch->tracks && i < prefetch->config.count; i++)
        if (prefetch->tracks[i].prefetch)
            pthread_cond_signal(&prefetch->tracks[i].room);
}

/* Sets the awaited video and wakes the threads of pipes; files do not care. */
static void set_awaited_locked(Prefetch *prefetch, const Track *track)
{
    prefetch->awaited = track;
    for (unsigned i = 0; i < prefetch->config.count; i++)
        if (!prefetch->tracks[i].video->source->seekable)
            pthread_cond_signal(&prefetch->tracks[i].room);
}

/* Waits for room and books the slot of the next frame; NULL if no more frames are wanted. */
static Slot *book_slot(Track *track)
{
    Prefetch *const prefetch = track->prefetch;
    const uint64_t limit = track->frame_limit;
    Slot *slot = NULL;
    pthread_mutex_lock(&prefetch->lock);
    while (!prefetch->stop && !track->ended && !track->dropped && !has_room_locked(track)) {
        if (must_hold_locked(track))
            hold_locked(track);
        else
            wait_for_room_locked(track);
    }
    track->full = false;
    if (!prefetch->stop && !track->ended && !track->dropped) {
        slot = &track->slots[track->found++ % prefetch->config.ahead];
        slot->done = false;
        slot->status = limit && track->found > limit ? FRAME_NONE : FRAME_WHOLE;
    }
    pthread_mutex_unlock(&prefetch->lock);
    return slot;
}

static void finish(Track *track, Slot *slot, enum FrameStatus status)
{
    Prefetch *const prefetch = track->prefetch;
    pthread_mutex_lock(&prefetch->lock);
    slot->status = status;
    slot->done = true;
    track->ended |= status != FRAME_WHOLE;
    if (track->dropped)
        prefetched_release(&slot->frame);
    pthread_cond_signal(&prefetch->done);
    if (track->ended)
        pthread_cond_signal(&track->room);
    pthread_mutex_unlock(&prefetch->lock);
}

/* A thread that reads frames of a track. */
typedef struct Reading {
    const Track *track;
    Convert *convert; /* its own, for held frames */
    void *held;       /* the frame to read; NULL: it is read from the video */
} Reading;

/* Holds the frame that was found, so that the next one can be decoded. */
static enum FrameStatus hold_frame(Reading *reading)
{
    const Video *const video = reading->track->video;
    int err = reading->convert ? 0 : convert_copy(&reading->convert, video->convert);
    reading->held = err ? NULL : video_hold_frame(video);
    if (reading->held)
        return FRAME_WHOLE;
    video_read_error(video, err ? err : -ENOMEM);
    return FRAME_ERROR;
}

static enum FrameStatus fill(Reading *reading, Slot *slot, uint64_t offset)
{
    const Track *const track = reading->track;
    const PrefetchConfig *const config = &track->prefetch->config;
    VmafPicture *const pic = &slot->frame.pic;
    if (config->kept)
        return video_keep(track->video, offset, &slot->frame.kept);
    if (vmaf_fetch_preallocated_picture(config->vmaf, pic)) {
        say("problem fetching a picture");
        return FRAME_ERROR;
    }
    const enum FrameStatus status =
        reading->held
            ? video_read_held(track->video, reading->held, reading->convert, config->planes, pic)
            : video_read(track->video, offset, config->planes, pic);
    if (status != FRAME_WHOLE)
        vmaf_picture_unref(pic);
    return status;
}

/* Throws away the rest of a pipe until it ends or is cancelled: its writer may have to continue
 * with other videos. */
static void drain(const Track *track)
{
    Source *const source = track->video->source;
    const uint64_t some = 1 << 14;
    while (!source->seekable && !source_skip(source, some))
        ;
}

static void stop_reading(Reading *reading)
{
    if (reading->held)
        video_let_go(reading->track->video, reading->held);
    reading->held = NULL;
}

/* A track's thread: finds frames in order under find_lock and reads them outside it. */
static void *run(void *arg)
{
    Track *const track = arg;
    Reading reading = { .track = track };
    for (;;) {
        uint64_t offset = 0;
        pthread_mutex_lock(&track->find_lock);
        Slot *const slot = book_slot(track);
        enum FrameStatus status = slot ? slot->status : FRAME_NONE;
        if (status == FRAME_WHOLE)
            status = video_find(track->video, &offset);
        if (slot && status == FRAME_WHOLE)
            slot->time = video_time(track->video, offset);
        if (slot && status == FRAME_WHOLE && track->held)
            status = hold_frame(&reading);
        if (slot) {
            slot->frame.position = offset;
            slot->frame.time = slot->time;
        }
        if (slot && status != FRAME_WHOLE)
            finish(track, slot, status);
        if (status != FRAME_WHOLE)
            drain(track);
        pthread_mutex_unlock(&track->find_lock);
        if (status != FRAME_WHOLE)
            break;
        finish(track, slot, fill(&reading, slot, offset));
        stop_reading(&reading);
    }
    convert_destroy(reading.convert);
    return NULL;
}

static int track_start(Track *track, Prefetch *prefetch, const PrefetchVideo *video)
{
    *track =
        (Track){ .prefetch = prefetch, .video = video->video, .frame_limit = video->frame_limit };
    const PrefetchConfig *const config = &prefetch->config;
    track->held = !config->kept && config->converting > 1 && video_can_hold(track->video);
    const unsigned threads = track->held              ? config->converting
                             : track->video->parallel ? config->threads
                                                      : 1;
    pthread_mutex_init(&track->find_lock, NULL);
    pthread_cond_init(&track->room, NULL);
    track->slots = calloc(prefetch->config.ahead, sizeof(*track->slots));
    track->threads = calloc(threads, sizeof(*track->threads));
    if (!track->slots || !track->threads)
        return -ENOMEM;
    while (track->thread_count < threads) {
        const int err = pthread_create(&track->threads[track->thread_count], NULL, run, track);
        if (err)
            return -err;
        track->thread_count++;
    }
    return 0;
}

int prefetch_create(Prefetch **out, const PrefetchConfig *config)
{
    Prefetch *const prefetch = calloc(1, sizeof(*prefetch));
    if (!prefetch)
        return -ENOMEM;
    prefetch->config = *config;
    pthread_mutex_init(&prefetch->lock, NULL);
    pthread_cond_init(&prefetch->done, NULL);
    prefetch->tracks = calloc(config->count, sizeof(*prefetch->tracks));
    int err = prefetch->tracks ? 0 : -ENOMEM;
    for (unsigned i = 0; !err && i < config->count; i++)
        err = track_start(&prefetch->tracks[i], prefetch, &config->videos[i]);
    if (err)
        prefetch_destroy(prefetch);
    else
        *out = prefetch;
    return err;
}

static Slot *next_slot(const Track *track)
{
    return &track->slots[track->taken % track->prefetch->config.ahead];
}

/* True if no further frame of this video can be paired. */
static bool has_failed_locked(const Track *track)
{
    const Slot *const slot = next_slot(track);
    return track->dropped ||
           (slot->done && (slot->status == FRAME_CUT || slot->status == FRAME_ERROR));
}

static bool has_partner_locked(const Prefetch *prefetch)
{
    for (unsigned i = 1; i < prefetch->config.count; i++)
        if (!has_failed_locked(&prefetch->tracks[i]))
            return true;
    return false;
}

/* Waits for a frame of this video, and tells the threads of the others, which may have to hold. */
static void wait_for_locked(Prefetch *prefetch, const Track *track)
{
    if (prefetch->awaited != track) {
        clock_gettime(CLOCK_REALTIME, &prefetch->tired);
        prefetch->tired.tv_nsec += TOGETHER_PATIENCE_MS * 1000000L;
        prefetch->tired.tv_sec += prefetch->tired.tv_nsec / 1000000000;
        prefetch->tired.tv_nsec %= 1000000000;
        set_awaited_locked(prefetch, track);
    }
    pthread_cond_wait(&prefetch->done, &prefetch->lock);
}

enum FrameStatus prefetch_look(Prefetch *prefetch, unsigned video, int64_t *time)
{
    const Track *const track = &prefetch->tracks[video];
    const Slot *const slot = next_slot(track);
    enum FrameStatus status = FRAME_WHOLE;
    *time = VIDEO_NO_TIME;
    pthread_mutex_lock(&prefetch->lock);
    while (!prefetch->interrupted && !slot->done &&
           (video || !prefetch->config.by_number || has_partner_locked(prefetch)))
        wait_for_locked(prefetch, track);
    if (prefetch->awaited)
        set_awaited_locked(prefetch, NULL);
    if (prefetch->interrupted) {
        status = FRAME_NONE;
    } else if (slot->done) {
        status = slot->status;
        *time = slot->time;
    }
    pthread_mutex_unlock(&prefetch->lock);
    return status;
}

/* True if a thread that waits for room should be woken. A single thread is woken once for
 * several frames; several threads are woken for each frame. */
static bool is_worth_waking_locked(const Track *track)
{
    return track->thread_count > 1 ||
           track->found <= track->taken + track->prefetch->config.ahead / 2;
}

void prefetch_take(Prefetch *prefetch, unsigned video, Prefetched *frame)
{
    Track *const track = &prefetch->tracks[video];
    Slot *const slot = next_slot(track);
    pthread_mutex_lock(&prefetch->lock);
    *frame = slot->done ? slot->frame : (Prefetched){ 0 };
    if (slot->done) {
        slot->frame = (Prefetched){ 0 };
        slot->done = false;
        track->taken++;
        if (track->holding)
            source_wake(track->video->source);
        if (is_worth_waking_locked(track))
            pthread_cond_signal(&track->room);
    }
    pthread_mutex_unlock(&prefetch->lock);
}

/* Waits until the next frame of a video was read; true if it is whole. */
static bool has_next(Prefetch *prefetch, unsigned video)
{
    const Track *const track = &prefetch->tracks[video];
    const Slot *const slot = next_slot(track);
    pthread_mutex_lock(&prefetch->lock);
    while (!prefetch->interrupted && !slot->done && !track->dropped)
        wait_for_locked(prefetch, track);
    set_awaited_locked(prefetch, NULL);
    const bool whole = !prefetch->interrupted && slot->done && slot->status == FRAME_WHOLE;
    pthread_mutex_unlock(&prefetch->lock);
    return whole;
}

uint64_t prefetch_count(Prefetch *prefetch, unsigned video, uint64_t most)
{
    uint64_t count = 0;
    for (Prefetched frame; count < most && has_next(prefetch, video); count++) {
        prefetch_take(prefetch, video, &frame);
        prefetched_release(&frame);
    }
    return count;
}

static void drop_pictures_locked(Track *track)
{
    for (unsigned i = 0; track->slots && i < track->prefetch->config.ahead; i++)
        if (track->slots[i].done)
            prefetched_release(&track->slots[i].frame);
}

void prefetch_drop(Prefetch *prefetch, unsigned video)
{
    Track *const track = &prefetch->tracks[video];
    pthread_mutex_lock(&prefetch->lock);
    track->dropped = true;
    drop_pictures_locked(track);
    if (track->holding)
        source_wake(track->video->source);
    wake_all_locked(prefetch);
    pthread_mutex_unlock(&prefetch->lock);
}

void prefetch_interrupt(Prefetch *prefetch)
{
    pthread_mutex_lock(&prefetch->lock);
    prefetch->interrupted = true;
    wake_all_locked(prefetch);
    pthread_mutex_unlock(&prefetch->lock);
}

/* Releases frames that nobody took. Threads that wait for a picture need this to continue. */
static void drop_all_pictures(Prefetch *prefetch)
{
    pthread_mutex_lock(&prefetch->lock);
    for (unsigned i = 0; i < prefetch->config.count; i++)
        if (prefetch->tracks[i].prefetch)
            drop_pictures_locked(&prefetch->tracks[i]);
    pthread_mutex_unlock(&prefetch->lock);
}

static void join_threads(Track *track)
{
    source_cancel(track->video->source);
    for (unsigned i = 0; i < track->thread_count; i++)
        pthread_join(track->threads[i], NULL);
}

static void track_destroy(Track *track)
{
    free(track->slots);
    free(track->threads);
    pthread_cond_destroy(&track->room);
    pthread_mutex_destroy(&track->find_lock);
}

void prefetch_destroy(Prefetch *prefetch)
{
    if (!prefetch)
        return;
    pthread_mutex_lock(&prefetch->lock);
    prefetch->stop = true;
    wake_all_locked(prefetch);
    pthread_mutex_unlock(&prefetch->lock);
    if (prefetch->tracks) {
        drop_all_pictures(prefetch);
        for (unsigned i = 0; i < prefetch->config.count; i++)
            if (prefetch->tracks[i].prefetch)
                join_threads(&prefetch->tracks[i]);
        drop_all_pictures(prefetch);
        for (unsigned i = 0; i < prefetch->config.count; i++)
            if (prefetch->tracks[i].prefetch)
                track_destroy(&prefetch->tracks[i]);
    }
    free(prefetch->tracks);
    pthread_cond_destroy(&prefetch->done);
    pthread_mutex_destroy(&prefetch->lock);
    free(prefetch);
}
