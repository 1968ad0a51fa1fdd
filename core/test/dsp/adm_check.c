/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "dsp/check.h"

#include <stdio.h>
#include <string.h>

#include "feature/adm/adm.h"

/* Largest magnitudes of the levels' coefficients, over all pictures. */
static const int32_t coefficient_max[ADM_LEVELS] = { 22930, 2104000000, 1472000000, 2060000000 };

/* Both versions, and one level of one width to run them on. */
typedef struct Case {
    const CheckSet *set;
    int level;
    unsigned bpc;
    const AdmLevel *l;
    AdmDsp fast, truth;
    char name[64];
} Case;

static size_t item_size(const Case *c)
{
    return c->level == 0 ? sizeof(int16_t) : sizeof(int32_t);
}

static void *new_row(int count)
{
    return (uint8_t *)check_buffer((size_t)count * sizeof(int32_t) + 2 * ADM_MARGIN) + ADM_MARGIN;
}

static void new_rows(const Case *c, void *rows[ADM_BANDS])
{
    for (int b = 0; b < ADM_BANDS; b++)
        rows[b] = new_row(c->l->w);
}

static void put(const Case *c, void *row, int x, int32_t v)
{
    if (c->level == 0)
        ((int16_t *)row)[x] = (int16_t)v;
    else
        ((int32_t *)row)[x] = v;
}

static void fill(const Case *c, void *const rows[ADM_BANDS])
{
    for (int b = 0; b < ADM_BANDS; b++) {
        for (int x = 0; x < c->l->w; x++)
            put(c, rows[b], x, check_random_signed(coefficient_max[c->level]));
    }
}

static const char *label(const Case *c, const char *what)
{
    static char text[128];
    snprintf(text, sizeof(text), "adm %s: %s", c->name, what);
    return text;
}

static void same(const Case *c, const char *what, const void *got, const void *want, size_t item,
                 int from, int to)
{
    const size_t at = (size_t)from * item;
    check_same(label(c, what), (const uint8_t *)got + at, (const uint8_t *)want + at, item,
               to - from);
}

/* ---- split ---- */

static void *source_row(const Case *c)
{
    const int n = c->l->in_w;
    const uint32_t temper = check_random() % 4, top = (1u << c->bpc) - 1;
    if (c->level > 0) {
        void *const row = new_row(n);
        for (int x = 0; x < n; x++) {
            const int32_t v =
                check_random_signed(c->level == 1 ? 22930 : coefficient_max[c->level - 1]);
            if (c->level == 1)
                ((int16_t *)row)[x] = (int16_t)v;
            else
                ((int32_t *)row)[x] = v;
        }
        return row;
    }
    void *const row = check_buffer((size_t)n * (c->bpc > 8 ? 2 : 1));
    for (int x = 0; x < n; x++) {
        const uint32_t v = temper == 0 ? check_random() % 2 * top : check_random() & top;
        if (c->bpc > 8)
            ((uint16_t *)row)[x] = (uint16_t)v;
        else
            ((uint8_t *)row)[x] = (uint8_t)v;
    }
    return row;
}

typedef struct SplitRun {
    const Case *c;
    const AdmDsp *dsp;
    const void *rows[ADM_TAPS];
    void *work, *a, *detail[ADM_BANDS];
} SplitRun;

static void run_split(void *arg)
{
    SplitRun *const r = arg;
    r->dsp->split_row[r->c->level](r->c->l, r->rows, r->work, r->a, r->detail);
}

static void check_split(const Case *c, bool bench)
{
    const AdmLevel *const l = c->l;
    SplitRun fast = { .c = c, .dsp = &c->fast }, truth = { .c = c, .dsp = &c->truth };
    fast.work = (uint8_t *)check_buffer(2 * (size_t)l->in_w * sizeof(int32_t) + 8 * ADM_MARGIN) +
                ADM_MARGIN;
    truth.work = (uint8_t *)check_buffer(2 * (size_t)l->in_w * sizeof(int32_t) + 8 * ADM_MARGIN) +
                 ADM_MARGIN;
    for (int t = 0; t < ADM_TAPS; t++)
        fast.rows[t] = truth.rows[t] = source_row(c);
    fast.a = new_row(l->w);
    truth.a = new_row(l->w);
    new_rows(c, fast.detail);
    new_rows(c, truth.detail);

    run_split(&truth);
    run_split(&fast);
    same(c, "split, low-pass", fast.a, truth.a, item_size(c), 0, l->w);
    for (int b = 0; b < ADM_BANDS; b++)
        same(c, "split, detail", fast.detail[b], truth.detail[b], item_size(c), l->x0, l->x1);

    /* Each output alone, as at the frame's edges and on the last level. */
    memset(fast.a, 0, (size_t)l->w * item_size(c));
    c->fast.split_row[c->level](l, fast.rows, fast.work, fast.a, NULL);
    same(c, "split, low-pass alone", fast.a, truth.a, item_size(c), 0, l->w);
    for (int b = 0; b < ADM_BANDS; b++)
        memset(fast.detail[b], 0, (size_t)l->w * item_size(c));
    c->fast.split_row[c->level](l, fast.rows, fast.work, NULL, fast.detail);
    for (int b = 0; b < ADM_BANDS; b++)
        same(c, "split, detail alone", fast.detail[b], truth.detail[b], item_size(c), l->x0, l->x1);

    if (bench)
        check_bench(c->set, label(c, "split"), l->w, run_split, &fast);
    check_release_all(label(c, "split"));
}

/* ---- decoupling ---- */

typedef struct DecoupleRun {
    const Case *c;
    const AdmDsp *dsp;
    void *ref[ADM_BANDS], *dist[ADM_BANDS], *restored[ADM_BANDS], *additive[ADM_BANDS];
} DecoupleRun;

static void run_decouple(void *arg)
{
    DecoupleRun *const r = arg;
    r->dsp->decouple_row[r->c->level > 0](r->c->l, (const void *const *)r->ref,
                                          (const void *const *)r->dist, r->restored, r->additive);
}

static int32_t limit_to(int64_t v, int32_t limit)
{
    return v > limit ? limit : v < -limit ? -limit : (int32_t)v;
}

/* Fills distorted coefficients that are close to the reference's in size and in direction, which is
 * what matters for the angle. */
static void fill_distorted(const Case *c, const DecoupleRun *r)
{
    const int32_t limit = coefficient_max[c->level];
    fill(c, r->dist);
    for (int x = 0; x < c->l->w; x++) {
        const int percent = (int)(check_random() % 250);
        if (check_random() % 4 == 0)
            continue;
        for (int b = 0; b < ADM_BANDS; b++) {
            const int64_t o = c->level == 0 ? ((int16_t *)r->ref[b])[x] : ((int32_t *)r->ref[b])[x];
            const int64_t turn = check_random_signed((int32_t)(o / 30 < 0 ? -o / 30 : o / 30) + 1);
            put(c, r->dist[b], x, limit_to(o * percent / 100 + turn, limit));
        }
    }
}

/* Fills magnitudes that count up from `first` in all bands, against nearly the same, to try every
 * reciprocal. */
static void fill_ramp(const Case *c, const DecoupleRun *r, int32_t first)
{
    for (int x = 0; x < c->l->w; x++) {
        const int up = c->level == 0 ? 0 : (int)(check_random() % 16);
        for (int b = 0; b < ADM_BANDS; b++) {
            const int64_t jitter = up ? check_random() % (1u << up) : 0;
            const int64_t o = (first + x) * ((int64_t)1 << up) + jitter;
            const int64_t t = b == ADM_H ? o : b == ADM_V ? o + check_random_signed(2) : o - o / 3;
            const int sign = check_random() % 2 ? 1 : -1;
            put(c, r->ref[b], x, sign * limit_to(o, coefficient_max[c->level]));
            put(c, r->dist[b], x, sign * limit_to(t, coefficient_max[c->level]));
        }
    }
}

static void compare_decouple(const Case *c, DecoupleRun *fast, DecoupleRun *truth)
{
    for (int b = 0; b < ADM_BANDS; b++) {
        truth->ref[b] = fast->ref[b];
        truth->dist[b] = fast->dist[b];
    }
    run_decouple(truth);
    run_decouple(fast);
    for (int b = 0; b < ADM_BANDS; b++) {
        same(c, "restored", fast->restored[b], truth->restored[b], item_size(c), c->l->x0,
             c->l->x1);
        same(c, "additive", fast->additive[b], truth->additive[b], item_size(c), c->l->x0,
             c->l->x1);
    }
}

static void check_decouple(const Case *c, bool bench)
{
    DecoupleRun fast = { .c = c, .dsp = &c->fast }, truth = { .c = c, .dsp = &c->truth };
    new_rows(c, fast.ref);
    new_rows(c, fast.dist);
    new_rows(c, fast.restored);
    new_rows(c, fast.additive);
    new_rows(c, truth.restored);
    new_rows(c, truth.additive);
    fill(c, fast.ref);
    fill_distorted(c, &fast);
    compare_decouple(c, &fast, &truth);
    if (bench) {
        check_bench(c->set, label(c, "decouple"), c->l->x1 - c->l->x0, run_decouple, &fast);
        for (int32_t first = 1; first < 32768; first += c->l->x1 - c->l->x0) {
            fill_ramp(c, &fast, first - c->l->x0);
            compare_decouple(c, &fast, &truth);
        }
    }
    check_release_all(label(c, "decouple"));
}

/* ---- weights ---- */

typedef struct WeighRun {
    const Case *c;
    const AdmDsp *dsp;
    void *masker[ADM_BANDS];
    uint32_t *weighed[ADM_BANDS];
    int32_t *near, *own;
} WeighRun;

static void run_weigh(void *arg)
{
    WeighRun *const r = arg;
    r->dsp->weigh_row[r->c->level > 0](r->c->l, (const void *const *)r->masker, r->weighed, r->near,
                                       r->own);
}

static void check_weigh(const Case *c, bool bench)
{
    const AdmLevel *const l = c->l;
    WeighRun fast = { .c = c, .dsp = &c->fast }, truth = { .c = c, .dsp = &c->truth };
    new_rows(c, fast.masker);
    fill(c, fast.masker);
    memcpy(truth.masker, fast.masker, sizeof(truth.masker));
    for (int b = 0; b < ADM_BANDS; b++) {
        fast.weighed[b] = new_row(l->w);
        truth.weighed[b] = new_row(l->w);
    }
    fast.near = new_row(l->w);
    fast.own = new_row(l->w);
    truth.near = new_row(l->w);
    truth.own = new_row(l->w);

    run_weigh(&truth);
    run_weigh(&fast);
    same(c, "mask, near", fast.near, truth.near, sizeof(int32_t), l->x0, l->x1);
    same(c, "mask, own", fast.own, truth.own, sizeof(int32_t), l->x0, l->x1);
    for (int b = 0; b < ADM_BANDS; b++)
        same(c, "weighed", fast.weighed[b], truth.weighed[b], sizeof(uint32_t), l->x0, l->x1);
    if (bench)
        check_bench(c->set, label(c, "weigh"), l->x1 - l->x0, run_weigh, &fast);
    check_release_all(label(c, "weigh"));
}

/* ---- energies ---- */

typedef struct EnergyRun {
    const Case *c;
    const AdmDsp *dsp;
    void *signal[ADM_BANDS];
    const AdmMaskRows *mask; /* NULL: plain energy */
    int64_t sum[ADM_BANDS];
} EnergyRun;

static void run_energy(void *arg)
{
    EnergyRun *const r = arg;
    const int coarse = r->c->level > 0;
    const void *const *const signal = (const void *const *)r->signal;
    if (r->mask)
        r->dsp->energy_row[coarse](r->c->l, signal, r->mask, r->sum);
    else
        r->dsp->plain_row[coarse](r->c->l, signal, r->sum);
}

static int32_t *random_row(const Case *c, int32_t limit)
{
    int32_t *const row = new_row(c->l->w);
    for (int x = -1; x <= c->l->w; x++)
        row[x] = check_random_signed(limit);
    return row;
}

static void check_energy(const Case *c, bool masked, bool bench)
{
    EnergyRun fast = { .c = c, .dsp = &c->fast }, truth = { .c = c, .dsp = &c->truth };
    new_rows(c, fast.signal);
    fill(c, fast.signal);
    AdmMaskRows mask = { .own = NULL };
    if (masked) {
        /* Sums that rarely wrap, or never. */
        const int32_t limit = check_random() % 4 ? 1 << check_random() % 27 : INT32_MAX;
        for (int i = 0; i < 3; i++)
            mask.near[i] = random_row(c, limit);
        mask.own = random_row(c, limit);
        mask.work = new_row(c->l->w);
        fast.mask = truth.mask = &mask;
    }
    memcpy(truth.signal, fast.signal, sizeof(truth.signal));
    run_energy(&truth);
    run_energy(&fast);
    same(c, masked ? "masked energy" : "plain energy", fast.sum, truth.sum, sizeof(int64_t), 0,
         ADM_BANDS);
    if (bench)
        check_bench(c->set, label(c, masked ? "masked energy" : "plain energy"),
                    c->l->right - c->l->left, run_energy, &fast);
    check_release_all(label(c, "energy"));
}

/* ---- all of it ---- */

static void check_level(Case *c, bool bench)
{
    snprintf(c->name, sizeof(c->name), "%s %u bits level %d width %d", c->set->name, c->bpc,
             c->level, c->l->in_w);
    check_split(c, bench);
    check_decouple(c, bench);
    check_weigh(c, bench);
    check_energy(c, true, bench);
    check_energy(c, false, bench);
}

static void check_width(const CheckSet *set, unsigned w, unsigned bpc, bool bench)
{
    static const double gains[] = { 1.0, 100.0, 1.2, 2.0 };
    AdmOptions options = {
        .csf = { .mode = 0,
                 .view_dist = 3.0,
                 .display_height = 1080,
                 .scale = 1.0,
                 .diag_scale = 1.0 },
        .gain_limit = bench ? 100.0 : gains[check_random() % 4],
    };
    if (!bench && check_random() % 4 == 0) /* weights that wrap, and weights out of range */
        options.csf = (AdmCsf){ 1, 3.0, 1080, check_random() % 2 ? 0.012 : 1.0, 0.003 };

    const FrameShape shape = { .bpc = bpc, .w = { w }, .h = { 64 } };
    AdmLevel level[ADM_LEVELS];
    adm_levels_init(level, &shape, &options);
    if (!bench && check_random() % 2) { /* any weight, including those with many zeros at the end */
        level[0].q[ADM_H] = level[0].q[ADM_V] = check_random() & 0xffff;
        level[0].q[ADM_D] = (check_random() & 0xffff) << check_random() % 16 & 0xffff;
    }
    Case c = { .set = set, .bpc = bpc };
    adm_dsp_init(&c.fast, level, bpc, set->cpu);
    adm_dsp_init(&c.truth, level, bpc, 0);
    for (c.level = 0; c.level < ADM_LEVELS; c.level++) {
        c.l = &level[c.level];
        check_level(&c, bench);
    }
}

void adm_check(const CheckSet *set)
{
    static const unsigned depths[] = { 8, 10, 12, 16 };
    for (unsigned w = 17; w < 420; w++)
        check_width(set, w, depths[w % 4], false);
    for (unsigned i = 0; i < 4; i++) {
        check_width(set, 1277 + 2 * i, depths[i], false);
        check_width(set, 1920, depths[i], false);
    }
    check_width(set, 1920, 8, true);
}
