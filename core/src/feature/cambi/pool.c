/* Mean of the largest contrasts.
 *
 * Contrasts are 0 or at least 0.5, hence multiples of 2^-24, so a double holds any sum below 2^29 of
 * them exactly and the order of addition does not show. Larger sums are made in the reference's
 * order, that of its selection algorithm. */
#include <stdint.h>
#include <string.h>

#include "feature/cambi/cambi.h"

static const double exact_below = 536870912.0;

/* Positive floats order as their bits do; sixteen of them make a bin. */
enum { BIN_SHIFT = 16, BINS = 1 << 15 };

static unsigned bin_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits >> BIN_SHIFT;
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

/* Four partial sums: exact whenever the total is below the limit. */
static double sum_of(const float *a, size_t n)
{
    double part[4] = { 0 };
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (unsigned j = 0; j < 4; j++)
            part[j] += a[i + j];
    }
    for (; i < n; i++)
        part[0] += a[i];
    return (part[0] + part[1]) + (part[2] + part[3]);
}

static size_t count_positive(const float *a, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += a[i] > 0.0f;
    return count;
}

/* The bin of the k-th largest value, and how many values lie in higher bins. */
static unsigned find_bin(const float *a, size_t n, size_t k, size_t *above)
{
    uint32_t count[BINS] = { 0 };
    for (size_t i = 0; i < n; i++)
        count[bin_of(a[i])]++;
    size_t seen = 0;
    unsigned bin = BINS - 1;
    while (seen + count[bin] < k)
        seen += count[bin--];
    *above = seen;
    return bin;
}

/* Of more than k positive values. Where the limit is passed the result is only known to be so. */
static double sum_of_largest(float *a, size_t n, size_t k, float *within)
{
    size_t above, collected = 0;
    const unsigned bin = find_bin(a, n, k, &above);
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        const unsigned b = bin_of(a[i]);
        sum += b > bin ? a[i] : 0.0f;
        within[collected] = a[i];
        collected += b == bin;
    }
    return sum + sum_in_order(within, collected, k - above);
}

double cambi_pool(float *map, float *spare, size_t n, double share)
{
    size_t k = (size_t)(share * (double)n);
    k = k < 1 ? 1 : k > n ? n : k;
    double sum;
    if (count_positive(map, n) <= k)
        sum = sum_of(map, n);
    else
        sum = sum_of_largest(map, n, k, spare);
    if (!(sum < exact_below))
        sum = sum_in_order(map, n, k);
    return sum / (double)k;
}
