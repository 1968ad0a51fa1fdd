/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The frame routine of xpsnr: passes the planes of a pair to the tile functions, and adds their
 * sums to blocks. A row of blocks is one job of the team. */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "feature/xpsnr/xpsnr.h"

/* Rows of a plane before and after those of a tile that the high-pass may look at. */
enum { ROWS_BEFORE = 2, ROWS_AFTER = 3 };

/* A tile's rows: pointers to them lie from row[ROWS_BEFORE] on. */
typedef struct Rows {
    const void *row[ROWS_BEFORE + XPSNR_TILE_ROWS + ROWS_AFTER];
} Rows;

typedef struct Pass {
    const XpsnrSetup *setup;
    const FramePair *pair;
    XpsnrBlock *blocks;
    unsigned history;
} Pass;

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Points to the rows from y - ROWS_BEFORE on. Rows above the picture stand for its first row, those
 * below for its last one. Without a picture all rows are zeros. */
static void find_rows(Rows *rows, const XpsnrSetup *setup, const VmafPicture *pic, unsigned p,
                      unsigned y, unsigned n)
{
    const unsigned last = setup->shape.h[p] - 1;
    for (unsigned i = 0; i < n + ROWS_BEFORE + ROWS_AFTER; i++) {
        const unsigned at = y + i < ROWS_BEFORE ? 0 : smaller(y + i - ROWS_BEFORE, last);
        rows->row[i] =
            pic ? (const uint8_t *)pic->data[p] + (ptrdiff_t)at * pic->stride[p] : setup->zeros;
    }
}

/* Adds sums of `step` columns each to the blocks of plane p that contain these columns. `member`
 * points to the sum in the first block. */
static void add_to_blocks(uint64_t *member, const uint64_t *sums, unsigned step, unsigned x0,
                          unsigned x1, unsigned edge)
{
    enum { STRIDE = sizeof(XpsnrBlock) / sizeof(uint64_t) };
    for (unsigned x = x0; x < x1;) {
        const unsigned end = smaller((x / edge + 1) * edge, x1);
        uint64_t sum = 0;
        for (; x < end; x += step)
            sum += *sums++;
        member[(size_t)((end - 1) / edge) * STRIDE] += sum;
    }
}

/* Measures the activity of n rows of luma from row y on. */
static void add_activity(const Pass *pass, XpsnrBlock *blocks, unsigned y, unsigned n)
{
    const XpsnrSetup *const setup = pass->setup;
    const unsigned w = setup->shape.w[0], h = setup->shape.h[0];
    const unsigned border = setup->large ? 2 : 1;
    Rows ref, before[2];
    find_rows(&ref, setup, pass->pair->ref, 0, y, n);
    for (unsigned i = 0; i < 2; i++)
        find_rows(&before[i], setup, i < pass->history ? pass->pair->prev_ref[i] : NULL, 0, y, n);
    const XpsnrRows earlier[2] = { before[0].row + ROWS_BEFORE, before[1].row + ROWS_BEFORE };
    const unsigned top = y < border ? border - y : 0;
    const unsigned bottom = h < border || y >= h - border ? 0 : smaller(n, h - border - y);
    for (unsigned x0 = 0; x0 < w; x0 += XPSNR_TILE_COLUMNS) {
        const unsigned x1 = smaller(x0 + XPSNR_TILE_COLUMNS, w);
        uint64_t sums[XPSNR_TILE_COLUMNS / 4] = { 0 };
        if (top < bottom)
            setup->dsp.spatial(sums, ref.row + ROWS_BEFORE + top, bottom - top, x0, x1, w);
        add_to_blocks(&blocks->spatial, sums, 4, x0, x1, setup->edge[0]);
        memset(sums, 0, sizeof(sums));
        setup->dsp.temporal(sums, ref.row + ROWS_BEFORE, earlier, setup->large ? n + n % 2 : n, x0,
                            x1, w);
        add_to_blocks(&blocks->temporal[pass->history], sums, 4, x0, x1, setup->edge[0]);
    }
}

static void add_squares(const Pass *pass, XpsnrBlock *blocks, unsigned p, unsigned y, unsigned n)
{
    const XpsnrSetup *const setup = pass->setup;
    const unsigned w = setup->shape.w[p];
    Rows ref, dist;
    find_rows(&ref, setup, pass->pair->ref, p, y, n);
    find_rows(&dist, setup, pass->pair->dist, p, y, n);
    for (unsigned x0 = 0; x0 < w; x0 += XPSNR_TILE_COLUMNS) {
        const unsigned x1 = smaller(x0 + XPSNR_TILE_COLUMNS, w);
        uint64_t sums[XPSNR_TILE_COLUMNS / 2] = { 0 };
        setup->dsp.squares(sums, ref.row + ROWS_BEFORE, dist.row + ROWS_BEFORE, n, x0, x1);
        add_to_blocks(&blocks->sse[p], sums, 2, x0, x1, setup->edge[p]);
    }
}

/* Measures one row of blocks. */
static void measure_row(void *arg, unsigned row)
{
    const Pass *const pass = arg;
    const XpsnrSetup *const setup = pass->setup;
    XpsnrBlock *const blocks = pass->blocks + (size_t)row * setup->across;
    memset(blocks, 0, setup->across * sizeof(*blocks));
    for (unsigned p = 0; p < 3; p++) {
        const unsigned h = setup->shape.h[p], from = row * setup->edge_y[p];
        if (!(setup->planes >> p & 1))
            continue;
        for (unsigned y = from; y < smaller(from + setup->edge_y[p], h); y += XPSNR_TILE_ROWS) {
            const unsigned n = smaller(XPSNR_TILE_ROWS, smaller(from + setup->edge_y[p], h) - y);
            if (!p && !setup->plain)
                add_activity(pass, blocks, y, n);
            add_squares(pass, blocks, p, y, n);
        }
    }
}

unsigned xpsnr_history(const XpsnrSetup *setup, const FramePair *pair)
{
    unsigned history = 0;
    while (history < setup->order && pair->prev_ref[history])
        history++;
    return history;
}

void xpsnr_frame_measure(XpsnrFrame *frame, const XpsnrSetup *setup, const FramePair *pair,
                         Team *team)
{
    Pass pass = {
        .setup = setup,
        .pair = pair,
        .blocks = frame->blocks,
        .history = xpsnr_history(setup, pair),
    };
    team_run(team, setup->down, measure_row, &pass);
}

int xpsnr_frame_create(const Feature *f, void **out)
{
    const XpsnrSetup *const setup = f->state;
    XpsnrFrame *const frame = *out = mem_zalloc(sizeof(*frame));
    if (!frame)
        return -ENOMEM;
    frame->blocks = mem_array(xpsnr_block_count(setup), sizeof(*frame->blocks));
    frame->weights = mem_array(xpsnr_block_count(setup), sizeof(*frame->weights));
    if (frame->blocks && frame->weights)
        return 0;
    xpsnr_frame_destroy(frame);
    *out = NULL;
    return -ENOMEM;
}

void xpsnr_frame_destroy(void *scratch)
{
    XpsnrFrame *const frame = scratch;
    if (!frame)
        return;
    mem_free(frame->blocks);
    mem_free(frame->weights);
    mem_free(frame);
}
