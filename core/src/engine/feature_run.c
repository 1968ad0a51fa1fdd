/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/feature_run.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "base/mem.h"

static void log_options(const Feature *f)
{
    char text[512] = "";
    if (!log_wanted(VMAF_LOG_LEVEL_DEBUG))
        return;
    for (size_t i = 0, used = 0; f->dict && i < f->dict->count && used < sizeof(text); i++) {
        const DictEntry *entry = &f->dict->entries[i];
        used +=
            (size_t)snprintf(text + used, sizeof(text) - used, " %s=%s", entry->key, entry->value);
    }
    log_debug("feature \"%s\" registered:%s", f->def->name, *text ? text : " all defaults");
}

int feature_run_create(FeatureRun **out, Feature *feature)
{
    FeatureRun *run = mem_zalloc(sizeof(*run));
    if (!run)
        return -ENOMEM;
    run->gpu_number = -1;
    run->feature = feature;
    log_options(feature);
    *out = run;
    return 0;
}

void feature_run_destroy(FeatureRun *run)
{
    if (!run)
        return;
    for (unsigned i = 0; i < run->scratch_count; i++)
        run->feature->def->scratch_destroy(run->scratches[i]);
    if (run->state != RUN_NEW && run->feature->def->close)
        run->feature->def->close(run->feature);
    mem_free(run->scratches);
    mem_free(run->feature->guests);
    feature_destroy(run->feature);
    mem_free(run);
}

static int init_feature(Feature *f, const FrameShape *shape)
{
    f->shape = *shape;
    f->planes = f->def->flags & FEATURE_CHROMA && shape_has_chroma(shape) ? 7 : 1;
    const int err = f->def->init ? f->def->init(f) : 0;
    log_debug("feature \"%s\": %ux%u, %u bits, planes %s%s%s: %s", f->def->name, shape->w[0],
              shape->h[0], shape->bpc, f->planes & 1 ? "Y" : "", f->planes & 2 ? "Cb" : "",
              f->planes & 4 ? "Cr" : "", err ? "refused" : "ready");
    return err > 0 ? -EINVAL : err;
}

int feature_run_init(FeatureRun *run, const FrameShape *shape, unsigned threads)
{
    assert(threads > 0);
    if (run->state != RUN_NEW)
        return run->init_err;
    if (!run->scratches)
        run->scratches = mem_array(threads, sizeof(*run->scratches));
    if (!run->scratches)
        return -ENOMEM;
    run->scratch_capacity = threads;
    run->init_err = init_feature(run->feature, shape);
    run->state = run->init_err ? RUN_BROKEN : RUN_READY;
    return run->init_err;
}

bool feature_run_join(FeatureRun *run, FeatureRun *guest)
{
    Feature *const f = run->feature;
    const FeatureDef *const def = f->def;
    if (guest->feature->def != def || !def->can_join || !def->can_join(f, guest->feature))
        return false;
    assert(!(def->flags & FEATURE_SERIAL) && !run->scratch_count);
    Feature **const guests = mem_realloc(f->guests, (f->guest_count + 1) * sizeof(*guests));
    if (!guests)
        return false;
    f->guests = guests;
    guests[f->guest_count++] = guest->feature;
    guest->is_guest = true;
    log_debug("feature \"%s\" (index %u) is measured together with the one of index %u", def->name,
              guest->feature->order, f->order);
    return true;
}

static int take_scratch(FeatureRun *run, pthread_mutex_t *lock, void **scratch)
{
    *scratch = NULL;
    if (!run->feature->def->scratch_create)
        return 0;
    pthread_mutex_lock(lock);
    if (run->scratch_count)
        *scratch = run->scratches[--run->scratch_count];
    pthread_mutex_unlock(lock);
    return *scratch ? 0 : run->feature->def->scratch_create(run->feature, scratch);
}

static void give_scratch(FeatureRun *run, pthread_mutex_t *lock, void *scratch)
{
    if (!scratch)
        return;
    pthread_mutex_lock(lock);
    assert(run->scratch_count <= run->scratch_capacity);
    const bool keep = run->scratch_count < run->scratch_capacity;
    if (keep)
        run->scratches[run->scratch_count++] = scratch;
    pthread_mutex_unlock(lock);
    if (!keep)
        run->feature->def->scratch_destroy(scratch);
}

int feature_run_measure(Job *job, pthread_mutex_t *lock, const FramePair *pair, Team *team)
{
    FeatureRun *const run = job->run;
    const FeatureDef *const def = run->feature->def;
    void *scratch;
    int err = take_scratch(run, lock, &scratch);
    if (!err) {
        err = job->results ? def->measure_all(run->feature, scratch, pair, job->results, team)
                           : def->measure(run->feature, scratch, pair, job->result, team);
        give_scratch(run, lock, scratch);
    }
    return err;
}
