/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <assert.h>
#include <errno.h>

#include "base/mem.h"
#include "feature/common/float_filter.h"
#include "feature/common/mirror.h"

/* Room on each side of a line: the longest reach, rounded up to the alignment. */
enum { LINE_MARGIN = 48 };

float *float_line_alloc(unsigned n)
{
    float *block = mem_aligned_alloc(((size_t)n + 2 * LINE_MARGIN) * sizeof(float));
    return block ? block + LINE_MARGIN : NULL;
}

void float_line_free(float *line)
{
    if (line)
        mem_aligned_free(line - LINE_MARGIN);
}

void float_line_reflect(float *line, unsigned n, unsigned reach)
{
    assert(reach < n && reach <= LINE_MARGIN);
    for (unsigned i = 1; i <= reach; i++) {
        line[-(ptrdiff_t)i] = line[i];
        line[n - 1 + i] = line[n - 1 - i];
    }
}

void float_filter_across(const FloatDsp *dsp, const FloatFilter *filter, float *out, float *line,
                         unsigned n)
{
    assert(filter->count % 2 == 1 && filter->count <= FILTER_MAX_TAPS);
    const unsigned reach = filter_reach(filter);
    const float *shifted[FILTER_MAX_TAPS];
    float_line_reflect(line, n, reach);
    for (unsigned k = 0; k < filter->count; k++)
        shifted[k] = line - reach + k;
    dsp->weigh(out, shifted, filter->taps, filter->count, n);
}

void float_filter_row(const FloatDsp *dsp, const FloatFilter *filter, float *out, float *line,
                      FloatRows *rows, unsigned y, unsigned w, unsigned h)
{
    const int reach = (int)filter_reach(filter);
    const float *window[FILTER_MAX_TAPS];
    for (unsigned k = 0; k < filter->count; k++)
        window[k] = float_rows_get(rows, (unsigned)mirror_index((int)(y + k) - reach, (int)h));
    dsp->weigh(line, window, filter->taps, filter->count, w);
    float_filter_across(dsp, filter, out, line, w);
}

int float_total_init(FloatTotal *total, const FloatDsp *dsp, unsigned width)
{
    const size_t step = MEM_ALIGN / sizeof(float);
    const size_t pitch = (width + step - 1) / step * step;
    *total = (FloatTotal){ .dsp = dsp, .pitch = pitch };
    total->rows = mem_aligned_alloc(FLOAT_TOTAL_ROWS * pitch * sizeof(float));
    return total->rows ? 0 : -ENOMEM;
}

void float_total_free(FloatTotal *total)
{
    mem_aligned_free(total->rows);
}

void float_total_start(FloatTotal *total, unsigned width)
{
    assert(width <= total->pitch);
    total->width = width;
    total->waiting = 0;
    total->sum = 0.0f;
}

float *float_total_row(FloatTotal *total)
{
    assert(total->waiting < FLOAT_TOTAL_ROWS);
    return total->rows + total->waiting * total->pitch;
}

static void settle(FloatTotal *total)
{
    const float *rows[FLOAT_TOTAL_ROWS];
    float sums[FLOAT_TOTAL_ROWS];
    for (unsigned k = 0; k < total->waiting; k++)
        rows[k] = total->rows + k * total->pitch;
    total->dsp->row_sums(sums, rows, total->waiting, total->width);
    for (unsigned k = 0; k < total->waiting; k++)
        total->sum += sums[k];
    total->waiting = 0;
}

void float_total_add(FloatTotal *total)
{
    if (++total->waiting == FLOAT_TOTAL_ROWS)
        settle(total);
}

float float_total_finish(FloatTotal *total)
{
    settle(total);
    return total->sum;
}
