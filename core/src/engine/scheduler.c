/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/scheduler_struct.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/client.h"

int scheduler_create(Scheduler **out, unsigned threads)
{
    Scheduler *s = mem_zalloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->freed, NULL);
    pthread_cond_init(&s->queued, NULL);
    const int err = threads ? team_create(&s->team, threads) : 0;
    if (err) {
        scheduler_destroy(s);
        return err;
    }
    *out = s;
    return 0;
}

void scheduler_share_team(Scheduler *s, Scheduler *other)
{
    assert(!s->frames);
    if (other->team)
        team_retain(other->team);
    team_destroy(s->team);
    s->team = other->team;
}

static void destroy_frames(Scheduler *s)
{
    for (unsigned i = 0; s->frames && i < s->in_flight; i++) {
        Frame *frame = &s->frames[i];
        for (unsigned j = 0; j < frame->job_capacity; j++) {
            if (!frame->jobs[j])
                continue;
            mem_aligned_free(frame->jobs[j]->result);
            mem_free(frame->jobs[j]->results);
            mem_free(frame->jobs[j]);
        }
        mem_free(frame->jobs);
        mem_free(frame->measured);
    }
    mem_free(s->frames);
    mem_free(s->measured);
    reporter_clear(&s->reporter);
}

void scheduler_forget_previous(Scheduler *s)
{
    for (unsigned i = 0; i < 2; i++)
        picture_release(&s->previous[i]);
    picture_release(&s->previous_dist);
}

void scheduler_destroy(Scheduler *s)
{
    if (!s)
        return;
    atomic_store(&s->cancelled, true);
    scheduler_wait(s);
    team_destroy(s->team);
    scheduler_close_gpu(s, s->gpu);
    mem_free(s->gpu_device);
    scheduler_forget_previous(s);
    destroy_frames(s);
    for (unsigned i = 0; i < s->run_count; i++)
        feature_run_destroy(s->runs[i]);
    mem_free(s->runs);
    pthread_cond_destroy(&s->queued);
    pthread_cond_destroy(&s->freed);
    pthread_mutex_destroy(&s->lock);
    mem_free(s);
}

int scheduler_add(Scheduler *s, Feature *feature)
{
    if (mem_grow(&s->runs, s->run_count, &s->run_capacity, sizeof(*s->runs)))
        return -ENOMEM;
    const int err = feature_run_create(&s->runs[s->run_count], feature);
    if (!err)
        s->run_count++;
    return err;
}

unsigned scheduler_feature_count(const Scheduler *s)
{
    return s->run_count;
}

Feature *scheduler_feature(const Scheduler *s, unsigned i)
{
    return s->runs[i]->feature;
}

void scheduler_use_gpu(Scheduler *s, GpuClient *gpu)
{
    assert(!s->frames);
    pthread_mutex_lock(&s->lock);
    s->gpu = gpu;
    pthread_mutex_unlock(&s->lock);
}

bool scheduler_has_begun(const Scheduler *s)
{
    return s->frames != NULL;
}

/* One frame for each worker, one that waits, and the frames of the GPU's ring. And 3/8 of the
 * workers more: the more workers there are, the further the fastest can be ahead of a late frame
 * (only few share its strips), and the sooner a next frame is needed, maybe long before the reader
 * has woken up. */
unsigned scheduler_in_flight(const Scheduler *s)
{
    const unsigned workers = s->team ? team_size(s->team) : 0;
    return 1 + workers + workers * 3 / 8 + (s->gpu ? s->gpu->depth : 0);
}

static void keep_error(Scheduler *s, const Feature *feature, unsigned index, int err)
{
    log_warning("feature extractor \"%s\" failed at index %u", feature->def->name, index);
    pthread_mutex_lock(&s->lock);
    if (!s->err)
        s->err = err;
    pthread_mutex_unlock(&s->lock);
}

int scheduler_error(Scheduler *s)
{
    pthread_mutex_lock(&s->lock);
    const int err = s->err;
    s->err = 0;
    pthread_mutex_unlock(&s->lock);
    return err;
}

static void free_frame_locked(Scheduler *s, Frame *frame)
{
    frame->next = NULL;
    frame->ticket = 0;
    if (s->free_last)
        s->free_last->next = frame;
    else
        s->free_frames = frame;
    s->free_last = frame;
    pthread_cond_broadcast(&s->freed);
}

static void report(Scheduler *s, Frame *frame)
{
    if (atomic_load(&s->cancelled))
        return;
    unsigned count = 0;
    for (unsigned i = 0; i < frame->job_count; i++) {
        const Job *job = frame->jobs[i];
        if (job->due)
            frame->measured[count++] = (Measured){ job->run->feature, job->result, job->err };
    }
    const Feature *failed = NULL;
    const int err = s->keep
                        ? s->keep(s->keep_arg, &frame->id, frame->measured, count, &failed)
                        : reporter_frame(&s->reporter, &frame->id, frame->measured, count, &failed);
    if (err)
        keep_error(s, failed, frame->id.index, err);
}

/* Reports the next frame in order if it is measured, and those after it, unless another thread does
 * so already. Unlocks while it reports. */
static void report_in_order_locked(Scheduler *s)
{
    if (s->reporting)
        return;
    s->reporting = true;
    Frame *frame;
    while ((frame = s->measured[s->reported % s->in_flight])) {
        s->measured[s->reported % s->in_flight] = NULL;
        pthread_mutex_unlock(&s->lock);
        report(s, frame);
        pthread_mutex_lock(&s->lock);
        s->reported++;
        free_frame_locked(s, frame);
    }
    s->reporting = false;
}

static bool is_serial(const FeatureRun *run)
{
    return run->feature->def->flags & FEATURE_SERIAL && run->gpu_number < 0;
}

/* The next waiting frame of a serial feature, which has finished one; NULL: none waits. */
static Job *next_turn_locked(FeatureRun *run)
{
    Job *next = run->waiting;
    run->measuring = next != NULL;
    if (next) {
        run->waiting = next->next;
        if (!run->waiting)
            run->waiting_last = NULL;
    }
    return next;
}

/* Drops one reference to the frame. The last one releases the pictures and hands the frame over to
 * be reported. */
static void release_frame(Scheduler *s, Frame *frame)
{
    VmafPicture done[PICTURES];
    pthread_mutex_lock(&s->lock);
    const bool last = --frame->unmeasured == 0;
    for (unsigned i = 0; last && i < PICTURES; i++) {
        done[i] = frame->pictures[i];
        frame->pictures[i] = (VmafPicture){ 0 };
    }
    pthread_mutex_unlock(&s->lock);
    if (!last)
        return;
    for (unsigned i = 0; i < PICTURES; i++)
        picture_release(&done[i]);
    pthread_mutex_lock(&s->lock);
    s->measured[(frame->ticket - 1) % s->in_flight] = frame;
    report_in_order_locked(s);
    pthread_mutex_unlock(&s->lock);
}

static void finish_job(Scheduler *s, Job *job, int err)
{
    FeatureRun *run = job->run;
    job->err = err;
    pthread_mutex_lock(&s->lock);
    Job *next = is_serial(run) ? next_turn_locked(run) : NULL;
    if (next)
        team_submit(s->team, &next->task);
    pthread_mutex_unlock(&s->lock);
    release_frame(s, job->frame);
}

/* Returns the job of the i-th guest in the same frame. */
static Job *guest_job(const Job *job, unsigned i)
{
    return job->frame->jobs[job->run->feature->guests[i]->order];
}

static void run_job(Task *task)
{
    Job *job = (Job *)task; /* its first member */
    Scheduler *s = job->frame->scheduler;
    int err = 0;
    if (!atomic_load(&s->cancelled))
        err = feature_run_measure(job, &s->lock, &job->frame->pair, s->team);
    for (unsigned i = 0; i < job->run->feature->guest_count; i++)
        finish_job(s, guest_job(job, i), err);
    finish_job(s, job, err);
}

void scheduler_finish_on_gpu(Frame *frame, int err)
{
    for (unsigned i = 0; i < frame->job_count; i++)
        if (frame->jobs[i]->due && frame->jobs[i]->run->gpu_number >= 0)
            finish_job(frame->scheduler, frame->jobs[i], err);
    release_frame(frame->scheduler, frame);
}

static int create_frames(Scheduler *s)
{
    const unsigned count = scheduler_in_flight(s);
    Frame *frames = mem_array(count, sizeof(*frames));
    Frame **measured = mem_array(count, sizeof(*measured));
    if (!frames || !measured) {
        mem_free(frames);
        mem_free(measured);
        return -ENOMEM;
    }
    pthread_mutex_lock(&s->lock); /* other threads may wait for frames that do not exist yet */
    s->frames = frames;
    s->measured = measured;
    s->in_flight = count;
    for (unsigned i = 0; i < s->in_flight; i++) {
        s->frames[i].scheduler = s;
        free_frame_locked(s, &s->frames[i]);
    }
    pthread_mutex_unlock(&s->lock);
    return 0;
}

/* Fills Job.results of features that have guests. */
static int list_results(Frame *frame)
{
    for (unsigned i = 0; i < frame->job_capacity; i++) {
        Job *const job = frame->jobs[i];
        const unsigned guests = job->run->feature->guest_count;
        if (!guests || job->results)
            continue;
        job->results = mem_array(guests + 1, sizeof(*job->results));
        if (!job->results)
            return -ENOMEM;
        job->results[0] = job->result;
        for (unsigned g = 0; g < guests; g++)
            job->results[g + 1] = guest_job(job, g)->result;
    }
    return 0;
}

static int grow_jobs(Scheduler *s, Frame *frame)
{
    if (frame->job_capacity < s->run_count) {
        Measured *measured = mem_realloc(frame->measured, s->run_count * sizeof(*measured));
        if (!measured)
            return -ENOMEM;
        frame->measured = measured;
        Job **jobs = mem_realloc(frame->jobs, s->run_count * sizeof(*jobs));
        if (!jobs)
            return -ENOMEM;
        frame->jobs = jobs;
        while (frame->job_capacity < s->run_count)
            jobs[frame->job_capacity++] = NULL;
    }
    for (unsigned i = 0; i < s->run_count; i++) {
        if (frame->jobs[i])
            continue;
        const size_t size = s->runs[i]->feature->def->result_size;
        Job *job = mem_zalloc(sizeof(*job));
        void *result = job ? mem_aligned_alloc(size ? size : 1) : NULL;
        if (!result) {
            mem_free(job);
            return -ENOMEM;
        }
        memset(result, 0, size); /* parts of a clip pass on unset fields, too */
        *job = (Job){ .task.run = run_job, .run = s->runs[i], .frame = frame, .result = result };
        frame->jobs[i] = job;
    }
    return list_results(frame);
}

/* Waits for the frame that the next pair will use. It stays at the head of the free list until
 * then. */
static Frame *next_frame(Scheduler *s)
{
    pthread_mutex_lock(&s->lock);
    while (!s->free_frames)
        pthread_cond_wait(&s->freed, &s->lock);
    Frame *frame = s->free_frames;
    pthread_mutex_unlock(&s->lock);
    return frame;
}

static Frame *take_frame(Scheduler *s)
{
    Frame *frame = next_frame(s);
    pthread_mutex_lock(&s->lock);
    s->free_frames = frame->next;
    if (!s->free_frames)
        s->free_last = NULL;
    frame->ticket = ++s->tickets;
    pthread_mutex_unlock(&s->lock);
    return frame;
}

static bool measures_here(const FeatureRun *run)
{
    return run->gpu_number < 0 && !run->is_guest;
}

/* Lets features that do the same work share it. This happens once, before the first pair: features
 * that are registered later work for themselves, because frames are under way by then. */
static void join_runs(Scheduler *s)
{
    if (s->tickets || s->joined)
        return;
    s->joined = true;
    for (unsigned i = 1; i < s->run_count; i++)
        for (unsigned host = 0; host < i && measures_here(s->runs[i]); host++)
            if (measures_here(s->runs[host]))
                feature_run_join(s->runs[host], s->runs[i]);
}

int scheduler_prepare(Scheduler *s, const FrameShape *shape)
{
    int err = s->frames ? 0 : create_frames(s);
    for (unsigned i = 0; !err && i < s->run_count; i++)
        err = feature_run_init(s->runs[i], shape, team_size(s->team));
    if (!err && s->gpu && !s->gpu_asked) {
        err = scheduler_open_gpu(s);
        s->gpu_asked = !err;
    }
    if (err)
        return err;
    join_runs(s);
    return grow_jobs(s, next_frame(s));
}

static bool takes_part(const FeatureRun *run, const FrameInput *input)
{
    return input->scored || run->feature->def->flags & FEATURE_EVERY_FRAME;
}

/* Fills the frame. The reader holds a reference while it starts the jobs, and so does the collector
 * if the GPU takes features. */
static void load_frame(Scheduler *s, Frame *frame, const FrameInput *input)
{
    const VmafPicture *const from[PICTURES] = { input->ref, input->dist, &s->previous[0],
                                                &s->previous[1], &s->previous_dist };
    for (unsigned i = 0; i < PICTURES; i++)
        if (from[i]->ref)
            picture_retain(&frame->pictures[i], from[i]);
    VmafPicture *pics = frame->pictures;
    frame->id = input->id;
    frame->pair = (FramePair){
        .ref = &pics[0],
        .dist = &pics[1],
        .prev_ref = { pics[2].ref ? &pics[2] : NULL, pics[3].ref ? &pics[3] : NULL },
        .prev_dist = pics[4].ref ? &pics[4] : NULL,
        .position = input->id.position,
    };
    frame->on_gpu = 0;
    frame->unmeasured = 1 + (s->gpu_run_count != 0);
    frame->job_count = s->run_count;
    for (unsigned i = 0; i < s->run_count; i++) {
        FeatureRun *run = s->runs[i];
        frame->jobs[i]->due = takes_part(run, input);
        if (!frame->jobs[i]->due)
            continue;
        frame->unmeasured++;
        if (run->gpu_number >= 0)
            frame->on_gpu |= (FeatureSet)1 << run->gpu_number;
    }
}

/* Must the job wait? Frames of a serial feature wait in FeatureRun.waiting, not in the team's
 * queue. */
static bool must_wait(Scheduler *s, Job *job)
{
    FeatureRun *run = job->run;
    pthread_mutex_lock(&s->lock);
    const bool busy = run->measuring;
    run->measuring = true;
    if (busy) {
        job->next = NULL;
        if (run->waiting_last)
            run->waiting_last->next = job;
        else
            run->waiting = job;
        run->waiting_last = job;
    }
    pthread_mutex_unlock(&s->lock);
    return busy;
}

static void start_job(Scheduler *s, Job *job)
{
    if (is_serial(job->run) && must_wait(s, job))
        return;
    if (s->team)
        team_submit(s->team, &job->task);
    else
        run_job(&job->task);
}

/* The longest reach of any feature. */
static unsigned longest_reach(const Scheduler *s)
{
    unsigned reach = 0;
    for (unsigned i = 0; i < s->run_count; i++)
        if (s->runs[i]->feature->def->reach > reach)
            reach = s->runs[i]->feature->def->reach;
    return reach;
}

static bool any_wants_prev_dist(const Scheduler *s)
{
    for (unsigned i = 0; i < s->run_count; i++)
        if (s->runs[i]->feature->def->flags & FEATURE_PREV_DIST)
            return true;
    return false;
}

/* Keeps pictures only as far as features look back: other pictures are free to be reused. */
static void remember(Scheduler *s, const VmafPicture *ref, const VmafPicture *dist)
{
    const unsigned reach = longest_reach(s);
    picture_release(&s->previous[1]);
    if (reach > 1 && s->previous[0].ref)
        picture_retain(&s->previous[1], &s->previous[0]);
    picture_release(&s->previous[0]);
    if (reach > 0)
        picture_retain(&s->previous[0], ref);
    picture_release(&s->previous_dist);
    if (any_wants_prev_dist(s))
        picture_retain(&s->previous_dist, dist);
}

int scheduler_read(Scheduler *s, const FrameInput *input)
{
    Frame *frame = take_frame(s);
    load_frame(s, frame, input);
    remember(s, input->ref, input->dist);
    if (s->gpu_run_count)
        scheduler_submit_to_gpu(s, frame);
    for (unsigned i = 0; i < s->run_count; i++)
        if (frame->jobs[i]->due && measures_here(s->runs[i]))
            start_job(s, frame->jobs[i]);
    release_frame(s, frame);
    return s->team ? 0 : scheduler_error(s);
}

void scheduler_keep(Scheduler *s, KeepMeasured keep, void *arg)
{
    assert(!s->frames);
    s->keep = keep;
    s->keep_arg = arg;
}

int scheduler_replay(Scheduler *s, const FrameId *id, void *const *results)
{
    Frame *const frame = next_frame(s);
    const Feature *failed = NULL;
    unsigned count = 0;
    for (unsigned i = 0; i < s->run_count; i++)
        if (results[i])
            frame->measured[count++] = (Measured){ s->runs[i]->feature, results[i], 0 };
    const int err = reporter_frame(&s->reporter, id, frame->measured, count, &failed);
    if (err)
        log_warning("feature extractor \"%s\" failed at index %u", failed->def->name, id->index);
    return err;
}

/* Is a frame under way whose ticket is at most `last`? */
static bool is_at_work_locked(const Scheduler *s, uint64_t last)
{
    for (unsigned i = 0; i < s->in_flight; i++)
        if (s->frames[i].ticket && s->frames[i].ticket <= last)
            return true;
    return false;
}

static void wait_for_frames(Scheduler *s, bool gpu_only)
{
    pthread_mutex_lock(&s->lock);
    /* Do not wait for frames that come meanwhile: with a busy reader that might never end. */
    const uint64_t last = s->tickets;
    while ((s->gpu || !gpu_only) && is_at_work_locked(s, last))
        pthread_cond_wait(&s->freed, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

void scheduler_wait(Scheduler *s)
{
    wait_for_frames(s, false);
}

void scheduler_settle(Scheduler *s)
{
    wait_for_frames(s, true);
}

int scheduler_flush(Scheduler *s)
{
    scheduler_wait(s);
    int err = scheduler_error(s);
    for (unsigned i = 0; !err && !s->keep && i < s->run_count; i++) {
        FeatureRun *run = s->runs[i];
        if (run->state != RUN_READY || run->flushed)
            continue;
        err = reporter_flush(&s->reporter, run->feature);
        run->flushed = !err;
        if (err)
            log_warning("feature extractor \"%s\" failed at the end of the stream",
                        run->feature->def->name);
    }
    return err;
}
