/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "dsp/check.h"

#include <string.h>

#include "feature/common/ssim/ssim_window.h"

enum { MOST_TAPS = 81, LONGEST = 300 };

typedef struct Case {
    SsimDsp dsp;
    float *out;
    const float *rows[MOST_TAPS];
    float taps[MOST_TAPS];
    unsigned count, n;
    SsimTerms terms;
} Case;

/* Numbers from 0 to 256, integers or not, with runs of equal numbers. */
static float *new_row(unsigned n)
{
    float *const row = check_edge_buffer(n * sizeof(float));
    const unsigned temper = check_random() % 4;
    for (unsigned x = 0; x < n; x++) {
        if (temper == 0)
            row[x] = 255.0f;
        else if (temper == 1)
            row[x] = (float)(check_random() & 255);
        else
            row[x] = (float)(check_random() & 0xffff) / 256.0f;
    }
    return row;
}

static void check_weigh(const CheckSet *set, const SsimDsp dsp[2], unsigned count, unsigned n)
{
    const float *rows[MOST_TAPS];
    float taps[MOST_TAPS];
    float *const out[2] = { check_buffer(n * sizeof(float)), check_buffer(n * sizeof(float)) };
    for (unsigned k = 0; k < count; k++) {
        rows[k] = new_row(n);
        taps[k] = (float)check_random_signed(1 << 20) / (float)(1 << 22);
    }
    for (unsigned i = 0; i < 2; i++)
        dsp[i].weigh(out[i], rows, taps, count, n);
    check_same("ssim weigh", out[1], out[0], sizeof(float), (int)n);

    double *const sums[2] = { check_buffer(n * sizeof(double)), check_buffer(n * sizeof(double)) };
    for (unsigned i = 0; i < 2; i++)
        for (unsigned k = 0; k < count; k++)
            dsp[i].add(sums[i], rows[k], taps[k], n);
    check_same("ssim add", sums[1], sums[0], sizeof(double), (int)n);
    check_release_all(set->name);
}

/* Moments as a window gives them, including flat neighbourhoods and those with opposed
 * structures. */
static void check_terms(const CheckSet *set, const SsimDsp dsp[2], unsigned n)
{
    float *maps[SSIM_MAPS];
    for (unsigned map = 0; map < SSIM_MAPS; map++)
        maps[map] = new_row(n);
    for (unsigned x = 0; x < n; x++) {
        const float a = maps[SSIM_A][x], b = maps[SSIM_B][x];
        const float spread = check_random() & 1 ? maps[SSIM_AA][x] : 0.0f;
        maps[SSIM_AA][x] = a * a + spread;
        maps[SSIM_BB][x] = b * b + (check_random() & 1 ? maps[SSIM_BB][x] : 0.0f);
        maps[SSIM_AB][x] = a * b + (float)check_random_signed(256);
    }
    SsimTerms out[2];
    for (unsigned i = 0; i < 2; i++) {
        out[i].l = check_buffer(n * sizeof(double));
        out[i].c = check_buffer(n * sizeof(double));
        out[i].s = check_buffer(n * sizeof(double));
        dsp[i].terms(&out[i], (const float *const *)maps, n);
    }
    check_same("ssim terms l", out[1].l, out[0].l, sizeof(double), (int)n);
    check_same("ssim terms c", out[1].c, out[0].c, sizeof(double), (int)n);
    check_same("ssim terms s", out[1].s, out[0].s, sizeof(double), (int)n);
    check_release_all(set->name);
}

static void run_weigh(void *arg)
{
    const Case *c = arg;
    c->dsp.weigh(c->out, c->rows, c->taps, c->count, c->n);
}

static void run_terms(void *arg)
{
    const Case *c = arg;
    c->dsp.terms(&c->terms, c->rows, c->n);
}

static void bench(const CheckSet *set, const SsimDsp dsp[2])
{
    for (unsigned i = 0; i < 2; i++) {
        Case c = { .dsp = dsp[i], .out = new_row(LONGEST), .count = 11, .n = LONGEST };
        for (unsigned k = 0; k < c.count; k++) {
            c.rows[k] = new_row(LONGEST);
            c.taps[k] = 0.1f;
        }
        c.terms.l = check_buffer(LONGEST * sizeof(double));
        c.terms.c = check_buffer(LONGEST * sizeof(double));
        c.terms.s = check_buffer(LONGEST * sizeof(double));
        check_bench(i ? set : NULL, "ssim weigh, 11 taps", LONGEST, run_weigh, &c);
        check_bench(i ? set : NULL, "ssim terms", LONGEST, run_terms, &c);
        check_release_all("ssim bench");
    }
}

void ssim_check(const CheckSet *set)
{
    SsimDsp dsp[2];
    ssim_dsp_init(&dsp[0], 0);
    ssim_dsp_init(&dsp[1], set->cpu);
    for (unsigned n = 1; n <= LONGEST; n += n < 70 ? 1 : 23) {
        check_weigh(set, dsp, 11, n);
        check_weigh(set, dsp, MOST_TAPS, n);
        check_terms(set, dsp, n);
    }
    bench(set, dsp);
}
