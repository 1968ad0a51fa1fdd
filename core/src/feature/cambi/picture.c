/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "base/mem.h"
#include "feature/cambi/cambi.h"

struct CambiScratch {
    const CambiPlan *plan;
    CambiLines *lines;
    CambiCounters *counters;
    CambiPlane plane;
    CambiRanks *ranks;
    float *map;
};

/* Room for both targets at scale 0. */
static int plane_alloc(CambiScratch *s)
{
    size_t pitch = 0, samples = 0;
    for (unsigned i = 0; i < 2; i++) {
        const CambiTarget *t = &s->plan->target[i];
        const size_t wanted = ((size_t)t->kept_w + CAMBI_SLACK + 31) / 32 * 32;
        pitch = wanted > pitch ? wanted : pitch;
    }
    unsigned h = 0;
    for (unsigned i = 0; i < 2; i++) {
        const CambiTarget *t = &s->plan->target[i];
        h = t->kept_h > h ? t->kept_h : h;
        samples = (size_t)t->kept_w * t->kept_h > samples ? (size_t)t->kept_w * t->kept_h : samples;
    }
    s->plane.pitch = pitch;
    s->plane.code = mem_aligned_alloc((pitch * h + CAMBI_SLACK) * sizeof(*s->plane.code));
    s->plane.mask = mem_aligned_alloc(pitch * h + CAMBI_SLACK);
    s->map = mem_aligned_alloc((samples + CAMBI_SLACK) * sizeof(*s->map));
    s->ranks = cambi_ranks_create();
    return s->plane.code && s->plane.mask && s->map && s->ranks ? 0 : -ENOMEM;
}

int cambi_scratch_create(CambiScratch **out, const CambiPlan *plan)
{
    *out = NULL;
    CambiScratch *s = mem_zalloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    s->plan = plan;
    int err = plane_alloc(s);
    if (!err)
        err = cambi_lines_create(&s->lines, plan);
    if (!err)
        err = cambi_counters_create(&s->counters, plan);
    if (err) {
        cambi_scratch_destroy(s);
        return err;
    }
    *out = s;
    return 0;
}

void cambi_scratch_destroy(CambiScratch *s)
{
    if (!s)
        return;
    cambi_lines_destroy(s->lines);
    cambi_counters_destroy(s->counters);
    mem_aligned_free(s->plane.code);
    mem_aligned_free(s->plane.mask);
    mem_aligned_free(s->map);
    cambi_ranks_destroy(s->ranks);
    mem_free(s);
}

int cambi_picture(CambiScratch *s, unsigned target, const VmafPicture *pic,
                  double scores[CAMBI_SCALES], CambiMapFn map_fn, void *cookie)
{
    const CambiPlan *plan = s->plan;
    const CambiTarget *t = &plan->target[target];
    CambiPlane *plane = &s->plane;
    const int err = cambi_check_range(plan, pic);
    if (err)
        return err;
    cambi_prepare(s->lines, plan, t, pic, plane);
    for (unsigned scale = 0; scale < CAMBI_SCALES; scale++) {
        if (scale > 0)
            cambi_decimate(plan, plane);
        cambi_mode_filter(s->lines, plan, plane);
        cambi_contrast(s->counters, plan, plane, t->window, s->map);
        if (map_fn)
            map_fn(cookie, scale, s->map, plane->w, plane->h);
        scores[scale] =
            cambi_pool(&plan->dsp, s->ranks, s->map, (size_t)plane->w * plane->h, plan->share);
    }
    return 0;
}
