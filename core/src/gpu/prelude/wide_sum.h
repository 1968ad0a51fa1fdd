/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Sums in double of single-precision terms, for devices that add doubles fast and convert to them slowly: by way of
 * the bits, which leaves 2^-896 of the term. A sum of such, too, is that of a double's, and 2^-896 of it. */

/* Of x >= 0. */
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

/* What such a sum is. */
DEVICE f32 narrowed(f64 sum)
{
    PRECISE f64 whole = sum * f64_of_words(0u, 0x77f00000u);
    return f32(whole);
}
