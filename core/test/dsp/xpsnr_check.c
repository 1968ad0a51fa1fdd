/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The vector code of xpsnr against its scalar code, tile by tile. */
#include "dsp/check.h"

#include <stdio.h>
#include <string.h>

#include "feature/xpsnr/xpsnr.h"

enum {
    BEFORE = 2,
    AFTER = 3,
    ROWS = BEFORE + XPSNR_TILE_ROWS + AFTER,
    WIDEST = XPSNR_TILE_COLUMNS + 80,
    SUMS = XPSNR_TILE_COLUMNS / 2,
};

typedef struct Case {
    const CheckSet *set;
    unsigned bpc, order, w, n;
    bool large;
    XpsnrDsp dsp[2]; /* scalar, then vector */
    const void *rows[3][ROWS];
} Case;

static unsigned sample(unsigned temper, unsigned top)
{
    switch (temper) {
    case 0:
        return 0;
    case 1:
        return top;
    case 2:
        return check_random() & 1 ? top : 0;
    default:
        return check_random() & top;
    }
}

/* Fills rows that end at unreadable pages. */
static void fill_rows(Case *c, unsigned frame)
{
    const size_t size = c->bpc > 8 ? 2 : 1;
    const unsigned temper = check_random() % 5;
    for (unsigned y = 0; y < c->n + BEFORE + AFTER; y++) {
        uint8_t *const row = check_edge_buffer(c->w * size);
        for (unsigned x = 0; x < c->w; x++) {
            const uint16_t v = (uint16_t)sample(temper, (1u << c->bpc) - 1);
            memcpy(row + x * size, &v, size);
        }
        c->rows[frame][y] = row;
    }
}

static void compare(const Case *c, const char *what, unsigned x0, const uint64_t sums[2][SUMS])
{
    if (memcmp(sums[0], sums[1], sizeof(sums[0])) != 0)
        check_fail("xpsnr %s: %s%s, order %u, %u bits, %u rows of %u columns, from column %u",
                   c->set->name, c->large ? "large " : "", what, c->order, c->bpc, c->n, c->w, x0);
}

static void start(uint64_t sums[2][SUMS])
{
    for (unsigned i = 0; i < SUMS; i++)
        sums[0][i] = sums[1][i] = i * UINT64_C(0x123456789ab);
}

static void check_tile(const Case *c, unsigned x0)
{
    const unsigned x1 = c->w < x0 + XPSNR_TILE_COLUMNS ? c->w : x0 + XPSNR_TILE_COLUMNS;
    const unsigned even = c->n - c->n % 2;
    const XpsnrRows ref = c->rows[0] + BEFORE, dist = c->rows[1] + BEFORE;
    const XpsnrRows earlier[2] = { c->rows[1] + BEFORE, c->rows[2] + BEFORE };
    uint64_t sums[2][SUMS];
    start(sums);
    for (unsigned i = 0; i < 2; i++)
        c->dsp[i].spatial(sums[i], ref, c->n, x0, x1, c->w);
    compare(c, "spatial", x0, (const uint64_t(*)[SUMS])sums);
    start(sums);
    for (unsigned i = 0; i < 2; i++)
        c->dsp[i].temporal(sums[i], ref, earlier, c->large ? even : c->n, x0, x1, c->w);
    compare(c, "temporal", x0, (const uint64_t(*)[SUMS])sums);
    start(sums);
    for (unsigned i = 0; i < 2; i++)
        c->dsp[i].squares(sums[i], ref, dist, c->n, x0, x1);
    compare(c, "squares", x0, (const uint64_t(*)[SUMS])sums);
}

static void check_width(Case *c, unsigned w, unsigned n)
{
    c->w = w;
    c->n = n;
    for (unsigned frame = 0; frame < 3; frame++)
        fill_rows(c, frame);
    for (unsigned x0 = 0; x0 < w; x0 += XPSNR_TILE_COLUMNS)
        check_tile(c, x0);
    check_release_all("xpsnr tile");
}

static void run_spatial(void *arg)
{
    const Case *const c = arg;
    uint64_t sums[SUMS] = { 0 };
    c->dsp[1].spatial(sums, c->rows[0] + BEFORE, c->n, 0, XPSNR_TILE_COLUMNS, c->w);
}

static void run_temporal(void *arg)
{
    const Case *const c = arg;
    const XpsnrRows earlier[2] = { c->rows[1] + BEFORE, c->rows[2] + BEFORE };
    uint64_t sums[SUMS] = { 0 };
    c->dsp[1].temporal(sums, c->rows[0] + BEFORE, earlier, c->n, 0, XPSNR_TILE_COLUMNS, c->w);
}

static void run_squares(void *arg)
{
    const Case *const c = arg;
    uint64_t sums[SUMS] = { 0 };
    c->dsp[1].squares(sums, c->rows[0] + BEFORE, c->rows[1] + BEFORE, c->n, 0, XPSNR_TILE_COLUMNS);
}

static void bench(Case *c)
{
    const int items = XPSNR_TILE_ROWS * XPSNR_TILE_COLUMNS;
    char name[64];
    c->w = WIDEST;
    c->n = XPSNR_TILE_ROWS;
    for (unsigned frame = 0; frame < 3; frame++)
        fill_rows(c, frame);
    snprintf(name, sizeof(name), "xpsnr spatial%s (%u)", c->large ? " large" : "", c->bpc);
    check_bench(c->set, name, items, run_spatial, c);
    snprintf(name, sizeof(name), "xpsnr temporal%s %u (%u)", c->large ? " large" : "", c->order,
             c->bpc);
    check_bench(c->set, name, items, run_temporal, c);
    snprintf(name, sizeof(name), "xpsnr squares (%u)", c->bpc);
    check_bench(c->set, name, items, run_squares, c);
    check_release_all("xpsnr bench");
}

void xpsnr_check(const CheckSet *set)
{
    for (unsigned i = 0; i < 4 * 9; i++) {
        Case c = { .set = set, .bpc = 8 + i / 4, .order = i % 2 + 1, .large = i / 2 % 2 };
        xpsnr_dsp_init(&c.dsp[0], c.bpc, c.order, c.large, 0);
        xpsnr_dsp_init(&c.dsp[1], c.bpc, c.order, c.large, set->cpu);
        for (unsigned w = 1; w <= WIDEST; w += w < 72 ? 1 : 13)
            check_width(&c, w, check_short() ? 6 : 1 + check_random() % 8);
        check_width(&c, 258, XPSNR_TILE_ROWS);
        check_width(&c, 300, XPSNR_TILE_ROWS - 1);
        bench(&c);
    }
}
