/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <pthread.h>

#include "base/mem.h"
#include "message.h"
#include "reader.h"

/* One frame on its way from the video to the caller. Slots of a track are used in turn. */
typedef struct Slot {
    bool done;
    enum FrameStatus status;
    VmafPicture pic;
} Slot;

/* One video. */
typedef struct Track {
    Reader *reader;
    Video *video;
    pthread_mutex_t find_lock; /* frames are found in order, by one thread at a time */
    uint64_t found, taken;     /* frames, ended or not, that got a slot; that the caller has */
    bool ended;
    Slot *slots;
    pthread_t *threads;
    unsigned thread_count;
} Track;

struct Reader {
    ReaderConfig config;
    pthread_mutex_t lock; /* over slots, counters and flags */
    pthread_cond_t changed;
    bool stop;
    Track tracks[SIDES];
};

unsigned reader_pool_size(unsigned ahead, unsigned in_work)
{
    const unsigned kept = 2;    /* references that motion looks back at */
    const unsigned in_hand = 2; /* the pair between reader and context */
    return SIDES * (ahead + in_work) + kept + in_hand;
}

/* Waits for room and books the slot of the next frame; NULL when there is nothing more to do. */
static Slot *book_slot(Track *track)
{
    Reader *const reader = track->reader;
    const uint64_t limit = reader->config.frame_limit;
    Slot *slot = NULL;
    pthread_mutex_lock(&reader->lock);
    while (!reader->stop && !track->ended && track->found >= track->taken + reader->config.ahead)
        pthread_cond_wait(&reader->changed, &reader->lock);
    if (!reader->stop && !track->ended) {
        slot = &track->slots[track->found++ % reader->config.ahead];
        slot->done = false;
        slot->status = limit && track->found > limit ? FRAME_NONE : FRAME_WHOLE;
    }
    pthread_mutex_unlock(&reader->lock);
    return slot;
}

static void finish(Track *track, Slot *slot, enum FrameStatus status)
{
    Reader *const reader = track->reader;
    pthread_mutex_lock(&reader->lock);
    slot->status = status;
    slot->done = true;
    track->ended |= status != FRAME_WHOLE;
    pthread_cond_broadcast(&reader->changed);
    pthread_mutex_unlock(&reader->lock);
}

static enum FrameStatus fill(const Track *track, Slot *slot, uint64_t offset)
{
    const ReaderConfig *const config = &track->reader->config;
    if (vmaf_fetch_preallocated_picture(config->vmaf, &slot->pic)) {
        say("problem fetching a picture");
        return FRAME_ERROR;
    }
    const enum FrameStatus status = video_read(track->video, offset, config->planes, &slot->pic);
    if (status != FRAME_WHOLE)
        vmaf_picture_unref(&slot->pic);
    return status;
}

/* Files are found under the lock and read outside it, by as many threads as there are. */
static void *run(void *arg)
{
    Track *const track = arg;
    for (;;) {
        uint64_t offset = 0;
        pthread_mutex_lock(&track->find_lock);
        Slot *const slot = book_slot(track);
        enum FrameStatus status = slot ? slot->status : FRAME_NONE;
        if (status == FRAME_WHOLE)
            status = video_find(track->video, &offset);
        if (slot && status != FRAME_WHOLE)
            finish(track, slot, status);
        pthread_mutex_unlock(&track->find_lock);
        if (status != FRAME_WHOLE)
            return NULL;
        finish(track, slot, fill(track, slot, offset));
    }
}

static int track_start(Track *track, Reader *reader, unsigned side)
{
    *track = (Track){ .reader = reader, .video = reader->config.video[side] };
    const unsigned threads = track->video->source->seekable ? reader->config.threads : 1;
    pthread_mutex_init(&track->find_lock, NULL);
    track->slots = mem_array(reader->config.ahead, sizeof(*track->slots));
    track->threads = mem_array(threads, sizeof(*track->threads));
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

int reader_create(Reader **out, const ReaderConfig *config)
{
    Reader *const reader = mem_zalloc(sizeof(*reader));
    if (!reader)
        return -ENOMEM;
    reader->config = *config;
    pthread_mutex_init(&reader->lock, NULL);
    pthread_cond_init(&reader->changed, NULL);
    for (unsigned side = 0; side < SIDES; side++) {
        const int err = track_start(&reader->tracks[side], reader, side);
        if (err) {
            reader_destroy(reader);
            return err;
        }
    }
    *out = reader;
    return 0;
}

void reader_next(Reader *reader, VmafPicture pic[SIDES], enum FrameStatus status[SIDES])
{
    pthread_mutex_lock(&reader->lock);
    for (unsigned side = 0; side < SIDES; side++) {
        Track *const track = &reader->tracks[side];
        Slot *const slot = &track->slots[track->taken % reader->config.ahead];
        while (!slot->done)
            pthread_cond_wait(&reader->changed, &reader->lock);
        pic[side] = slot->pic;
        status[side] = slot->status;
        slot->pic = (VmafPicture){ 0 };
        slot->done = false;
        track->taken++;
    }
    pthread_cond_broadcast(&reader->changed);
    pthread_mutex_unlock(&reader->lock);
}

/* Gives back what nobody took. A thread that waits for a picture needs that, too. */
static void drop_pictures(Reader *reader)
{
    pthread_mutex_lock(&reader->lock);
    for (unsigned side = 0; side < SIDES; side++) {
        Slot *const slots = reader->tracks[side].slots;
        for (unsigned i = 0; slots && i < reader->config.ahead; i++)
            if (slots[i].done && slots[i].pic.ref)
                vmaf_picture_unref(&slots[i].pic);
    }
    pthread_mutex_unlock(&reader->lock);
}

void reader_destroy(Reader *reader)
{
    if (!reader)
        return;
    pthread_mutex_lock(&reader->lock);
    reader->stop = true;
    pthread_cond_broadcast(&reader->changed);
    pthread_mutex_unlock(&reader->lock);
    drop_pictures(reader);
    for (unsigned side = 0; side < SIDES; side++) {
        Track *const track = &reader->tracks[side];
        for (unsigned i = 0; i < track->thread_count; i++)
            pthread_join(track->threads[i], NULL);
    }
    drop_pictures(reader);
    for (unsigned side = 0; side < SIDES; side++) {
        Track *const track = &reader->tracks[side];
        mem_free(track->slots);
        mem_free(track->threads);
        if (track->reader)
            pthread_mutex_destroy(&track->find_lock);
    }
    pthread_cond_destroy(&reader->changed);
    pthread_mutex_destroy(&reader->lock);
    mem_free(reader);
}
