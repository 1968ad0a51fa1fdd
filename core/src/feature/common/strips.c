/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/common/strips.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "feature/common/plane.h"

struct Strips {
    const StripsKind *kind;
    int jobs; /* jobs that have buffers */
    size_t job_size;
    uint8_t *buffers; /* for each job: pairs, columns, sums */
};

/* One plane being swept. */
typedef struct Sweep {
    const Strips *strips;
    const StripsPlane *plane;
    int width, count; /* width and number of strips */
    int jobs;
} Sweep;

static size_t round_up(size_t x, size_t step)
{
    return (x + step - 1) / step * step;
}

static int most_jobs(const StripsKind *kind, int w, int h)
{
    return (int64_t)w * h >= kind->shared_pixels ? STRIPS_MAX_JOBS : 1;
}

int strips_create(Strips **out, const StripsKind *kind, int w, int h)
{
    assert(kind->pair_size % MEM_ALIGN == 0 && kind->columns_size % MEM_ALIGN == 0);
    assert(kind->pairs <= STRIPS_MAX_PAIRS);
    *out = NULL;
    Strips *strips = mem_zalloc(sizeof(*strips));
    if (!strips)
        return -ENOMEM;
    strips->kind = kind;
    strips->jobs = most_jobs(kind, w, h);
    strips->job_size = round_up((size_t)kind->pairs * kind->pair_size + kind->columns_size +
                                    (size_t)kind->sums * sizeof(uint64_t),
                                MEM_ALIGN);
    const size_t size = (size_t)strips->jobs * strips->job_size;
    strips->buffers = mem_aligned_alloc(size);
    if (!strips->buffers) {
        strips_destroy(strips);
        return -ENOMEM;
    }
    /* Vectors read past the ends of what is filled: those bytes must be defined. */
    memset(strips->buffers, 0, size);
    *out = strips;
    return 0;
}

void strips_destroy(Strips *strips)
{
    if (!strips)
        return;
    mem_aligned_free(strips->buffers);
    mem_free(strips);
}

static uint8_t *pairs_of(const Strips *strips, int job)
{
    return strips->buffers + (size_t)job * strips->job_size;
}

static uint8_t *columns_of(const Strips *strips, int job)
{
    return pairs_of(strips, job) + (size_t)strips->kind->pairs * strips->kind->pair_size;
}

static uint64_t *sums_of(const Strips *strips, int job)
{
    return (uint64_t *)(columns_of(strips, job) + strips->kind->columns_size);
}

static void sweep_strip(const StripsPlane *p, const Strip *strip, uint8_t *pairs, size_t pair_size)
{
    const int reach = p->pair_reach;
    void *ring[STRIPS_MAX_PAIRS];

    for (int i = 0; i <= reach; i++)
        ring[i] = pairs + (size_t)i * pair_size;
    for (int i = 0; i < reach; i++)
        p->load(p->arg, strip, ring[i], 2 * i - reach);
    for (int y = 0; y < p->h; y += 2) {
        p->load(p->arg, strip, ring[reach], y + reach);
        p->sum(p->arg, strip, (const void *const *)ring, y);
        void *const oldest = ring[0];
        memmove(ring, ring + 1, (size_t)reach * sizeof(*ring));
        ring[reach] = oldest;
    }
}

static void run_job(void *arg, unsigned number)
{
    const Sweep *s = arg;
    const StripsPlane *p = s->plane;
    const int job = (int)number;
    Strip strip = { .w = p->w,
                    .columns = columns_of(s->strips, job),
                    .sums = sums_of(s->strips, job) };

    memset(strip.sums, 0, (size_t)s->strips->kind->sums * sizeof(*strip.sums));
    for (int i = job; i < s->count; i += s->jobs) {
        strip.x0 = i * s->width;
        strip.x1 = strip.x0 + s->width < p->w ? strip.x0 + s->width : p->w;
        strip.from = strip.x0 > p->reach ? strip.x0 - p->reach : 0;
        strip.to = strip.x1 + p->reach < p->w ? strip.x1 + p->reach : p->w;
        sweep_strip(p, &strip, pairs_of(s->strips, job), s->strips->kind->pair_size);
    }
}

int strips_width(int w, int widest, int step)
{
    const int count = (w + widest - 1) / widest;
    const int even = (w + count - 1) / count;
    return (int)round_up((size_t)even, (size_t)step);
}

void strips_sweep(Strips *strips, const StripsPlane *plane, uint64_t *total, Team *team)
{
    const StripsKind *kind = strips->kind;
    Sweep s = { .strips = strips, .plane = plane, .jobs = 1 };
    s.width = strips_width(plane->w, kind->widest, kind->step);
    s.count = (plane->w + s.width - 1) / s.width;
    if (team_size(team) > 1)
        s.jobs = most_jobs(kind, plane->w, plane->h);
    if (s.jobs > s.count)
        s.jobs = s.count;
    team_run(s.jobs > 1 ? team : NULL, (unsigned)s.jobs, run_job, &s);

    memset(total, 0, (size_t)kind->sums * sizeof(*total));
    for (int job = 0; job < s.jobs; job++) {
        const uint64_t *sums = sums_of(strips, job);
        for (int i = 0; i < kind->sums; i++)
            total[i] += sums[i];
    }
}

#define CACHE_LINE 64

/* The cache in which rows wait until they are loaded: a strip's buffers fill the nearest one. */
#define SECOND_CACHE 2

void strip_fetch(const void *part, size_t size)
{
    const uint8_t *const first = part;
    for (size_t i = 0; i < size; i += CACHE_LINE)
        __builtin_prefetch(first + i, 0, SECOND_CACHE);
    __builtin_prefetch(first + size - 1, 0, SECOND_CACHE);
}

void strip_fetch_to_write(const void *part, size_t size)
{
    const uint8_t *const first = part;
    for (size_t i = 0; i < size; i += CACHE_LINE)
        __builtin_prefetch(first + i, 1);
    __builtin_prefetch(first + size - 1, 1);
}

/* A strip whose end lies up to `reach` columns from the right border reaches over it, too. */
void strip_mirror(const Strip *strip, void *columns, int channels, int pitch, int reach)
{
    const int w = strip->w, x0 = strip->x0;
    const int left = x0 == 0 ? reach : 0, right = strip->x1 + reach - w;
    if (!left && right <= 0)
        return;
    uint16_t *at = columns;
    for (int c = 0; c < channels; c++, at += pitch) {
        if (w > reach) { /* one reflection is enough: most planes */
            uint16_t *const last = at + (w - 1 - x0);
            for (int i = 1; i <= left; i++)
                at[-i] = at[i];
            for (int i = 1; i <= right; i++)
                last[i] = last[-i];
            continue;
        }
        for (int i = 1; i <= left; i++)
            at[-i] = at[mirror_index_far(-i, w)];
        for (int i = w; i < w + right; i++)
            at[i - x0] = at[mirror_index_far(i, w) - x0];
    }
}
