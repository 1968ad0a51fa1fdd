/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "dsp/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dsp/whole.h"
#include "feature/vif/vif.h"
#include "widths.h"

/* Both versions, and buffers to run them on. The versions lay out their buffers differently, so
 * each has its own chain: rows, pairs, columns, sums. Columns are compared by the numbers they
 * stand for. */
typedef struct Case {
    const CheckSet *set;
    unsigned bpc;
    bool whole; /* check the scalar code, too */
    int scale, n;
    VifPixelParams pixel;
    VifShifts shifts;
    VifDsp dsp[2]; /* the scalar version, then the one under test */
} Case;

typedef struct Chain {
    const VifScaleDsp *dsp;
    bool fast;
    uint16_t *pairs[VIF_MAX_PAIRS];
    uint16_t *columns; /* two rows */
    VifLaneSums sums;
} Chain;

static uint16_t log_table[VIF_LOG_ENTRIES];

static void fail(const Case *c, const char *what, int x)
{
    check_fail("vif %s: %s, scale %d, %u bits, %d columns: differs at %d", c->set->name, what,
               c->scale, c->bpc, c->n, x);
}

static void new_chain(const Case *c, Chain *chain, bool fast)
{
    memset(chain, 0, sizeof(*chain));
    chain->dsp = &c->dsp[fast].scale[c->scale];
    chain->fast = fast;
    for (int i = 0; i <= vif_pair_reach(c->scale); i++)
        chain->pairs[i] = check_buffer(VIF_PAIR_WORDS * sizeof(uint16_t));
    chain->columns = check_buffer(2 * VIF_ROW_WORDS * sizeof(uint16_t));
}

/* ---- columns, in the layout of each version ---- */

static uint32_t mean_at(const Chain *chain, int channel, int x)
{
    const uint16_t v = chain->columns[channel * VIF_PITCH + x];
    return chain->fast ? v ^ 0x8000u : v;
}

static uint32_t moment_at(const Chain *chain, int channel, int x)
{
    const uint32_t hi = chain->columns[channel * VIF_PITCH + x];
    const uint16_t lo = chain->columns[(channel + 1) * VIF_PITCH + x];
    return chain->fast ? ((hi ^ 0x8000) << 16) + (uint32_t)(int16_t)lo : hi << 16 | lo;
}

static void put_moment(Chain *chain, int channel, int x, uint32_t v)
{
    const uint32_t hi = chain->fast ? (v + 0x8000) >> 16 ^ 0x8000 : v >> 16;
    chain->columns[channel * VIF_PITCH + x] = (uint16_t)hi;
    chain->columns[(channel + 1) * VIF_PITCH + x] = (uint16_t)v;
}

static void put_mean(Chain *chain, int channel, int x, uint32_t v)
{
    chain->columns[channel * VIF_PITCH + x] = (uint16_t)(chain->fast ? v ^ 0x8000 : v);
}

static void compare_columns(const Case *c, const Chain chains[2], const char *what, bool moments)
{
    for (int row = 0; row < (moments ? 2 : 1); row++) {
        for (int channel = 0; channel < (moments ? VIF_CHANNELS : 2);
             channel += channel < 2 ? 1 : 2) {
            uint32_t (*const at)(const Chain *, int, int) = channel < 2 ? mean_at : moment_at;
            for (int x = 0; x < c->n + 2 * VIF_REACH; x++) {
                const int word = row * VIF_ROW_WORDS + VIF_MARGIN - VIF_REACH + x;
                if (at(&chains[0], channel, word) != at(&chains[1], channel, word)) {
                    fail(c, what, x);
                    return;
                }
            }
        }
    }
}

static void compare_sums(const Case *c, const Chain chains[2], const char *what)
{
    uint64_t total[2][4] = { { 0 } };
    for (int i = 0; i < 2; i++) {
        for (int lane = 0; lane < VIF_LANES; lane++) {
            total[i][0] += chains[i].sums.num_log[lane];
            total[i][1] += chains[i].sums.den_log[lane];
            total[i][2] += chains[i].sums.flat_energy[lane];
            total[i][3] += chains[i].sums.flat_count[lane];
        }
    }
    for (int k = 0; k < 4; k++) {
        if (total[0][k] != total[1][k]) {
            fail(c, what, k);
            return;
        }
    }
}

/* ---- rows of samples ---- */

/* Kinds of content: noise, extremes, white, black, a slope with a little noise, a faint texture. */
static unsigned sample(unsigned temper, unsigned top, int x)
{
    switch (temper) {
    case 0:
        return check_random() % (top + 1);
    case 1:
        return check_random() & 1 ? top : 0;
    case 2:
        return top;
    case 3:
        return 0;
    case 4:
        return ((unsigned)x * (top / 256 + 1) + check_random() % (top / 64 + 1)) % (top + 1);
    default:
        return top / 2 + check_random() % (top / 100 + 2);
    }
}

/* A row that ends at an unreadable page. */
static void *new_row(const Case *c, unsigned depth, int n)
{
    const unsigned temper = check_random() % 6;
    const bool bytes = c->scale == 0 && c->bpc == 8;
    uint8_t *const row = check_edge_buffer((size_t)n * (bytes ? 1 : 2));
    for (int x = 0; x < n; x++) {
        const uint16_t v = (uint16_t)sample(temper, (1u << depth) - 1, x);
        if (bytes)
            row[x] = (uint8_t)v;
        else
            memcpy(row + 2 * x, &v, 2);
    }
    return row;
}

static void join_rows(const Case *c, Chain chains[2])
{
    const int n = c->n + 2 * VIF_REACH;
    const unsigned depth = (unsigned)c->shifts.mean;
    const bool same = check_random() % 4 == 0;
    for (int i = 0; i <= vif_pair_reach(c->scale); i++) {
        const void *rows[4];
        for (int k = 0; k < 4; k++)
            rows[k] = k >= 2 && same ? rows[k - 2] : new_row(c, depth, n);
        for (int k = 0; k < 2; k++) {
            chains[k].dsp->join(chains[k].pairs[i], rows[0], rows[1], n, (int)depth);
            chains[k].dsp->join(chains[k].pairs[i] + VIF_PAIR_WORDS / 2, rows[2], rows[3], n,
                                (int)depth);
        }
    }
}

/* ---- the checks ---- */

static void check_strip(const Case *c)
{
    const int all = c->n + 2 * VIF_REACH;
    Chain chains[2];
    for (int k = 0; k < 2; k++)
        new_chain(c, &chains[k], k == 1);
    join_rows(c, chains);
    for (int k = 0; k < 2; k++)
        chains[k].dsp->stats_columns(chains[k].columns + VIF_MARGIN - VIF_REACH,
                                     (const uint16_t *const *)chains[k].pairs, all, &c->shifts);
    compare_columns(c, chains, "stats_columns", true);
    for (int k = 0; k < 2; k++) {
        for (int row = 0; row < 2; row++)
            chains[k].dsp->stats_row(&chains[k].sums,
                                     chains[k].columns + row * VIF_ROW_WORDS + VIF_MARGIN, c->n,
                                     &c->pixel);
    }
    compare_sums(c, chains, "stats_row");
    check_release_all("vif stats");
}

static void check_halve(const Case *c)
{
    const int all = c->n + 2 * VIF_REACH, half = (c->n + 1) / 2;
    const int inner = (vif_pair_reach(c->scale) - vif_pair_reach(c->scale + 1)) / 2;
    Chain chains[2];
    uint16_t *out[2];
    for (int k = 0; k < 2; k++) {
        new_chain(c, &chains[k], k == 1);
        out[k] = check_buffer((size_t)(half + VIF_STRIP_STEP - 1) / VIF_STRIP_STEP *
                              VIF_STRIP_STEP * sizeof(uint16_t));
    }
    join_rows(c, chains);
    for (int k = 0; k < 2; k++)
        chains[k].dsp->halve_columns(chains[k].columns + VIF_MARGIN - VIF_REACH,
                                     (const uint16_t *const *)chains[k].pairs + inner, all,
                                     c->shifts.mean);
    compare_columns(c, chains, "halve_columns", false);
    for (int k = 0; k < 2; k++)
        chains[k].dsp->halve_row(out[k], chains[k].columns + VIF_MARGIN, half);
    check_same("vif halve_row", out[1], out[0], sizeof(uint16_t), half);
    check_release_all("vif halve");
}

/* Fills columns that describe one pixel with these variances: constant, with means of 0. */
static void put_pixel(Chain *chain, uint32_t var_ref, uint32_t var_dis, uint32_t cov)
{
    for (int x = VIF_MARGIN - VIF_REACH; x <= VIF_MARGIN + VIF_REACH; x++) {
        put_mean(chain, VIF_MEAN_REF, x, 0);
        put_mean(chain, VIF_MEAN_DIS, x, 0);
        put_moment(chain, VIF_REF_REF_HI, x, var_ref);
        put_moment(chain, VIF_DIS_DIS_HI, x, var_dis);
        put_moment(chain, VIF_REF_DIS_HI, x, cov);
    }
}

/* Checks every pattern of leading bits through the logarithm, and variances of all sizes. */
static void check_pixels(const Case *c)
{
    Chain chains[2];
    for (int k = 0; k < 2; k++)
        new_chain(c, &chains[k], k == 1);
    for (uint32_t i = 0; i < VIF_LOG_ENTRIES; i++) {
        const int drop = 3 + (int)(i % 12);
        const uint32_t low = check_random() & ((1u << drop) - 1);
        const uint32_t var_ref =
            ((VIF_LOG_ENTRIES + i) << drop | (i & 64 ? (1u << drop) - 1 : low)) - VIF_NOISE;
        const uint32_t var_dis = check_random() >> (2 + check_random() % 16);
        const double most = sqrt((double)var_ref * var_dis);
        const uint32_t cov =
            i & 1 ? (uint32_t)most : (uint32_t)(most * (check_random() % 1000) / 1e3);
        for (int k = 0; k < 2; k++) {
            put_pixel(&chains[k], var_ref, var_dis, cov);
            chains[k].dsp->stats_row(&chains[k].sums, chains[k].columns + VIF_MARGIN, 1, &c->pixel);
        }
        if (i % 64 == 63)
            compare_sums(c, chains, "logarithm");
    }
    check_release_all("vif pixels");
}

/* ---- frames ---- */

enum { TRUTH, FAST };

static WholeFrame new_frame(const Case *c, int w, int h)
{
    const size_t size = c->bpc > 8 ? 2 : 1;
    const unsigned temper = check_random() % 6;
    WholeFrame frame = { .w = w, .h = h, .bpc = c->bpc };
    for (int p = 0; p < 2; p++) {
        uint8_t *const plane = check_edge_buffer((size_t)(w * h) * size);
        for (int i = 0; i < w * h; i++) {
            const uint16_t v = (uint16_t)sample(temper, (1u << c->bpc) - 1, i % w + i / w);
            memcpy(plane + (size_t)i * size, &v, size);
        }
        frame.planes[p] = plane;
    }
    return frame;
}

static void measure(const Case *c, const WholeFrame *f, int version, Team *team, VifResult *result)
{
    VifSetup setup = { .w = (unsigned)f->w,
                       .h = (unsigned)f->h,
                       .bpc = f->bpc,
                       .dsp = c->dsp[version],
                       .pixel = c->pixel };
    const ptrdiff_t stride = f->w * (f->bpc > 8 ? 2 : 1), strides[2] = { stride, stride };
    void *frame;
    if (vif_frame_create(&(Feature){ .state = &setup }, &frame)) {
        check_fail("vif: out of memory");
        return;
    }
    vif_frame_measure(frame, &setup, f->planes, strides, result, team);
    vif_frame_destroy(frame);
}

static void compare_frame(const Case *c, const WholeFrame *f, const char *what,
                          const VifResult *got, const VifResult *want)
{
    if (memcmp(got, want, sizeof(*got)) != 0)
        check_fail("vif %s: frame of %dx%d, %u bits, %s", c->set->name, f->w, f->h, f->bpc, what);
}

static void check_frame(const Case *c, int w, int h)
{
    const WholeFrame frame = new_frame(c, w, h);
    VifResult truth, fast, whole;
    measure(c, &frame, TRUTH, NULL, &truth);
    measure(c, &frame, FAST, NULL, &fast);
    compare_frame(c, &frame, "against scalar code", &fast, &truth);
    if (c->whole && w >= 2 << (VIF_SCALES - 1) && h >= 2 << (VIF_SCALES - 1)) {
        whole_vif(&frame, &c->pixel, &whole);
        compare_frame(c, &frame, "scalar code against the whole", &truth, &whole);
    }
    check_release_all("vif frame");
}

/* Checks frames large enough for threads to share scale 0, or all scales up to `scale`. */
static void check_shared(const Case *c, int w, int scale)
{
    const int h = (VIF_SHARED_PIXELS << 2 * scale) / w + (2 << scale);
    const WholeFrame frame = new_frame(c, w, h);
    VifResult truth, got;
    measure(c, &frame, TRUTH, NULL, &truth);
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        Team *team;
        if (team_create(&team, threads)) {
            check_fail("vif: no threads");
            break;
        }
        /* A team of one thread takes the path without a team. */
        for (int version = threads > 1 ? TRUTH : FAST; version <= FAST; version++) {
            measure(c, &frame, version, team, &got);
            compare_frame(c, &frame, threads > 1 ? "shared" : "by one thread", &got, &truth);
        }
        team_destroy(team);
    }
    check_release_all("vif shared frame");
}

/* Checks widths around those where the frame routine behaves differently, on each scale. */
static void check_widths(const Case *c)
{
    const int narrow = narrow_width(VIF_STRIP, VIF_STRIP_STEP);
    const int widths[] = { VIF_STRIP - 1,
                           VIF_STRIP,
                           VIF_STRIP + 1,
                           VIF_STRIP + VIF_REACH,
                           2 * VIF_STRIP + 1,
                           2 * VIF_STRIP + 37,
                           narrow - 1,
                           narrow,
                           narrow + VIF_REACH / 2,
                           narrow + VIF_REACH - 2,
                           narrow + VIF_REACH,
                           2 * VIF_STRIP - 2 };
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
        check_frame(c, widths[i], 16 + (int)i);
    if (c->bpc != 8)
        return;
    for (int scale = 1; scale < VIF_SCALES; scale++)
        check_frame(c, (narrow << scale) + 1, 17);
}

/* ---- time ---- */

typedef struct Bench {
    Case c;
    Chain chain;
    void *frame;
    VifSetup setup;
    const void *planes[2];
    ptrdiff_t strides[2];
    const void *rows[2];
} Bench;

static void run_join(void *arg)
{
    Bench *b = arg;
    b->chain.dsp->join(b->chain.pairs[0], b->rows[0], b->rows[1], b->c.n, b->c.shifts.mean);
}

static void run_columns(void *arg)
{
    Bench *b = arg;
    b->chain.dsp->stats_columns(b->chain.columns + VIF_MARGIN,
                                (const uint16_t *const *)b->chain.pairs, b->c.n, &b->c.shifts);
}

static void run_row(void *arg)
{
    Bench *b = arg;
    b->chain.dsp->stats_row(&b->chain.sums, b->chain.columns + VIF_MARGIN, b->c.n, &b->c.pixel);
}

static void run_frame(void *arg)
{
    Bench *b = arg;
    VifResult result;
    vif_frame_measure(b->frame, &b->setup, b->planes, b->strides, &result, NULL);
}

static void bench_scale(const Case *c, bool fast)
{
    Bench b = { .c = *c };
    char name[64];
    b.c.n = VIF_STRIP;
    Chain chains[2];
    for (int k = 0; k < 2; k++)
        new_chain(&b.c, &chains[k], k == 1);
    b.c.n -= 2 * VIF_REACH;
    join_rows(&b.c, chains);
    b.c.n = VIF_STRIP;
    b.chain = chains[fast];
    b.rows[0] = new_row(&b.c, (unsigned)c->shifts.mean, b.c.n);
    b.rows[1] = new_row(&b.c, (unsigned)c->shifts.mean, b.c.n);
    const CheckSet *set = fast ? c->set : NULL;
    snprintf(name, sizeof(name), "vif join %d (%u)", c->scale, c->bpc);
    check_bench(set, name, 2 * VIF_STRIP, run_join, &b);
    snprintf(name, sizeof(name), "vif columns %d (%u)", c->scale, c->bpc);
    check_bench(set, name, 2 * VIF_STRIP, run_columns, &b);
    snprintf(name, sizeof(name), "vif row %d (%u)", c->scale, c->bpc);
    check_bench(set, name, VIF_STRIP, run_row, &b);
    check_release_all("vif bench");
}

static void bench_frame(const Case *c, bool fast)
{
    enum { W = 480, H = 96 };
    const int size = c->bpc > 8 ? 2 : 1;
    Bench b = { .c = *c, .strides = { W * size, W * size } };
    uint8_t *planes[2];
    for (int p = 0; p < 2; p++) {
        b.planes[p] = planes[p] = check_buffer((size_t)(W * H * size));
        for (int i = 0; i < W * H; i++) {
            const uint16_t v = (uint16_t)sample(4, (1u << c->bpc) - 1, i % W + i / W);
            memcpy(planes[p] + i * size, &v, (size_t)size);
        }
    }
    b.setup = (VifSetup){ .w = W, .h = H, .bpc = c->bpc, .dsp = c->dsp[fast], .pixel = c->pixel };
    if (!vif_frame_create(&(Feature){ .state = &b.setup }, &b.frame)) {
        char name[64];
        snprintf(name, sizeof(name), "vif frame (%u)", c->bpc);
        check_bench(fast ? c->set : NULL, name, W * H, run_frame, &b);
    }
    vif_frame_destroy(b.frame);
    check_release_all("vif bench");
}

/* ---- everything ---- */

static void set_scale(Case *c, int scale)
{
    c->scale = scale;
    c->shifts = (VifShifts){ 16, 16 };
    if (scale == 0)
        c->shifts = (VifShifts){ (int)c->bpc, 2 * ((int)c->bpc - 8) };
}

static void check_depth(const CheckSet *set, unsigned bpc, bool whole)
{
    static const int frames[][2] = { { 8, 8 },   { 9, 15 },  { 15, 31 }, { 33, 9 },
                                     { 17, 18 }, { 64, 35 }, { 193, 21 } };
    Case c = { .set = set, .bpc = bpc, .whole = whole, .pixel = { log_table, 100.0 } };
    vif_dsp_init(&c.dsp[0], bpc, 0);
    vif_dsp_init(&c.dsp[1], bpc, set->cpu);
    for (int scale = 0; scale < (bpc == 8 ? VIF_SCALES : 1); scale++) {
        set_scale(&c, scale);
        for (c.n = 1; c.n <= VIF_STRIP; c.n += c.n < 70 ? 1 : 11) {
            c.pixel.gain_limit = check_random() & 1 ? 100.0 : 1.0 + check_random() % 16 / 8.0;
            check_strip(&c);
            if (scale < VIF_SCALES - 1)
                check_halve(&c);
        }
        c.n = 1;
        c.pixel.gain_limit = 100.0;
        if (bpc == 8)
            check_pixels(&c);
        for (int fast = 0; fast < 2; fast++)
            bench_scale(&c, fast);
    }
    for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
        check_frame(&c, frames[i][0], frames[i][1]);
    if (bpc == 8 || bpc == 10 || bpc == 16)
        check_widths(&c);
    if ((bpc == 8 || bpc == 10) && !check_short()) {
        check_shared(&c, narrow_width(VIF_STRIP, VIF_STRIP_STEP), 0);
        check_shared(&c, 2 * VIF_STRIP + 37, bpc == 8 ? 1 : 0);
    }
    for (int fast = 0; fast < 2; fast++)
        bench_frame(&c, fast);
}

void vif_check(const CheckSet *set)
{
    static bool whole_done; /* once is enough for all instruction sets */
    static const unsigned depths[] = { 8, 9, 10, 12, 13, 15, 16 };
    vif_log_table_fill(log_table);
    for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++)
        check_depth(set, depths[i], !whole_done && !check_short());
    whole_done = true;
}
