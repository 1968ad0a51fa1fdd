/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Counts of codes in a square window that slides down the plane.
 *
 * For every code there is a row of counters, one per column: how many samples with that code lie in
 * the window around the column. A sample that enters or leaves the window touches 2r+1 neighbouring
 * counters of its code. Flat parts have runs of equal codes, and a run of L samples touches L+2r
 * counters by a trapezoid: so counters are updated run by run, and contrasts are computed run by
 * run from rows of counters. */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "feature/cambi/cambi.h"

enum { MAX_RADIUS = CAMBI_MAX_WINDOW / 2, MAX_RUN = CAMBI_MAX_WINDOW };

struct CambiCounters {
    unsigned codes; /* rows of counters that samples can reach */
    size_t block_size;
    uint16_t *block;
    uint16_t *enter, *leave; /* codes of a row */
    uint16_t *starts;        /* of its runs */
    unsigned radius;         /* that `ramp` is made for */
    size_t ramp_pitch;
    uint16_t *ramp; /* row L: what a run of L <= 2r+1 samples adds */
    /* for the plane at hand */
    size_t pitch;
    uint16_t *first; /* counters of the lowest code, around column 0 */
};

static size_t counter_pitch(unsigned w, unsigned radius)
{
    const size_t pitch = (w + 2 * (size_t)radius + CAMBI_SLACK + 31) / 32 * 32;
    return pitch % 2048 ? pitch : pitch + 32; /* not all codes in one set of the cache */
}

int cambi_counters_create(CambiCounters **out, const CambiSetup *setup)
{
    *out = NULL;
    CambiCounters *c = mem_zalloc(sizeof(*c));
    if (!c)
        return -ENOMEM;
    unsigned w = 0;
    for (unsigned i = 0; i < 2; i++)
        w = setup->target[i].kept_w > w ? setup->target[i].kept_w : w;
    c->codes = setup->high < setup->low ? 0 : (unsigned)(setup->high - setup->low + 1);
    /* Steps look up to `steps` codes past either end. */
    c->block_size = (c->codes + 2 * setup->steps) * counter_pitch(w, MAX_RADIUS);
    c->ramp_pitch = 2 * MAX_RUN + CAMBI_SLACK;
    c->block = mem_aligned_alloc(c->block_size * sizeof(*c->block));
    c->enter = mem_array(w + MAX_RADIUS + CAMBI_SLACK, sizeof(*c->enter));
    c->leave = mem_array(w + MAX_RADIUS + CAMBI_SLACK, sizeof(*c->leave));
    c->starts = mem_array(w + 1 + CAMBI_SLACK, sizeof(*c->starts));
    c->ramp = mem_array((MAX_RUN + 1) * c->ramp_pitch, sizeof(*c->ramp));
    if (!c->block || !c->enter || !c->leave || !c->starts || !c->ramp) {
        cambi_counters_destroy(c);
        return -ENOMEM;
    }
    *out = c;
    return 0;
}

void cambi_counters_destroy(CambiCounters *c)
{
    if (!c)
        return;
    mem_aligned_free(c->block);
    mem_free(c->enter);
    mem_free(c->leave);
    mem_free(c->starts);
    mem_free(c->ramp);
    mem_free(c);
}

static void make_ramps(CambiCounters *c, unsigned radius)
{
    const unsigned window = 2 * radius + 1;
    if (c->radius == radius && c->ramp[c->ramp_pitch])
        return;
    c->radius = radius;
    memset(c->ramp, 0, (MAX_RUN + 1) * c->ramp_pitch * sizeof(*c->ramp));
    for (unsigned length = 1; length <= window; length++) {
        uint16_t *ramp = c->ramp + length * c->ramp_pitch;
        const unsigned n = length + 2 * radius;
        for (unsigned i = 0; i < n; i++) {
            const unsigned rise = i + 1, fall = n - i, least = rise < fall ? rise : fall;
            ramp[i] = (uint16_t)(least < length ? least : length);
        }
    }
}

static void start(CambiCounters *c, const CambiSetup *setup, const CambiPlane *plane,
                  unsigned radius)
{
    make_ramps(c, radius);
    c->pitch = counter_pitch(plane->w, radius);
    c->first = c->block + setup->steps * c->pitch + radius;
    memset(c->block, 0, (c->codes + 2 * setup->steps) * c->pitch * sizeof(*c->block));
}

typedef void (*CountFn)(uint16_t *counts, const uint16_t *by, size_t n);

static void count_runs(const CambiCounters *c, const CambiSetup *setup, CountFn fn,
                       const uint16_t *codes, unsigned n)
{
    const unsigned window = 2 * c->radius + 1, count = setup->dsp.runs(c->starts, codes, n);
    for (unsigned i = 0; i < count; i++) {
        unsigned x = c->starts[i], length = c->starts[i + 1] - x;
        if (codes[x] == CAMBI_NO_CODE)
            continue;
        uint16_t *counts = c->first + codes[x] * c->pitch - c->radius;
        for (; length > window; length -= window, x += window)
            fn(counts + x, c->ramp + window * c->ramp_pitch, window + 2 * c->radius);
        fn(counts + x, c->ramp + length * c->ramp_pitch, length + 2 * c->radius);
    }
}

/* On planes narrower than the radius the reference also counts what earlier scales left beside
 * them: columns n…radius-1 lie in every window of their row. */
static void count_leftover(const CambiCounters *c, CountFn fn, const uint16_t *codes, unsigned n,
                           unsigned end)
{
    uint16_t ones[MAX_RADIUS + CAMBI_SLACK];
    for (unsigned i = 0; i < MAX_RADIUS + CAMBI_SLACK; i++)
        ones[i] = 1;
    for (unsigned x = n; x < end; x++) {
        if (codes[x] != CAMBI_NO_CODE)
            fn(c->first + codes[x] * c->pitch, ones, n);
    }
}

static unsigned counted_width(const CambiPlane *plane, unsigned radius)
{
    const unsigned reach = radius < plane->stored_w ? radius : plane->stored_w;
    return plane->w > reach ? plane->w : reach;
}

static void codes_of_row(const CambiSetup *setup, const CambiPlane *plane, unsigned y,
                         uint16_t *out, unsigned n)
{
    setup->dsp.masked(out, plane->code + y * plane->pitch, plane->mask + y * plane->pitch,
                      (unsigned)setup->low, (unsigned)(setup->high - setup->low), n);
}

static void add_row(CambiCounters *c, const CambiSetup *setup, const CambiPlane *plane, unsigned y)
{
    const unsigned n = counted_width(plane, c->radius);
    codes_of_row(setup, plane, y, c->enter, n);
    count_runs(c, setup, setup->dsp.add, c->enter, plane->w);
    count_leftover(c, setup->dsp.add, c->enter, plane->w, n);
}

/* Moves the window down to row `y`. */
static void slide(CambiCounters *c, const CambiSetup *setup, const CambiPlane *plane, unsigned y)
{
    const unsigned n = counted_width(plane, c->radius);
    const bool enters = y + c->radius < plane->h;
    const bool leaves = y > c->radius;
    if (enters)
        codes_of_row(setup, plane, y + c->radius, c->enter, n);
    if (leaves)
        codes_of_row(setup, plane, y - c->radius - 1, c->leave, n);
    if (enters && leaves)
        setup->dsp.cancel(c->enter, c->leave, n);
    if (leaves) {
        count_runs(c, setup, setup->dsp.subtract, c->leave, plane->w);
        count_leftover(c, setup->dsp.subtract, c->leave, plane->w, n);
    }
    if (enters) {
        count_runs(c, setup, setup->dsp.add, c->enter, plane->w);
        count_leftover(c, setup->dsp.add, c->enter, plane->w, n);
    }
}

static void contrast_row(CambiCounters *c, const CambiSetup *setup, const CambiPlane *plane,
                         unsigned y, float *out)
{
    const uint16_t *codes = c->enter;
    const unsigned n = plane->w;
    codes_of_row(setup, plane, y, c->enter, n);
    memset(out, 0, n * sizeof(*out));
    const unsigned count = setup->dsp.runs(c->starts, codes, n);
    for (unsigned i = 0; i < count; i++) {
        const unsigned x = c->starts[i];
        if (codes[x] == CAMBI_NO_CODE)
            continue;
        const CambiRun run = {
            .own = c->first + codes[x] * c->pitch + x,
            .pitch = (ptrdiff_t)c->pitch,
            .first = setup->first_step[codes[x] + setup->low],
            .steps = setup->steps,
            .reciprocal = setup->reciprocal,
        };
        if (run.first <= run.steps)
            setup->dsp.contrast(out + x, &run, c->starts[i + 1] - x);
    }
}

void cambi_contrast(CambiCounters *c, const CambiSetup *setup, const CambiPlane *plane,
                    unsigned window, float *map)
{
    assert(window % 2 == 1 && window <= CAMBI_MAX_WINDOW);
    const unsigned radius = window / 2;
    if (c->codes == 0) {
        memset(map, 0, (size_t)plane->w * plane->h * sizeof(*map));
        return;
    }
    start(c, setup, plane, radius);
    for (unsigned y = 0; y < radius && y < plane->stored_h; y++)
        add_row(c, setup, plane, y);
    for (unsigned y = 0; y < plane->h; y++) {
        slide(c, setup, plane, y);
        contrast_row(c, setup, plane, y, map + (size_t)y * plane->w);
    }
}
