/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/context_struct.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"
#include "engine/part.h"
#include "engine/picture.h"
#include "engine/spare.h"
#include "gpu/client.h"

int context_create(VmafContext **out, const VmafConfiguration *cfg)
{
    VmafContext *ctx = mem_zalloc(sizeof(*ctx));
    if (!ctx)
        return -ENOMEM;
    spare_enter();
    ctx->cfg = *cfg;
    ctx->cpu = cpu_flags(cfg->cpumask);
    caller_count_init(&ctx->callers);
    pthread_mutex_init(&ctx->pictures_lock, NULL);
    int err = scores_create(&ctx->scores);
    if (!err)
        err = metadata_create(&ctx->metadata, ctx->scores);
    if (!err)
        err = scheduler_create(&ctx->scheduler, cfg->n_threads);
    if (err) {
        context_destroy(ctx);
        return err;
    }
    log_debug("context: %u worker threads, vector code: %s", cfg->n_threads,
              cpu_best_set(ctx->cpu));
    *out = ctx;
    return 0;
}

int context_share_threads(VmafContext *ctx, VmafContext *other)
{
    if (scheduler_has_begun(ctx->scheduler))
        return -EINVAL;
    scheduler_share_team(ctx->scheduler, other->scheduler);
    ctx->cfg.n_threads = other->cfg.n_threads;
    return 0;
}

void context_destroy(VmafContext *ctx)
{
    if (!ctx)
        return;
    caller_count_close(&ctx->callers);
    context_set_pool(ctx, NULL); /* ends waiting for pictures of the pool */
    caller_count_wait(&ctx->callers);
    scheduler_destroy(ctx->scheduler);
    client_destroy(ctx->gpu);
    metadata_destroy(ctx->metadata);
    scores_destroy(ctx->scores);
    index_set_clear(&ctx->indices);
    notes_clear(&ctx->notes);
    conversion_clear(&ctx->conversion);
    part_destroy(ctx->part);
    pthread_mutex_destroy(&ctx->pictures_lock);
    caller_count_destroy(&ctx->callers);
    mem_free(ctx);
    spare_leave();
}

bool context_enter(VmafContext *ctx)
{
    return caller_count_enter(&ctx->callers);
}

void context_leave(VmafContext *ctx)
{
    caller_count_leave(&ctx->callers);
}

bool context_in_handler(const VmafContext *ctx)
{
    return metadata_is_telling(ctx->metadata);
}

static Feature *find_same(const VmafContext *ctx, const Feature *f)
{
    char key[FEATURE_KEY_SIZE], other[FEATURE_KEY_SIZE];
    feature_key(f, key);
    for (unsigned i = 0; i < scheduler_feature_count(ctx->scheduler); i++) {
        Feature *there = scheduler_feature(ctx->scheduler, i);
        feature_key(there, other);
        if (!strcmp(key, other))
            return there;
    }
    return NULL;
}

/* Takes the feature over on success. */
static int add_feature(VmafContext *ctx, Feature *f)
{
    Feature *there = find_same(ctx, f);
    if (there) {
        there->gpu_only = there->gpu_only || f->gpu_only;
        if (!option_equal(f->def->options, f->options, there->options))
            log_warning("feature \"%s\" is registered already: its new options are ignored",
                        f->def->name);
        feature_destroy(f);
        return 0;
    }
    if (part_has_fixed_features(ctx->part)) {
        log_error("feature \"%s\" is registered too late: register all features before "
                  "vmaf_part_record() or the first vmaf_part_replay()",
                  f->def->name);
        return -EINVAL;
    }
    if (ctx->forgoes_cpu) {
        log_error(
            "feature \"%s\" is registered too late: frames were read that only the device can "
            "read",
            f->def->name);
        return -EINVAL;
    }
    const int err = scores_claim(ctx->scores, (const char *const *)f->names,
                                 feature_output_count(f->def), CLAIM_FEATURE, 0);
    if (err)
        return err;
    f->cpu = ctx->cpu;
    f->scores = ctx->scores;
    f->order = scheduler_feature_count(ctx->scheduler);
    return scheduler_add(ctx->scheduler, f);
}

static bool uses_gpu(const VmafContext *ctx)
{
    return ctx->gpu && !ctx->cfg.gpumask;
}

void context_default_gpu(VmafContext *ctx, int (*bring)(VmafContext *ctx, void *opaque),
                         void *opaque)
{
    ctx->bring = bring;
    ctx->bring_opaque = opaque;
}

/* Asks for the default GPU before the first pair; after a failure it is asked for again. */
static int bring_gpu(VmafContext *ctx)
{
    if (!ctx->bring || ctx->gpu || ctx->cfg.gpumask || scheduler_has_begun(ctx->scheduler))
        return 0;
    const int err = ctx->bring(ctx, ctx->bring_opaque);
    if (!err)
        ctx->bring = NULL;
    return err;
}

/* Refuses a feature (-EINVAL, logged) that must run on a GPU and cannot. A name such as
 * `vif_vulkan` asks for a backend, and then *gpu_only is set. After the first pair it is too late
 * to run on a device, so features with GPU code are refused then, unless fallback_cpu allows the
 * CPU. */
static int check_backend(VmafContext *ctx, const char *extractor, const FeatureDef *def,
                         bool *gpu_only)
{
    *gpu_only = extractor[strlen(def->name)] != 0;
    const char *backend = *gpu_only ? extractor + strlen(def->name) + 1 : NULL;
    const int err = backend ? bring_gpu(ctx) : 0;
    if (err)
        return err;
    const GpuClient *const gpu = ctx->gpu;
    if (!backend && gpu && !gpu->fallback_cpu && def->gpu && ctx->pairs)
        backend = gpu->backend;
    if (!backend)
        return 0;
    if (!def->gpu)
        log_error("feature \"%s\" cannot run: %s has no code for a GPU", extractor, def->name);
    else if (!gpu)
        log_error("feature \"%s\" cannot run on %s: the context has no device of this backend",
                  extractor, backend);
    else if (strcmp(gpu->backend, backend) != 0)
        log_error("feature \"%s\" cannot run on %s: the context uses %s", extractor, backend,
                  gpu->backend);
    else if (ctx->cfg.gpumask)
        log_error("feature \"%s\" cannot run on %s: gpumask disables GPUs", extractor, backend);
    else if (ctx->pairs)
        log_error("feature \"%s\" cannot run on %s: it was registered after the first pair",
                  extractor, backend);
    else
        return 0;
    return -EINVAL;
}

static const FeatureDef *find_extractor(const char *extractor)
{
    const FeatureDef *const def = feature_find(extractor);
    if (def)
        return def;
    const char *const successor = feature_successor(extractor);
    const char *const ours = feature_elsewhere(extractor);
    if (successor)
        log_error("there is no feature extractor \"%s\": %s", extractor, successor);
    else if (ours && feature_find(ours))
        log_error("unknown feature extractor \"%s\": here its name is \"%s\"", extractor, ours);
    else
        log_error("unknown feature extractor \"%s\"", extractor);
    return NULL;
}

static int register_feature(VmafContext *ctx, const FeatureDef *def, Dict *options, bool gpu_only)
{
    Feature *f;
    int err = feature_create(&f, def, options);
    if (err)
        return err;
    f->gpu_only = gpu_only;
    err = add_feature(ctx, f);
    if (err) {
        f->dict = NULL;
        feature_destroy(f);
    }
    return err;
}

/* Registers a feature with these options, except FeatureDef.again. If `instead` is not NULL, the
 * option FeatureDef.instead gets this value. */
static int register_one(VmafContext *ctx, const FeatureDef *def, const Dict *options,
                        const char *instead, bool gpu_only)
{
    Dict *own = NULL;
    int err = 0;
    for (size_t i = 0; !err && i < options->count; i++)
        if (strcmp(options->entries[i].key, def->again) != 0)
            err = dict_set_raw(&own, options->entries[i].key, options->entries[i].value);
    if (!err && instead)
        err = dict_set_raw(&own, def->instead, instead);
    if (!err)
        err = register_feature(ctx, def, own, gpu_only);
    if (err)
        dict_destroy(own);
    return err;
}

/* Registers a feature whose options ask for it twice. Takes ownership of `options` on success
 * only. */
static int register_twice(VmafContext *ctx, const FeatureDef *def, Dict *options, bool gpu_only)
{
    int err = register_one(ctx, def, options, NULL, gpu_only);
    if (!err)
        err = register_one(ctx, def, options, dict_get(options, def->again), gpu_only);
    if (!err)
        dict_destroy(options);
    return err;
}

/* Sets *twice if the option FeatureDef.again has a value other than its default. -EINVAL for bad
 * options. */
static int asks_twice(const FeatureDef *def, Dict *options, bool *twice)
{
    Feature *f;
    *twice = false;
    if (!def->again || !dict_get(options, def->again))
        return 0;
    const int err = feature_create(&f, def, options);
    if (err)
        return err;
    *twice = option_differs(def->options, f->options, def->again);
    f->dict = NULL;
    feature_destroy(f);
    return 0;
}

int context_use_feature(VmafContext *ctx, const char *extractor, Dict *options)
{
    const FeatureDef *const def = find_extractor(extractor);
    bool gpu_only, twice;
    if (!def)
        return -EINVAL;
    int err = check_backend(ctx, extractor, def, &gpu_only);
    if (!err)
        err = asks_twice(def, options, &twice);
    if (err)
        return err;
    return twice ? register_twice(ctx, def, options, gpu_only)
                 : register_feature(ctx, def, options, gpu_only);
}

int context_import_score(VmafContext *ctx, const char *name, unsigned index, double value)
{
    if (!name_is_text(name)) {
        log_error("scores cannot be imported: their name is empty, not UTF-8, or has control "
                  "characters");
        return -EINVAL;
    }
    const int err = scores_claim(ctx->scores, &name, 1, CLAIM_IMPORT, 0);
    return err ? err : scores_set(ctx->scores, name, index, value, NULL);
}

int context_use_gpu(VmafContext *ctx, GpuClient *gpu)
{
    if (ctx->pairs || scheduler_has_begun(ctx->scheduler)) {
        log_error("a GPU must be imported before the first picture is read");
        return -EINVAL;
    }
    if (gpu && ctx->cfg.gpumask && gpu->required) {
        log_error("a device is required, but gpumask keeps features off it: set one of them");
        return -EINVAL;
    }
    if (gpu && ctx->cfg.gpumask)
        log_insist("gpumask is set: %s measures nothing, and all features run on the CPU",
                   gpu->device);
    GpuClient *const before = ctx->gpu;
    ctx->gpu = gpu;
    ctx->bring = NULL;
    scheduler_use_gpu(ctx->scheduler, uses_gpu(ctx) ? gpu : NULL);
    client_destroy(before);
    return 0;
}

int context_leave_gpu(VmafContext *ctx)
{
    if (!ctx->flushed)
        return -EINVAL;
    if (!ctx->gpu)
        return 0;
    scheduler_leave_gpu(ctx->scheduler);
    context_set_pool(ctx, NULL); /* its pictures may be in memory of the device */
    client_destroy(ctx->gpu);
    ctx->gpu = NULL;
    return 0;
}

GpuClient *context_gpu(const VmafContext *ctx)
{
    return ctx->gpu;
}

static bool is_whole(const VmafPicture *pic, const FrameShape *shape)
{
    FrameShape own;
    if (!pic->ref || shape_init(&own, pic->pix_fmt, pic->bpc, pic->w[0], pic->h[0]))
        return false;
    shape_of_picture(&own, pic);
    return !memcmp(&own, shape, sizeof(own));
}

static int refuse_shape(const FrameShape *wanted, const FrameShape *shape)
{
    static const char *const formats[] = { "?", "4:2:0", "4:2:2", "4:4:4", "4:0:0" };
    const unsigned format = (unsigned)shape->pix_fmt;
    log_error(
        "pictures differ in size, format or depth: got %ux%u, %s, %u bits; expected %ux%u, %s, "
        "%u bits",
        shape->w[0], shape->h[0], formats[format <= VMAF_PIX_FMT_YUV400P ? format : 0], shape->bpc,
        wanted->w[0], wanted->h[0], formats[wanted->pix_fmt], wanted->bpc);
    return -EINVAL;
}

static int check_pair(const VmafContext *ctx, const VmafPicture *ref, const VmafPicture *dist,
                      FrameShape *shape)
{
    if (ctx->has_shape)
        *shape = ctx->shape;
    else if (shape_init(shape, ref->pix_fmt, ref->bpc, ref->w[0], ref->h[0]))
        return -EINVAL;
    FrameShape own;
    shape_of_picture(&own, is_whole(ref, shape) ? dist : ref);
    return is_whole(ref, shape) && is_whole(dist, shape) ? 0 : refuse_shape(shape, &own);
}

static bool is_scored(const VmafContext *ctx, unsigned index)
{
    return ctx->cfg.n_subsample < 2 || index % ctx->cfg.n_subsample == 0;
}

static int check_index(const VmafContext *ctx, unsigned index)
{
    if (!scheduler_feature_count(ctx->scheduler) || !index_set_has(&ctx->indices, index))
        return 0;
    log_warning("index %u was already read", index);
    return -EINVAL;
}

/* The planes that some feature will read; bit p: plane p. */
static unsigned planes_read(const VmafContext *ctx, unsigned index)
{
    unsigned planes = 0;
    for (unsigned i = 0; i < scheduler_feature_count(ctx->scheduler); i++) {
        const Feature *f = scheduler_feature(ctx->scheduler, i);
        if (is_scored(ctx, index) || f->def->flags & FEATURE_EVERY_FRAME)
            planes |= f->planes;
    }
    return planes;
}

/* Sets the shape with the first pair. Other threads may fetch pictures meanwhile. */
static void fix_shape(VmafContext *ctx, const FrameShape *shape, const VmafPicture *given)
{
    if (ctx->has_shape)
        return;
    pthread_mutex_lock(&ctx->pictures_lock);
    ctx->shape = *shape;
    shape_of_picture(&ctx->given_shape, given);
    ctx->has_shape = true;
    pthread_mutex_unlock(&ctx->pictures_lock);
}

static int admit(const VmafContext *ctx, VmafPicture *ref, VmafPicture *dist)
{
    return ctx->gpu ? client_admit(ctx->gpu, ref, dist) : 0;
}

/* Checks and prepares everything that can fail before the pair is taken. `given` is the reference
 * picture as the caller gave it, before a conversion. */
static int prepare_read(VmafContext *ctx, VmafPicture *ref, VmafPicture *dist, unsigned index,
                        const VmafPicture *given)
{
    FrameShape shape;
    int err = check_pair(ctx, ref, dist, &shape);
    if (!err)
        err = part_check_read(ctx, index);
    if (!err)
        err = check_index(ctx, index);
    if (!err)
        err = scheduler_error(ctx->scheduler);
    if (!err)
        err = bring_gpu(ctx);
    if (err)
        return err;
    if (!ctx->pairs)
        clock_gettime(CLOCK_MONOTONIC, &ctx->started);
    fix_shape(ctx, &shape, given);
    err = scheduler_prepare(ctx->scheduler, &shape);
    if (!err)
        err = admit(ctx, ref, dist);
    if (!err)
        err = range_check_pair(ref, dist, planes_read(ctx, index), index);
    return err ? err : index_set_add(&ctx->indices, index);
}

static int read_pair(VmafContext *ctx, VmafPicture pair[2], unsigned index,
                     const VmafPicture *given)
{
    int err = prepare_read(ctx, &pair[0], &pair[1], index, given);
    if (err)
        return err;
    part_note_read(ctx, index);
    scores_set_step(ctx->scores, ctx->pairs + 1);
    err = scheduler_read(ctx->scheduler, &(FrameInput){
                                             .ref = &pair[0],
                                             .dist = &pair[1],
                                             .id = { .position = ctx->pairs, .index = index },
                                             .scored = is_scored(ctx, index),
                                         });
    ctx->pairs++;
    clock_gettime(CLOCK_MONOTONIC, &ctx->ended);
    return err;
}

/* Copies a pair that may be on a device to memory that the CPU can read, for a conversion. */
static int fetch_from_device(VmafContext *ctx, VmafPicture pair[2])
{
    FrameShape shape;
    if (!ctx->gpu)
        return 0;
    const bool there = client_holds(ctx->gpu, &pair[0]) || client_holds(ctx->gpu, &pair[1]);
    if (there && !ctx->tells_fetched)
        log_info("frames are fetched from the device, because the CPU converts their colours");
    ctx->tells_fetched = ctx->tells_fetched || there;
    shape_of_picture(&shape, &pair[0]);
    const int err = context_prepare(ctx, &shape);
    return err ? err : client_fetch(ctx->gpu, &pair[0], &pair[1]);
}

static int read_converted(VmafContext *ctx, VmafPicture pair[2], unsigned index)
{
    VmafPicture made[2];
    const VmafPicture given = pair[0];
    int err = fetch_from_device(ctx, pair);
    if (!err)
        err = conversion_run(&ctx->conversion, &pair[0], &pair[1], index, made);
    if (err)
        return err;
    err = read_pair(ctx, made, index, &given);
    picture_release(&made[0]);
    picture_release(&made[1]);
    return err;
}

int context_read(VmafContext *ctx, VmafPicture *ref, VmafPicture *dist, unsigned index)
{
    VmafPicture pair[2] = { *ref, *dist };
    const int err = ctx->conversion.wanted ? read_converted(ctx, pair, index)
                                           : read_pair(ctx, pair, index, ref);
    if (err)
        return err;
    picture_release(ref);
    picture_release(dist);
    return 0;
}

/* Warns of features that the CPU measured again in more than one frame of a hundred, because the
 * user asked for a device and gets many scores from the CPU. Smaller numbers are in the report only
 * (frames_on_cpu). */
static int tell_frames_on_cpu(VmafContext *ctx)
{
    int err = 0;
    for (unsigned i = 0; !err && i < context_feature_count(ctx); i++) {
        VmafFeatureInfo info;
        char text[512];
        context_feature(ctx, i, &info);
        if (info.frames_on_cpu * 100 <= info.frames)
            continue;
        snprintf(
            text, sizeof(text),
            "%s: %" PRIu64 " of %" PRIu64
            " frames were measured again on the CPU, because %s could not decide their last bits",
            info.extractor, info.frames_on_cpu, info.frames, info.device);
        log_insist("%s", text);
        err = notes_add_warning(&ctx->notes, "measured_on_cpu", VMAF_REPORT_RUN, text);
    }
    return err;
}

int context_flush(VmafContext *ctx)
{
    if (!ctx->pairs && scheduler_feature_count(ctx->scheduler)) {
        log_error("vmaf_read_pictures() flushed before any picture was read");
        return -EINVAL;
    }
    int err = scheduler_flush(ctx->scheduler);
    clock_gettime(CLOCK_MONOTONIC, &ctx->ended);
    if (!err)
        err = tell_frames_on_cpu(ctx);
    if (err)
        return err;
    scores_set_step(ctx->scores, SCORES_FLUSH);
    ctx->flushed = true;
    return 0;
}

void context_settle(VmafContext *ctx)
{
    if (!ctx->cfg.n_threads && !context_in_handler(ctx))
        scheduler_settle(ctx->scheduler);
}

unsigned context_pairs_in_flight(VmafContext *ctx)
{
    bring_gpu(ctx); /* a failure comes again with the first pair */
    return scheduler_in_flight(ctx->scheduler);
}

unsigned context_pool_size(VmafContext *ctx)
{
    return 2 * (context_pairs_in_flight(ctx) + 1) + 2;
}

int context_preallocate(VmafContext *ctx, const FrameShape *shape, unsigned count)
{
    PicturePool *pool;
    int err = bring_gpu(ctx);
    if (err)
        return err;
    if (uses_gpu(ctx)) {
        const PoolMemory memory = client_picture_memory(ctx->gpu);
        err = picture_pool_create_in(&pool, shape, count, &memory);
    } else {
        err = picture_pool_create(&pool, shape, count);
    }
    if (!err)
        context_set_pool(ctx, pool);
    return err;
}

void context_set_pool(VmafContext *ctx, PicturePool *pool)
{
    pthread_mutex_lock(&ctx->pictures_lock);
    PicturePool *const before = ctx->pool;
    ctx->pool = pool;
    pthread_mutex_unlock(&ctx->pictures_lock);
    picture_pool_destroy(before);
}

bool context_has_pool(const VmafContext *ctx)
{
    return ctx->pool != NULL;
}

/* Waits in the current pool, and in the next one if it is replaced meanwhile. */
static int fetch(VmafContext *ctx, bool pooled_only, VmafPicture *pic)
{
    for (;;) {
        pthread_mutex_lock(&ctx->pictures_lock);
        PicturePool *const pool = ctx->pool;
        if (pool)
            picture_pool_enter(pool);
        const bool has_shape = ctx->has_shape;
        const FrameShape shape = ctx->given_shape;
        pthread_mutex_unlock(&ctx->pictures_lock);
        if (!pool)
            return has_shape && !pooled_only ? picture_alloc(pic, &shape) : -EINVAL;
        const int err = picture_pool_take(pool, pic);
        if (err != -EINVAL)
            return err;
    }
}

static int enter_and_fetch(VmafContext *ctx, bool pooled_only, VmafPicture *pic)
{
    if (!context_enter(ctx))
        return -EINVAL;
    const int err = fetch(ctx, pooled_only, pic);
    context_leave(ctx);
    return err;
}

int context_fetch_pooled(VmafContext *ctx, VmafPicture *pic)
{
    return enter_and_fetch(ctx, true, pic);
}

int context_fetch_picture(VmafContext *ctx, VmafPicture *pic)
{
    return enter_and_fetch(ctx, false, pic);
}

int context_prepare(VmafContext *ctx, const FrameShape *shape)
{
    FrameShape seen;
    conversion_shape(&ctx->conversion, shape, &seen);
    if (ctx->has_shape && memcmp(&seen, &ctx->shape, sizeof(seen)) != 0)
        return refuse_shape(&ctx->shape, &seen);
    const int err = bring_gpu(ctx);
    if (err)
        return err;
    return scheduler_prepare(ctx->scheduler, &seen);
}

void context_forgo_cpu(VmafContext *ctx)
{
    ctx->forgoes_cpu = true;
}

void context_needs(const VmafContext *ctx, ContextNeeds *needs)
{
    *needs = (ContextNeeds){ .on_cpu = ctx->conversion.wanted };
    for (unsigned i = 0; i < scheduler_feature_count(ctx->scheduler); i++) {
        const Feature *feature = scheduler_feature(ctx->scheduler, i);
        FeatureDevice device;
        scheduler_device(ctx->scheduler, i, &device);
        needs->on_cpu = needs->on_cpu || !device.backend;
        if (!needs->chroma && feature->planes >> 1)
            needs->chroma = feature->def->name;
    }
}

void context_forget(VmafContext *ctx, unsigned before)
{
    scores_forget(ctx->scores, before);
    index_set_close(&ctx->indices, before);
}

bool context_is_flushed(const VmafContext *ctx)
{
    return ctx->flushed;
}

unsigned context_feature_count(const VmafContext *ctx)
{
    return scheduler_feature_count(ctx->scheduler);
}

void context_feature(const VmafContext *ctx, unsigned i, VmafFeatureInfo *info)
{
    const Feature *const feature = scheduler_feature(ctx->scheduler, i);
    FeatureDevice device;
    scheduler_device(ctx->scheduler, i, &device);
    const GpuTally *const tally = &device.tally;
    const DeviceIdentity *const identity = device.identity;
    *info = (VmafFeatureInfo){
        .size = sizeof(*info),
        .extractor = feature->def->name,
        .backend = device.backend ? device.backend : "cpu",
        .device = device.name,
        .instruction_set = device.backend ? NULL : cpu_best_set(ctx->cpu),
        .passes = tally->passes,
        .frames = tally->frames,
        .launches = tally->launches,
        .frames_on_cpu = tally->frames_again,
        .device_us = tally->frames_timed ? tally->timed_us / (double)tally->frames_timed : 0,
        .device_type = identity ? identity->type : NULL,
        .device_uuid = identity && *identity->uuid ? identity->uuid : NULL,
        .device_pci = identity && *identity->pci ? identity->pci : NULL,
        .device_index = identity ? identity->index : -1,
    };
    part_feature(ctx->part, i, info);
}

void context_wait(VmafContext *ctx)
{
    if (!context_in_handler(ctx))
        scheduler_wait(ctx->scheduler);
}

void context_speed(const VmafContext *ctx, ContextSpeed *speed)
{
    speed->threads = ctx->cfg.n_threads;
    speed->seconds = (double)(ctx->ended.tv_sec - ctx->started.tv_sec) +
                     (double)(ctx->ended.tv_nsec - ctx->started.tv_nsec) * 1e-9;
    part_speed(ctx->part, speed);
}
