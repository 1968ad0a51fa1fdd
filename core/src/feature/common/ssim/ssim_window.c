/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/common/ssim/ssim_window.h"

#include <errno.h>

#include "base/mem.h"

/* Not normalised: the sum is 1.000002, as in the reference. */
static const float gauss[SSIM_WINDOW] = {
    0.001028f, 0.007599f, 0.036001f, 0.109361f, 0.213006f, 0.266012f,
    0.213006f, 0.109361f, 0.036001f, 0.007599f, 0.001028f,
};

SsimMeans ssim_means(const SsimSums *sums, unsigned w, unsigned h)
{
    const int reach = SSIM_WINDOW - 1;
    const double n = (double)((int)w - reach) * (double)((int)h - reach);
    return (SsimMeans){
        .lcs = (float)(sums->lcs / n),
        .l = (float)(sums->l / n),
        .c = (float)(sums->c / n),
        .s = (float)(sums->s / n),
    };
}

static size_t padded(size_t bytes)
{
    return (bytes + MEM_ALIGN - 1) / MEM_ALIGN * MEM_ALIGN;
}

static void *take(char **at, size_t bytes)
{
    void *block = *at;
    *at += bytes;
    return block;
}

int ssim_window_init(SsimWindow *win, const FloatDsp *rows, const SsimDsp *dsp, unsigned w)
{
    const size_t columns = w < SSIM_WINDOW ? SSIM_WINDOW : w;
    const size_t line = padded(columns * sizeof(float)), wide = padded(columns * sizeof(double));
    const size_t lines = 3 + SSIM_MAPS * SSIM_WINDOW + SSIM_MAPS;
    *win = (SsimWindow){ .rows = rows, .dsp = dsp, .w = w };
    win->block = mem_aligned_alloc(lines * line + 3 * wide);
    if (!win->block)
        return -ENOMEM;
    char *at = win->block;
    for (unsigned i = 0; i < 3; i++)
        win->square[i] = take(&at, line);
    for (unsigned map = 0; map < SSIM_MAPS; map++) {
        for (unsigned k = 0; k < SSIM_WINDOW; k++)
            win->across[map][k] = take(&at, line);
        win->mean[map] = take(&at, line);
    }
    win->terms.l = take(&at, wide);
    win->terms.c = take(&at, wide);
    win->terms.s = take(&at, wide);
    return 0;
}

void ssim_window_free(SsimWindow *win)
{
    mem_aligned_free(win->block);
}

void ssim_window_start(SsimWindow *win)
{
    win->taken = 0;
    win->sums = (SsimSums){ 0 };
}

static void filter_across(SsimWindow *win, const float *a, const float *b, size_t n)
{
    const unsigned slot = win->taken % SSIM_WINDOW;
    win->rows->multiply(win->square[0], a, a, win->w);
    win->rows->multiply(win->square[1], b, b, win->w);
    win->rows->multiply(win->square[2], a, b, win->w);
    const float *const from[SSIM_MAPS] = {
        [SSIM_A] = a,
        [SSIM_B] = b,
        [SSIM_AA] = win->square[0],
        [SSIM_BB] = win->square[1],
        [SSIM_AB] = win->square[2],
    };
    for (unsigned map = 0; map < SSIM_MAPS; map++) {
        const float *shifted[SSIM_WINDOW];
        for (unsigned k = 0; k < SSIM_WINDOW; k++)
            shifted[k] = from[map] + k;
        win->dsp->weigh(win->across[map][slot], shifted, gauss, SSIM_WINDOW, n);
    }
}

static void filter_down(SsimWindow *win, size_t n)
{
    const unsigned oldest = win->taken % SSIM_WINDOW;
    for (unsigned map = 0; map < SSIM_MAPS; map++) {
        const float *rows[SSIM_WINDOW];
        for (unsigned k = 0; k < SSIM_WINDOW; k++)
            rows[k] = win->across[map][(oldest + k) % SSIM_WINDOW];
        win->dsp->weigh(win->mean[map], rows, gauss, SSIM_WINDOW, n);
    }
}

/* Adds the terms of a row, in raster order. The four sums do not depend on each other. */
static void sum_up(SsimSums *sums, const SsimTerms *t, size_t n)
{
    SsimSums sum = *sums;
    for (size_t i = 0; i < n; i++) {
        sum.lcs += t->l[i] * t->c[i] * t->s[i];
        sum.l += t->l[i];
        sum.c += t->c[i];
        sum.s += t->s[i];
    }
    *sums = sum;
}

void ssim_window_push(SsimWindow *win, const float *a, const float *b)
{
    if (win->w < SSIM_WINDOW)
        return;
    const size_t n = win->w - (SSIM_WINDOW - 1);
    filter_across(win, a, b, n);
    win->taken++;
    if (win->taken < SSIM_WINDOW)
        return;
    filter_down(win, n);
    win->dsp->terms(&win->terms, (const float *const *)win->mean, n);
    sum_up(&win->sums, &win->terms, n);
}

SsimSums ssim_window_position(const SsimWindow *win, unsigned x)
{
    const SsimTerms one = { win->terms.l + x, win->terms.c + x, win->terms.s + x };
    SsimSums sums = { 0 };
    sum_up(&sums, &one, 1);
    return sums;
}
