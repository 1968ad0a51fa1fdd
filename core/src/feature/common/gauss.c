/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "feature/common/gauss.h"

static const double pi = 3.14159265358979323846;

/* Ratios of display to encoding height that the metrics' authors trained for. */
static const float factors[][2] = {
    { 1.0f, 1.0f },      { 1.0f, 2.0f },     { 3.0f, 2.0f },      { 2.0f, 1.0f },
    { 2.0f, 3.0f },      { 24.0f, 10.0f },   { 360.0f, 97.0f },   { 4.0f, 3.0f },
    { 3.5f, 3.0f },      { 3.75f, 3.0f },    { 4.25f, 3.0f },     { 5.0f, 3.0f },
    { 3.0f, 1.0f },      { 1.0f, 2.25f },    { 1.4746f, 1.0f },   { 1.54f, 1.0f },
    { 1.6f, 1.0f },      { 1.06667f, 1.0f }, { 0.711111f, 1.0f }, { 0.740740f, 1.0f },
    { 1.111111f, 1.0f },
};

bool gauss_factor_allowed(double factor)
{
    for (size_t i = 0; i < sizeof(factors) / sizeof(factors[0]); i++) {
        const float difference = (float)factor - factors[i][0] / factors[i][1];
        if (fabsf(difference) < 1e-3)
            return true;
    }
    return false;
}

unsigned gauss_length(unsigned scale, double factor)
{
    assert(scale <= 4);
    const float stretched = (float)((1u << (4 - scale)) + 1) * (float)factor;
    const unsigned length = (unsigned)ceilf(stretched) | 1;
    return length < 3 ? 3 : length;
}

void gauss_fill(float *taps, unsigned count, float deviation)
{
    assert(count % 2 == 1 && count <= GAUSS_MAX_TAPS);
    const double s = deviation;
    const float height = (float)(1.0 / (s * sqrt(2.0 * pi)));
    float total = 0.0f;
    for (unsigned i = 0; i < count; i++) {
        const double x = (int)i - (int)(count / 2);
        const float bell = (float)exp(-0.5 * x / s * x / s);
        taps[i] = bell / height;
        total += taps[i];
    }
    for (unsigned i = 0; i < count; i++)
        taps[i] /= total;
}
