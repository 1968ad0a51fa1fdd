/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The contrasts of a scale of cambi, and the mean of the largest of them. */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "feature/cambi/cambi.h"

/* ---- contrasts ----
 *
 * A square window slides down the plane, and the codes in it are counted. For every code there is a
 * row of counters, one per column: how many samples with that code lie in the window around the
 * column. A sample that enters or leaves the window changes 2r+1 neighbouring counters of its code.
 * Flat areas have runs of equal codes, and a run of L samples changes L+2r counters, in the shape
 * of a trapezoid. So counters are updated run by run, and contrasts are computed run by run from
 * rows of counters. */

enum { MAX_RADIUS = CAMBI_MAX_WINDOW / 2, MAX_RUN = CAMBI_MAX_WINDOW };

struct CambiCounters {
    unsigned codes; /* number of codes that can count */
    size_t block_size;
    uint16_t *block;
    uint16_t *enter, *leave; /* codes of the rows that enter and leave the window */
    uint16_t *starts;        /* where the runs of a row start */
    unsigned radius;         /* the one that `ramp` was made for */
    size_t ramp_pitch;
    uint16_t *ramp; /* row L: the numbers that a run of L <= 2r+1 samples adds to counters */
    /* for the current plane */
    size_t pitch;
    uint16_t *first; /* counters of the lowest code, around column 0 */
};

static size_t counter_pitch(unsigned w, unsigned radius)
{
    const size_t pitch = (w + 2 * (size_t)radius + CAMBI_SLACK + 31) / 32 * 32;
    return pitch % 2048 ? pitch : pitch + 32; /* avoid that all codes share one set of the cache */
}

int cambi_counters_create(CambiCounters **out, const CambiSetup *setup)
{
    *out = NULL;
    CambiCounters *c = mem_zalloc(sizeof(*c));
    if (!c)
        return -ENOMEM;
    unsigned w = 0;
    for (unsigned i = 0; i < 2; i++)
        w = setup->target[i].kept_w > w ? setup->target[i].kept_w : w;
    c->codes = setup->high < setup->low ? 0 : (unsigned)(setup->high - setup->low + 1);
    /* Steps look up to `steps` codes past either end. */
    c->block_size = (c->codes + 2 * setup->steps) * counter_pitch(w, MAX_RADIUS);
    c->ramp_pitch = 2 * MAX_RUN + CAMBI_SLACK;
    c->block = mem_aligned_alloc(c->block_size * sizeof(*c->block));
    c->enter = mem_array(w + MAX_RADIUS + CAMBI_SLACK, sizeof(*c->enter));
    c->leave = mem_array(w + MAX_RADIUS + CAMBI_SLACK, sizeof(*c->leave));
    c->starts = mem_array(w + 1 + CAMBI_SLACK, sizeof(*c->starts));
    c->ramp = mem_array((MAX_RUN + 1) * c->ramp_pitch, sizeof(*c->ramp));
    if (!c->block || !c->enter || !c->leave || !c->starts || !c->ramp) {
        cambi_counters_destroy(c);
        return -ENOMEM;
    }
    *out = c;
    return 0;
}

void cambi_counters_destroy(CambiCounters *c)
{
    if (!c)
        return;
    mem_aligned_free(c->block);
    mem_free(c->enter);
    mem_free(c->leave);
    mem_free(c->starts);
    mem_free(c->ramp);
    mem_free(c);
}

static void make_ramps(CambiCounters *c, unsigned radius)
{
    const unsigned window = 2 * radius + 1;
    if (c->radius == radius && c->ramp[c->ramp_pitch])
        return;
    c->radius = radius;
    memset(c->ramp, 0, (MAX_RUN + 1) * c->ramp_pitch * sizeof(*c->ramp));
    for (unsigned length = 1; length <= window; length++) {
        uint16_t *ramp = c->ramp + length * c->ramp_pitch;
        const unsigned n = length + 2 * radius;
        for (unsigned i = 0; i < n; i++) {
            const unsigned rise = i + 1, fall = n - i, least = rise < fall ? rise : fall;
            ramp[i] = (uint16_t)(least < length ? least : length);
        }
    }
}

static void start(CambiCounters *c, const CambiSetup *setup, const CambiPlane *plane,
                  unsigned radius)
{
    make_ramps(c, radius);
    c->pitch = counter_pitch(plane->w, radius);
    c->first = c->block + setup->steps * c->pitch + radius;
    memset(c->block, 0, (c->codes + 2 * setup->steps) * c->pitch * sizeof(*c->block));
}

typedef void (*CountFn)(uint16_t *counts, const uint16_t *by, size_t n);

static void count_runs(const CambiCounters *c, const CambiSetup *setup, CountFn fn,
                       const uint16_t *codes, unsigned n)
{
    const unsigned window = 2 * c->radius + 1, count = setup->dsp.runs(c->starts, codes, n);
    for (unsigned i = 0; i < count; i++) {
        unsigned x = c->starts[i], length = c->starts[i + 1] - x;
        if (codes[x] == CAMBI_NO_CODE)
            continue;
        uint16_t *counts = c->first + codes[x] * c->pitch - c->radius;
        for (; length > window; length -= window, x += window)
            fn(counts + x, c->ramp + window * c->ramp_pitch, window + 2 * c->radius);
        fn(counts + x, c->ramp + length * c->ramp_pitch, length + 2 * c->radius);
    }
}

/* On planes narrower than the radius the reference also counts the samples that earlier scales left
 * beside them: columns n…radius-1 are in every window of their row. */
static void count_leftover(const CambiCounters *c, CountFn fn, const uint16_t *codes, unsigned n,
                           unsigned end)
{
    uint16_t ones[MAX_RADIUS + CAMBI_SLACK];
    for (unsigned i = 0; i < MAX_RADIUS + CAMBI_SLACK; i++)
        ones[i] = 1;
    for (unsigned x = n; x < end; x++) {
        if (codes[x] != CAMBI_NO_CODE)
            fn(c->first + codes[x] * c->pitch, ones, n);
    }
}

static unsigned counted_width(const CambiPlane *plane, unsigned radius)
{
    const unsigned reach = radius < plane->stored_w ? radius : plane->stored_w;
    return plane->w > reach ? plane->w : reach;
}

static void codes_of_row(const CambiSetup *setup, const CambiPlane *plane, unsigned y,
                         uint16_t *out, unsigned n)
{
    setup->dsp.masked(out, plane->code + y * plane->pitch, plane->mask + y * plane->pitch,
                      (unsigned)setup->low, (unsigned)(setup->high - setup->low), n);
}

static void add_row(CambiCounters *c, const CambiSetup *setup, const CambiPlane *plane, unsigned y)
{
    const unsigned n = counted_width(plane, c->radius);
    codes_of_row(setup, plane, y, c->enter, n);
    count_runs(c, setup, setup->dsp.add, c->enter, plane->w);
    count_leftover(c, setup->dsp.add, c->enter, plane->w, n);
}

/* Moves the window down to row `y`. Samples that both enter and leave are cancelled. */
static void slide(CambiCounters *c, const CambiSetup *setup, const CambiPlane *plane, unsigned y)
{
    const unsigned n = counted_width(plane, c->radius);
    const bool enters = y + c->radius < plane->h;
    const bool leaves = y > c->radius;
    if (enters)
        codes_of_row(setup, plane, y + c->radius, c->enter, n);
    if (leaves)
        codes_of_row(setup, plane, y - c->radius - 1, c->leave, n);
    if (enters && leaves)
        setup->dsp.cancel(c->enter, c->leave, n);
    if (leaves) {
        count_runs(c, setup, setup->dsp.subtract, c->leave, plane->w);
        count_leftover(c, setup->dsp.subtract, c->leave, plane->w, n);
    }
    if (enters) {
        count_runs(c, setup, setup->dsp.add, c->enter, plane->w);
        count_leftover(c, setup->dsp.add, c->enter, plane->w, n);
    }
}

static void contrast_row(CambiCounters *c, const CambiSetup *setup, const CambiPlane *plane,
                         unsigned y, float *out)
{
    const uint16_t *codes = c->enter;
    const unsigned n = plane->w;
    codes_of_row(setup, plane, y, c->enter, n);
    memset(out, 0, n * sizeof(*out));
    const unsigned count = setup->dsp.runs(c->starts, codes, n);
    for (unsigned i = 0; i < count; i++) {
        const unsigned x = c->starts[i];
        if (codes[x] == CAMBI_NO_CODE)
            continue;
        const CambiRun run = {
            .own = c->first + codes[x] * c->pitch + x,
            .pitch = (ptrdiff_t)c->pitch,
            .first = setup->first_step[codes[x] + setup->low],
            .steps = setup->steps,
            .reciprocal = setup->reciprocal,
        };
        if (run.first <= run.steps)
            setup->dsp.contrast(out + x, &run, c->starts[i + 1] - x);
    }
}

void cambi_contrast(CambiCounters *c, const CambiSetup *setup, const CambiPlane *plane,
                    unsigned window, float *map)
{
    assert(window % 2 == 1 && window <= CAMBI_MAX_WINDOW);
    const unsigned radius = window / 2;
    if (c->codes == 0) {
        memset(map, 0, (size_t)plane->w * plane->h * sizeof(*map));
        return;
    }
    start(c, setup, plane, radius);
    for (unsigned y = 0; y < radius && y < plane->stored_h; y++)
        add_row(c, setup, plane, y);
    for (unsigned y = 0; y < plane->h; y++) {
        slide(c, setup, plane, y);
        contrast_row(c, setup, plane, y, map + (size_t)y * plane->w);
    }
}

/* ---- the mean of the largest contrasts ----
 *
 * Contrasts are 0 or at least 0.5, hence multiples of 2^-24, so a double holds any sum below 2^29
 * of them exactly and the order of additions does not matter. Larger sums are added in the
 * reference's order, that of its selection algorithm. */

/* Histograms. Positive floats have the same order as their bits: the k-th largest is found by its
 * upper 16 bits, then by its lower 16 bits. */
struct CambiRanks {
    uint32_t upper[1 << 15], lower[1 << 16];
};

CambiRanks *cambi_ranks_create(void)
{
    return mem_alloc(sizeof(CambiRanks));
}

void cambi_ranks_destroy(CambiRanks *ranks)
{
    mem_free(ranks);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static void swap(float *a, float *b)
{
    const float t = *a;
    *a = *b;
    *b = t;
}

/* Moves the k largest of n > k values to the front (Hoare's selection with the pivot at k). */
static void select_largest(float *a, size_t n, size_t k)
{
    ptrdiff_t left = 0, right = (ptrdiff_t)n - 1;
    const ptrdiff_t at = (ptrdiff_t)k;
    while (left < right) {
        const float pivot = a[at];
        ptrdiff_t i = left, j = right;
        do {
            while (a[i] > pivot)
                i++;
            while (a[j] < pivot)
                j--;
            if (i <= j) {
                swap(&a[i], &a[j]);
                i++;
                j--;
            }
        } while (i <= j);
        if (j < at)
            left = i;
        if (at < i)
            right = j;
    }
}

static double sum_in_order(float *a, size_t n, size_t k)
{
    if (k < n)
        select_largest(a, n, k);
    double sum = 0.0;
    for (size_t i = 0; i < k; i++)
        sum += a[i];
    return sum;
}

/* Returns the bin that holds the k-th largest value; *k becomes the rank of the value within that
 * bin. */
static uint32_t find_rank(const uint32_t *bins, uint32_t highest, size_t *k)
{
    uint32_t bin = highest;
    while (bins[bin] < *k)
        *k -= bins[bin--];
    return bin;
}

static float kth_largest(CambiRanks *ranks, const float *a, size_t n, size_t k)
{
    memset(ranks, 0, sizeof(*ranks));
    for (size_t i = 0; i < n; i++)
        ranks->upper[bits_of(a[i]) >> 16]++;
    const uint32_t upper = find_rank(ranks->upper, (1 << 15) - 1, &k);
    for (size_t i = 0; i < n; i++) {
        const uint32_t bits = bits_of(a[i]);
        if (bits >> 16 == upper)
            ranks->lower[bits & 0xffff]++;
    }
    return float_of(upper << 16 | find_rank(ranks->lower, (1 << 16) - 1, &k));
}

size_t cambi_top_count(size_t n, double share)
{
    const size_t k = (size_t)(share * (double)n);
    return k < 1 ? 1 : k > n ? n : k;
}

double cambi_top_mean(const CambiDsp *dsp, CambiRanks *ranks, float *map, size_t n, double share)
{
    const size_t k = cambi_top_count(n, share);
    size_t above;
    double sum = dsp->sum_above(map, n, 0.0f, &above);
    if (above > k) {
        const float limit = kth_largest(ranks, map, n, k);
        sum = dsp->sum_above(map, n, limit, &above);
        sum += (double)(k - above) * limit;
    }
    if (!(sum < CAMBI_EXACT_BELOW))
        sum = sum_in_order(map, n, k);
    return sum / (double)k;
}
