/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "base/mem.h"
#include "feature/common/plane.h"
#include "feature/vif/vif.h"

static const StripsKind strips_kind = {
    .widest = VIF_STRIP,
    .step = VIF_STRIP_STEP,
    .pairs = VIF_MAX_PAIRS,
    .pair_size = VIF_PAIR_WORDS * sizeof(uint16_t),
    .columns_size = 2 * VIF_ROW_WORDS * sizeof(uint16_t),
    .sums = sizeof(VifLaneSums) / sizeof(uint64_t),
    .shared_pixels = VIF_SHARED_PIXELS,
};

/* One scale of both pictures. */
typedef struct Scale {
    const uint8_t *plane[2];
    ptrdiff_t stride[2]; /* in bytes */
    int w, h, sample_size;
} Scale;

struct VifFrame {
    Strips *strips;
    uint16_t *half[VIF_SCALES][2]; /* planes of scales 1…3 */
    ptrdiff_t half_stride[VIF_SCALES];
    /* Frames under 16 samples wide end in a plane one sample wide, which has nothing to mirror. The
     * reference then reads leftovers of the scale before: these columns. */
    uint16_t ghost[VIF_CHANNELS];
    const MapLayer *map; /* gets the terms; NULL: they are summed */
};

/* Constants of one pass over a scale, shared by its strips. */
typedef struct Pass {
    const VifSetup *setup;
    VifFrame *frame;
    int scale;
    bool stats;
    Scale now;
    Scale before;
    VifShifts shifts;
} Pass;

static size_t round_up(size_t x, size_t step)
{
    return (x + step - 1) / step * step;
}

static const uint8_t *row_of(const Pass *p, int picture, int y)
{
    const Scale *s = &p->now;
    if (s->h == 1 && y != 0) /* nothing to mirror: the reference reads the scale before */
        return p->before.plane[picture] + p->before.stride[picture];
    return s->plane[picture] + (s->h == 1 ? 0 : mirror_index_far(y, s->h)) * s->stride[picture];
}

/* Fills the columns outside the plane in the first `channels` channels. `columns` points at column
 * x0. */
static void mirror_columns(const Pass *p, const Strip *s, uint16_t *columns, int reach,
                           int channels)
{
    if (p->now.w > 1) {
        strip_mirror(s, columns, channels, VIF_PITCH, reach);
        return;
    }
    for (int c = 0; c < channels; c++, columns += VIF_PITCH) {
        for (int i = 1; i <= reach; i++)
            columns[-i] = columns[i] = p->frame->ghost[c];
    }
}

static VifSums sum_lanes(const VifLaneSums *lanes)
{
    VifSums sums = { 0 };
    for (int i = 0; i < VIF_LANES; i++) {
        sums.num_log += lanes->num_log[i];
        sums.den_log += lanes->den_log[i];
        sums.flat_energy += lanes->flat_energy[i];
        sums.flat_count += lanes->flat_count[i];
    }
    return sums;
}

/* Prefetches row y of both pictures for a later pair. */
static void fetch_row(const Pass *p, const Strip *s, int y)
{
    const int size = p->now.sample_size;
    for (int picture = 0; picture < 2 && y < p->now.h; picture++)
        strip_fetch(p->now.plane[picture] + y * p->now.stride[picture] + s->from * size,
                    (size_t)((s->to - s->from) * size));
}

static void load_pair(const void *pass, const Strip *s, void *pair, int y)
{
    const Pass *p = pass;
    const size_t skip = (size_t)s->from * (size_t)p->now.sample_size;
    for (int picture = 0; picture < 2; picture++)
        p->setup->dsp.scale[p->scale].join(
            (uint16_t *)pair + picture * (VIF_PAIR_WORDS / 2), row_of(p, picture, y) + skip,
            row_of(p, picture, y + 1) + skip, s->to - s->from, p->shifts.mean);
}

/* Column x0 of the first channel. It is placed so that the stores of the vertical pass are
 * aligned. */
static uint16_t *first_column(const Strip *s)
{
    return (uint16_t *)s->columns + VIF_MARGIN - VIF_REACH + (s->x0 - s->from);
}

/* Puts the terms of a row into the map: sums over one column each. */
static void map_stats(const Pass *p, const Strip *s, const uint16_t *columns, int y)
{
    const MapLayer *const layer = &p->frame->map[p->scale - p->setup->skip_scale0];
    for (int x = s->x0; x < s->x1; x++, columns++) {
        VmafPartValue *const cell = map_cell(layer, (unsigned)x, (unsigned)y);
        VifLaneSums one = { .num_log = { 0 } };
        p->setup->dsp.scale[p->scale].stats_row(&one, columns, 1, &p->setup->pixel);
        const VifSums sums = sum_lanes(&one);
        cell[VIF_TERM_NUM].integer = (int64_t)sums.num_log;
        cell[VIF_TERM_DEN].integer = (int64_t)sums.den_log;
        cell[VIF_TERM_ENERGY].integer = (int64_t)sums.flat_energy;
        cell[VIF_TERM_FLAT].integer = (int64_t)sums.flat_count;
    }
}

static void sum_stats(const Pass *p, const Strip *s, const uint16_t *const *pairs, int y)
{
    const VifScaleDsp *dsp = &p->setup->dsp.scale[p->scale];
    uint16_t *columns = first_column(s);

    dsp->stats_columns(columns - (s->x0 - s->from), pairs, s->to - s->from, &p->shifts);
    for (int row = 0; row < 2 && y + row < p->now.h; row++, columns += VIF_ROW_WORDS) {
        mirror_columns(p, s, columns, vif_reach(p->scale), VIF_CHANNELS);
        if (p->frame->map)
            map_stats(p, s, columns, y + row);
        else
            dsp->stats_row((VifLaneSums *)s->sums, columns, s->x1 - s->x0, &p->setup->pixel);
        if (p->scale == VIF_SCALES - 2 && p->now.w / 2 == 1 && y + row == p->now.h - 1) {
            for (int c = 0; c < VIF_CHANNELS; c++)
                p->frame->ghost[c] = columns[c * VIF_PITCH + 1];
        }
    }
}

static uint16_t *halved_row(const Pass *p, const Strip *s, int picture, int y)
{
    const int next = p->scale + 1;
    return p->frame->half[next][picture] + y * p->frame->half_stride[next] + s->x0 / 2;
}

static void halve(const Pass *p, const Strip *s, const uint16_t *const *pairs, int y)
{
    const int next = p->scale + 1, n = s->x1 / 2 - s->x0 / 2, later = y / 2 + STRIPS_FETCH / 2;
    const VifScaleDsp *dsp = &p->setup->dsp.scale[p->scale];
    uint16_t *columns = first_column(s);

    for (int picture = 0; picture < 2 && later < p->now.h / 2 && n > 0; picture++)
        strip_fetch_to_write(halved_row(p, s, picture, later), (size_t)n * sizeof(uint16_t));
    dsp->halve_columns(columns - (s->x0 - s->from), pairs, s->to - s->from, p->shifts.mean);
    mirror_columns(p, s, columns, vif_reach(next), 2);
    for (int picture = 0; picture < 2; picture++)
        dsp->halve_row(halved_row(p, s, picture, y / 2), columns + picture * VIF_PITCH, n);
}

static void sum_rows(const void *pass, const Strip *s, const void *const *pairs, int y)
{
    const Pass *p = pass;
    const int reach = vif_pair_reach(p->scale);
    const uint16_t *ring[VIF_MAX_PAIRS];
    for (int i = 0; i <= reach; i++)
        ring[i] = pairs[i];
    fetch_row(p, s, y + reach + STRIPS_FETCH);
    if (p->stats)
        sum_stats(p, s, ring, y);
    fetch_row(p, s, y + 1 + reach + STRIPS_FETCH);
    if (p->scale + 1 < VIF_SCALES && y + 1 < p->now.h)
        halve(p, s, ring + (reach - vif_pair_reach(p->scale + 1)) / 2, y);
}

static void measure_scale(Pass *p, VifSums *sums, Team *team)
{
    const unsigned bpc = p->setup->bpc;
    p->shifts = p->scale ? (VifShifts){ 16, 16 } : (VifShifts){ (int)bpc, 2 * ((int)bpc - 8) };
    p->stats = p->scale > 0 || !p->setup->skip_scale0;
    const StripsPlane plane = {
        .w = p->now.w,
        .h = p->now.h,
        .reach = vif_reach(p->scale),
        .pair_reach = vif_pair_reach(p->scale),
        .load = load_pair,
        .sum = sum_rows,
        .arg = p,
    };
    VifLaneSums lanes;
    strips_sweep(p->frame->strips, &plane, (uint64_t *)&lanes, team);
    *sums = sum_lanes(&lanes);
}

void vif_frame_map(VifFrame *frame, const MapLayer *layers)
{
    frame->map = layers;
}

void vif_frame_measure(VifFrame *frame, const VifSetup *setup, const void *const planes[2],
                       const ptrdiff_t strides[2], VifResult *result, Team *team)
{
    Pass p = {
        .setup = setup,
        .frame = frame,
        .now = { .plane = { planes[0], planes[1] },
                 .stride = { strides[0], strides[1] },
                 .w = (int)setup->w,
                 .h = (int)setup->h,
                 .sample_size = setup->bpc > 8 ? 2 : 1 },
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

int vif_frame_create(const Feature *f, void **out)
{
    const VifSetup *const setup = f->state;
    VifFrame *frame = *out = mem_zalloc(sizeof(*frame));
    if (!frame)
        return -ENOMEM;
    if (strips_create(&frame->strips, &strips_kind, (int)setup->w, (int)setup->h))
        goto fail;
    for (int s = 1; s < VIF_SCALES; s++) {
        /* Vectors may write past a row's end, up to the next step. */
        const size_t stride = round_up((setup->w >> s) + VIF_STRIP_STEP, VIF_STRIP_STEP);
        frame->half_stride[s] = (ptrdiff_t)stride;
        for (int picture = 0; picture < 2; picture++) {
            frame->half[s][picture] =
                mem_aligned_alloc(stride * (setup->h >> s) * sizeof(uint16_t));
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

void vif_frame_destroy(void *scratch)
{
    VifFrame *const frame = scratch;
    if (!frame)
        return;
    for (int s = 1; s < VIF_SCALES; s++) {
        mem_aligned_free(frame->half[s][0]);
        mem_aligned_free(frame->half[s][1]);
    }
    strips_destroy(frame->strips);
    mem_free(frame);
}
