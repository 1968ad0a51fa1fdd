/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The arithmetic of ssimulacra2 on one value, in single precision: +, - and * alone, each rounded
 * once, in the order that is written. Scalar code, vector code (a value is then a whole vector) and
 * kernels include this file, so there is one text of what all of them must compute. Each defines
 *   f32, u32                  a float, the same number of bits; operators work on both
 *   bits_of_f32, f32_of_bits  the bits of a float and back
 *   abs_f32(x)
 *   PICK_LESS(a, b, x, y)     x where a < b, else y
 *   TIMES_SMALL(u, c)         u * c; both are below 2^15
 *   DEVICE, PRECISE           as in the kernel dialect (gpu/prelude/prelude.h) */

/* 1 / b for b that is normal and above 0; off by at most 1.5e-7 of it. */
DEVICE f32 ssimu2_recip(f32 b)
{
    PRECISE f32 r = f32_of_bits(0x7ef31000u - bits_of_f32(b));
    r = r * (2.0f - b * r);
    r = r * (2.0f - b * r);
    r = r * (2.0f - b * r);
    return r;
}

/* The cube root of 2^-9 <= x < 2; off by at most 2.9e-7 of it. The first guess of x^(-1/3) comes
 * from the bits of x and is off by 3.5 %. */
DEVICE f32 ssimu2_cube_root(f32 x)
{
    PRECISE f32 third = x * 0.333333343f;
    PRECISE f32 r = f32_of_bits(0x54a22c00u - TIMES_SMALL(bits_of_f32(x) >> 15, 10923u));
    PRECISE f32 square = r * r;
    r = 1.33333337f * r - third * (square * square);
    square = r * r;
    r = 1.33333337f * r - third * (square * square);
    square = r * r;
    r = r + 0.333333343f * (r - x * (square * square));
    PRECISE f32 root = (r * r) * x;
    return root;
}

/* 0 … 1 */
DEVICE f32 ssimu2_clamp(f32 x)
{
    f32 above = PICK_LESS(x, 0.0f, 0.0f, x);
    return PICK_LESS(1.0f, above, 1.0f, above);
}

/* The curve of sRGB, from a signal in 0 … 1 to linear light: a quotient of two polynomials above
 * the threshold, a line below it. */
DEVICE f32 ssimu2_light(f32 x)
{
    PRECISE f32 p = 0.821015298f * x + 0.796156526f;
    p = p * x + 0.162482038f;
    p = p * x + 0.0104363756f;
    p = p * x + 0.000220024827f;
    PRECISE f32 q = 0.00652120914f * x + -0.0551249832f;
    q = q * x + 0.498752832f;
    q = q * x + 1.07697654f;
    q = q * x + 0.263184696f;
    PRECISE f32 curve = p * ssimu2_recip(q);
    PRECISE f32 line = x * 0.0773993805f;
    return PICK_LESS(0.0404499993f, x, curve, line);
}

/* The responses to long, middle and short waves of linear light. */
DEVICE f32 ssimu2_long(f32 r, f32 g, f32 b)
{
    PRECISE f32 mix = 0.300000012f * r + (0.621999979f * g + (0.0780000016f * b + 0.00379307335f));
    return ssimu2_cube_root(mix);
}

DEVICE f32 ssimu2_middle(f32 r, f32 g, f32 b)
{
    PRECISE f32 mix = 0.230000004f * r + (0.691999972f * g + (0.0780000016f * b + 0.00379307335f));
    return ssimu2_cube_root(mix);
}

DEVICE f32 ssimu2_short(f32 r, f32 g, f32 b)
{
    PRECISE f32 mix = 0.243422687f * r + (0.204767451f * g + (0.551809847f * b + 0.00379307335f));
    return ssimu2_cube_root(mix);
}

/* The channels X, Y and B of these responses. */
DEVICE f32 ssimu2_x(f32 l, f32 m)
{
    PRECISE f32 x = 7.0f * (l - m) + 0.419999987f;
    return x;
}

DEVICE f32 ssimu2_y(f32 l, f32 m)
{
    PRECISE f32 y = 0.5f * (l + m) + -0.145954207f;
    return y;
}

DEVICE f32 ssimu2_b(f32 l, f32 m, f32 s)
{
    PRECISE f32 b = (s - 0.5f * (l + m)) + 0.550000012f;
    return b;
}

/* A pass of the blur at a sample, from the sums of the samples 4, 3, 2 and 1 away from it on both
 * sides. */
DEVICE f32 ssimu2_blur(f32 four, f32 three, f32 two, f32 one, f32 at)
{
    PRECISE f32 sum = 0.00941436738f * four + 0.0360111147f * three;
    sum = sum + 0.10933537f * two;
    sum = sum + 0.212928593f * one;
    sum = sum + 0.264621109f * at;
    return sum;
}

/* Terms below 2^-24 count as 0, so that a fourth power is 0 or a normal number. */
DEVICE f32 ssimu2_cut(f32 x)
{
    return PICK_LESS(x, 5.96046448e-8f, 0.0f, x);
}

DEVICE f32 ssimu2_fourth(f32 x)
{
    PRECISE f32 square = x * x;
    PRECISE f32 fourth = square * square;
    return fourth;
}

/* The structural error, from the blurred reference, distorted plane, squared difference and
 * product. */
DEVICE f32 ssimu2_ssim(f32 ref, f32 dist, f32 squares, f32 products)
{
    PRECISE f32 gap = ref - dist;
    PRECISE f32 gap2 = gap * gap;
    PRECISE f32 spread = squares - gap2;
    PRECISE f32 alike = 2.0f * (products - ref * dist) + 0.000899999985f;
    PRECISE f32 error = (spread + gap2 * alike) * ssimu2_recip(alike + spread);
    return ssimu2_cut(error);
}

/* Returns how far the distorted plane's edges exceed those of the reference; computed from both
 * samples and the blurred planes. */
DEVICE f32 ssimu2_edge(f32 a, f32 ref, f32 d, f32 dist)
{
    PRECISE f32 of_ref = a - ref;
    PRECISE f32 of_dist = d - dist;
    PRECISE f32 base = 1.0f + abs_f32(of_ref);
    PRECISE f32 edge = (abs_f32(of_dist) - abs_f32(of_ref)) * ssimu2_recip(base);
    return edge;
}
