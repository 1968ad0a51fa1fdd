/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/metadata.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/mem.h"

struct Metadata {
    ScoreStore *scores;
    /* Guards the rest. Recursive: storing a prediction calls handlers from within the call for its
     * last feature. Calls of handlers never overlap. */
    pthread_mutex_t lock;
    VmafMetadataConfiguration *handlers;
    size_t handler_count, handler_capacity;
    ModelPredictor *predictors;
    size_t predictor_count, predictor_capacity;
};

int metadata_create(Metadata **out, ScoreStore *scores)
{
    Metadata *m = mem_zalloc(sizeof(*m));
    if (!m)
        return -ENOMEM;
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m->lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
    m->scores = scores;
    *out = m;
    return 0;
}

void metadata_destroy(Metadata *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->predictor_count; i++)
        m->predictors[i].release(m->predictors[i].model);
    mem_free(m->predictors);
    mem_free(m->handlers);
    pthread_mutex_destroy(&m->lock);
    mem_free(m);
}

/* The contexts whose handlers this thread is calling, the innermost first: a handler of one context
 * may store scores in another. */
typedef struct Telling {
    const Metadata *metadata;
    const struct Telling *outer;
} Telling;
static _Thread_local const Telling *telling;

bool metadata_is_telling(const Metadata *m)
{
    const Telling *t = telling;
    while (t && t->metadata != m)
        t = t->outer;
    return t != NULL;
}

static void tell(void *arg, const char *name, unsigned index, double value)
{
    Metadata *m = arg;
    const Telling here = { .metadata = m, .outer = telling };
    pthread_mutex_lock(&m->lock);
    telling = &here;
    bool others = false;
    for (size_t i = 0; i < m->handler_count; i++) {
        const VmafMetadataConfiguration *handler = &m->handlers[i];
        if (strcmp(handler->feature_name, name)) {
            others = true;
            continue;
        }
        VmafMetadata data = { handler->feature_name, index, value };
        handler->callback(handler->data, &data);
    }
    for (size_t i = 0; others && i < m->predictor_count; i++)
        m->predictors[i].predict(m->predictors[i].model, m->scores, index);
    telling = here.outer;
    pthread_mutex_unlock(&m->lock);
}

int metadata_add_handler(Metadata *m, const VmafMetadataConfiguration *handler)
{
    assert(handler->feature_name && handler->callback);
    pthread_mutex_lock(&m->lock);
    const int err =
        mem_grow(&m->handlers, m->handler_count, &m->handler_capacity, sizeof(*m->handlers));
    if (!err)
        m->handlers[m->handler_count++] = *handler;
    pthread_mutex_unlock(&m->lock);
    if (err)
        return err;
    scores_listen(m->scores, tell, m);
    return 0;
}

int metadata_mount(Metadata *m, const ModelPredictor *predictor)
{
    int err = 0;
    pthread_mutex_lock(&m->lock);
    bool mounted = false;
    for (size_t i = 0; i < m->predictor_count; i++)
        mounted = mounted || m->predictors[i].model == predictor->model;
    if (!mounted) {
        err = mem_grow(&m->predictors, m->predictor_count, &m->predictor_capacity,
                       sizeof(*m->predictors));
        if (!err)
            m->predictors[m->predictor_count++] = *predictor;
    }
    pthread_mutex_unlock(&m->lock);
    if (mounted)
        predictor->release(predictor->model);
    return err;
}
