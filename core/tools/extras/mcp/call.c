/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "call.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "rpc.h"

#define PROGRESS_TIME 0.25 /* seconds between progress notifications */

/* A thread and its child processes. */
typedef struct Runner {
    Calls *calls;
    Children *children;
    pthread_t thread;
} Runner;

struct Calls {
    const McpConfig *config;
    Out *client;
    CallDone *done;
    void *arg;

    /* Guards the members up to `ending`, and `stop` and `children` of the calls. */
    pthread_mutex_t lock;
    pthread_cond_t more;
    Call *waiting, **waiting_end;
    Call *running;
    unsigned waiting_count;
    bool ending;

    Runner *runners;
    unsigned runner_count;
};

double call_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void call_progress(Call *call, double done, double total, const char *text)
{
    const double time = call_now();
    if (!call->token || !(done > call->told) || time - call->told_at < PROGRESS_TIME ||
        atomic_load(&call->stop) != CALL_GOES_ON)
        return;
    call->told = done;
    call->told_at = time;
    json_t *const params = json_pack("{s:O, s:f, s:s}", "progressToken", call->token, "progress",
                                     done, "message", text);
    if (params && total > 0.0)
        json_object_set_new(params, "total", json_real(total));
    out_send(call->out, rpc_notification("notifications/progress", params));
}

static void free_call(Call *call)
{
    json_decref(call->id);
    json_decref(call->arguments);
    json_decref(call->token);
    free(call);
}

static void unlink_call(Call **list, const Call *call)
{
    while (*list != call)
        list = &(*list)->next;
    *list = call->next;
}

/* Run calls until the server shuts down. The caller holds the lock; it is released while a call
 * runs. */
static void serve(Calls *calls, Children *children)
{
    while (!calls->ending) {
        Call *const call = calls->waiting;
        if (!call) {
            pthread_cond_wait(&calls->more, &calls->lock);
            continue;
        }
        calls->waiting = call->next;
        if (!calls->waiting)
            calls->waiting_end = &calls->waiting;
        calls->waiting_count--;
        call->next = calls->running;
        call->children = children;
        calls->running = call;
        pthread_mutex_unlock(&calls->lock);
        call->deadline = call_now() + calls->config->timeout;
        json_t *const result = call->tool->run(call);
        pthread_mutex_lock(&calls->lock);
        unlink_call(&calls->running, call);
        pthread_mutex_unlock(&calls->lock);
        calls->done(calls->arg, call, result);
        free_call(call);
        pthread_mutex_lock(&calls->lock);
    }
}

static void *work(void *arg)
{
    const Runner *const runner = arg;
    pthread_mutex_lock(&runner->calls->lock);
    serve(runner->calls, runner->children);
    pthread_mutex_unlock(&runner->calls->lock);
    return NULL;
}

static int start_runner(Calls *calls)
{
    Runner *const runner = &calls->runners[calls->runner_count];
    runner->calls = calls;
    int err = children_create(&runner->children);
    if (!err)
        err = -pthread_create(&runner->thread, NULL, work, runner);
    if (err)
        children_destroy(runner->children);
    else
        calls->runner_count++;
    return err;
}

int calls_create(Calls **out, const McpConfig *config, Out *client, CallDone *done, void *arg)
{
    Calls *const calls = calloc(1, sizeof(*calls));
    *out = NULL;
    if (!calls)
        return -ENOMEM;
    calls->config = config;
    calls->client = client;
    calls->done = done;
    calls->arg = arg;
    calls->waiting_end = &calls->waiting;
    pthread_mutex_init(&calls->lock, NULL);
    pthread_cond_init(&calls->more, NULL);
    calls->runners = calloc(config->jobs + 1, sizeof(*calls->runners));
    int err = calls->runners ? 0 : -ENOMEM;
    while (!err && calls->runner_count < config->jobs)
        err = start_runner(calls);
    if (err) {
        calls_destroy(calls);
        return err;
    }
    *out = calls;
    return 0;
}

static Call *find(Call *list, const json_t *id)
{
    while (list && !json_equal(list->id, id))
        list = list->next;
    return list;
}

int calls_add(Calls *calls, const Call *call)
{
    Call *const copy = malloc(sizeof(*copy));
    if (!copy)
        return -ENOMEM;
    *copy = *call;
    copy->config = calls->config;
    copy->out = calls->client;
    copy->told = copy->told_at = 0.0;
    copy->children = NULL;
    copy->next = NULL;
    atomic_init(&copy->stop, CALL_GOES_ON);
    int err = 0;
    pthread_mutex_lock(&calls->lock);
    if (find(calls->waiting, call->id) || find(calls->running, call->id))
        err = -EEXIST;
    else if (calls->waiting_count >= calls->config->queue)
        err = -EBUSY;
    if (!err) {
        *calls->waiting_end = copy;
        calls->waiting_end = &copy->next;
        calls->waiting_count++;
        pthread_cond_signal(&calls->more);
    }
    pthread_mutex_unlock(&calls->lock);
    if (err)
        free(copy);
    return err;
}

static void stop_running(Call *call, enum CallStop why)
{
    atomic_store(&call->stop, why);
    children_wake(call->children);
}

/* Remove a call from the queue. The caller holds the lock. */
static void withdraw(Calls *calls, Call *call)
{
    unlink_call(&calls->waiting, call);
    calls->waiting_count--;
    calls->waiting_end = &calls->waiting;
    while (*calls->waiting_end)
        calls->waiting_end = &(*calls->waiting_end)->next;
}

static void finish_unstarted(Calls *calls, Call *call, enum CallStop why)
{
    atomic_store(&call->stop, why);
    calls->done(calls->arg, call, NULL);
    free_call(call);
}

bool calls_cancel(Calls *calls, const json_t *id)
{
    pthread_mutex_lock(&calls->lock);
    Call *const running = find(calls->running, id);
    Call *const waiting = find(calls->waiting, id);
    if (running)
        stop_running(running, CALL_CANCELLED);
    if (waiting)
        withdraw(calls, waiting);
    pthread_mutex_unlock(&calls->lock);
    if (waiting)
        finish_unstarted(calls, waiting, CALL_CANCELLED);
    return running || waiting;
}

void calls_destroy(Calls *calls)
{
    if (!calls)
        return;
    pthread_mutex_lock(&calls->lock);
    calls->ending = true;
    for (Call *call = calls->running; call; call = call->next)
        if (atomic_load(&call->stop) == CALL_GOES_ON)
            stop_running(call, CALL_ENDED);
    Call *waiting = calls->waiting;
    calls->waiting = NULL;
    pthread_cond_broadcast(&calls->more);
    pthread_mutex_unlock(&calls->lock);
    for (Call *next; waiting; waiting = next) {
        next = waiting->next;
        finish_unstarted(calls, waiting, CALL_ENDED);
    }
    for (unsigned i = 0; i < calls->runner_count; i++) {
        pthread_join(calls->runners[i].thread, NULL);
        children_destroy(calls->runners[i].children);
    }
    pthread_mutex_destroy(&calls->lock);
    pthread_cond_destroy(&calls->more);
    free(calls->runners);
    free(calls);
}
