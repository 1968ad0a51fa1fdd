/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "gpu/plan.h"
#include "gpu/stream.h"

/* Enough for features that look two frames back. */
#define CHECK_FRAMES 3

typedef struct Check {
    Feature *feature;
    bool ready; /* init was called */
    void *scratch;
    VmafPicture ref[CHECK_FRAMES], dist[CHECK_FRAMES];
    void *cpu, *gpu; /* results */
} Check;

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static unsigned sample(const GpuCheck *check, unsigned frame, unsigned x, unsigned y, bool is_dist,
                       uint32_t *noise)
{
    const unsigned peak = (1u << check->shape.bpc) - 1;
    if (check->content == CHECK_FLAT)
        return is_dist ? peak / 3 : peak / 2;
    if (check->content == CHECK_EXTREMES)
        return next_random(noise) & 1 ? peak : 0;
    if (check->content == CHECK_BANDS) {
        /* Steps of one 10-bit code, or one 8-bit code; and far from them areas that are brighter. */
        const unsigned bpc = check->shape.bpc, band = x / 37 + y / (is_dist ? 29 : 53) + frame;
        const unsigned far = x / 48 % 2 ? peak / 4 : 0;
        return peak / 5 + far + (band % 23 << (bpc > 10 ? bpc - 10 : 0));
    }
    const unsigned step = is_dist ? 8 : 3, moved = x + 5 * frame;
    unsigned value = (moved / step * 7 + y / step * 5) % 200;
    if ((moved / 24 + y / 16) % 3 == 0)
        value = 200 - value;
    value += next_random(noise) % (is_dist ? 56 : 16);
    value = value << (check->shape.bpc - 8) | (next_random(noise) & (peak >> 8));
    return value < peak ? value : peak;
}

static void paint(const GpuCheck *check, VmafPicture *pic, unsigned frame, bool is_dist)
{
    for (unsigned p = 0; p < 3; p++) {
        uint32_t noise = check->seed * 747796405u + frame * 31u + p * 7u + is_dist;
        for (unsigned y = 0; pic->data[p] && y < pic->h[p]; y++) {
            uint8_t *row = (uint8_t *)pic->data[p] + y * pic->stride[p];
            for (unsigned x = 0; x < pic->w[p]; x++) {
                const unsigned value = sample(check, frame, x, y, is_dist, &noise);
                if (pic->bpc > 8)
                    ((uint16_t *)row)[x] = (uint16_t)value;
                else
                    row[x] = (uint8_t)value;
            }
        }
    }
}

static int prepare(Check *c, const GpuCheck *check)
{
    Dict *dict = NULL;
    int err = 0;
    for (const char *const *o = check->options; o && *o && !err; o += 2)
        err = dict_set(&dict, o[0], o[1]);
    if (!err)
        err = feature_create(&c->feature, check->def, dict);
    if (err) {
        dict_destroy(dict);
        return err;
    }
    Feature *f = c->feature;
    f->shape = check->shape;
    f->planes = f->def->flags & FEATURE_CHROMA && shape_has_chroma(&check->shape) ? 7 : 1;
    c->ready = true;
    if (f->def->init && (err = f->def->init(f)))
        return err == -ENOMEM ? err : -ENOTSUP;
    if (f->def->scratch_create && (err = f->def->scratch_create(f, &c->scratch)))
        return err;
    c->cpu = mem_zalloc(f->def->result_size);
    c->gpu = mem_zalloc(f->def->result_size);
    if (!c->cpu || !c->gpu)
        return -ENOMEM;
    for (unsigned i = 0; i < CHECK_FRAMES; i++) {
        err = picture_alloc(&c->ref[i], &check->shape);
        if (!err)
            err = picture_alloc(&c->dist[i], &check->shape);
        if (err)
            return err;
        paint(check, &c->ref[i], i, false);
        paint(check, &c->dist[i], i, true);
    }
    return 0;
}

static FramePair pair_of(const Check *c, unsigned i)
{
    return (FramePair){
        .ref = &c->ref[i],
        .dist = &c->dist[i],
        .prev_ref = { i > 0 ? &c->ref[i - 1] : NULL, i > 1 ? &c->ref[i - 2] : NULL },
        .prev_dist = i > 0 ? &c->dist[i - 1] : NULL,
        .position = i,
    };
}

static int run_cpu(Check *c)
{
    const FeatureDef *def = c->feature->def;
    int err = 0;
    for (unsigned i = 0; i < CHECK_FRAMES && !err; i++) {
        const FramePair pair = pair_of(c, i);
        err = def->measure(c->feature, c->scratch, &pair, c->cpu, NULL);
    }
    return err;
}

static int run_gpu(Check *c, GpuDevice *device)
{
    GpuStream *stream;
    FeatureSet taken;
    int err = stream_create(&stream,
                            &(GpuStreamParams){ .device = device,
                                                .features = &c->feature,
                                                .feature_count = 1,
                                                .depth = 2,
                                                .never_on_cpu = true },
                            &taken);
    if (err)
        return err;
    if (!taken)
        err = -ENOTSUP;
    for (unsigned i = 0; i < CHECK_FRAMES && !err; i++) {
        const FramePair pair = pair_of(c, i);
        err = stream_submit(stream, &pair, 1);
        if (!err)
            err = stream_collect(stream, &c->gpu);
    }
    stream_destroy(stream);
    return err;
}

static void name_kernels(const GpuDevice *device, const Feature *f, char *names, size_t size)
{
    GpuPlan *plan;
    if (!size || plan_create(&plan, f))
        return;
    names[0] = '\0';
    for (unsigned p = 0; p < plan->pass_count; p++) {
        const char *kernel = plan->passes[p].kernel;
        const size_t used = strlen(names);
        unsigned first = 0; /* that runs it */
        while (strcmp(plan->passes[first].kernel, kernel) != 0)
            first++;
        if (first == p)
            snprintf(names + used, size - used, "%s%s", used ? ", " : "",
                     gpu_kernel_for(device, kernel)->name);
    }
    plan_destroy(plan);
}

static void clean(Check *c)
{
    for (unsigned i = 0; i < CHECK_FRAMES; i++) {
        picture_release(&c->ref[i]);
        picture_release(&c->dist[i]);
    }
    mem_free(c->cpu);
    mem_free(c->gpu);
    if (c->scratch)
        c->feature->def->scratch_destroy(c->scratch);
    if (c->ready && c->feature->def->close)
        c->feature->def->close(c->feature);
    feature_destroy(c->feature);
}

int gpu_check(GpuDevice *device, const GpuCheck *check, char *names, size_t names_size)
{
    Check c = { 0 };
    int err = prepare(&c, check);
    if (!err)
        err = run_cpu(&c);
    if (!err)
        err = run_gpu(&c, device);
    if (!err) {
        const FeatureGpu *gpu = check->def->gpu;
        const bool same = gpu->same ? gpu->same(c.feature, c.cpu, c.gpu)
                                    : !memcmp(c.cpu, c.gpu, check->def->result_size);
        err = !same;
        name_kernels(device, c.feature, names, names_size);
    }
    clean(&c);
    return err;
}
