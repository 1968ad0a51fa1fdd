/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Sums of floats in double, for devices that add doubles fast and convert to them slowly. A term is
 * converted by moving its bits, which leaves it scaled by 2^-896. A sum of such terms equals the
 * sum in double, also scaled by 2^-896. */

/* The scaled double of x >= 0. */
DEVICE f64 wide_size(f32 x)
{
    u32 bits = bits_of_f32(x);
    return f64_of_words(bits << 29, bits >> 3);
}

DEVICE f64 wide(f32 x)
{
    u32 bits = bits_of_f32(x);
    return f64_of_words(bits << 29, u32(i32(bits) >> 3) & 0x8fffffffu);
}

/* The value of a scaled sum. */
DEVICE f32 narrowed(f64 sum)
{
    PRECISE f64 whole = sum * f64_of_words(0u, 0x77f00000u);
    return f32(whole);
}
