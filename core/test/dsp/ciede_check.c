/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "dsp/check.h"

#include "feature/ciede/ciede.h"

enum { LONGEST = 200 };

typedef struct Case {
    CiedeDsp dsp;
    CiedeRow ref, dist;
    CiedeRange range;
    float *out;
} Case;

/* Kinds of colours (random, close to grey, extremes) and of distortions (near, far, none). */
static uint16_t colour(unsigned temper, unsigned top)
{
    if (temper == 0)
        return (uint16_t)(check_random() & 1 ? top : 0);
    if (temper == 1)
        return (uint16_t)(top / 2 + check_random() % 4);
    return (uint16_t)(check_random() & top);
}

static uint16_t distorted(unsigned temper, unsigned top, uint16_t v)
{
    const int reach = temper == 0 ? 0 : temper == 1 ? 3 : temper == 2 ? (int)top / 16 : (int)top;
    const int d = v + check_random_signed(reach ? reach : 1) * (reach > 0);
    return (uint16_t)(d < 0 ? 0 : d > (int)top ? (int)top : d);
}

static void new_rows(CiedeRow *ref, CiedeRow *dist, unsigned bpc, unsigned n, unsigned near)
{
    const unsigned top = (1u << bpc) - 1, temper = check_random() % 4;
    uint16_t *plane[2][3];
    for (unsigned p = 0; p < 3; p++) {
        plane[0][p] = check_edge_buffer(n * sizeof(uint16_t));
        plane[1][p] = check_edge_buffer(n * sizeof(uint16_t));
        for (unsigned x = 0; x < n; x++) {
            plane[0][p][x] = colour(p ? temper : 2, top);
            plane[1][p][x] = distorted(near, top, plane[0][p][x]);
        }
    }
    *ref = (CiedeRow){ plane[0][0], plane[0][1], plane[0][2] };
    *dist = (CiedeRow){ plane[1][0], plane[1][1], plane[1][2] };
}

static void check_row(const CheckSet *set, const CiedeDsp dsp[2], unsigned bpc, unsigned n)
{
    CiedeRow ref, dist;
    const CiedeRange range = ciede_range(bpc);
    float *const out[2] = { check_buffer(n * sizeof(float)), check_buffer(n * sizeof(float)) };
    new_rows(&ref, &dist, bpc, n, check_random() % 4);
    for (unsigned i = 0; i < 2; i++)
        dsp[i].row(out[i], &ref, &dist, n, &range);
    check_same("ciede row", out[1], out[0], sizeof(float), (int)n);
    check_release_all(set->name);
}

static void run_row(void *arg)
{
    const Case *c = arg;
    c->dsp.row(c->out, &c->ref, &c->dist, LONGEST, &c->range);
}

static void bench(const CheckSet *set, const CiedeDsp dsp[2])
{
    for (unsigned i = 0; i < 2; i++) {
        Case c = { .dsp = dsp[i], .range = ciede_range(8) };
        c.out = check_buffer(LONGEST * sizeof(float));
        new_rows(&c.ref, &c.dist, 8, LONGEST, 2);
        check_bench(i ? set : NULL, "ciede row", LONGEST, run_row, &c);
        check_release_all("ciede bench");
    }
}

void ciede_check(const CheckSet *set)
{
    static const unsigned depths[] = { 8, 10, 12, 16 };
    CiedeDsp dsp[2];
    ciede_dsp_init(&dsp[0], 0);
    ciede_dsp_init(&dsp[1], set->cpu);
    for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++)
        for (unsigned round = 0; round < 8; round++)
            for (unsigned n = 1; n <= LONGEST; n += n < 36 ? 1 : 41)
                check_row(set, dsp, depths[i], n);
    bench(set, dsp);
}
