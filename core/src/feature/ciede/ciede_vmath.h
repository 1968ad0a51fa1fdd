/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Functions of doubles for ciede's vector code, good to 2^-46 of the result (cosine: of 1) on the
 * arguments that ciede has, which is far more than the single-precision numbers that become of them
 * show. The polynomials interpolate at Chebyshev nodes; their errors are noted. */
#ifndef FEATURE_CIEDE_VMATH_H
#define FEATURE_CIEDE_VMATH_H

#include "base/simd.h"

/* Lanes of 64 bits, all ones or all zeros */
typedef v_s64 vchoice;

V_INLINE vd v_choose_f64(vchoice m, vd yes, vd no)
{
    return (vd)(((v_s64)yes & m) | ((v_s64)no & ~m));
}

V_INLINE vd v_abs_f64(vd x)
{
    return (vd)((v_s64)x & INT64_MAX);
}

/* `x` with its sign turned where `from` is negative */
V_INLINE vd v_flip_f64(vd x, vd from)
{
    return (vd)((v_s64)x ^ ((v_s64)from & INT64_MIN));
}

/* a * b + c, fused where it can be: these functions are approximations, and the last bit of a step
 * is well below what they promise. */
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

/* In pairs, pairs of pairs…: few steps wait for each other. */
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

/* Added to a number below 2^51, leaves its nearest integer in the low bits. */
#define ROUNDER 6755399441055744.0 /* 1.5 * 2^52 */

/* log2 of a positive normal number: log2(m) / s by s * s, where s = (m - 1) / (m + 1) and m lies
 * between the roots of 1/2 and 2; 2^-52. */
V_INLINE vd v_log2(vd x)
{
    static const double c[] = {
        2.885390081777927, 0.961796693924334,   0.577078017246614,   0.41219840199971575,
        0.320616391746402, 0.26144412736103884, 0.24291761366011416,
    };
    const int64_t root_half = 0x3fe6a09e667f3bcd, two_52 = 0x4330000000000000;
    /* 1023 + exponent: of the octave that starts at the root of 1/2 */
    const v_u64 biased = ((v_u64)x + (uint64_t)((INT64_C(1023) << 52) - root_half)) >> 52;
    const vd m = (vd)((v_u64)x - ((biased - 1023) << 52));
    const vd exponent = (vd)(biased | (uint64_t)two_52) - (4503599627370496.0 + 1023.0);
    const vd s = (m - 1.0) / (m + 1.0);
    return exponent + s * v_polynomial(s * s, c, 6);
}

/* 2^x for |x| < 1000; 2^-51. */
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

/* For |x| up to pi/2: sin(x) / x by x * x; 2^-52. */
V_INLINE vd v_sin(vd x)
{
    static const double c[] = {
        0.9999999999999999,      -0.16666666666666072,   0.008333333333282695,
        -0.00019841269824845574, 2.75573166070092e-06,   -2.5051881813371994e-08,
        1.604816406999016e-10,   -7.374334594414963e-13,
    };
    return x * v_polynomial(x * x, c, 7);
}

/* For |x| up to pi/2, by x * x; 2^-54 of 1. */
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

/* For x from 0 to some tens, both good to 2^-50 of 1. */
V_INLINE void v_sin_cos(vd x, vd *sine, vd *cosine)
{
    /* pi in two parts; multiples of the first are exact */
    const double pi_high = 3.141592651605606, pi_low = 1.984187159361081e-09;
    const vd rounded = x * (1.0 / 3.14159265358979323846) + ROUNDER;
    const vd turns = rounded - ROUNDER;
    const vd part = (x - turns * pi_high) - turns * pi_low;
    const vd sign = (vd)((v_u64)rounded << 63); /* turned round an odd number of times */
    *sine = v_flip_f64(v_sin(part), sign);
    *cosine = v_flip_f64(v_cos(part), sign);
}

/* Not for x = y = 0. atan(t) / t by t * t for |t| up to tan(pi/8); 2^-49. */
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
    /* past pi/8, from pi/4 on */
    const vchoice middle = (vchoice)(small > large * tan_eighth);
    const vd top = v_choose_f64(middle, small - large, small);
    const vd t = top / (large + (vd)((v_s64)small & middle));
    vd angle = t * v_polynomial(t * t, c, 9) + (vd)((v_s64)v_set_f64(pi / 4) & middle);
    angle = v_choose_f64(steep, pi / 2 - angle, angle);
    angle = v_choose_f64((vchoice)(x < 0.0), pi - angle, angle);
    return v_flip_f64(angle, y);
}

#endif
