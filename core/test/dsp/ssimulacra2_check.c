/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The vector code of ssimulacra2 against its scalar code, row by row. */
#include "dsp/check.h"

#include <stdio.h>
#include <string.h>

#include "feature/ssimulacra2/ssimulacra2.h"

enum {
    WIDEST = SSIMU2_STRIP + 2 * SSIMU2_REACH,
    LENGTH = SSIMU2_PAD + WIDEST + 2 * SSIMU2_PAD, /* length of a row of floats */
};

typedef struct Case {
    const CheckSet *set;
    unsigned bpc;
    bool subsampled;
    Ssimu2Dsp dsp[2]; /* scalar, then vector */
} Case;

/* A random number in 0 … 1, mostly between the extremes. */
static float signal(void)
{
    const uint32_t r = check_random();
    return r % 8 == 0 ? 0.0f : r % 8 == 1 ? 1.0f : (float)(r >> 8) / (float)(1 << 24);
}

/* Returns a row of floats whose first column is at SSIMU2_PAD. */
static float *new_row(void)
{
    float *const row = check_buffer(LENGTH * sizeof(float));
    for (unsigned x = 0; x < LENGTH; x++)
        row[x] = signal();
    return row + SSIMU2_PAD;
}

/* Returns samples that end at an unreadable page. */
static const void *new_samples(const Case *c, unsigned n)
{
    const size_t size = c->bpc > 8 ? 2 : 1;
    const unsigned top = (1u << c->bpc) - 1, temper = check_random() % 4;
    uint8_t *const row = check_edge_buffer(n * size);
    for (unsigned x = 0; x < n; x++) {
        const uint16_t v = (uint16_t)(temper == 0 ? 0 : temper == 1 ? top : check_random() & top);
        memcpy(row + x * size, &v, size);
    }
    return row;
}

static Ssimu2Matrix matrix_of(const Case *c)
{
    const float peak = (float)((1u << c->bpc) - 1);
    return (Ssimu2Matrix){
        .black = 16 << (c->bpc - 8),
        .centre = 8 << (c->bpc - 1),
        .luma = 1.164f / peak,
        .red_v = 1.79f / 8.0f / peak,
        .green_u = 0.21f / 8.0f / peak,
        .green_v = 0.53f / 8.0f / peak,
        .blue_u = 2.11f / 8.0f / peak,
    };
}

static void same(const Case *c, const char *what, const float *scalar, const float *vector,
                 unsigned n)
{
    char text[96];
    snprintf(text, sizeof(text), "ssimulacra2 %s: %s, %u bits, %u columns", c->set->name, what,
             c->bpc, n);
    check_same(text, vector, scalar, sizeof(float), (int)n);
}

static void check_light(const Case *c, unsigned n)
{
    const Ssimu2Matrix m = matrix_of(c);
    const unsigned all = c->subsampled ? (n + 1) / 2 : n;
    /* The last sample is missing where an odd width is halved. */
    const unsigned samples = all > 1 ? all - check_random() % 2 : all;
    const void *const near = new_samples(c, c->subsampled ? samples : n);
    const void *const far = new_samples(c, c->subsampled ? samples : n);
    const void *const luma = new_samples(c, n);
    float *chroma[2][2], *grey[2], *rgb[2][3];
    for (unsigned i = 0; i < 2; i++) {
        chroma[i][0] = new_row();
        chroma[i][1] = new_row();
        c->dsp[i].chroma(chroma[i][0], near, far, n, samples, m.centre);
        c->dsp[i].chroma(chroma[i][1], far, near, n, samples, m.centre);
        grey[i] = new_row();
        c->dsp[i].grey(grey[i], luma, n, &m);
        for (unsigned k = 0; k < 3; k++)
            rgb[i][k] = new_row();
        c->dsp[i].colour(rgb[i], luma, chroma[0][0], chroma[0][1], n, &m);
    }
    same(c, "chroma", chroma[0][0], chroma[1][0], n);
    same(c, "grey", grey[0], grey[1], n);
    for (unsigned k = 0; k < 3; k++)
        same(c, "colour", rgb[0][k], rgb[1][k], n);
    check_release_all("ssimulacra2 light");
}

static void check_scales(const Case *c, unsigned n)
{
    const float *const rgb[3] = { new_row(), new_row(), new_row() };
    const float *const rows[2] = { rgb[0], rgb[1] };
    float *xyb[2][3], *half[2];
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned k = 0; k < 3; k++)
            xyb[i][k] = new_row();
        half[i] = new_row();
        c->dsp[i].xyb(xyb[i], rgb, n);
        c->dsp[i].halve(half[i], rows, (n + 1) / 2);
    }
    for (unsigned k = 0; k < 3; k++)
        same(c, "XYB", xyb[0][k], xyb[1][k], n);
    same(c, "halve", half[0], half[1], (n + 1) / 2);
    check_release_all("ssimulacra2 scales");
}

/* Rows of a tile: both pictures, filtered rows, and sums by both codes. */
typedef struct Tile {
    float *ref[SSIMU2_TAPS], *dist[SSIMU2_TAPS];
    Ssimu2Filtered *line[2][SSIMU2_TAPS];
    Ssimu2Columns *sums[2];
} Tile;

/* Some rows are equal in both pictures, so that terms are cut to 0. */
static void fill_tile(Tile *t)
{
    const unsigned temper = check_random() % 3;
    for (unsigned k = 0; k < SSIMU2_TAPS; k++) {
        t->ref[k] = new_row();
        t->dist[k] = new_row();
        for (int x = -SSIMU2_PAD; temper < 2 && x < LENGTH - SSIMU2_PAD; x++)
            t->dist[k][x] = t->ref[k][x] + (temper ? 1e-7f * signal() : 0.0f);
        for (unsigned i = 0; i < 2; i++)
            t->line[i][k] = check_buffer(sizeof(Ssimu2Filtered));
    }
    for (unsigned i = 0; i < 2; i++)
        t->sums[i] = check_buffer(sizeof(Ssimu2Columns));
}

static void check_maps(const Case *c, unsigned n, bool ssim, bool edges)
{
    Tile t;
    fill_tile(&t);
    for (unsigned i = 0; i < 2; i++) {
        const Ssimu2Filtered *rows[SSIMU2_TAPS];
        for (unsigned k = 0; k < SSIMU2_TAPS; k++) {
            c->dsp[i].filter(*t.line[i][k], t.ref[k], t.dist[k], n, ssim);
            rows[k] = (const Ssimu2Filtered *)t.line[i][k];
        }
        for (unsigned k = 0; k < 2; k++)
            c->dsp[i].maps(*t.sums[i], rows, t.ref[SSIMU2_REACH], t.dist[SSIMU2_REACH], n, ssim,
                           edges);
    }
    for (unsigned q = 0; q < (ssim ? SSIMU2_QUANTITIES : 2); q++)
        same(c, "filter", (*t.line[0][0])[q], (*t.line[1][0])[q], n);
    for (unsigned map = 0; map < SSIMU2_SUMS; map++)
        same(c, ssim ? edges ? "maps" : "ssim" : "edges", (*t.sums[0])[map], (*t.sums[1])[map], n);
    check_release_all("ssimulacra2 maps");
}

/* ---- speed ---- */

typedef struct Bench {
    const Ssimu2Dsp *dsp;
    Ssimu2Matrix matrix;
    const void *samples;
    float *rgb[3], *xyb[3];
    Tile tile;
} Bench;

static void run_light(void *arg)
{
    Bench *const b = arg;
    b->dsp->chroma(b->xyb[0], b->samples, b->samples, SSIMU2_STRIP, SSIMU2_STRIP, 0);
    b->dsp->chroma(b->xyb[1], b->samples, b->samples, SSIMU2_STRIP, SSIMU2_STRIP, 0);
    b->dsp->colour(b->rgb, b->samples, b->xyb[0], b->xyb[1], SSIMU2_STRIP, &b->matrix);
}

static void run_xyb(void *arg)
{
    Bench *const b = arg;
    b->dsp->xyb(b->xyb, (const float *const *)b->rgb, SSIMU2_STRIP);
}

static void run_maps(void *arg)
{
    Bench *const b = arg;
    const Ssimu2Filtered *rows[SSIMU2_TAPS];
    for (unsigned k = 0; k < SSIMU2_TAPS; k++)
        rows[k] = (const Ssimu2Filtered *)b->tile.line[0][k];
    b->dsp->maps(*b->tile.sums[0], rows, b->tile.ref[0], b->tile.dist[0], SSIMU2_TILE, true, true);
}

static void run_filter(void *arg)
{
    Bench *const b = arg;
    b->dsp->filter(*b->tile.line[0][0], b->tile.ref[0], b->tile.dist[0], SSIMU2_TILE, true);
}

static void bench(const Case *c)
{
    Bench b = { .dsp = &c->dsp[1],
                .matrix = matrix_of(c),
                .samples = new_samples(c, SSIMU2_STRIP) };
    for (unsigned k = 0; k < 3; k++) {
        b.rgb[k] = new_row();
        b.xyb[k] = new_row();
    }
    fill_tile(&b.tile);
    check_bench(c->set, "ssimulacra2 light", SSIMU2_STRIP, run_light, &b);
    check_bench(c->set, "ssimulacra2 xyb", SSIMU2_STRIP, run_xyb, &b);
    check_bench(c->set, "ssimulacra2 filter", SSIMU2_TILE, run_filter, &b);
    check_bench(c->set, "ssimulacra2 maps", SSIMU2_TILE, run_maps, &b);
    check_release_all("ssimulacra2 bench");
}

void ssimulacra2_check(const CheckSet *set)
{
    static const unsigned depths[] = { 8, 10, 16 };
    for (unsigned i = 0; i < 6; i++) {
        Case c = { .set = set, .bpc = depths[i / 2], .subsampled = i % 2 };
        ssimu2_dsp_init(&c.dsp[0], c.bpc, c.subsampled, 0);
        ssimu2_dsp_init(&c.dsp[1], c.bpc, c.subsampled, set->cpu);
        for (unsigned n = 1; n <= WIDEST; n += n < 70 ? 1 : 5)
            check_light(&c, n);
        if (i == 0) {
            for (unsigned n = 1; n <= WIDEST; n += n < 70 ? 1 : 5)
                check_scales(&c, n);
            for (unsigned n = 1; n <= SSIMU2_TILE; n++) {
                check_maps(&c, n, true, true);
                check_maps(&c, n, true, false);
                check_maps(&c, n, false, true);
            }
            bench(&c);
        }
    }
}
