/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/prefetch.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "common/message.h"

typedef struct Together Together;

typedef struct Part {
    Together *together;
    Video *video;
    unsigned number;
    pthread_t thread;
    bool holding; /* reads ahead until all others are done */
} Part;

struct Together {
    VideoJob job;
    void *arg;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int err;       /* the first */
    unsigned open; /* parts that are not done */
    unsigned count;
    Part *parts;
};

/* Under the lock. */
static void cancel_others(const Part *part)
{
    const Together *const together = part->together;
    for (unsigned i = 0; i < together->count; i++)
        if (&together->parts[i] != part)
            source_cancel(together->parts[i].video->source);
}

/* Under the lock. */
static void wake_holders(const Together *together)
{
    for (unsigned i = 0; i < together->count; i++)
        if (together->parts[i].holding)
            source_wake(together->parts[i].video->source);
}

static void finish(Part *part, int err)
{
    Together *const together = part->together;
    pthread_mutex_lock(&together->lock);
    together->open--;
    if (err && !together->err) {
        together->err = err;
        cancel_others(part);
    }
    if (!together->open || together->err)
        wake_holders(together);
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
    while (together->open && !together->err)
        if (pthread_cond_timedwait(&together->changed, &together->lock, &end) == ETIMEDOUT)
            break;
}

/* Done with one's own: reads on for as long as another's writer may be waiting for that. */
static void hold_for_others(Part *part)
{
    Together *const together = part->together;
    pthread_mutex_lock(&together->lock);
    wait_a_little(together);
    part->holding = true;
    for (int err = 0; !err && together->open && !together->err;) {
        pthread_mutex_unlock(&together->lock);
        err = video_hold(part->video);
        pthread_mutex_lock(&together->lock);
    }
    part->holding = false;
    pthread_mutex_unlock(&together->lock);
}

static void *run(void *arg)
{
    Part *const part = arg;
    Together *const together = part->together;
    const int err = together->job(part->video, part->number, together->arg);
    finish(part, err);
    if (!err)
        hold_for_others(part);
    return NULL;
}

/* Counted out again, as those that fail. */
static int start(Part *part)
{
    const int err = pthread_create(&part->thread, NULL, run, part);
    if (err) {
        say("no thread to read the videos with");
        finish(part, -err);
    }
    return err;
}

static void run_parts(Together *together)
{
    unsigned started = 1; /* the first one is ours */
    while (started < together->count && !start(&together->parts[started]))
        started++;
    pthread_mutex_lock(&together->lock);
    together->open -= started < together->count ? together->count - started - 1 : 0;
    pthread_mutex_unlock(&together->lock);
    run(&together->parts[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(together->parts[i].thread, NULL);
}

static int do_at_once(Video *const *videos, unsigned count, VideoJob job, void *arg)
{
    Together together = { .job = job, .arg = arg, .count = count, .open = count };
    together.parts = calloc(count, sizeof(*together.parts));
    if (!together.parts)
        return -ENOMEM;
    pthread_mutex_init(&together.lock, NULL);
    pthread_cond_init(&together.changed, NULL);
    for (unsigned i = 0; i < count; i++)
        together.parts[i] = (Part){ .together = &together, .video = videos[i], .number = i };
    run_parts(&together);
    pthread_cond_destroy(&together.changed);
    pthread_mutex_destroy(&together.lock);
    free(together.parts);
    return together.err;
}

int videos_do(Video *const *videos, unsigned count, VideoJob job, void *arg)
{
    int err = 0;
    for (unsigned i = 0; i < count; i++)
        if (!videos[i]->source->seekable)
            return do_at_once(videos, count, job, arg);
    for (unsigned i = 0; i < count && !err; i++)
        err = job(videos[i], i, arg);
    return err;
}
