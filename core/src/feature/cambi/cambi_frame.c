/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* cambi's frame routine: prepares a picture (codes and mask), then scores it scale by scale. */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "feature/cambi/cambi.h"

/* ---- preparing a picture ---- */

enum { FLAT_RADIUS = 3, FLAT_ROWS = 2 * FLAT_RADIUS + 1 };

/* Rolling rows while a picture is prepared. */
typedef struct CambiLines {
    uint16_t *sampled;  /* a row at its new width, before its depth is changed */
    uint16_t *raw[2];   /* 10-bit rows before smoothing, row y in raw[y % 2] */
    uint16_t *ready[2]; /* after smoothing; used if the plane keeps only every other row */
    uint8_t *flat[FLAT_ROWS + 1]; /* row y in flat[y % (FLAT_ROWS + 1)] */
    uint8_t *none;                /* a row of zeros */
    uint8_t *sums,
        *sums_block; /* number of flat samples in seven rows, by column; zeros around them */
    uint8_t *mask;
    uint16_t *across[3]; /* rows filtered horizontally, row y in across[y % 3] */
} CambiLines;

static void *row_alloc(size_t n, size_t size)
{
    return mem_array(n + CAMBI_SLACK, size);
}

static void lines_destroy(CambiLines *l)
{
    if (!l)
        return;
    mem_free(l->sampled);
    for (unsigned i = 0; i < 2; i++) {
        mem_free(l->raw[i]);
        mem_free(l->ready[i]);
    }
    for (unsigned i = 0; i < 3; i++)
        mem_free(l->across[i]);
    for (unsigned i = 0; i <= FLAT_ROWS; i++)
        mem_free(l->flat[i]);
    mem_free(l->none);
    mem_free(l->mask);
    mem_free(l->sums_block);
    mem_free(l);
}

static int lines_create(CambiLines **out, const CambiSetup *setup)
{
    *out = NULL;
    CambiLines *l = mem_zalloc(sizeof(*l));
    if (!l)
        return -ENOMEM;
    const unsigned a = setup->target[0].w, b = setup->target[1].w, w = a > b ? a : b;
    bool failed = false;
    uint16_t **const wide[] = { &l->sampled,  &l->raw[0],    &l->raw[1],    &l->ready[0],
                                &l->ready[1], &l->across[0], &l->across[1], &l->across[2] };
    for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
        failed |= !(*wide[i] = row_alloc(w, sizeof(uint16_t)));
    for (unsigned i = 0; i <= FLAT_ROWS; i++)
        failed |= !(l->flat[i] = row_alloc(w, 1));
    failed |= !(l->none = row_alloc(w, 1));
    failed |= !(l->mask = row_alloc(w, 1));
    failed |= !(l->sums_block = row_alloc(w + 2 * CAMBI_SLACK, 1));
    if (failed) {
        lines_destroy(l);
        return -ENOMEM;
    }
    l->sums = l->sums_block + CAMBI_SLACK;
    *out = l;
    return 0;
}

static const void *picture_row(const VmafPicture *pic, unsigned y)
{
    return (const uint8_t *)pic->data[0] + y * pic->stride[0];
}

/* Returns -EINVAL if a sample exceeds the depth. */
static int check_range(const CambiSetup *setup, const VmafPicture *pic)
{
    if (setup->bpc == 8 || setup->bpc == 16)
        return 0;
    unsigned used = 0;
    for (unsigned y = 0; y < setup->src_h; y++) {
        const uint16_t *row = picture_row(pic, y);
        uint16_t bits = 0;
        for (unsigned x = 0; x < setup->src_w; x++)
            bits |= row[x];
        used |= bits;
    }
    return used >> setup->bpc ? cambi_range_error(setup) : 0;
}

int cambi_range_error(const CambiSetup *setup)
{
    log_error("Invalid input. The input contains values greater than %u, which exceeds the maximum "
              "value for a %u-bit depth format.",
              (1u << setup->bpc) - 1, setup->bpc);
    return -EINVAL;
}

/* Row `y` of the target size as 10-bit codes. */
static void raw_row(CambiLines *l, const CambiSetup *setup, const CambiTarget *target,
                    const VmafPicture *pic, unsigned y)
{
    uint16_t *out = l->raw[y % 2];
    const void *row = picture_row(pic, target->from_y ? target->from_y[y] : y);
    if (target->from_x) {
        const uint8_t *bytes = row;
        const uint16_t *words = row;
        for (unsigned x = 0; x < target->w; x++) {
            const unsigned at = target->from_x[x];
            l->sampled[x] = setup->bpc > 8 ? words[at] : bytes[at];
        }
        setup->dsp.narrow_16(out, l->sampled, target->w, setup->bpc);
    } else if (setup->bpc > 8) {
        setup->dsp.narrow_16(out, row, target->w, setup->bpc);
    } else {
        setup->dsp.widen_8(out, row, target->w);
    }
}

/* Writes code row `y`, smoothed if wanted. The last row has none below it; its own values are taken
 * instead, so it is averaged horizontally. */
static void finish_row(CambiLines *l, const CambiSetup *setup, const CambiTarget *target,
                       uint16_t *out, unsigned y)
{
    const uint16_t *row = l->raw[y % 2];
    if (!setup->smooth) {
        memcpy(out, row, target->w * sizeof(*out));
        return;
    }
    setup->dsp.smooth(out, row, y + 1 < target->h ? l->raw[(y + 1) % 2] : row, target->w);
}

typedef struct Preparing {
    CambiLines *l;
    const CambiSetup *setup;
    const CambiTarget *target;
    const VmafPicture *pic;
    CambiPlane *plane;
} Preparing;

static uint16_t *code_row(const Preparing *p, unsigned y)
{
    return p->setup->halve ? p->l->ready[y % 2] : p->plane->code + y * p->plane->pitch;
}

/* Makes code row `y`; raw row `y` must be ready. */
static void make_code_row(const Preparing *p, unsigned y)
{
    if (y + 1 < p->target->h)
        raw_row(p->l, p->setup, p->target, p->pic, y + 1);
    uint16_t *row = code_row(p, y);
    finish_row(p->l, p->setup, p->target, row, y);
    if (p->setup->halve && y % 2 == 0)
        p->setup->dsp.keep_even_16(p->plane->code + y / 2 * p->plane->pitch, row,
                                   (p->target->w + 1) / 2);
}

static void make_flat_row(const Preparing *p, unsigned y)
{
    const uint16_t *row = code_row(p, y);
    const uint16_t *below = y + 1 < p->target->h ? code_row(p, y + 1) : row;
    p->setup->dsp.flat(p->l->flat[y % (FLAT_ROWS + 1)], row, below, p->target->w);
}

static void make_mask_row(const Preparing *p, unsigned y)
{
    const CambiSetup *setup = p->setup;
    if (!setup->halve) {
        setup->dsp.mask(p->plane->mask + y * p->plane->pitch, p->l->sums, p->target->flat_needed,
                        p->target->w);
    } else if (y % 2 == 0) {
        setup->dsp.mask(p->l->mask, p->l->sums, p->target->flat_needed, p->target->w);
        setup->dsp.keep_even_8(p->plane->mask + y / 2 * p->plane->pitch, p->l->mask,
                               (p->target->w + 1) / 2);
    }
}

/* Fills the codes and the mask of scale 0. */
static void prepare(CambiLines *lines, const CambiSetup *setup, const CambiTarget *target,
                    const VmafPicture *pic, CambiPlane *plane)
{
    const Preparing p = { lines, setup, target, pic, plane };
    const unsigned h = target->h;
    plane->w = plane->stored_w = target->kept_w;
    plane->h = plane->stored_h = target->kept_h;
    memset(lines->sums_block, 0, target->w + 3 * CAMBI_SLACK);
    raw_row(lines, setup, target, pic, 0);
    make_code_row(&p, 0);
    for (unsigned y = 0; y < h + FLAT_RADIUS; y++) {
        const uint8_t *enter = lines->none, *leave = lines->none;
        if (y + 1 < h)
            make_code_row(&p, y + 1);
        if (y < h) {
            make_flat_row(&p, y);
            enter = lines->flat[y % (FLAT_ROWS + 1)];
        }
        if (y >= FLAT_ROWS && y - FLAT_ROWS < h)
            leave = lines->flat[(y - FLAT_ROWS) % (FLAT_ROWS + 1)];
        setup->dsp.slide(lines->sums, enter, leave, target->w);
        if (y >= FLAT_RADIUS)
            make_mask_row(&p, y - FLAT_RADIUS);
    }
}

/* Keeps every other sample of every other row: the next scale. */
static void decimate(const CambiSetup *setup, CambiPlane *plane)
{
    const unsigned w = (plane->w + 1) / 2, h = (plane->h + 1) / 2;
    for (unsigned y = 0; y < h; y++) {
        const size_t to = y * plane->pitch, from = 2 * to;
        setup->dsp.keep_even_16(plane->code + to, plane->code + from, w);
        setup->dsp.keep_even_8(plane->mask + to, plane->mask + from, w);
    }
    plane->w = w;
    plane->h = h;
}

static uint16_t *mode_across(CambiLines *l, const CambiSetup *setup, const CambiPlane *plane,
                             unsigned y)
{
    const uint16_t *row = plane->code + y * plane->pitch;
    uint16_t *out = l->across[y % 3];
    const unsigned w = plane->w;
    out[0] = row[0];
    out[w - 1] = row[w - 1];
    if (w > 2)
        setup->dsp.mode3(out + 1, row, row + 1, row + 2, w - 2);
    return out;
}

/* Replaces each code by the one that occurs at least twice among three neighbours, else the
 * smallest: along rows, then along columns. */
static void mode_filter(CambiLines *lines, const CambiSetup *setup, CambiPlane *plane)
{
    if (plane->h < 3)
        return;
    const uint16_t *above = mode_across(lines, setup, plane, 0);
    const uint16_t *here = mode_across(lines, setup, plane, 1);
    for (unsigned y = 1; y + 1 < plane->h; y++) {
        const uint16_t *below = mode_across(lines, setup, plane, y + 1);
        setup->dsp.mode3(plane->code + y * plane->pitch, above, here, below, plane->w);
        above = here;
        here = below;
    }
}

/* ---- the frame ---- */

struct CambiFrame {
    const CambiSetup *setup;
    CambiLines *lines;
    CambiCounters *counters;
    CambiPlane plane;
    CambiRanks *ranks;
    float *map;
};

/* Allocates room for the larger one of both targets at scale 0. */
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

int cambi_frame_create(const Feature *f, void **out)
{
    const CambiSetup *const setup = f->state;
    *out = NULL;
    CambiFrame *s = mem_zalloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    s->setup = setup;
    int err = plane_alloc(s);
    if (!err)
        err = lines_create(&s->lines, setup);
    if (!err)
        err = cambi_counters_create(&s->counters, setup);
    if (err) {
        cambi_frame_destroy(s);
        return err;
    }
    *out = s;
    return 0;
}

void cambi_frame_destroy(void *frame)
{
    CambiFrame *const s = frame;
    if (!s)
        return;
    lines_destroy(s->lines);
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
    const int err = check_range(setup, pic);
    if (err)
        return err;
    prepare(s->lines, setup, t, pic, plane);
    for (unsigned scale = 0; scale < CAMBI_SCALES; scale++) {
        if (scale > 0)
            decimate(setup, plane);
        mode_filter(s->lines, setup, plane);
        cambi_contrast(s->counters, setup, plane, t->window, s->map);
        if (map_fn)
            map_fn(cookie, scale, s->map, plane->w, plane->h);
        scores[scale] = cambi_top_mean(&setup->dsp, s->ranks, s->map, (size_t)plane->w * plane->h,
                                       setup->share);
    }
    return 0;
}
