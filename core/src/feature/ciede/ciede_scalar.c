/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* CIEDE2000, pixel by pixel, with the functions of the C library. It works in double precision;
 * assignments to floats narrow to single precision, and each of these roundings is part of the
 * score. */
#include "feature/ciede/ciede.h"

#include <math.h>

#include "base/simd_fn.h"

SIMD_DECLARE(ciede_dsp_init, CiedeDsp *dsp);

typedef struct Lab {
    float l, a, b;
} Lab;

static double linear_light(double v)
{
    return v > CURVE_FROM ? pow((v + CURVE_OFFSET) * CURVE_SCALE, CURVE_POWER) : v * CURVE_SLOPE;
}

static float lab_curve(double v)
{
    return (float)(v > LAB_FROM ? pow(v, 1.0 / 3.0) : (LAB_SLOPE * v + 16.0) * (1.0 / 116.0));
}

static Lab to_lab(const CiedeRow *row, size_t i, const CiedeRange *range)
{
    const double y = (row->y[i] - range->luma_offset) * range->luma_scale;
    const double u = (row->cb[i] - range->chroma_offset) * range->chroma_scale;
    const double v = (row->cr[i] - range->chroma_offset) * range->chroma_scale;
    const double r = linear_light(y + R_FROM_CR * v);
    const double g = linear_light(y - G_FROM_CB * u - G_FROM_CR * v);
    const double b = linear_light(y + B_FROM_CB * u);
    const double fx = lab_curve((r * X_FROM_R + g * X_FROM_G + b * X_FROM_B) * X_WHITE);
    const double fy = lab_curve(r * Y_FROM_R + g * Y_FROM_G + b * Y_FROM_B);
    const double fz = lab_curve((r * Z_FROM_R + g * Z_FROM_G + b * Z_FROM_B) * Z_WHITE);
    return (Lab){
        .l = (float)(116.0 * fy - 16.0),
        .a = (float)(500.0 * (fx - fy)),
        .b = (float)(200.0 * (fy - fz)),
    };
}

static float chroma_of(float a, float b)
{
    return (float)sqrt((double)a * a + (double)b * b);
}

static float hue_of(float a, float b)
{
    if (a == 0.0f && b == 0.0f)
        return 0.0f;
    const float hue = (float)atan2(b, a);
    return hue < 0.0f ? (float)(hue + 2.0 * CIEDE_PI) : hue;
}

/* Moves a* of weak colours away from zero. */
static float stretched(float a, double stretch)
{
    return (float)(a + a / 2.0f * stretch);
}

/* The weight of a hue difference at this hue. */
static float hue_weight(double hue)
{
    return (float)(1.0 - 0.17 * cos(hue - CIEDE_PI / 6.0) + 0.24 * cos(2.0 * hue) +
                   0.32 * cos(3.0 * hue + CIEDE_PI / 30.0) -
                   0.20 * cos(4.0 * hue - 7.0 * CIEDE_PI / 20.0));
}

/* The factor that couples chroma and hue differences of blue colours. */
static float rotation(float chroma, float hue)
{
    const float degrees = (float)(hue * (180.0 / CIEDE_PI));
    const float z = (float)((degrees - 275.0) * (1.0 / 25.0));
    const float bell = (float)(60.0 * exp(-(z * z)));
    const float turn = (float)(bell * (CIEDE_PI / 180.0));
    const float chroma7 = powf(chroma, 7.0f);
    const float ratio = chroma7 / (chroma7 + (float)CHROMA_25_7);
    return (float)(-2.0 * sqrt(ratio) * sin(turn));
}

static float difference(Lab ref, Lab dist)
{
    const float c_ref = chroma_of(ref.a, ref.b), c_dist = chroma_of(dist.a, dist.b);
    const double c7 = pow((c_ref + c_dist) / 2.0f, 7.0);
    const double stretch = 1.0 - sqrt(c7 / (c7 + CHROMA_25_7));
    const float a_ref = stretched(ref.a, stretch), a_dist = stretched(dist.a, stretch);
    const float chroma_ref = chroma_of(a_ref, ref.b), chroma_dist = chroma_of(a_dist, dist.b);
    const float chroma = (chroma_ref + chroma_dist) / 2.0f;

    const float hue_ref = hue_of(a_ref, ref.b), hue_dist = hue_of(a_dist, dist.b);
    const float hue_gap = hue_dist - hue_ref, hue_sum = hue_ref + hue_dist;
    const int far = fabsf(hue_gap) > CIEDE_PI;
    const double around = hue_dist <= hue_ref ? 2.0 * CIEDE_PI : -2.0 * CIEDE_PI;
    float turn = far ? (float)(hue_gap + around) : hue_gap;
    if (c_ref == 0.0f || c_dist == 0.0f)
        turn = 0.0f;
    const float hue = (float)((far ? hue_sum + 2.0 * CIEDE_PI : hue_sum) / 2.0);

    const float off = (ref.l + dist.l) / 2.0f - 50.0f;
    const double off2 = (double)off * off;
    const float s_l = (float)(1.0 + 0.015 * off2 / sqrt(20.0 + off2));
    const float s_c = (float)(1.0 + 0.045 * chroma);
    const float s_h = (float)(1.0 + 0.015 * chroma * hue_weight(hue));

    const float d_hue = (float)(2.0 * sqrt(chroma_ref * chroma_dist) * sin(turn / 2.0));
    const float l = (dist.l - ref.l) / (WEIGHT_L * s_l);
    const float c = (chroma_dist - chroma_ref) / (WEIGHT_C * s_c);
    const float h = d_hue / (WEIGHT_H * s_h);
    const float cross = rotation(chroma, hue) * c * h;
    return (float)sqrt((double)l * l + (double)c * c + (double)h * h + cross);
}

float ciede_pixel(const CiedeRow *ref, const CiedeRow *dist, size_t i, const CiedeRange *range)
{
    return difference(to_lab(ref, i, range), to_lab(dist, i, range));
}

static void ciede_row(float *out, const CiedeRow *ref, const CiedeRow *dist, size_t n,
                      const CiedeRange *range)
{
    for (size_t i = 0; i < n; i++)
        out[i] = ciede_pixel(ref, dist, i, range);
}

void ciede_dsp_init(CiedeDsp *dsp, unsigned cpu)
{
    dsp->row = ciede_row;
    SIMD_CALL(cpu, ciede_dsp_init, dsp);
}
