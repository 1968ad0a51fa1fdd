/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "feature/float_adm/float_adm.h"

/* db2: the four taps of the low-pass and of the high-pass filter. */
static const float low_pass[4] = { 0.482962913144690f, 0.836516303737469f, 0.224143868041857f,
                                   -0.129409522550921f };
static const float high_pass[4] = { -0.129409522550921f, -0.224143868041857f, 0.836516303737469f,
                                    -0.482962913144690f };

/* Weighted coefficients and the amount they add to their neighbours' masks, in slots of one row. */
typedef struct Masker {
    float *weighted[ADM_BANDS][3];
    float *spread[ADM_BANDS][3];
} Masker;

typedef struct FloatAdmFrame {
    const FloatAdmSetup *setup;
    FloatRows *source[2];
    size_t pitch[ADM_LEVELS];
    float *approx[2][ADM_LEVELS]; /* low-pass bands, which the next level splits */
    float *low, *high;            /* a row after the vertical pass */
    float *even, *odd;            /* its even and odd samples */
    float *detail[2][ADM_BANDS];
    float *own[ADM_BANDS]; /* weighted detail of the reference */
    Masker restored, additive;
    float *limit, *zero;
    FloatTotal total[ADM_ENERGIES][ADM_BANDS];
} FloatAdmFrame;

static int line_alloc(float **line, unsigned n)
{
    *line = float_line_alloc(n);
    if (*line)
        memset(*line, 0, n * sizeof(**line));
    return *line ? 0 : -ENOMEM;
}

static int masker_init(Masker *masker, unsigned n)
{
    for (unsigned b = 0; b < ADM_BANDS; b++) {
        for (unsigned i = 0; i < 3; i++) {
            if (line_alloc(&masker->weighted[b][i], n) || line_alloc(&masker->spread[b][i], n))
                return -ENOMEM;
        }
    }
    return 0;
}

static void masker_free(Masker *masker)
{
    for (unsigned b = 0; b < ADM_BANDS; b++) {
        for (unsigned i = 0; i < 3; i++) {
            float_line_free(masker->weighted[b][i]);
            float_line_free(masker->spread[b][i]);
        }
    }
}

static int allocate_planes(FloatAdmFrame *a)
{
    const FloatAdmSetup *setup = a->setup;
    const FloatRowsParams params = {
        .dsp = &setup->dsp,
        .w = setup->level[0].src_w,
        .h = setup->level[0].src_h,
        .bpc = setup->bpc,
        .offset = -128.0f,
        .window = 4,
    };
    for (unsigned i = 0; i < 2; i++) {
        const int err = float_rows_create(&a->source[i], &params);
        if (err)
            return err;
        for (unsigned s = 0; s + 1 < ADM_LEVELS; s++) {
            a->pitch[s] = setup->level[s].w;
            a->approx[i][s] = mem_aligned_alloc(a->pitch[s] * setup->level[s].h * sizeof(float));
            if (!a->approx[i][s])
                return -ENOMEM;
        }
    }
    return 0;
}

static int allocate(FloatAdmFrame *a)
{
    const FloatAdmSetup *setup = a->setup;
    const unsigned src_w = setup->level[0].src_w, w = setup->level[0].w;
    if (line_alloc(&a->low, src_w) || line_alloc(&a->high, src_w) || line_alloc(&a->even, w) ||
        line_alloc(&a->odd, w) || line_alloc(&a->limit, w) || line_alloc(&a->zero, w))
        return -ENOMEM;
    for (unsigned b = 0; b < ADM_BANDS; b++) {
        if (line_alloc(&a->detail[0][b], w) || line_alloc(&a->detail[1][b], w) ||
            line_alloc(&a->own[b], w))
            return -ENOMEM;
        for (unsigned e = 0; e < ADM_ENERGIES; e++) {
            if (float_total_init(&a->total[e][b], &setup->dsp, w))
                return -ENOMEM;
        }
    }
    if (masker_init(&a->restored, w) || masker_init(&a->additive, w))
        return -ENOMEM;
    return allocate_planes(a);
}

int float_adm_frame_create(const Feature *f, void **out)
{
    *out = NULL;
    FloatAdmFrame *a = mem_zalloc(sizeof(*a));
    if (!a)
        return -ENOMEM;
    a->setup = f->state;
    const int err = allocate(a);
    if (err) {
        float_adm_frame_destroy(a);
        return err;
    }
    *out = a;
    return 0;
}

void float_adm_frame_destroy(void *frame)
{
    FloatAdmFrame *const a = frame;
    if (!a)
        return;
    float *const lines[] = { a->low, a->high, a->even, a->odd, a->limit, a->zero };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        float_line_free(lines[i]);
    for (unsigned b = 0; b < ADM_BANDS; b++) {
        float_line_free(a->detail[0][b]);
        float_line_free(a->detail[1][b]);
        float_line_free(a->own[b]);
        for (unsigned e = 0; e < ADM_ENERGIES; e++)
            float_total_free(&a->total[e][b]);
    }
    masker_free(&a->restored);
    masker_free(&a->additive);
    for (unsigned i = 0; i < 2; i++) {
        float_rows_destroy(a->source[i]);
        for (unsigned s = 0; s < ADM_LEVELS; s++)
            mem_aligned_free(a->approx[i][s]);
    }
    mem_free(a);
}

/* Reflects an index at the borders: before the first sample without repeating it, after the last
 * with repeating it. */
static unsigned wavelet_index(int i, int n)
{
    return (unsigned)(i < 0 ? -i : i < n ? i : 2 * n - 1 - i);
}

static const float *source_row(FloatAdmFrame *a, unsigned level, unsigned i, unsigned y)
{
    if (level == 0)
        return float_rows_get(a->source[i], y);
    return a->approx[i][level - 1] + y * a->pitch[level - 1];
}

/* Splits `line` of n samples into even and odd ones. Output x of the horizontal pass reads samples
 * 2x-1, 2x, 2x+1, 2x+2: these are odd[x-1], even[x], odd[x], even[x+1]. */
static void take_apart(FloatAdmFrame *a, const float *line, unsigned n)
{
    const unsigned half = n / 2;
    a->setup->dsp.split(a->even, a->odd, line, half);
    a->odd[-1] = line[1];
    a->even[half] = line[n - 1];
    if (n % 2) {
        a->odd[half] = line[n - 1];
        a->even[half + 1] = line[n - 2];
    }
}

static void shifted(const FloatAdmFrame *a, unsigned from, const float *rows[4])
{
    rows[0] = a->odd + from - 1;
    rows[1] = a->even + from;
    rows[2] = a->odd + from;
    rows[3] = a->even + from + 1;
}

/* The columns or rows that the 3x3 neighbourhoods of the core reach. */
static AdmCore reached(AdmCore core, unsigned n)
{
    return (AdmCore){ core.begin ? core.begin - 1 : 0, core.end < n ? core.end + 1 : n };
}

/* Makes row `y` of the bands of picture `i`: the low-pass row goes to its plane, the detail (if it
 * is wanted) to the lines. */
static void split_row(FloatAdmFrame *a, unsigned level, unsigned i, unsigned y, bool want_detail)
{
    const FloatDsp *dsp = &a->setup->dsp;
    const FloatAdmLevel *l = &a->setup->level[level];
    const AdmCore cols = reached(l->x, l->w);
    const size_t n = cols.end - cols.begin;
    const float *rows[4];
    for (int k = 0; k < 4; k++)
        rows[k] = source_row(a, level, i, wavelet_index((int)(2 * y) - 1 + k, (int)l->src_h));
    if (want_detail)
        dsp->weigh4x2(a->low, a->high, rows, low_pass, high_pass, l->src_w);
    else
        dsp->weigh(a->low, rows, low_pass, 4, l->src_w);

    take_apart(a, a->low, l->src_w);
    if (level + 1 < ADM_LEVELS) {
        shifted(a, 0, rows);
        dsp->weigh(a->approx[i][level] + y * a->pitch[level], rows, low_pass, 4, l->w);
    }
    if (!want_detail)
        return;
    float *const *detail = a->detail[i];
    shifted(a, cols.begin, rows);
    dsp->weigh(detail[ADM_V] + cols.begin, rows, high_pass, 4, n);
    take_apart(a, a->high, l->src_w);
    dsp->weigh4x2(detail[ADM_H] + cols.begin, detail[ADM_D] + cols.begin, rows, low_pass, high_pass,
                  n);
}

static void spread_row(const FloatAdmFrame *a, const Masker *masker, unsigned slot, unsigned w,
                       AdmCore cols)
{
    for (unsigned b = 0; b < ADM_BANDS; b++) {
        float *spread = masker->spread[b][slot];
        a->setup->adm_dsp.spread(spread + cols.begin, masker->weighted[b][slot] + cols.begin,
                                 cols.end - cols.begin);
        if (cols.begin == 0)
            spread[-1] = spread[1];
        if (cols.end == w)
            spread[w] = spread[w - 1];
    }
}

static void decouple_row(FloatAdmFrame *a, unsigned level, unsigned y)
{
    const FloatAdmLevel *l = &a->setup->level[level];
    const AdmCore cols = reached(l->x, l->w);
    const unsigned slot = y % 3, from = cols.begin;
    float *restored[ADM_BANDS], *additive[ADM_BANDS], *own[ADM_BANDS];
    const float *ref[ADM_BANDS], *dis[ADM_BANDS];
    for (unsigned b = 0; b < ADM_BANDS; b++) {
        restored[b] = a->restored.weighted[b][slot] + from;
        additive[b] = a->additive.weighted[b][slot] + from;
        own[b] = a->own[b] + from;
        ref[b] = a->detail[0][b] + from;
        dis[b] = a->detail[1][b] + from;
    }
    a->setup->adm_dsp.decouple(restored, additive, own, ref, dis, l->weight, a->setup->gain_limit,
                               cols.end - from);
    if (a->setup->bypass_masking)
        return;
    spread_row(a, &a->restored, slot, l->w, cols);
    spread_row(a, &a->additive, slot, l->w, cols);
}

static void add_row(FloatAdmFrame *a, enum AdmEnergy energy, unsigned band, const float *signal,
                    const float *limit, size_t n)
{
    const FloatAdmSetup *setup = a->setup;
    FloatTotal *total = &a->total[energy][band];
    if (setup->p_norm == 3.0f)
        setup->adm_dsp.excess_cubed(float_total_row(total), signal, limit, n);
    else
        setup->adm_dsp.excess_raised(float_total_row(total), signal, limit, setup->p_norm, n);
    float_total_add(total);
}

/* Adds the energy of row `y` of `signal` beyond its mask from `masker`. */
static void masked_row(FloatAdmFrame *a, unsigned level, unsigned y, enum AdmEnergy energy,
                       const Masker *signal, const Masker *masker)
{
    const FloatAdmLevel *l = &a->setup->level[level];
    const unsigned from = l->x.begin, n = l->x.end - from;
    const unsigned above = y == 0 ? 1 : y - 1, below = y + 1 < l->h ? y + 1 : l->h - 1;
    const float *limit = a->zero;
    if (!a->setup->bypass_masking) {
        const float *spread[ADM_BANDS][3], *weighted[ADM_BANDS];
        for (unsigned b = 0; b < ADM_BANDS; b++) {
            spread[b][0] = masker->spread[b][above % 3] + from;
            spread[b][1] = masker->spread[b][y % 3] + from;
            spread[b][2] = masker->spread[b][below % 3] + from;
            weighted[b] = masker->weighted[b][y % 3] + from;
        }
        a->setup->adm_dsp.threshold(a->limit, spread, weighted, n);
        limit = a->limit;
    }
    for (unsigned b = 0; b < ADM_BANDS; b++)
        add_row(a, energy, b, signal->weighted[b][y % 3] + from, limit, n);
}

static void energy_row(FloatAdmFrame *a, unsigned level, unsigned y)
{
    masked_row(a, level, y, ADM_NUM, &a->restored, &a->additive);
    masked_row(a, level, y, ADM_AIM, &a->additive, &a->restored);
}

static bool within(AdmCore range, unsigned y)
{
    return y >= range.begin && y < range.end;
}

static void one_level(FloatAdmFrame *a, unsigned level, float sum[ADM_ENERGIES][ADM_BANDS])
{
    const FloatAdmLevel *l = &a->setup->level[level];
    const AdmCore rows = reached(l->y, l->h);
    const unsigned n = l->x.end - l->x.begin;
    const bool counted = level > 0 || !a->setup->skip_level0;
    for (unsigned e = 0; e < ADM_ENERGIES; e++) {
        for (unsigned b = 0; b < ADM_BANDS; b++)
            float_total_start(&a->total[e][b], n);
    }
    for (unsigned y = 0; y < l->h; y++) {
        const bool wanted = counted && within(rows, y);
        split_row(a, level, 0, y, wanted);
        split_row(a, level, 1, y, wanted);
        if (!wanted)
            continue;
        decouple_row(a, level, y);
        for (unsigned b = 0; b < ADM_BANDS && within(l->y, y); b++)
            add_row(a, ADM_DEN, b, a->own[b] + l->x.begin, a->zero, n);
        if (y > 0 && within(l->y, y - 1))
            energy_row(a, level, y - 1);
    }
    if (counted && l->y.end == l->h)
        energy_row(a, level, l->h - 1);
    for (unsigned e = 0; e < ADM_ENERGIES; e++) {
        for (unsigned b = 0; b < ADM_BANDS; b++)
            sum[e][b] = float_total_finish(&a->total[e][b]);
    }
}

int float_adm_frame_measure(const Feature *f, void *frame, const FramePair *pair, void *result,
                            Team *team)
{
    FloatAdmFrame *const a = frame;
    FloatAdmResult *const r = result;
    float_rows_bind(a->source[0], pair->ref->data[0], pair->ref->stride[0]);
    float_rows_bind(a->source[1], pair->dist->data[0], pair->dist->stride[0]);
    for (unsigned level = 0; level < ADM_LEVELS; level++)
        one_level(a, level, r->sum[level]);
    return 0;
}
