/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The scheduler's features on a GPU: which ones run there, and the thread that collects results. */
#include "engine/scheduler_struct.h"

#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "base/mem.h"
#include "gpu/client.h"

/* ---- the collector ---- */

static void collect_frame(Scheduler *s, Frame *frame)
{
    void *results[FEATURE_SET_SIZE];
    for (unsigned i = 0; i < s->gpu_run_count; i++)
        results[i] =
            frame->on_gpu >> i & 1 ? frame->jobs[s->gpu_runs[i]->feature->order]->result : NULL;
    scheduler_finish_on_gpu(frame, client_collect(s->gpu, results));
}

static void *collect_frames(void *arg)
{
    Scheduler *s = arg;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        Frame *frame = s->queue;
        if (frame) {
            s->queue = frame->next;
            if (!s->queue)
                s->queue_last = NULL;
            pthread_mutex_unlock(&s->lock);
            collect_frame(s, frame);
            pthread_mutex_lock(&s->lock);
        } else if (s->collector_ends) {
            break;
        } else {
            pthread_cond_wait(&s->queued, &s->lock);
        }
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static int start_collector(Scheduler *s)
{
    s->collecting = !pthread_create(&s->collector, NULL, collect_frames, s);
    return s->collecting ? 0 : -ENOMEM;
}

static void end_collector(Scheduler *s)
{
    if (!s->collecting)
        return;
    pthread_mutex_lock(&s->lock);
    s->collector_ends = true;
    pthread_cond_signal(&s->queued);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->collector, NULL);
    s->collecting = false;
}

static void enqueue(Scheduler *s, Frame *frame)
{
    pthread_mutex_lock(&s->lock);
    frame->next = NULL;
    if (s->queue_last)
        s->queue_last->next = frame;
    else
        s->queue = frame;
    s->queue_last = frame;
    pthread_cond_signal(&s->queued);
    pthread_mutex_unlock(&s->lock);
}

void scheduler_submit_to_gpu(Scheduler *s, Frame *frame)
{
    const int err = client_submit(s->gpu, &frame->pair, frame->on_gpu);
    if (err)
        scheduler_finish_on_gpu(frame, err);
    else
        enqueue(s, frame);
}

/* ---- which features run there ---- */

static unsigned list_runs(Scheduler *s, Feature *features[FEATURE_SET_SIZE])
{
    unsigned count = 0;
    for (unsigned i = 0; i < s->run_count && count < FEATURE_SET_SIZE; i++) {
        if (!s->runs[i]->feature->def->gpu)
            continue;
        s->gpu_runs[count] = s->runs[i];
        features[count++] = s->runs[i]->feature;
    }
    return count;
}

/* Logs that a feature cannot run on the GPU. -EINVAL unless it may run on the CPU instead. */
static int refuse(const Scheduler *s, const Feature *f, const char *why)
{
    const bool must = f->gpu_only || !s->gpu->fallback_cpu;
    if (must)
        log_error("feature \"%s\" cannot run on %s: %s; score on the CPU, or let such features run "
                  "there (--backend auto, or fallback_cpu in the options of the device)",
                  f->def->name, s->gpu->backend, why);
    else
        log_warning("feature \"%s\" runs on the CPU, because it cannot run on %s: %s", f->def->name,
                    s->gpu->backend, why);
    return must ? -EINVAL : 0;
}

/* Logs once which features run on the CPU beside the program's device because they have no GPU
 * code. Reports say it, too, but the program may write none. */
static void tell_beside(const Scheduler *s)
{
    char names[512];
    size_t used = 0;
    for (unsigned i = 0; i < s->run_count && used < sizeof(names); i++) {
        const FeatureDef *const def = s->runs[i]->feature->def;
        if (!def->gpu)
            used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
                                     def->name);
    }
    if (used && client_should_tell(s->gpu))
        log_warning("beside %s these features run on the CPU, because they have no GPU code: %s",
                    s->gpu->backend, names);
}

static int check_features(const Scheduler *s, FeatureSet taken)
{
    unsigned count = 0;
    for (unsigned i = 0; i < s->run_count; i++) {
        const Feature *f = s->runs[i]->feature;
        if (!f->def->gpu)
            continue;
        int err = 0;
        if (count >= FEATURE_SET_SIZE) {
            err = refuse(s, f, "a context runs at most 64 features there");
        } else if (!(taken >> count & 1)) {
            const char *why = client_refusal(s->gpu, count);
            err = refuse(s, f, why ? why : "it does not take these options or pictures");
        }
        if (err)
            return err;
        count++;
    }
    if (!count && s->gpu->required) {
        log_error("%s is required, but none of the features has code for a GPU", s->gpu->backend);
        return -EINVAL;
    }
    tell_beside(s);
    return 0;
}

static void set_numbers(Scheduler *s, unsigned count, FeatureSet taken)
{
    for (unsigned i = 0; i < count; i++) {
        const bool on_gpu = taken >> i & 1;
        if (on_gpu)
            s->gpu_runs[i]->gpu_number = (int)i;
        log_debug("feature \"%s\" runs on %s", s->gpu_runs[i]->feature->def->name,
                  on_gpu ? s->gpu->backend : "the CPU");
    }
    s->gpu_run_count = taken ? count : 0;
}

static int copy_name(Scheduler *s)
{
    mem_free(s->gpu_device); /* from an attempt before */
    s->gpu_device = mem_strdup(s->gpu->device);
    s->gpu_identity = *s->gpu->identity;
    return s->gpu_device ? 0 : -ENOMEM;
}

int scheduler_open_gpu(Scheduler *s)
{
    Feature *features[FEATURE_SET_SIZE];
    FeatureSet taken = 0;
    const unsigned count = list_runs(s, features);
    int err = copy_name(s);
    if (!err && count)
        err = client_open(s->gpu, features, count, &taken);
    s->gpu_opened = count && !err;
    if (!err)
        err = check_features(s, taken);
    if (!err && taken)
        err = start_collector(s);
    if (err)
        scheduler_close_gpu(s, s->gpu);
    else
        set_numbers(s, count, taken);
    return err;
}

void scheduler_close_gpu(Scheduler *s, GpuClient *gpu)
{
    end_collector(s);
    if (s->gpu_opened)
        client_close(gpu);
    s->gpu_opened = false;
}

/* ---- devices of features ---- */

static void find_device_locked(const Scheduler *s, const FeatureRun *run, FeatureDevice *device)
{
    *device = run->left; /* zeros while there is a GPU */
    if (run->gpu_number < 0 || !s->gpu)
        return;
    device->backend = s->gpu->backend;
    device->name = s->gpu_device;
    device->identity = &s->gpu_identity;
    client_tally(s->gpu, (unsigned)run->gpu_number, &device->tally);
}

void scheduler_device(Scheduler *s, unsigned i, FeatureDevice *device)
{
    pthread_mutex_lock(&s->lock);
    find_device_locked(s, s->runs[i], device);
    pthread_mutex_unlock(&s->lock);
}

void scheduler_leave_gpu(Scheduler *s)
{
    if (!s->gpu)
        return;
    scheduler_wait(s);
    pthread_mutex_lock(&s->lock);
    GpuClient *const gpu = s->gpu;
    for (unsigned i = 0; i < s->run_count; i++)
        find_device_locked(s, s->runs[i], &s->runs[i]->left);
    s->gpu = NULL;
    pthread_mutex_unlock(&s->lock);
    scheduler_close_gpu(s, gpu);
    scheduler_forget_previous(s);
}
