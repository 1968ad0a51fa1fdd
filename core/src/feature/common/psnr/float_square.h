/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Squares in single precision, for kernels. Include it after KERNEL_BEGIN. */

/* x * x rounded to 24 significant bits, to the nearest number, ties to even. x is below 2^16. */
DEVICE u32 float_square(u32 x)
{
    u32 square = x * x;
    if (square < 0x1000000u)
        return square;
    u32 excess = top_bit_u32(square) - 23u;
    u32 odd = (square >> excess) & 1u;
    /* This does not overflow 32 bits, because the largest square, that of 65535, rounds down. */
    u32 rounded = square + (1u << (excess - 1u)) - 1u + odd;
    return rounded >> excess << excess;
}
