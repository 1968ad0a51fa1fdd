/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A division that is exact on every device, though no two of them divide floats alike. In the kernels'
 * dialect (gpu/prelude/prelude.h), and for a test in C.
 *
 * c^2 / s1, rounded down, and in the upper 32 bits the remainder. For 2^17 <= s1 < 2^31 and c < 2^31 whose
 * quotient is below 2^32; others give some number.
 *
 * In units of 2^-23, a conversion or a product is off by 1 at most, whichever way a device rounds, and
 * recip_near by 2.5. So are the factors of the first quotient by 8.5 together: as `inverse` is made smaller
 * by 16, that is never too large; too small it is by 24.6, or 2.93e-6 of it, and by less than 1 for being
 * rounded down. What remains of the square is below 2.93e-6 * c^2 + s1 < 2^44, so its upper part fits
 * 32 bits. The second quotient, at most 12601, is too small by 4096 / s1 <= 1/32 for the bits left
 * out, by 22.5 * 2^-23 * 12601 < 0.04 for all that is rounded, and by less than 1 for being rounded
 * down: so what remains is below 2 * s1. */
DEVICE u64 divide_square(u32 c, u32 s1)
{
    u64 square = u64(c) * u64(c);
    f32 inverse = recip_near(f32(s1)) * 0.99999809f;
    f32 about = f32(c) * f32(c) * inverse;
    u32 q = u32(about < 4294967040.0f ? about : 4294967040.0f);
    u64 rest = square - u64(q) * u64(s1);
    u32 more = u32(f32(u32(rest >> 12)) * (inverse * 4096.0f));
    u32 r = u32(rest) - more * s1;
    u32 once_more = r >= s1 ? 1u : 0u;
    return u64(q + more + once_more) | u64(once_more != 0u ? r - s1 : r) << 32;
}
