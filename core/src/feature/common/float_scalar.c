#include <math.h>
#include <stdint.h>

#include "feature/common/float_dsp.h"

#define LOAD(name, sample)                                                                         \
    static void name(float *out, const void *samples, size_t n, float scale, float offset)         \
    {                                                                                              \
        const sample *in = samples;                                                                \
        for (size_t i = 0; i < n; i++)                                                             \
            out[i] = in[i] * scale + offset;                                                       \
    }
LOAD(load_8, uint8_t)
LOAD(load_16, uint16_t)

static void weigh(float *out, const float *const *rows, const float *taps, unsigned count, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = 0.0f + taps[0] * rows[0][i];
    for (unsigned k = 1; k < count; k++) {
        for (size_t i = 0; i < n; i++)
            out[i] += taps[k] * rows[k][i];
    }
}

static void weigh4x2(float *out_a, float *out_b, const float *const *rows, const float *taps_a,
                     const float *taps_b, size_t n)
{
    weigh(out_a, rows, taps_a, 4, n);
    weigh(out_b, rows, taps_b, 4, n);
}

static void multiply(float *out, const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] * b[i];
}

static void subtract(float *out, const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] - b[i];
}

static void distance(float *out, const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = fabsf(a[i] - b[i]);
}

static void split(float *even, float *odd, const float *in, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        even[i] = in[2 * i];
        odd[i] = in[2 * i + 1];
    }
}

/* One addition waits for the one before it, so four rows at once take the time of one. */
static void row_sums(float *sums, const float *const *rows, unsigned count, size_t n)
{
    unsigned k = 0;
    for (; k + 4 <= count; k += 4) {
        const float *const *r = rows + k;
        float a = 0.0f, b = 0.0f, c = 0.0f, d = 0.0f;
        for (size_t i = 0; i < n; i++) {
            a += r[0][i];
            b += r[1][i];
            c += r[2][i];
            d += r[3][i];
        }
        sums[k] = a;
        sums[k + 1] = b;
        sums[k + 2] = c;
        sums[k + 3] = d;
    }
    for (; k < count; k++) {
        float a = 0.0f;
        for (size_t i = 0; i < n; i++)
            a += rows[k][i];
        sums[k] = a;
    }
}

void float_dsp_init(FloatDsp *dsp, unsigned bpc, unsigned cpu)
{
    *dsp = (FloatDsp) {
        .load = bpc > 8 ? load_16 : load_8,
        .weigh = weigh,
        .weigh4x2 = weigh4x2,
        .multiply = multiply,
        .subtract = subtract,
        .distance = distance,
        .split = split,
        .row_sums = row_sums,
    };
    (void)cpu;
}
