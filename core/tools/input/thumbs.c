/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/thumbs.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The difference at any other offset must be this many times that at the best one. */
#define MARGIN 1.5
/* The largest difference at the best offset. Unrelated videos have a mean difference of 2. */
#define DIFFERENT 0.5
/* Differences below this are rounding noise. */
#define NOISE 1e-7
/* Means are multiples of 1 / STEPS; those of 8 bits fit into 16. */
#define STEPS 256
/* Rows or columns of an edge: thinner black bars hardly change scores. */
#define EDGE 2u

/* Some rows of a cell. */
typedef struct CellRows {
    const char *first; /* the first sample of the first row */
    ptrdiff_t stride;  /* to the next row that is looked at */
    unsigned width, rows;
} CellRows;

/* The samples of each column are added up first, of many columns at once, and then the columns. */
enum { COLUMNS = 16, ROWS_AT_ONCE = 256 }; /* so many samples of 8 bits fit into 16 */
typedef uint8_t Samples __attribute__((vector_size(COLUMNS)));
typedef uint16_t DeepSamples __attribute__((vector_size(2 * COLUMNS)));
typedef uint32_t DeepSums __attribute__((vector_size(4 * COLUMNS)));

/* The sum of some rows of COLUMNS columns. */
#define DEFINE_COLUMNS_SUM(name, Vector, Sums)                                                     \
    static uint64_t name(const char *at, ptrdiff_t stride, unsigned rows)                          \
    {                                                                                              \
        Sums sums = { 0 };                                                                         \
        uint64_t sum = 0;                                                                          \
        for (unsigned y = 0; y < rows; y++, at += stride) {                                        \
            Vector row;                                                                            \
            memcpy(&row, at, sizeof(row));                                                         \
            sums += __builtin_convertvector(row, Sums);                                            \
        }                                                                                          \
        for (unsigned i = 0; i < COLUMNS; i++)                                                     \
            sum += sums[i];                                                                        \
        return sum;                                                                                \
    }
DEFINE_COLUMNS_SUM(sum_columns, Samples, DeepSamples)
DEFINE_COLUMNS_SUM(sum_deep_columns, DeepSamples, DeepSums)

/* The sum of a row from column x on. */
static uint64_t sum_row(const char *at, bool deep, unsigned x, unsigned width)
{
    uint64_t sum = 0;
    for (; x < width; x++)
        sum += deep ? ((const uint16_t *)(const void *)at)[x] : ((const uint8_t *)at)[x];
    return sum;
}

static uint64_t cell_sum(const CellRows *cell, bool deep)
{
    const unsigned whole = cell->width / COLUMNS * COLUMNS;
    uint64_t sum = 0;
    for (unsigned from = 0; from < cell->rows; from += ROWS_AT_ONCE) {
        const unsigned left = cell->rows - from, rows = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
        const char *const first = cell->first + (ptrdiff_t)from * cell->stride;
        for (unsigned x = 0; x < whole; x += COLUMNS)
            sum += deep ? sum_deep_columns(first + 2 * x, cell->stride, rows)
                        : sum_columns(first + x, cell->stride, rows);
    }
    for (unsigned y = 0; y < cell->rows && whole < cell->width; y++)
        sum += sum_row(cell->first + (ptrdiff_t)y * cell->stride, deep, whole, cell->width);
    return sum;
}

/* The mean of a rectangle, at 8 bits; `bottom` and `right` are behind its last row and column. */
static float rectangle_mean(const VmafPicture *pic, unsigned top, unsigned bottom, unsigned left,
                            unsigned right, unsigned step)
{
    const bool deep = pic->bpc > 8;
    const CellRows cell = {
        .first = (const char *)pic->data[0] + (ptrdiff_t)top * pic->stride[0] + left * (deep + 1u),
        .stride = (ptrdiff_t)step * pic->stride[0],
        .width = right - left,
        .rows = (bottom - top + step - 1) / step,
    };
    const double mean =
        (double)cell_sum(&cell, deep) / cell.width / cell.rows / (1u << (pic->bpc - 8));
    return (float)(floor(mean * STEPS + 0.5) / STEPS);
}

static float cell_mean(const VmafPicture *pic, unsigned i, unsigned step)
{
    const unsigned w = pic->w[0], h = pic->h[0];
    const unsigned x = i % THUMB_SIDE, y = i / THUMB_SIDE;
    const unsigned left = x * w / THUMB_SIDE, right = (x + 1) * w / THUMB_SIDE;
    const unsigned top = y * h / THUMB_SIDE, bottom = (y + 1) * h / THUMB_SIDE;
    if (left == right || top == bottom) /* the picture is smaller than a thumbnail */
        return 0;
    return rectangle_mean(pic, top, bottom, left, right, step);
}

void thumb_of_picture(Thumb *thumb, const VmafPicture *pic, unsigned step)
{
    const unsigned w = pic->w[0], h = pic->h[0];
    const unsigned across = w < EDGE ? w : EDGE, down = h < EDGE ? h : EDGE;
    for (unsigned i = 0; i < THUMB_CELLS; i++)
        thumb->cell[i] = cell_mean(pic, i, step);
    thumb->edge[TOP_EDGE] = rectangle_mean(pic, 0, down, 0, w, 1);
    thumb->edge[BOTTOM_EDGE] = rectangle_mean(pic, h - down, h, 0, w, 1);
    thumb->edge[LEFT_EDGE] = rectangle_mean(pic, 0, h, 0, across, 1);
    thumb->edge[RIGHT_EDGE] = rectangle_mean(pic, 0, h, w - across, w, 1);
}

/* The values of a thumbnail, one after another. */
static float *value_of(Thumb *thumb, unsigned i)
{
    return i < THUMB_CELLS ? &thumb->cell[i] : &thumb->edge[i - THUMB_CELLS];
}

void thumb_print(const Thumb *thumb, char text[THUMB_TEXT])
{
    Thumb copy = *thumb;
    for (unsigned i = 0; i < THUMB_CELLS + THUMB_EDGES; i++)
        snprintf(text + (size_t)i * 4, 5, "%04x", (unsigned)(*value_of(&copy, i) * STEPS) & 0xffff);
}

bool thumb_parse(Thumb *thumb, const char *text)
{
    if (!text || strlen(text) != THUMB_TEXT - 1 ||
        strspn(text, "0123456789abcdef") + 1 < THUMB_TEXT)
        return false;
    for (unsigned i = 0; i < THUMB_CELLS + THUMB_EDGES; i++) {
        const char digits[5] = { text[4 * i], text[4 * i + 1], text[4 * i + 2], text[4 * i + 3] };
        *value_of(thumb, i) = (float)strtoul(digits, NULL, 16) / STEPS;
    }
    return true;
}

/* Scales to a mean of 0 and a standard deviation of 1. False: the video is a flat area. */
static bool normalise(Thumbs *thumbs)
{
    const double count = (double)thumbs->count * THUMB_CELLS;
    double sum = 0, squares = 0;
    for (unsigned n = 0; n < thumbs->count; n++) {
        for (unsigned i = 0; i < THUMB_CELLS; i++) {
            const double value = thumbs->at[n].cell[i];
            sum += value;
            squares += value * value;
        }
    }
    const double mean = sum / count, variance = squares / count - mean * mean;
    if (!(variance > 1e-3))
        return false;
    const double factor = 1 / sqrt(variance);
    for (unsigned n = 0; n < thumbs->count; n++)
        for (unsigned i = 0; i < THUMB_CELLS; i++)
            thumbs->at[n].cell[i] = (float)((thumbs->at[n].cell[i] - mean) * factor);
    return true;
}

static double difference(const Thumb *a, const Thumb *b)
{
    float sum = 0;
    for (unsigned i = 0; i < THUMB_CELLS; i++)
        sum += (a->cell[i] - b->cell[i]) * (a->cell[i] - b->cell[i]);
    return sum / THUMB_CELLS;
}

/* The mean difference of the frames that overlap at this offset; DBL_MAX if fewer than `enough`. */
static double difference_at(const Thumbs *first, const Thumbs *second, int offset, unsigned enough)
{
    const unsigned begin = offset < 0 ? (unsigned)-offset : 0;
    double sum = 0;
    unsigned pairs = 0;
    for (unsigned n = begin; n < first->count && (int)n + offset < (int)second->count; n++, pairs++)
        sum += difference(&first->at[n], &second->at[(int)n + offset]);
    return pairs >= enough ? sum / pairs : DBL_MAX;
}

ThumbsFit thumbs_fit(Thumbs *first, Thumbs *second)
{
    const unsigned shorter = first->count < second->count ? first->count : second->count;
    const unsigned enough = shorter / 4 < 2 ? 2 : shorter / 4;
    double best = DBL_MAX, next = DBL_MAX;
    ThumbsFit fit = { 0 };
    if (shorter < 2 || !normalise(first) || !normalise(second))
        return fit;
    for (int offset = 1 - (int)first->count; offset < (int)second->count; offset++) {
        const double d = difference_at(first, second, offset, enough);
        if (d < best) {
            fit.rival = fit.offset;
            next = best;
            fit.offset = offset;
            best = d;
        } else if (d < next) {
            fit.rival = offset;
            next = d;
        }
    }
    fit.times = (next + NOISE) / (best + NOISE);
    fit.sure = best < DIFFERENT && fit.times > MARGIN;
    return fit;
}
