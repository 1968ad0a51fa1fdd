/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* single(sum in double) of single-precision terms, the cheap way. Include it after exact_float.h.
 *
 * The sum starts at an anchor so large that no term takes it out of the anchor's binade: then every sum on
 * the way is a multiple of one grid g, the place of the anchor's last bit, and what an addition loses is known from two
 * subtractions, both exact. It is g / 2 at most, and goes to `low`. */
struct AnchoredSum {
    f32 sum, low;
};

DEVICE AnchoredSum anchored_start(f32 anchor)
{
    AnchoredSum s;
    s.sum = anchor;
    s.low = 0.0f;
    return s;
}

DEVICE void anchored_add(INOUT(AnchoredSum) s, f32 term)
{
    PRECISE f32 sum = s.sum + term;
    PRECISE f32 taken = sum - s.sum;
    PRECISE f32 lost = term - taken;
    PRECISE f32 low = s.low + lost;
    s.sum = sum;
    s.low = low;
}

/* Of a filter's tap. */
DEVICE void anchored_tap(INOUT(AnchoredSum) s, f32 value, f32 tap)
{
    PRECISE f32 term = value * tap;
    anchored_add(s, term);
}

/* Whether high + low, rounded, is what the double gives, if both are off by less than the margin. */
DEVICE bool anchored_sure(f32 high, f32 low, f32 margin)
{
    PRECISE f32 more = low + margin;
    PRECISE f32 less = low - margin;
    PRECISE f32 above = high + more;
    PRECISE f32 below = high + less;
    return above == below;
}

/* The power of two that is not above x > 0; that of 0 is 0. */
DEVICE f32 power_below(f32 x)
{
    return f32_of_bits(bits_of_f32(x) & 0x7f800000u);
}
