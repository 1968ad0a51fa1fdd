/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/together.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "message.h"

typedef struct Together Together;

typedef struct Part {
    Together *together;
    enum Side side;
    bool done;
    bool holding; /* reads ahead until the other is done */
} Part;

struct Together {
    Video *const *video;
    VideoJob job;
    void *arg;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int err; /* the first */
    Part parts[SIDES];
};

static void finish(Part *part, int err)
{
    Together *const together = part->together;
    pthread_mutex_lock(&together->lock);
    const bool first = err && !together->err;
    if (first)
        together->err = err;
    part->done = true;
    if (first)
        source_cancel(together->video[!part->side]->source);
    else if (together->parts[!part->side].holding)
        source_wake(together->video[!part->side]->source);
    pthread_cond_broadcast(&together->changed);
    pthread_mutex_unlock(&together->lock);
}

/* Under the lock. */
static void wait_a_little(Together *together)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += TOGETHER_PATIENCE_MS * 1000000L;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&together->changed, &together->lock, &end);
}

/* Done with one's own: reads on for as long as the other's writer may be waiting for that. */
static void hold_for_other(Part *part)
{
    Together *const together = part->together;
    Part *const other = &together->parts[!part->side];
    pthread_mutex_lock(&together->lock);
    if (!other->done)
        wait_a_little(together);
    part->holding = true;
    for (int err = 0; !err && !other->done && !together->err;) {
        pthread_mutex_unlock(&together->lock);
        err = video_hold(together->video[part->side]);
        pthread_mutex_lock(&together->lock);
    }
    part->holding = false;
    pthread_mutex_unlock(&together->lock);
}

static void *run(void *arg)
{
    Part *const part = arg;
    Together *const together = part->together;
    const int err = together->job(together->video[part->side], part->side, together->arg);
    finish(part, err);
    if (!err)
        hold_for_other(part);
    return NULL;
}

static int do_at_once(Video *const video[SIDES], VideoJob job, void *arg)
{
    Together together = { .video = video, .job = job, .arg = arg };
    pthread_t thread;
    pthread_mutex_init(&together.lock, NULL);
    pthread_cond_init(&together.changed, NULL);
    for (unsigned side = 0; side < SIDES; side++)
        together.parts[side] = (Part){ .together = &together, .side = side };
    const int err = pthread_create(&thread, NULL, run, &together.parts[SIDE_DIST]);
    if (!err) {
        run(&together.parts[SIDE_REF]);
        pthread_join(thread, NULL);
    } else {
        say("no thread to read the videos with");
    }
    pthread_cond_destroy(&together.changed);
    pthread_mutex_destroy(&together.lock);
    return err ? -err : together.err;
}

int videos_do(Video *const video[SIDES], VideoJob job, void *arg)
{
    if (!video[SIDE_REF]->source->seekable || !video[SIDE_DIST]->source->seekable)
        return do_at_once(video, job, arg);
    int err = 0;
    for (unsigned side = 0; side < SIDES && !err; side++)
        err = job(video[side], side, arg);
    return err;
}
