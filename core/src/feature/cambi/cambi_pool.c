/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Mean of the largest contrasts.
 *
 * Contrasts are 0 or at least 0.5, hence multiples of 2^-24, so a double holds any sum below 2^29
 * of them exactly and the order of addition does not show. Larger sums are made in the reference's
 * order, that of its selection algorithm. */
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "feature/cambi/cambi.h"

/* Positive floats order as their bits do: the k-th largest is found by its upper, then its lower
 * half. */
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

/* Moves the k largest of n > k values to the front (Hoare's selection, pivot at k). */
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

/* The bin that holds the k-th largest value; k becomes the value's rank within that bin. */
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

size_t cambi_pool_count(size_t n, double share)
{
    const size_t k = (size_t)(share * (double)n);
    return k < 1 ? 1 : k > n ? n : k;
}

double cambi_pool(const CambiDsp *dsp, CambiRanks *ranks, float *map, size_t n, double share)
{
    const size_t k = cambi_pool_count(n, share);
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
