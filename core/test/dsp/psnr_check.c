/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "dsp/check.h"

#include <stdio.h>
#include <string.h>

#include "feature/common/psnr/psnr_dsp.h"

enum { LONGEST = 1000 };

typedef struct Case {
    unsigned bpc, w;
    PsnrDsp dsp;
    const void *ref, *dist;
} Case;

/* Random samples, or the brightest, or the most different ones. */
static void *new_row(unsigned bpc, unsigned w)
{
    const unsigned top = (1u << bpc) - 1, temper = check_random() % 4;
    const size_t size = bpc > 8 ? 2 : 1;
    uint8_t *const row = check_edge_buffer(w * size);
    for (unsigned x = 0; x < w; x++) {
        const unsigned fixed = temper == 0 ? 0 : top;
        const uint16_t v = (uint16_t)(temper < 2 ? fixed : check_random() & top);
        memcpy(row + x * size, &v, size);
    }
    return row;
}

static void check_row(const CheckSet *set, const PsnrDsp dsp[2], unsigned bpc, unsigned w)
{
    const void *ref = new_row(bpc, w), *dist = new_row(bpc, w);
    MomentSums sums[2] = { { 1, 2 }, { 1, 2 } };
    for (unsigned i = 0; i < 2; i++)
        dsp[i].moment_row(&sums[i], ref, w);
    if (dsp[0].sse_row(ref, dist, w) != dsp[1].sse_row(ref, dist, w))
        check_fail("psnr %s: sse_row, %u bits, %u columns", set->name, bpc, w);
    if (dsp[0].float_sse_row(ref, dist, w) != dsp[1].float_sse_row(ref, dist, w))
        check_fail("psnr %s: float_sse_row, %u bits, %u columns", set->name, bpc, w);
    if (sums[0].value != sums[1].value || sums[0].square != sums[1].square)
        check_fail("psnr %s: moment_row, %u bits, %u columns", set->name, bpc, w);
    check_release_all("psnr row");
}

static void run_sse(void *arg)
{
    const Case *c = arg;
    c->dsp.sse_row(c->ref, c->dist, c->w);
}

static void run_moment(void *arg)
{
    const Case *c = arg;
    MomentSums sums = { 0, 0 };
    c->dsp.moment_row(&sums, c->ref, c->w);
}

static void bench(const CheckSet *set, const PsnrDsp dsp[2], unsigned bpc)
{
    for (unsigned i = 0; i < 2; i++) {
        Case c = { bpc, LONGEST, dsp[i], new_row(bpc, LONGEST), new_row(bpc, LONGEST) };
        char name[64];
        snprintf(name, sizeof(name), "psnr sse_row (%u)", bpc);
        check_bench(i ? set : NULL, name, LONGEST, run_sse, &c);
        snprintf(name, sizeof(name), "psnr moment_row (%u)", bpc);
        check_bench(i ? set : NULL, name, LONGEST, run_moment, &c);
        check_release_all("psnr bench");
    }
}

void psnr_check(const CheckSet *set)
{
    static const unsigned depths[] = { 8, 10, 12, 16 };
    for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
        PsnrDsp dsp[2];
        psnr_dsp_init(&dsp[0], depths[i], 0);
        psnr_dsp_init(&dsp[1], depths[i], set->cpu);
        for (unsigned w = 1; w <= LONGEST; w += w < 140 ? 1 : 53)
            check_row(set, dsp, depths[i], w);
        bench(set, dsp, depths[i]);
    }
}
