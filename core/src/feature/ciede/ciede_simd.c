/* CIEDE2000 for a vector of pixels.
 *
 * The score is defined by the C library's functions, whose results are narrowed to single precision at
 * once. The vector functions are not the library's, but good enough to say which single-precision
 * number it becomes, except when the result lies so close to the middle between two of them that
 * either could be meant. These rare pixels (one in thousands) are left to the scalar code, so the
 * result is the scalar one, always.
 *
 * All numbers are doubles here, those of single precision too: an operation on two of these, done in
 * double and rounded to single, is the single-precision operation. */
#include "feature/ciede/ciede_dsp.h"

#include <math.h>

#include "engine/simd.h"
#include "feature/ciede/ciede_math.h"
#include "feature/ciede/ciede_vmath.h"

void SIMD_FN(ciede_dsp_init)(CiedeDsp *dsp);

#define narrow(x) v_round_to_f32(x)

/* How far results may be from the library's, in units of a double's last place: this is 2^-40 of them,
 * and they are at least 8 times better. */
#define SLACK (INT64_C(1) << 12)

/* A curve of L*a*b* may have lost some digits to a difference of primaries (sums of three numbers up to
 * 6, good to 2^-46 each), but from this value on it is good to 2^-42. */
#define CURVE_SURE_FROM 0.125

/* Library functions of single precision take more liberty. glibc's powf(x, 7) is never further than
 * 0.0028 of a last place from the exact value. */
#define SLACK_POWF (INT64_C(1) << 22)

typedef struct VecLab {
    vd l, a, b;
} VecLab;

/* All ones where the library's x might round to another single-precision number. */
V_INLINE vchoice doubtful(vd x, int64_t slack)
{
    const int64_t middle = INT64_C(1) << 28, all = (INT64_C(1) << 29) - 1;
    return (vchoice)((((v_s64)x - (middle - slack)) & all) < 2 * slack);
}

V_INLINE vd linear_light(vd v)
{
    const vd curve = v_pow((v + CURVE_OFFSET) * CURVE_SCALE, CURVE_POWER);
    return v_choose_f64((vchoice)(v > CURVE_FROM), curve, v * CURVE_SLOPE);
}

V_INLINE vd lab_curve(vd v, vchoice *doubt)
{
    const vd line = (v * LAB_SLOPE + 16.0) * (1.0 / 116.0);
    const vd curve = v_choose_f64((vchoice)(v > LAB_FROM), v_pow(v, 1.0 / 3.0), line);
    *doubt |= doubtful(curve, 2 * SLACK) | (vchoice)(curve < CURVE_SURE_FROM);
    return narrow(curve);
}

V_INLINE VecLab to_lab(vd luma, vd cb, vd cr, const CiedeRange *range, vchoice *doubt)
{
    const vd y = (luma - range->luma_offset) * range->luma_scale;
    const vd u = (cb - range->chroma_offset) * range->chroma_scale;
    const vd v = (cr - range->chroma_offset) * range->chroma_scale;
    const vd r = linear_light(y + v * R_FROM_CR);
    const vd g = linear_light(y - u * G_FROM_CB - v * G_FROM_CR);
    const vd b = linear_light(y + u * B_FROM_CB);
    const vd fx = lab_curve((r * X_FROM_R + g * X_FROM_G + b * X_FROM_B) * X_WHITE, doubt);
    const vd fy = lab_curve(r * Y_FROM_R + g * Y_FROM_G + b * Y_FROM_B, doubt);
    const vd fz = lab_curve((r * Z_FROM_R + g * Z_FROM_G + b * Z_FROM_B) * Z_WHITE, doubt);
    return (VecLab) {
        .l = narrow(fy * 116.0 - 16.0),
        .a = narrow((fx - fy) * 500.0),
        .b = narrow((fy - fz) * 200.0),
    };
}

V_INLINE vd chroma_of(vd a, vd b)
{
    return narrow(v_sqrt_f64(a * a + b * b));
}

V_INLINE vd stretched(vd a, vd stretch, vchoice *doubt)
{
    const vd more = a + a * 0.5 * stretch;
    *doubt |= doubtful(more, SLACK);
    return narrow(more);
}

V_INLINE vd hue_of(vd a, vd b, vchoice *doubt)
{
    const vchoice grey = (vchoice)(a == 0.0) & (vchoice)(b == 0.0);
    const vd raw = v_atan2(b, a);
    *doubt |= doubtful(raw, SLACK) & ~grey;
    const vd angle = narrow(raw);
    const vd hue = v_choose_f64((vchoice)(angle < 0.0), narrow(angle + 2.0 * CIEDE_PI), angle);
    return (vd)((v_s64)hue & ~grey);
}

/* The four cosines, from one. */
V_INLINE vd hue_weight(vd hue, vchoice *doubt)
{
    vd sin1, cos1;
    v_sin_cos(hue, &sin1, &cos1);
    const vd cos2 = cos1 * cos1 - sin1 * sin1, sin2 = sin1 * cos1 * 2.0;
    const vd cos3 = cos1 * cos2 - sin1 * sin2, sin3 = sin1 * cos2 + cos1 * sin2;
    const vd cos4 = cos2 * cos2 - sin2 * sin2, sin4 = sin2 * cos2 * 2.0;
    const double c6 = 0.86602540378443865, s6 = 0.5;                 /* of pi/6 */
    const double c30 = 0.99452189536827333, s30 = 0.10452846326765347; /* of pi/30 */
    const double c63 = 0.45399049973954675, s63 = 0.89100652418836786; /* of 7 pi/20 */
    const vd weight = 1.0 - (cos1 * c6 + sin1 * s6) * 0.17 + cos2 * 0.24 +
                      (cos3 * c30 - sin3 * s30) * 0.32 - (cos4 * c63 + sin4 * s63) * 0.20;
    *doubt |= doubtful(weight, SLACK);
    return narrow(weight);
}

/* x^7 as powf has it: where two results are possible, it is asked. */
V_INLINE vd seventh_power(vd x)
{
    const vd x2 = x * x, x4 = x2 * x2, power = x4 * x2 * x;
    const vchoice doubt = doubtful(power, SLACK_POWF);
    int64_t unsure[V64];
    double base[V64], result[V64];
    memcpy(unsure, &doubt, sizeof(unsure));
    int64_t any = 0;
    for (int i = 0; i < V64; i++)
        any |= unsure[i];
    if (!any)
        return narrow(power);
    v_store_f64(base, x);
    v_store_f64(result, power);
    for (int i = 0; i < V64; i++)
        if (unsure[i])
            result[i] = (double)powf((float)base[i], 7.0f);
    return narrow(v_load_f64(result));
}

/* Below 2^-60 the turn, and so the rotation, is too small to change the sum it is added to: no doubt is
 * possible there, and arguments of the exponential may be cut. */
V_INLINE vd rotation(vd chroma, vd hue, vchoice *doubt)
{
    const double log2_e = 1.4426950408889634;
    const vd degrees = narrow(hue * (180.0 / CIEDE_PI));
    const vd z = narrow((degrees - 275.0) * (1.0 / 25.0));
    const vd z2 = narrow(z * z);
    const vchoice matters = (vchoice)(z2 < 60.0);
    const vd power = (vd)((v_s64)z2 & matters) * -log2_e;
    const vd bell = v_exp2(power) * 60.0;
    *doubt |= doubtful(bell, SLACK) & matters;
    const vd turn = narrow(narrow(bell) * (CIEDE_PI / 180.0));
    const vd chroma7 = seventh_power(chroma);
    const vd ratio = narrow(chroma7 / narrow(chroma7 + (double)(float)CHROMA_25_7));
    const vd rotated = v_sqrt_f64(ratio) * -2.0 * v_sin(turn);
    *doubt |= doubtful(rotated, SLACK) & matters;
    return (vd)((v_s64)narrow(rotated) & matters);
}

V_INLINE vd difference(VecLab ref, VecLab dist, vchoice *doubt)
{
    const vd c_ref = chroma_of(ref.a, ref.b), c_dist = chroma_of(dist.a, dist.b);
    const vd c1 = narrow(c_ref + c_dist) * 0.5, c2 = c1 * c1, c7 = c2 * c2 * c2 * c1;
    const vd stretch = 1.0 - v_sqrt_f64(c7 / (c7 + CHROMA_25_7));
    const vd a_ref = stretched(ref.a, stretch, doubt), a_dist = stretched(dist.a, stretch, doubt);
    const vd chroma_ref = chroma_of(a_ref, ref.b), chroma_dist = chroma_of(a_dist, dist.b);
    const vd chroma = narrow(chroma_ref + chroma_dist) * 0.5;

    const vd hue_ref = hue_of(a_ref, ref.b, doubt), hue_dist = hue_of(a_dist, dist.b, doubt);
    const vd hue_gap = narrow(hue_dist - hue_ref), hue_sum = narrow(hue_ref + hue_dist);
    const vchoice far = (vchoice)(v_abs_f64(hue_gap) > CIEDE_PI);
    const vd around = v_choose_f64((vchoice)(hue_dist <= hue_ref), v_set_f64(2.0 * CIEDE_PI),
                                   v_set_f64(-2.0 * CIEDE_PI));
    const vchoice grey = (vchoice)(c_ref == 0.0) | (vchoice)(c_dist == 0.0);
    vd turn = v_choose_f64(far, narrow(hue_gap + around), hue_gap);
    turn = (vd)((v_s64)turn & ~grey);
    const vd hue = narrow(v_choose_f64(far, hue_sum + 2.0 * CIEDE_PI, hue_sum) * 0.5);

    const vd off = narrow(narrow(ref.l + dist.l) * 0.5 - 50.0), off2 = off * off;
    const vd s_l = narrow(off2 * 0.015 / v_sqrt_f64(off2 + 20.0) + 1.0);
    const vd s_c = narrow(chroma * 0.045 + 1.0);
    const vd s_h = narrow(chroma * 0.015 * hue_weight(hue, doubt) + 1.0);

    const vd d_hue = v_sqrt_f64(narrow(chroma_ref * chroma_dist)) * 2.0 * v_sin(turn * 0.5);
    *doubt |= doubtful(d_hue, SLACK);
    const vd l = narrow(narrow(dist.l - ref.l) / narrow(s_l * (double)WEIGHT_L));
    const vd c = narrow(narrow(chroma_dist - chroma_ref) / narrow(s_c * (double)WEIGHT_C));
    const vd h = narrow(narrow(d_hue) / narrow(s_h * (double)WEIGHT_H));
    const vd cross = narrow(narrow(rotation(chroma, hue, doubt) * c) * h);
    return v_sqrt_f64(l * l + c * c + h * h + cross);
}

V_INLINE vd pixels(vi luma_ref, vi cb_ref, vi cr_ref, vi luma_dist, vi cb_dist, vi cr_dist, int high,
                   const CiedeRange *range, vchoice *doubt)
{
#define PART(v) (high ? v_s32_hi_to_f64(v) : v_s32_lo_to_f64(v))
    const VecLab ref = to_lab(PART(luma_ref), PART(cb_ref), PART(cr_ref), range, doubt);
    const VecLab dist = to_lab(PART(luma_dist), PART(cb_dist), PART(cr_dist), range, doubt);
#undef PART
    return difference(ref, dist, doubt);
}

static int same(const CiedeRow *ref, const CiedeRow *dist, size_t x)
{
    return !memcmp(ref->y + x, dist->y + x, V32 * sizeof(uint16_t)) &&
           !memcmp(ref->cb + x, dist->cb + x, V32 * sizeof(uint16_t)) &&
           !memcmp(ref->cr + x, dist->cr + x, V32 * sizeof(uint16_t));
}

static void columns(float *out, const CiedeRow *ref, const CiedeRow *dist, size_t x,
                    const CiedeRange *range)
{
    if (same(ref, dist, x)) {
        memset(out + x, 0, V32 * sizeof(*out));
        return;
    }
    const vi samples[6] = {
        v_load_u16_to_32(ref->y + x), v_load_u16_to_32(ref->cb + x), v_load_u16_to_32(ref->cr + x),
        v_load_u16_to_32(dist->y + x), v_load_u16_to_32(dist->cb + x),
        v_load_u16_to_32(dist->cr + x),
    };
    vd result[2];
    vchoice doubt[2] = { { 0 }, { 0 } };
    for (int high = 0; high < 2; high++)
        result[high] = pixels(samples[0], samples[1], samples[2], samples[3], samples[4],
                              samples[5], high, range, &doubt[high]);
    v_store_f32(out + x, v_f64_to_f32(result[0], result[1]));
    int64_t unsure[V32];
    memcpy(unsure, doubt, sizeof(unsure));
    for (int i = 0; i < V32; i++)
        if (unsure[i])
            out[x + i] = ciede_pixel(ref, dist, x + i, range);
}

static void ciede_row(float *out, const CiedeRow *ref, const CiedeRow *dist, size_t n,
                      const CiedeRange *range)
{
    size_t x = 0;
    for (; x + V32 <= n; x += V32)
        columns(out, ref, dist, x, range);
    if (x < n && n >= V32)
        columns(out, ref, dist, n - V32, range); /* some of them once more */
    else
        for (; x < n; x++)
            out[x] = ciede_pixel(ref, dist, x, range);
}

void SIMD_FN(ciede_dsp_init)(CiedeDsp *dsp)
{
    dsp->row = ciede_row;
}
