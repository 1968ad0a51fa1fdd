/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The frame routine of ssimulacra2. Scales are computed one after another, because each is made
 * from the one before. A scale is cut into strips of columns and bands of rows. A job moves down a
 * strip of its band by a row of blocks at a time: it converts rows to XYB, which stay in the cache,
 * and sums up the maps of tiles, channel by channel. */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "feature/ssimulacra2/ssimulacra2.h"

enum {
    JOBS = 16,           /* at most */
    BAND = 8,            /* rows of blocks in a band, if threads share the frame */
    SHARED = 256 * 1024, /* pixels of a frame from which on threads share it */
    TILES = SSIMU2_STRIP / SSIMU2_TILE,
    WIDTH = SSIMU2_PAD + SSIMU2_STRIP + SSIMU2_REACH + SSIMU2_PAD, /* width of a row of a strip */
    ROWS = SSIMU2_BLOCK + 2 * SSIMU2_REACH,
};

/* Rows of a strip. Column x is at SSIMU2_PAD + x - x0. Planes: X, Y, B of the reference, then of
 * the distorted picture. */
typedef struct Buffers {
    float xyb[ROWS][6][WIDTH];
    float light[2][3][WIDTH]; /* two rows of a picture */
    float chroma[2][WIDTH];
    Ssimu2Filtered line[3][TILES][SSIMU2_TAPS]; /* the last filtered rows of each channel */
    Ssimu2Columns sums;
} Buffers;

struct Ssimu2Frame {
    float *light;  /* linear light of all scales but the first */
    float *blocks; /* sums */
    Buffers *buffers;
    unsigned jobs; /* that have buffers */
};

/* One scale of a pair. */
typedef struct Pass {
    const Ssimu2Frame *frame;
    const Ssimu2Setup *setup;
    const FramePair *pair;
    unsigned number; /* number of the scale */
    unsigned strips, bands, band_rows, jobs;
} Pass;

/* Columns x0 to x1 - 1 of a band; `from` to `to` includes the columns that the blur needs. */
typedef struct Strip {
    const Pass *pass;
    const Ssimu2Scale *scale;
    Buffers *buffers;
    unsigned x0, x1, from, to, y0, y1;
} Strip;

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static size_t at_column(const Strip *s, unsigned x)
{
    return (size_t)SSIMU2_PAD + x - s->x0;
}

/* ---- linear light ---- */

static const void *sample_row(const VmafPicture *pic, unsigned p, unsigned x, unsigned y)
{
    return (const uint8_t *)pic->data[p] + (ptrdiff_t)y * pic->stride[p] +
           (size_t)x * (pic->bpc > 8 ? 2 : 1);
}

/* Row y of chroma at the size of luma. A picture that is one sample wide or high may have no
 * chroma, but those are refused. */
static void spread_chroma(const Strip *s, const VmafPicture *pic, unsigned p, unsigned y,
                          int32_t centre)
{
    const Ssimu2Setup *const setup = s->pass->setup;
    const bool across = pic->w[p] < pic->w[0], down = pic->h[p] < pic->h[0];
    const unsigned x = across ? s->from / 2 : s->from, last = pic->h[p] - 1;
    const unsigned near = down ? smaller(y / 2, last) : y;
    const unsigned far = !down   ? y
                         : y % 2 ? smaller(y / 2 + 1, last)
                                 : smaller(y ? y / 2 - 1 : 0, last);
    setup->dsp.chroma(s->buffers->chroma[p - 1] + at_column(s, s->from),
                      sample_row(pic, p, x, near), sample_row(pic, p, x, far), s->to - s->from,
                      pic->w[p] - x, centre);
}

/* Writes linear light of an RGB picture, whose planes are G', B' and R'. */
static void take_rgb(const Strip *s, const VmafPicture *pic, float *const rgb[3], unsigned y,
                     const Ssimu2Matrix *matrix)
{
    static const unsigned plane[] = { 2, 0, 1 };
    for (unsigned c = 0; c < 3; c++)
        s->pass->setup->dsp.grey(rgb[c], sample_row(pic, plane[c], s->from, y), s->to - s->from,
                                 matrix);
}

/* Fetches the strip's samples of the row after next into the cache. Rows of a strip are too short
 * for the CPU to notice by itself that they will be read. */
static void fetch_ahead(const Strip *s, const VmafPicture *pic, unsigned y)
{
    enum { LINE = 64 };
    const unsigned size = pic->bpc > 8 ? 2 : 1;
    for (unsigned p = 0; p < (pic->w[1] ? 3 : 1); p++) {
        const unsigned across = p && pic->w[p] < pic->w[0], down = p && pic->h[p] < pic->h[0];
        const unsigned from = s->from >> across, to = s->to >> across, row = (y + 2) >> down;
        if (row >= pic->h[p] || (down && y % 2))
            continue;
        const char *const samples = sample_row(pic, p, from, row);
        for (unsigned at = 0; at < (to - from) * size; at += LINE)
            __builtin_prefetch(samples + at);
    }
}

/* Makes row y of the first scale. picture: 0, the reference, or 1. */
static void make_light(const Strip *s, unsigned picture, float light[3][WIDTH], unsigned y)
{
    const Ssimu2Setup *const setup = s->pass->setup;
    const Ssimu2Matrix *const matrix = &setup->matrix[picture];
    const VmafPicture *const pic = picture ? s->pass->pair->dist : s->pass->pair->ref;
    const size_t at = at_column(s, s->from);
    const unsigned n = s->to - s->from;
    float *const rgb[3] = { light[0] + at, light[1] + at, light[2] + at };
    const void *const luma = sample_row(pic, 0, s->from, y);
    fetch_ahead(s, pic, y);
    if (setup->shape.pix_fmt == VMAF_PIX_FMT_YUV400P) {
        setup->dsp.grey(rgb[0], luma, n, matrix);
        memcpy(rgb[1], rgb[0], n * sizeof(float));
        memcpy(rgb[2], rgb[0], n * sizeof(float));
    } else if (matrix->gbr) {
        take_rgb(s, pic, rgb, y, matrix);
    } else {
        spread_chroma(s, pic, 1, y, matrix->centre);
        spread_chroma(s, pic, 2, y, matrix->centre);
        setup->dsp.colour(rgb, luma, s->buffers->chroma[0] + at, s->buffers->chroma[1] + at, n,
                          matrix);
    }
    for (unsigned c = 0; c < 3; c++)
        rgb[c][n] = rgb[c][n - 1]; /* for halving an odd width */
}

static float *light_row(const Ssimu2Frame *frame, const Ssimu2Scale *scale, unsigned plane,
                        unsigned y)
{
    return frame->light + scale->first + ((size_t)plane * scale->h + y) * scale->pitch;
}

/* Halves rows of linear light into row y of the next scale. */
static void halve(const Strip *s, unsigned plane, const float *const rows[2], unsigned y)
{
    const Ssimu2Scale *const next = s->scale + 1;
    float *const out = light_row(s->pass->frame, next, plane, y);
    s->pass->setup->dsp.halve(out + s->x0 / 2, rows, (s->x1 - s->x0 + 1) / 2);
    if (s->x1 == s->scale->w)
        out[next->w] = out[next->w - 1]; /* for halving an odd width */
}

/* ---- XYB ---- */

/* Writes a row of the buffer; zeros stand for columns outside of the picture. */
static void make_xyb(const Strip *s, unsigned row, unsigned picture, const float *const rgb[3])
{
    const size_t at = at_column(s, s->from), n = s->to - s->from;
    float *planes[3];
    for (unsigned c = 0; c < 3; c++)
        planes[c] = s->buffers->xyb[row][3 * picture + c] + at;
    s->pass->setup->dsp.xyb(planes, rgb, (unsigned)n);
    for (unsigned c = 0; c < 3; c++) {
        memset(planes[c] + n, 0, (WIDTH - at - n) * sizeof(float));
        if (s->x0 == 0)
            memset(planes[c] - SSIMU2_REACH, 0, SSIMU2_REACH * sizeof(float));
    }
}

/* Converts rows y and y + 1 of both pictures, y even, to XYB at `row` of the buffer, and halves
 * those that belong to the strip's band. */
static void take_rows(const Strip *s, unsigned row, unsigned y)
{
    const Pass *const pass = s->pass;
    const size_t at = at_column(s, s->from);
    const bool both = y + 1 < s->scale->h;
    const bool halves = y >= s->y0 && y < s->y1 && pass->number + 1 < pass->setup->scales;
    for (unsigned i = 0; i < 2; i++) {
        const float *rgb[2][3], *inner[3][2];
        for (unsigned k = 0; k < (both ? 2 : 1); k++) {
            if (!pass->number)
                make_light(s, i, s->buffers->light[k], y + k);
            for (unsigned c = 0; c < 3; c++)
                rgb[k][c] = pass->number
                                ? light_row(pass->frame, s->scale, 3 * i + c, y + k) + s->from
                                : s->buffers->light[k][c] + at;
            make_xyb(s, row + k, i, rgb[k]);
        }
        for (unsigned c = 0; halves && c < 3; c++) {
            inner[c][0] = rgb[0][c] + (s->x0 - s->from);
            inner[c][1] = rgb[both][c] + (s->x0 - s->from);
            halve(s, 3 * i + c, inner[c], y / 2);
        }
    }
    if (!both)
        memset(s->buffers->xyb[row + 1], 0, sizeof(s->buffers->xyb[0]));
}

/* Fills rows `from` to `to` - 1 of the buffer, of which the first is row y of the scale. */
static void fill_rows(const Strip *s, unsigned from, unsigned to, int y)
{
    for (unsigned row = from; row < to; row += 2, y += 2) {
        if (y < 0 || y >= (int)s->scale->h)
            memset(s->buffers->xyb[row], 0, 2 * sizeof(s->buffers->xyb[0]));
        else
            take_rows(s, row, (unsigned)y);
    }
}

/* ---- sums ---- */

/* Returns the sum of a block's columns, added by halves. */
static float block_sum(float *columns)
{
    for (unsigned half = SSIMU2_BLOCK / 2; half; half /= 2)
        for (unsigned i = 0; i < half; i++)
            columns[i] += columns[i + half];
    return columns[0];
}

/* Stores the sums of the blocks that begin at column x0 + x, in row `down` of blocks. */
static void store_sums(const Strip *s, const Ssimu2Channel *channel, unsigned x, unsigned n,
                       unsigned down)
{
    static const unsigned maps[SSIMU2_SUMS] = { 0, 3, 1, 2, 4, 5 }; /* in Ssimu2Channel's order */
    const size_t count = ssimu2_block_count(s->scale);
    float *plane = s->pass->frame->blocks + channel->first + (size_t)down * s->scale->across +
                   (s->x0 + x) / SSIMU2_BLOCK;
    for (unsigned i = channel->ssim ? 0 : 2; i < (channel->edges ? SSIMU2_SUMS : 2); i++) {
        float *const columns = s->buffers->sums[maps[i]];
        memset(columns + n, 0, (SSIMU2_TILE - n) * sizeof(float)); /* outside of the picture */
        for (unsigned block = 0; block * SSIMU2_BLOCK < n; block++)
            plane[block] = block_sum(columns + (size_t)block * SSIMU2_BLOCK);
        plane += count;
    }
}

/* ---- tiles ---- */

/* A tile of a channel. */
typedef struct Tile {
    const Strip *strip;
    const Ssimu2Channel *channel;
    unsigned c, number, n; /* channel, place in the strip, columns */
} Tile;

/* Row `row` of the buffer at the tile's first column. */
static const float *tile_row(const Tile *t, unsigned row, unsigned picture)
{
    return t->strip->buffers->xyb[row][3 * picture + t->c] + SSIMU2_PAD +
           (size_t)t->number * SSIMU2_TILE;
}

/* Filters a row of the buffer. `line` counts rows from the first one that the strip needs. */
static void filter_row(const Tile *t, unsigned row, unsigned line)
{
    Buffers *const b = t->strip->buffers;
    t->strip->pass->setup->dsp.filter(b->line[t->c][t->number][line % SSIMU2_TAPS],
                                      tile_row(t, row, 0), tile_row(t, row, 1), t->n,
                                      t->channel->ssim);
}

/* Computes the sums of a row of blocks, from row y of the scale on. */
static void take_tile(const Tile *t, unsigned y)
{
    const Strip *const s = t->strip;
    Buffers *const b = s->buffers;
    const unsigned rows = smaller(SSIMU2_BLOCK, s->y1 - y);
    memset(b->sums, 0, sizeof(b->sums));
    for (unsigned i = 0; i < rows; i++) {
        const unsigned line = y - s->y0 + i;
        const Ssimu2Filtered *lines[SSIMU2_TAPS];
        filter_row(t, i + 2 * SSIMU2_REACH, line + 2 * SSIMU2_REACH);
        for (unsigned k = 0; k < SSIMU2_TAPS; k++)
            lines[k] = (const Ssimu2Filtered *)&b->line[t->c][t->number][(line + k) % SSIMU2_TAPS];
        s->pass->setup->dsp.maps(b->sums, lines, tile_row(t, i + SSIMU2_REACH, 0),
                                 tile_row(t, i + SSIMU2_REACH, 1), t->n, t->channel->ssim,
                                 t->channel->edges);
    }
    store_sums(s, t->channel, t->number * SSIMU2_TILE, t->n, y / SSIMU2_BLOCK);
}

/* Calls take_tile for every tile of a row of blocks, or filters the rows above the first one. */
static void take_tiles(const Strip *s, unsigned y, bool prepare)
{
    for (unsigned c = 0; c < 3; c++) {
        const Ssimu2Channel *const channel = &s->scale->channel[c];
        if (!channel->ssim && !channel->edges)
            continue;
        for (unsigned x = s->x0, number = 0; x < s->x1; x += SSIMU2_TILE, number++) {
            const Tile tile = { s, channel, c, number, smaller(SSIMU2_TILE, s->x1 - x) };
            if (!prepare)
                take_tile(&tile, y);
            for (unsigned row = 0; prepare && row < 2 * SSIMU2_REACH; row++)
                filter_row(&tile, row, row);
        }
    }
}

static void sweep_strip(const Strip *s)
{
    float(*const xyb)[6][WIDTH] = s->buffers->xyb;
    fill_rows(s, 0, 2 * SSIMU2_REACH, (int)s->y0 - SSIMU2_REACH);
    take_tiles(s, s->y0, true);
    for (unsigned y = s->y0; y < s->y1; y += SSIMU2_BLOCK) {
        fill_rows(s, 2 * SSIMU2_REACH, ROWS, (int)y + SSIMU2_REACH);
        take_tiles(s, y, false);
        memcpy(xyb, xyb + SSIMU2_BLOCK, 2 * SSIMU2_REACH * sizeof(*xyb));
    }
}

/* ---- frames ---- */

static void run_job(void *arg, unsigned job)
{
    const Pass *const pass = arg;
    const Ssimu2Scale *const scale = &pass->setup->scale[pass->number];
    for (unsigned i = job; i < pass->strips * pass->bands; i += pass->jobs) {
        const unsigned x0 = i % pass->strips * SSIMU2_STRIP,
                       y0 = i / pass->strips * pass->band_rows;
        const unsigned x1 = smaller(x0 + SSIMU2_STRIP, scale->w);
        const Strip strip = {
            .pass = pass,
            .scale = scale,
            .buffers = &pass->frame->buffers[job],
            .x0 = x0,
            .x1 = x1,
            .from = x0 ? x0 - SSIMU2_REACH : 0,
            .to = smaller(x1 + SSIMU2_REACH, scale->w),
            .y0 = y0,
            .y1 = smaller(y0 + pass->band_rows, scale->h),
        };
        sweep_strip(&strip);
    }
}

const float *ssimu2_frame_measure(Ssimu2Frame *frame, const Ssimu2Setup *setup,
                                  const FramePair *pair, Team *team)
{
    const bool shared = frame->jobs > 1 && team_size(team) > 1;
    for (unsigned i = 0; i < setup->scales; i++) {
        const Ssimu2Scale *const scale = &setup->scale[i];
        const unsigned bands = shared ? (scale->down + BAND - 1) / BAND : 1;
        Pass pass = {
            .frame = frame,
            .setup = setup,
            .pair = pair,
            .number = i,
            .strips = (scale->w + SSIMU2_STRIP - 1) / SSIMU2_STRIP,
            .bands = bands,
            .band_rows = shared ? BAND * SSIMU2_BLOCK : scale->h,
        };
        pass.jobs = smaller(shared ? frame->jobs : 1, pass.strips * bands);
        team_run(pass.jobs > 1 ? team : NULL, pass.jobs, run_job, &pass);
    }
    return frame->blocks;
}

int ssimu2_frame_create(const Feature *f, void **out)
{
    const Ssimu2Setup *const setup = f->state;
    Ssimu2Frame *const frame = *out = mem_zalloc(sizeof(*frame));
    if (!frame)
        return -ENOMEM;
    const size_t pixels = (size_t)setup->scale[0].w * setup->scale[0].h;
    frame->jobs = pixels < SHARED ? 1 : JOBS;
    frame->light = mem_aligned_alloc(setup->light * sizeof(float));
    frame->blocks = mem_aligned_alloc(setup->blocks * sizeof(float));
    frame->buffers = mem_aligned_alloc(frame->jobs * sizeof(*frame->buffers));
    if (!frame->light || !frame->blocks || !frame->buffers) {
        ssimu2_frame_destroy(frame);
        *out = NULL;
        return -ENOMEM;
    }
    /* Vector code reads beyond the rows that are filled, so that memory must be defined. */
    memset(frame->light, 0, setup->light * sizeof(float));
    memset(frame->buffers, 0, frame->jobs * sizeof(*frame->buffers));
    return 0;
}

void ssimu2_frame_destroy(void *scratch)
{
    Ssimu2Frame *const frame = scratch;
    if (!frame)
        return;
    mem_aligned_free(frame->light);
    mem_aligned_free(frame->blocks);
    mem_aligned_free(frame->buffers);
    mem_free(frame);
}
