/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <assert.h>
#include <errno.h>

#include "base/mem.h"
#include "feature/cambi/cambi.h"

struct CambiFrame {
    const CambiSetup *setup;
    CambiLines *lines;
    CambiCounters *counters;
    CambiPlane plane;
    CambiRanks *ranks;
    float *map;
};

/* Room for both targets at scale 0. */
static int plane_alloc(CambiFrame *s)
{
    size_t pitch = 0, samples = 0;
    for (unsigned i = 0; i < 2; i++) {
        const CambiTarget *t = &s->setup->target[i];
        const size_t wanted = ((size_t)t->kept_w + CAMBI_SLACK + 31) / 32 * 32;
        pitch = wanted > pitch ? wanted : pitch;
    }
    unsigned h = 0;
    for (unsigned i = 0; i < 2; i++) {
        const CambiTarget *t = &s->setup->target[i];
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

int cambi_frame_create(CambiFrame **out, const CambiSetup *setup)
{
    *out = NULL;
    CambiFrame *s = mem_zalloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    s->setup = setup;
    int err = plane_alloc(s);
    if (!err)
        err = cambi_lines_create(&s->lines, setup);
    if (!err)
        err = cambi_counters_create(&s->counters, setup);
    if (err) {
        cambi_frame_destroy(s);
        return err;
    }
    *out = s;
    return 0;
}

void cambi_frame_destroy(CambiFrame *s)
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

int cambi_frame_measure(CambiFrame *s, unsigned target, const VmafPicture *pic,
                        double scores[CAMBI_SCALES], CambiMapFn map_fn, void *cookie)
{
    assert(target < 2);
    const CambiSetup *setup = s->setup;
    const CambiTarget *t = &setup->target[target];
    CambiPlane *plane = &s->plane;
    const int err = cambi_check_range(setup, pic);
    if (err)
        return err;
    cambi_prepare(s->lines, setup, t, pic, plane);
    for (unsigned scale = 0; scale < CAMBI_SCALES; scale++) {
        if (scale > 0)
            cambi_decimate(setup, plane);
        cambi_mode_filter(s->lines, setup, plane);
        cambi_contrast(s->counters, setup, plane, t->window, s->map);
        if (map_fn)
            map_fn(cookie, scale, s->map, plane->w, plane->h);
        scores[scale] =
            cambi_pool(&setup->dsp, s->ranks, s->map, (size_t)plane->w * plane->h, setup->share);
    }
    return 0;
}
