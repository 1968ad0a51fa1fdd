/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* CIEDE2000 for a vector of pixels.
 *
 * The score is defined by the C library's functions, whose results are narrowed to single precision
 * at once. The vector functions here are others, but precise enough to decide which
 * single-precision number a result becomes, unless it is so close to the middle between two of them
 * that either is possible. These rare pixels (one in thousands) are left to the scalar code, so the
 * result is always that of the scalar code.
 *
 * All numbers are doubles here, even those of single precision: an operation on two
 * single-precision numbers, done in double and rounded to single, gives exactly the
 * single-precision result. */
#include "feature/ciede/ciede.h"

#include <math.h>

#include "base/simd.h"

void SIMD_FN(ciede_dsp_init)(CiedeDsp *dsp);

/* ---- functions of doubles ---- */

/* Their relative error is at most 2^-46 (cosine: absolute error) for the arguments that occur in
 * ciede, far less than the rounding to single precision that follows. The polynomials interpolate
 * at Chebyshev nodes; the comments give the errors. */

/* Lanes of 64 bits, each all ones or all zeros. */
typedef v_s64 vchoice;

V_INLINE vd v_choose_f64(vchoice m, vd yes, vd no)
{
    return (vd)(((v_s64)yes & m) | ((v_s64)no & ~m));
}

V_INLINE vd v_abs_f64(vd x)
{
    return (vd)((v_s64)x & INT64_MAX);
}

/* x with its sign flipped where `from` is negative. */
V_INLINE vd v_flip_f64(vd x, vd from)
{
    return (vd)((v_s64)x ^ ((v_s64)from & INT64_MIN));
}

/* a * b + c, fused where the CPU can do that. These functions are approximations, and the last bit
 * of a step is far below their error bounds. */
V_INLINE vd v_multiply_add(vd a, vd b, vd c)
{
#if defined(__AVX512F__)
    return _mm512_fmadd_pd(a, b, c);
#elif defined(__aarch64__)
    return vfmaq_f64(c, a, b);
#else
    return a * b + c;
#endif
}

/* Evaluates a polynomial by pairs of terms, then pairs of pairs and so on, so that few steps depend
 * on each other. */
V_INLINE vd v_polynomial(vd x, const double *c, int degree)
{
    vd part[8];
    int count = degree / 2 + 1;
    for (int k = 0; k < count; k++) {
        part[k] = v_set_f64(c[2 * k]);
        if (2 * k < degree)
            part[k] = v_multiply_add(x, v_set_f64(c[2 * k + 1]), part[k]);
    }
    for (; count > 1; count = (count + 1) / 2) {
        x = x * x;
        for (int k = 0; 2 * k < count; k++) {
            part[k] = part[2 * k];
            if (2 * k + 1 < count)
                part[k] = v_multiply_add(part[2 * k + 1], x, part[k]);
        }
    }
    return part[0];
}

/* Adding this to a number below 2^51 leaves the nearest integer in the low bits. */
#define ROUNDER 6755399441055744.0 /* 1.5 * 2^52 */

/* log2 of a positive normal number. The polynomial gives log2(m) / s as a function of s * s, where
 * s = (m - 1) / (m + 1) and m is between the square roots of 1/2 and 2. Error 2^-52. */
V_INLINE vd v_log2(vd x)
{
    static const double c[] = {
        2.885390081777927, 0.961796693924334,   0.577078017246614,   0.41219840199971575,
        0.320616391746402, 0.26144412736103884, 0.24291761366011416,
    };
    const int64_t root_half = 0x3fe6a09e667f3bcd, two_52 = 0x4330000000000000;
    /* 1023 + exponent, where octaves start at the square root of 1/2 */
    const v_u64 biased = ((v_u64)x + (uint64_t)((INT64_C(1023) << 52) - root_half)) >> 52;
    const vd m = (vd)((v_u64)x - ((biased - 1023) << 52));
    const vd exponent = (vd)(biased | (uint64_t)two_52) - (4503599627370496.0 + 1023.0);
    const vd s = (m - 1.0) / (m + 1.0);
    return exponent + s * v_polynomial(s * s, c, 6);
}

/* 2^x for |x| < 1000. Error 2^-51. */
V_INLINE vd v_exp2(vd x)
{
    static const double c[] = {
        1.0,
        0.69314718055995,
        0.24022650695910097,
        0.05550410866444771,
        0.00961812910760702,
        0.0013333558230167301,
        0.00015403530441632303,
        1.5252657258781475e-05,
        1.3215442622391884e-06,
        1.0208690571633296e-07,
        7.0725818369454e-09,
    };
    const vd rounded = x + ROUNDER;
    const vd part = x - (rounded - ROUNDER);
    return (vd)((v_u64)v_polynomial(part, c, 10) + ((v_u64)rounded << 52));
}

V_INLINE vd v_pow(vd x, double power)
{
    return v_exp2(v_log2(x) * power);
}

/* sin(x) for |x| up to pi/2. The polynomial gives sin(x) / x as a function of x * x. Error
 * 2^-52. */
V_INLINE vd v_sin(vd x)
{
    static const double c[] = {
        0.9999999999999999,      -0.16666666666666072,   0.008333333333282695,
        -0.00019841269824845574, 2.75573166070092e-06,   -2.5051881813371994e-08,
        1.604816406999016e-10,   -7.374334594414963e-13,
    };
    return x * v_polynomial(x * x, c, 7);
}

/* cos(x) for |x| up to pi/2, as a function of x * x. Absolute error 2^-54. */
V_INLINE vd v_cos(vd x)
{
    static const double c[] = {
        1.0,
        -0.4999999999999997,
        0.04166666666666388,
        -0.0013888888888773045,
        2.4801587277422444e-05,
        -2.7557316391459686e-07,
        2.0876561847602844e-09,
        -1.1462901730557289e-11,
        4.608971412323879e-14,
    };
    return v_polynomial(x * x, c, 8);
}

/* Sine and cosine of x from 0 to a few tens. Absolute error of both 2^-50. */
V_INLINE void v_sin_cos(vd x, vd *sine, vd *cosine)
{
    /* pi as a sum of two numbers; multiples of the first are exact */
    const double pi_high = 3.141592651605606, pi_low = 1.984187159361081e-09;
    const vd rounded = x * (1.0 / 3.14159265358979323846) + ROUNDER;
    const vd turns = rounded - ROUNDER;
    const vd part = (x - turns * pi_high) - turns * pi_low;
    const vd sign = (vd)((v_u64)rounded << 63); /* negative after an odd number of half turns */
    *sine = v_flip_f64(v_sin(part), sign);
    *cosine = v_flip_f64(v_cos(part), sign);
}

/* atan2(y, x), except for x = y = 0. The polynomial gives atan(t) / t as a function of t * t, for
 * |t| up to tan(pi/8). Error 2^-49. */
V_INLINE vd v_atan2(vd y, vd x)
{
    static const double c[] = {
        0.999999999999999,    -0.33333333333221343,  0.1999999997837725,  -0.14285712660680494,
        0.11111048821187028,  -0.09089529366888592,  0.07673529187541298, -0.06505944644267138,
        0.050246357022870884, -0.025314747948042744,
    };
    const double pi = 3.14159265358979323846, tan_eighth = 0.41421356237309503;
    const vd ax = v_abs_f64(x), ay = v_abs_f64(y);
    const vchoice steep = (vchoice)(ay > ax);
    const vd small = v_choose_f64(steep, ax, ay), large = v_choose_f64(steep, ay, ax);
    /* where the angle is above pi/8, compute it relative to pi/4 */
    const vchoice middle = (vchoice)(small > large * tan_eighth);
    const vd top = v_choose_f64(middle, small - large, small);
    const vd t = top / (large + (vd)((v_s64)small & middle));
    vd angle = t * v_polynomial(t * t, c, 9) + (vd)((v_s64)v_set_f64(pi / 4) & middle);
    angle = v_choose_f64(steep, pi / 2 - angle, angle);
    angle = v_choose_f64((vchoice)(x < 0.0), pi - angle, angle);
    return v_flip_f64(angle, y);
}

/* ---- pixels ---- */

#define narrow(x) v_round_to_f32(x)

/* Upper bound for the difference to the library's results, in units of a double's last place. This
 * is a relative error of 2^-40; the results are at least 8 times better. */
#define SLACK (INT64_C(1) << 12)

/* Upper bound for the curves of L*a*b*, as an absolute error, because their arguments may be small
 * differences: these are sums of three numbers up to 6, each with an error of 2^-47, and the slope
 * of the curve is up to 8. */
#define CURVE_SLACK (1.0 / (INT64_C(1) << 41))

/* Upper bound for powf. It is larger because library functions in single precision are less
 * precise. glibc's powf(x, 7) is never further than 0.0028 units in the last place from the exact
 * value. */
#define SLACK_POWF (INT64_C(1) << 22)

/* Pixels go through the steps in batches of several vectors. Within a vector each operation waits
 * for the one before; different vectors are independent, so the processor has something to do
 * meanwhile. */
enum { REF, DIST, PICTURES = 2, CHANNELS = 3, VECTORS = 4, BATCH = VECTORS * V64 };

typedef struct Batch {
    /* for each picture: R'G'B', then linear RGB, then XYZ, then the curves of XYZ, then L*a*b* */
    vd colour[PICTURES][CHANNELS][VECTORS];
    vd plain_chroma[PICTURES][VECTORS]; /* before a* is stretched */
    vd chroma[PICTURES][VECTORS], hue[PICTURES][VECTORS];
    vd mean_chroma[VECTORS], mean_hue[VECTORS], hue_turn[VECTORS];
    vd rotation[VECTORS];
    vchoice doubt[VECTORS];
} Batch;

/* All ones in lanes where the library's x might round to another single-precision number. */
V_INLINE vchoice doubtful(vd x, int64_t slack)
{
    const uint64_t middle = UINT64_C(1) << 28, all = (UINT64_C(1) << 29) - 1;
    return (vchoice)((v_s64)(((v_u64)x - (middle - (uint64_t)slack)) & all) < 2 * slack);
}

V_INLINE vd linear_light(vd v)
{
    const vd curve = v_pow((v + CURVE_OFFSET) * CURVE_SCALE, CURVE_POWER);
    return v_choose_f64((vchoice)(v > CURVE_FROM), curve, v * CURVE_SLOPE);
}

/* The curve of L*a*b*. `rough`: v comes from approximations. Otherwise (near black) v and the
 * result come from the same arithmetic as in the scalar code, so there is no doubt. */
V_INLINE vd lab_curve(vd v, vchoice rough, vchoice *doubt)
{
    const vd line = (v * LAB_SLOPE + 16.0) * (1.0 / 116.0);
    const vd curve = v_choose_f64((vchoice)(v > LAB_FROM), v_pow(v, 1.0 / 3.0), line);
    *doubt |= (vchoice)(narrow(curve - CURVE_SLACK) != narrow(curve + CURVE_SLACK)) & rough;
    return narrow(curve);
}

static void load(Batch *t, const CiedeRow *row, int picture, size_t x, const CiedeRange *range)
{
    vd y[VECTORS], u[VECTORS], v[VECTORS];
    for (int i = 0; i < VECTORS; i += 2) {
        const vi luma = v_load_u16_to_32(row->y + x + i * V64);
        const vi cb = v_load_u16_to_32(row->cb + x + i * V64);
        const vi cr = v_load_u16_to_32(row->cr + x + i * V64);
        y[i] = v_s32_lo_to_f64(luma);
        u[i] = v_s32_lo_to_f64(cb);
        v[i] = v_s32_lo_to_f64(cr);
        y[i + 1] = v_s32_hi_to_f64(luma);
        u[i + 1] = v_s32_hi_to_f64(cb);
        v[i + 1] = v_s32_hi_to_f64(cr);
    }
    vd(*c)[VECTORS] = t->colour[picture];
    for (int i = 0; i < VECTORS; i++) {
        y[i] = (y[i] - range->luma_offset) * range->luma_scale;
        u[i] = (u[i] - range->chroma_offset) * range->chroma_scale;
        v[i] = (v[i] - range->chroma_offset) * range->chroma_scale;
        c[0][i] = y[i] + v[i] * R_FROM_CR;
        c[1][i] = y[i] - u[i] * G_FROM_CB - v[i] * G_FROM_CR;
        c[2][i] = y[i] + u[i] * B_FROM_CB;
    }
}

static void to_lab(Batch *t, int picture)
{
    vd(*c)[VECTORS] = t->colour[picture];
    vchoice rough[VECTORS];
    for (int i = 0; i < VECTORS; i++)
        rough[i] = (vchoice)(c[0][i] > CURVE_FROM) | (vchoice)(c[1][i] > CURVE_FROM) |
                   (vchoice)(c[2][i] > CURVE_FROM);
    for (int channel = 0; channel < CHANNELS; channel++)
        for (int i = 0; i < VECTORS; i++)
            c[channel][i] = linear_light(c[channel][i]);
    for (int i = 0; i < VECTORS; i++) {
        const vd r = c[0][i], g = c[1][i], b = c[2][i];
        c[0][i] = (r * X_FROM_R + g * X_FROM_G + b * X_FROM_B) * X_WHITE;
        c[1][i] = r * Y_FROM_R + g * Y_FROM_G + b * Y_FROM_B;
        c[2][i] = (r * Z_FROM_R + g * Z_FROM_G + b * Z_FROM_B) * Z_WHITE;
    }
    for (int channel = 0; channel < CHANNELS; channel++)
        for (int i = 0; i < VECTORS; i++)
            c[channel][i] = lab_curve(c[channel][i], rough[i], &t->doubt[i]);
    for (int i = 0; i < VECTORS; i++) {
        const vd fx = c[0][i], fy = c[1][i], fz = c[2][i];
        c[0][i] = narrow(fy * 116.0 - 16.0);
        c[1][i] = narrow((fx - fy) * 500.0);
        c[2][i] = narrow((fy - fz) * 200.0);
    }
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

/* Computes the four cosines from one sine and cosine. */
V_INLINE vd hue_weight(vd hue, vchoice *doubt)
{
    vd sin1, cos1;
    v_sin_cos(hue, &sin1, &cos1);
    const vd cos2 = cos1 * cos1 - sin1 * sin1, sin2 = sin1 * cos1 * 2.0;
    const vd cos3 = cos1 * cos2 - sin1 * sin2, sin3 = sin1 * cos2 + cos1 * sin2;
    const vd cos4 = cos2 * cos2 - sin2 * sin2, sin4 = sin2 * cos2 * 2.0;
    const double c6 = 0.86602540378443865, s6 = 0.5; /* cosine and sine of pi/6 */
    const double c30 = 0.99452189536827333,
                 s30 = 0.10452846326765347; /* cosine and sine of pi/30 */
    const double c63 = 0.45399049973954675,
                 s63 = 0.89100652418836786; /* cosine and sine of 7 pi/20 */
    const vd weight = 1.0 - (cos1 * c6 + sin1 * s6) * 0.17 + cos2 * 0.24 +
                      (cos3 * c30 - sin3 * s30) * 0.32 - (cos4 * c63 + sin4 * s63) * 0.20;
    *doubt |= doubtful(weight, SLACK);
    return narrow(weight);
}

/* powf(x, 7). It calls powf for lanes where two results are possible. */
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

/* If the turn is below 2^-60, the rotation is too small to change the sum it is added to. There is
 * no doubt in that case, and arguments of the exponential may be replaced by 0. */
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

static void find_chroma(Batch *t)
{
    for (int i = 0; i < VECTORS; i++) {
        vd *a[PICTURES] = { &t->colour[REF][1][i], &t->colour[DIST][1][i] };
        const vd b[PICTURES] = { t->colour[REF][2][i], t->colour[DIST][2][i] };
        for (int p = 0; p < PICTURES; p++)
            t->plain_chroma[p][i] = chroma_of(*a[p], b[p]);
        const vd c1 = narrow(t->plain_chroma[REF][i] + t->plain_chroma[DIST][i]) * 0.5;
        const vd c2 = c1 * c1, c7 = c2 * c2 * c2 * c1;
        const vd stretch = 1.0 - v_sqrt_f64(c7 / (c7 + CHROMA_25_7));
        for (int p = 0; p < PICTURES; p++) {
            *a[p] = stretched(*a[p], stretch, &t->doubt[i]);
            t->chroma[p][i] = chroma_of(*a[p], b[p]);
        }
        t->mean_chroma[i] = narrow(t->chroma[REF][i] + t->chroma[DIST][i]) * 0.5;
    }
}

static void find_hue(Batch *t)
{
    for (int p = 0; p < PICTURES; p++)
        for (int i = 0; i < VECTORS; i++)
            t->hue[p][i] = hue_of(t->colour[p][1][i], t->colour[p][2][i], &t->doubt[i]);
    for (int i = 0; i < VECTORS; i++) {
        const vd ref = t->hue[REF][i], dist = t->hue[DIST][i];
        const vd gap = narrow(dist - ref), sum = narrow(ref + dist);
        const vchoice far = (vchoice)(v_abs_f64(gap) > CIEDE_PI);
        const vd around = v_choose_f64((vchoice)(dist <= ref), v_set_f64(2.0 * CIEDE_PI),
                                       v_set_f64(-2.0 * CIEDE_PI));
        const vchoice grey =
            (vchoice)(t->plain_chroma[REF][i] == 0.0) | (vchoice)(t->plain_chroma[DIST][i] == 0.0);
        const vd turn = v_choose_f64(far, narrow(gap + around), gap);
        t->hue_turn[i] = (vd)((v_s64)turn & ~grey);
        t->mean_hue[i] = narrow(v_choose_f64(far, sum + 2.0 * CIEDE_PI, sum) * 0.5);
    }
}

V_INLINE vd difference(const Batch *t, int i, vchoice *doubt)
{
    const vd l_ref = t->colour[REF][0][i], l_dist = t->colour[DIST][0][i];
    const vd c_ref = t->chroma[REF][i], c_dist = t->chroma[DIST][i], chroma = t->mean_chroma[i];
    const vd off = narrow(narrow(l_ref + l_dist) * 0.5 - 50.0), off2 = off * off;
    const vd s_l = narrow(off2 * 0.015 / v_sqrt_f64(off2 + 20.0) + 1.0);
    const vd s_c = narrow(chroma * 0.045 + 1.0);
    const vd s_h = narrow(chroma * 0.015 * hue_weight(t->mean_hue[i], doubt) + 1.0);

    const vd d_hue = v_sqrt_f64(narrow(c_ref * c_dist)) * 2.0 * v_sin(t->hue_turn[i] * 0.5);
    *doubt |= doubtful(d_hue, SLACK);
    const vd l = narrow(narrow(l_dist - l_ref) / narrow(s_l * (double)WEIGHT_L));
    const vd c = narrow(narrow(c_dist - c_ref) / narrow(s_c * (double)WEIGHT_C));
    const vd h = narrow(narrow(d_hue) / narrow(s_h * (double)WEIGHT_H));
    const vd cross = narrow(narrow(t->rotation[i] * c) * h);
    return v_sqrt_f64(l * l + c * c + h * h + cross);
}

/* True if a batch of pixels is equal in both pictures. */
static int same(const CiedeRow *ref, const CiedeRow *dist, size_t x)
{
    return !memcmp(ref->y + x, dist->y + x, BATCH * sizeof(uint16_t)) &&
           !memcmp(ref->cb + x, dist->cb + x, BATCH * sizeof(uint16_t)) &&
           !memcmp(ref->cr + x, dist->cr + x, BATCH * sizeof(uint16_t));
}

/* Computes the differences of a batch of pixels, from x on. */
static void columns(float *out, const CiedeRow *ref, const CiedeRow *dist, size_t x,
                    const CiedeRange *range)
{
    if (same(ref, dist, x)) {
        memset(out + x, 0, BATCH * sizeof(*out));
        return;
    }
    Batch t;
    memset(t.doubt, 0, sizeof(t.doubt));
    load(&t, ref, REF, x, range);
    load(&t, dist, DIST, x, range);
    to_lab(&t, REF);
    to_lab(&t, DIST);
    find_chroma(&t);
    find_hue(&t);
    for (int i = 0; i < VECTORS; i++)
        t.rotation[i] = rotation(t.mean_chroma[i], t.mean_hue[i], &t.doubt[i]);
    vd result[VECTORS];
    for (int i = 0; i < VECTORS; i++)
        result[i] = difference(&t, i, &t.doubt[i]);
    for (int i = 0; i < VECTORS; i += 2)
        v_store_f32(out + x + i * V64, v_f64_to_f32(result[i], result[i + 1]));
    int64_t unsure[BATCH];
    memcpy(unsure, t.doubt, sizeof(unsure));
    for (int i = 0; i < BATCH; i++)
        if (unsure[i])
            out[x + i] = ciede_pixel(ref, dist, x + i, range);
}

static void ciede_row(float *out, const CiedeRow *ref, const CiedeRow *dist, size_t n,
                      const CiedeRange *range)
{
    size_t x = 0;
    for (; x + BATCH <= n; x += BATCH)
        columns(out, ref, dist, x, range);
    if (x < n && n >= BATCH)
        columns(out, ref, dist, n - BATCH, range); /* some pixels are computed twice */
    else
        for (; x < n; x++)
            out[x] = ciede_pixel(ref, dist, x, range);
}

SIMD_ONCE void SIMD_FN(ciede_dsp_init)(CiedeDsp *dsp)
{
    dsp->row = ciede_row;
}
