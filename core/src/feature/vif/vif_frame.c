/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "feature/vif/vif_frame.h"

/* Jobs a large scale is cut into; a smaller one is not worth waking other threads for. */
#define MAX_JOBS 16
#define MIN_SHARED_PIXELS (600 * 1000)

/* The strip buffers of one job. */
typedef struct Sweep {
    uint16_t pairs[VIF_MAX_PAIRS][VIF_PAIR_WORDS];
    uint16_t columns[2][VIF_ROW_WORDS];
    VifLaneSums sums;
} Sweep;

/* One scale of both pictures. */
typedef struct Scale {
    const uint8_t *plane[2];
    ptrdiff_t stride[2]; /* in bytes */
    int w, h, sample_size;
} Scale;

struct VifFrame {
    Sweep *sweeps;
    int jobs;
    uint16_t *half[VIF_SCALES][2]; /* scales 1…3 */
    ptrdiff_t half_stride[VIF_SCALES];
    /* Frames under 16 samples across end in a plane one sample wide, which has nothing to mirror.
     * The reference then reads what the scale before left behind: these columns. */
    uint16_t ghost[VIF_CHANNELS];
};

/* What the jobs of one scale share. */
typedef struct Pass {
    const VifPlan *plan;
    VifFrame *frame;
    int scale, strip, strips, jobs;
    bool stats;
    Scale now;
    Scale before;
    VifShifts shifts;
} Pass;

static size_t round_up(size_t x, size_t step)
{
    return (x + step - 1) / step * step;
}

/* Mirror about the border sample as often as needed; n > 1. */
static int bounce(int i, int n)
{
    const int period = 2 * (n - 1);
    i = i < 0 ? -i % period : i % period;
    return i < n ? i : period - i;
}

static const uint8_t *row_of(const Pass *p, int picture, int y)
{
    const Scale *s = &p->now;
    if (s->h == 1 && y != 0) /* nothing to mirror: the reference reads the scale before here, too */
        return p->before.plane[picture] + p->before.stride[picture];
    return s->plane[picture] + (s->h == 1 ? 0 : bounce(y, s->h)) * s->stride[picture];
}

/* Columns outside the plane, for the first `channels` channels; `columns` points at column x0. A
 * strip reaches over the right border from up to `reach` columns away, too. */
static void mirror_columns(const Pass *p, uint16_t *columns, int x0, int x1, int reach,
                           int channels)
{
    const int w = p->now.w;
    for (int c = 0; c < channels; c++, columns += VIF_PITCH) {
        for (int i = 1; x0 == 0 && i <= reach; i++)
            columns[-i] = w == 1 ? p->frame->ghost[c] : columns[bounce(-i, w)];
        for (int i = w; i < x1 + reach; i++)
            columns[i - x0] = w == 1 ? p->frame->ghost[c] : columns[bounce(i, w) - x0];
    }
}

/* One strip's buffers: columns from…to are filtered vertically, x0…x1 horizontally. */
typedef struct Strip {
    const Pass *pass;
    Sweep *sweep;
    int x0, x1, from, to;
} Strip;

/* A strip's rows lie too far apart for the hardware to see them coming. */
static void fetch_ahead(const Strip *s, int y)
{
    const Pass *p = s->pass;
    const ptrdiff_t first = s->from * p->now.sample_size, last = s->to * p->now.sample_size;
    for (int i = 0; y >= 0 && i < 4 && y + i / 2 < p->now.h; i++) {
        const uint8_t *const row = p->now.plane[i % 2] + (y + i / 2) * p->now.stride[i % 2];
        for (ptrdiff_t at = first; at < last; at += 64)
            __builtin_prefetch(row + at);
    }
}

static void load_pair(const Strip *s, uint16_t *pair, int y)
{
    const Pass *p = s->pass;
    const size_t skip = (size_t)s->from * (size_t)p->now.sample_size;
    fetch_ahead(s, y + 4);
    for (int picture = 0; picture < 2; picture++)
        p->plan->dsp.scale[p->scale].join(
            pair + picture * (VIF_PAIR_WORDS / 2), row_of(p, picture, y) + skip,
            row_of(p, picture, y + 1) + skip, s->to - s->from, p->shifts.mean);
}

static void sweep_stats(const Strip *s, const uint16_t *const *pairs, int y)
{
    const Pass *p = s->pass;
    const VifScaleDsp *dsp = &p->plan->dsp.scale[p->scale];
    uint16_t *columns = s->sweep->columns[0] + VIF_MARGIN;

    dsp->stats_columns(columns - (s->x0 - s->from), pairs, s->to - s->from, &p->shifts);
    for (int row = 0; row < 2 && y + row < p->now.h; row++, columns += VIF_ROW_WORDS) {
        mirror_columns(p, columns, s->x0, s->x1, vif_reach(p->scale), VIF_CHANNELS);
        dsp->stats_row(&s->sweep->sums, columns, s->x1 - s->x0, &p->plan->pixel);
        if (p->scale == VIF_SCALES - 2 && p->now.w / 2 == 1 && y + row == p->now.h - 1) {
            for (int c = 0; c < VIF_CHANNELS; c++)
                p->frame->ghost[c] = columns[c * VIF_PITCH + 1];
        }
    }
}

static void sweep_halve(const Strip *s, const uint16_t *const *pairs, int y)
{
    const Pass *p = s->pass;
    const int next = p->scale + 1;
    const VifScaleDsp *dsp = &p->plan->dsp.scale[p->scale];
    uint16_t *columns = s->sweep->columns[0] + VIF_MARGIN;

    dsp->halve_columns(columns - (s->x0 - s->from), pairs, s->to - s->from, p->shifts.mean);
    mirror_columns(p, columns, s->x0, s->x1, vif_reach(next), 2);
    for (int picture = 0; picture < 2; picture++)
        dsp->halve_row(p->frame->half[next][picture] + y / 2 * p->frame->half_stride[next] +
                           s->x0 / 2,
                       columns + picture * VIF_PITCH, s->x1 / 2 - s->x0 / 2);
}

static void sweep_strip(const Strip *s)
{
    const Pass *p = s->pass;
    const int reach = vif_pair_reach(p->scale);
    uint16_t *ring[VIF_MAX_PAIRS];

    for (int i = 0; i <= reach; i++)
        ring[i] = s->sweep->pairs[i];
    for (int i = 0; i < reach; i++)
        load_pair(s, ring[i], 2 * i - reach);
    for (int y = 0; y < p->now.h; y += 2) {
        load_pair(s, ring[reach], y + reach);
        const uint16_t *const *pairs = (const uint16_t *const *)ring;
        if (p->stats)
            sweep_stats(s, pairs, y);
        if (p->scale + 1 < VIF_SCALES && y + 1 < p->now.h)
            sweep_halve(s, pairs + (reach - vif_pair_reach(p->scale + 1)) / 2, y);
        uint16_t *const oldest = ring[0];
        memmove(ring, ring + 1, (size_t)reach * sizeof(*ring));
        ring[reach] = oldest;
    }
}

static void run_job(void *arg, unsigned job)
{
    const Pass *p = arg;
    Sweep *sweep = &p->frame->sweeps[job];
    memset(&sweep->sums, 0, sizeof(sweep->sums));
    for (int i = (int)job; i < p->strips; i += p->jobs) {
        const int reach = vif_reach(p->scale);
        Strip s = { .pass = p, .sweep = sweep, .x0 = i * p->strip, .x1 = (i + 1) * p->strip };
        s.x1 = s.x1 < p->now.w ? s.x1 : p->now.w;
        s.from = s.x0 > reach ? s.x0 - reach : 0;
        s.to = s.x1 + reach < p->now.w ? s.x1 + reach : p->now.w;
        sweep_strip(&s);
    }
}

/* Strips of about the same width, whole steps wide. */
static void cut_strips(Pass *p, const Team *team)
{
    const int count = (p->now.w + VIF_STRIP - 1) / VIF_STRIP;
    p->strip = (int)round_up((size_t)((p->now.w + count - 1) / count), VIF_STRIP_STEP);
    p->strips = (p->now.w + p->strip - 1) / p->strip;
    p->jobs = 1;
    if (team_size(team) > 1 && (int64_t)p->now.w * p->now.h >= MIN_SHARED_PIXELS)
        p->jobs = p->strips < p->frame->jobs ? p->strips : p->frame->jobs;
}

static void measure_scale(Pass *p, VifSums *sums, Team *team)
{
    const unsigned bpc = p->plan->bpc;
    p->shifts = p->scale ? (VifShifts){ 16, 16 } : (VifShifts){ (int)bpc, 2 * ((int)bpc - 8) };
    p->stats = p->scale > 0 || !p->plan->skip_scale0;
    cut_strips(p, team);
    team_run(p->jobs > 1 ? team : NULL, (unsigned)p->jobs, run_job, p);

    memset(sums, 0, sizeof(*sums));
    for (int i = 0; i < p->jobs * VIF_LANES; i++) {
        const VifLaneSums *part = &p->frame->sweeps[i / VIF_LANES].sums;
        sums->num_log += part->num_log[i % VIF_LANES];
        sums->den_log += part->den_log[i % VIF_LANES];
        sums->flat_energy += part->flat_energy[i % VIF_LANES];
        sums->flat_count += part->flat_count[i % VIF_LANES];
    }
}

void vif_frame_measure(VifFrame *frame, const VifPlan *plan, const void *const planes[2],
                       const ptrdiff_t strides[2], VifResult *result, Team *team)
{
    Pass p = {
        .plan = plan,
        .frame = frame,
        .now = { .plane = { planes[0], planes[1] },
                 .stride = { strides[0], strides[1] },
                 .w = (int)plan->w,
                 .h = (int)plan->h,
                 .sample_size = plan->bpc > 8 ? 2 : 1 },
    };
    for (p.scale = 0; p.scale < VIF_SCALES; p.scale++) {
        measure_scale(&p, &result->scale[p.scale], team);
        if (p.scale == VIF_SCALES - 1)
            break;
        p.before = p.now;
        for (int picture = 0; picture < 2; picture++) {
            p.now.plane[picture] = (const uint8_t *)frame->half[p.scale + 1][picture];
            p.now.stride[picture] = frame->half_stride[p.scale + 1] * (ptrdiff_t)sizeof(uint16_t);
        }
        p.now.w /= 2;
        p.now.h /= 2;
        p.now.sample_size = 2;
    }
}

int vif_frame_create(VifFrame **out, const VifPlan *plan)
{
    VifFrame *frame = *out = mem_zalloc(sizeof(*frame));
    if (!frame)
        return -ENOMEM;
    frame->jobs = (uint64_t)plan->w * plan->h >= MIN_SHARED_PIXELS ? MAX_JOBS : 1;
    const size_t sweeps_size = sizeof(Sweep) * (size_t)frame->jobs;
    frame->sweeps = mem_aligned_alloc(sweeps_size);
    if (!frame->sweeps)
        goto fail;
    memset(frame->sweeps, 0, sweeps_size);
    for (int s = 1; s < VIF_SCALES; s++) {
        /* Vectors may write past a row's end, up to the next step. */
        const size_t stride = round_up((plan->w >> s) + VIF_STRIP_STEP, VIF_STRIP_STEP);
        frame->half_stride[s] = (ptrdiff_t)stride;
        for (int picture = 0; picture < 2; picture++) {
            frame->half[s][picture] = mem_aligned_alloc(stride * (plan->h >> s) * sizeof(uint16_t));
            if (!frame->half[s][picture])
                goto fail;
        }
    }
    return 0;

fail:
    vif_frame_destroy(frame);
    *out = NULL;
    return -ENOMEM;
}

void vif_frame_destroy(VifFrame *frame)
{
    if (!frame)
        return;
    for (int s = 1; s < VIF_SCALES; s++) {
        mem_aligned_free(frame->half[s][0]);
        mem_aligned_free(frame->half[s][1]);
    }
    mem_aligned_free(frame->sweeps);
    mem_free(frame);
}
