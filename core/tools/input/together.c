/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/prefetch.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "common/message.h"

typedef struct Together Together;

typedef struct Worker {
    Together *together;
    Video *video;
    unsigned number;
    pthread_t thread;
    bool holding; /* its job is done; it reads ahead until the others are done */
} Worker;

struct Together {
    VideoJob job;
    void *arg;
    pthread_mutex_t lock; /* guards err, open and the workers' `holding` */
    pthread_cond_t changed;
    int err;       /* error of the first job that failed */
    unsigned open; /* workers whose job is not done */
    unsigned count;
    Worker *workers;
};

static void cancel_others_locked(const Worker *worker)
{
    const Together *const together = worker->together;
    for (unsigned i = 0; i < together->count; i++)
        if (&together->workers[i] != worker)
            source_cancel(together->workers[i].video->source);
}

static void wake_holders_locked(const Together *together)
{
    for (unsigned i = 0; i < together->count; i++)
        if (together->workers[i].holding)
            source_wake(together->workers[i].video->source);
}

static void finish(Worker *worker, int err)
{
    Together *const together = worker->together;
    pthread_mutex_lock(&together->lock);
    together->open--;
    if (err && !together->err) {
        together->err = err;
        cancel_others_locked(worker);
    }
    if (!together->open || together->err)
        wake_holders_locked(together);
    pthread_cond_broadcast(&together->changed);
    pthread_mutex_unlock(&together->lock);
}

static void wait_a_little_locked(Together *together)
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

/* After its own job: keeps reading the video into memory, because the program that writes
 * another video may be waiting for that. */
static void hold_for_others(Worker *worker)
{
    Together *const together = worker->together;
    pthread_mutex_lock(&together->lock);
    wait_a_little_locked(together);
    worker->holding = true;
    for (int err = 0; !err && together->open && !together->err;) {
        pthread_mutex_unlock(&together->lock);
        err = video_hold(worker->video);
        pthread_mutex_lock(&together->lock);
    }
    worker->holding = false;
    pthread_mutex_unlock(&together->lock);
}

static void *run(void *arg)
{
    Worker *const worker = arg;
    Together *const together = worker->together;
    const int err = together->job(worker->video, worker->number, together->arg);
    finish(worker, err);
    if (!err)
        hold_for_others(worker);
    return NULL;
}

/* Starts a worker's thread; if that fails, counts the worker as failed. */
static int start(Worker *worker)
{
    const int err = pthread_create(&worker->thread, NULL, run, worker);
    if (err) {
        say("could not start a thread that reads a video");
        finish(worker, -err);
    }
    return err;
}

static void run_workers(Together *together)
{
    unsigned started = 1; /* the first runs on this thread */
    while (started < together->count && !start(&together->workers[started]))
        started++;
    pthread_mutex_lock(&together->lock);
    together->open -= started < together->count ? together->count - started - 1 : 0;
    pthread_mutex_unlock(&together->lock);
    run(&together->workers[0]);
    for (unsigned i = 1; i < started; i++)
        pthread_join(together->workers[i].thread, NULL);
}

static int do_at_once(Video *const *videos, unsigned count, VideoJob job, void *arg)
{
    Together together = { .job = job, .arg = arg, .count = count, .open = count };
    together.workers = calloc(count, sizeof(*together.workers));
    if (!together.workers)
        return -ENOMEM;
    pthread_mutex_init(&together.lock, NULL);
    pthread_cond_init(&together.changed, NULL);
    for (unsigned i = 0; i < count; i++)
        together.workers[i] = (Worker){ .together = &together, .video = videos[i], .number = i };
    run_workers(&together);
    pthread_cond_destroy(&together.changed);
    pthread_mutex_destroy(&together.lock);
    free(together.workers);
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
