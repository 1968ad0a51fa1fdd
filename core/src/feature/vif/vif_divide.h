/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* An exact division for every device, although no two of them divide floats alike. It is written in
 * the kernels' dialect (gpu/prelude/prelude.h); a test also compiles it as C.
 *
 * Returns c^2 / s1, rounded down, with the remainder in the upper 32 bits, for 2^17 <= s1 < 2^31
 * and c < 2^31 whose quotient is below 2^32. For other arguments the result is some number.
 *
 * Proof, with relative errors in units of 2^-23. A conversion or a product is off by at most 1,
 * whichever way a device rounds, and recip_near by at most 2.5. So the factors of the first
 * quotient are off by at most 8.5 together. As `inverse` is made smaller by 16, the quotient is
 * never too large. It is too small by at most 24.6, which is 2.93e-6 of it, and by less than 1 for
 * being rounded down. The rest of the square is below 2.93e-6 * c^2 + s1 < 2^44, so its upper part
 * fits 32 bits. The second quotient is at most 12601. It is too small by 4096 / s1 <= 1/32 for the
 * bits left out, by 22.5 * 2^-23 * 12601 < 0.04 for all roundings, and by less than 1 for being
 * rounded down: so the rest is then below 2 * s1. */
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
