/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Numbers of about 46 bits, as the sum of two floats, for calculations that need more than single
 * precision and for which Vulkan promises no double precision. Include this file after
 * exact_float.h. */
struct Pair {
    /* |low| is at most half a unit in high's last place, so high is the pair rounded to a float. */
    f32 high, low;
};

/* Makes a pair of two floats; the first must be the larger one. */
DEVICE Pair pair_of(f32 large, f32 small)
{
    PRECISE f32 high = large + small;
    PRECISE f32 taken = high - large;
    PRECISE f32 low = small - taken;
    Pair p;
    p.high = high;
    p.low = low;
    return p;
}

DEVICE Pair pair_negate(Pair a)
{
    a.high = -a.high;
    a.low = -a.low;
    return a;
}

DEVICE Pair pair_add(Pair a, Pair b)
{
    f32 lost;
    PRECISE f32 high = two_sum(a.high, b.high, lost);
    PRECISE f32 low = lost + (a.low + b.low);
    return pair_of(high, low);
}

DEVICE Pair pair_sub(Pair a, Pair b)
{
    return pair_add(a, pair_negate(b));
}

DEVICE Pair pair_mul(Pair a, Pair b)
{
    f32 lost;
    PRECISE f32 high = two_product(a.high, b.high, lost);
    PRECISE f32 low = lost + (a.high * b.low + a.low * b.high);
    return pair_of(high, low);
}

DEVICE Pair pair_scale(Pair a, f32 b)
{
    f32 lost;
    PRECISE f32 high = two_product(a.high, b, lost);
    PRECISE f32 low = lost + a.low * b;
    return pair_of(high, low);
}

/* The product of two floats. */
DEVICE Pair pair_product(f32 a, f32 b)
{
    f32 lost;
    PRECISE f32 high = two_product(a, b, lost);
    Pair p;
    p.high = high;
    p.low = lost;
    return p;
}

DEVICE Pair pair_single(f32 a)
{
    Pair p;
    p.high = a;
    p.low = 0.0f;
    return p;
}

DEVICE Pair pair_div(Pair a, Pair b)
{
    PRECISE f32 first = a.high / b.high;
    Pair rest = pair_sub(a, pair_scale(b, first));
    PRECISE f32 second = rest.high / b.high;
    return pair_of(first, second);
}

/* The square root of a > 0; 0 for other values. */
DEVICE Pair pair_sqrt(Pair a)
{
    if (a.high <= 0.0f)
        return pair_single(0.0f);
    PRECISE f32 first = sqrt_near(a.high);
    Pair rest = pair_sub(a, pair_product(first, first));
    PRECISE f32 second = rest.high / (2.0f * first);
    return pair_of(first, second);
}
