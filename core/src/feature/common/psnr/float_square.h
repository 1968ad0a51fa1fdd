/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A square as single precision has it. Include it after KERNEL_BEGIN: this is a device function. */

/* x * x in 24 significant bits, to the nearest, ties to even; x below 2^16. */
DEVICE u32 float_square(u32 x)
{
    u32 square = x * x;
    if (square < 0x1000000u)
        return square;
    u32 excess = top_bit_u32(square) - 23u;
    u32 odd = (square >> excess) & 1u;
    /* No carry out of 32 bits: the largest square, of 65535, rounds down. */
    u32 rounded = square + (1u << (excess - 1u)) - 1u + odd;
    return rounded >> excess << excess;
}
