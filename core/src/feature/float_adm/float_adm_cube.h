/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Cubes, exact also for results too small to be normal floats. Include this file after
 * tiny_float.h: it holds device functions. */

/* The bits of (x * x) * x; x is not negative. */
DEVICE u32 cube(f32 x)
{
    u32 bits = bits_of_f32(x);
    if (bits < 0x2b000000u) /* 2^-41 */
        return tiny_mul(tiny_mul(bits, bits), bits);
    PRECISE f32 square = x * x;
    PRECISE f32 product = square * x;
    return bits_of_f32(product);
}

/* The bits of a term: the cube, or x itself if the host raises it. */
DEVICE u32 term_of(f32 x)
{
    return cubed != 0u ? cube(x) : bits_of_f32(x);
}
