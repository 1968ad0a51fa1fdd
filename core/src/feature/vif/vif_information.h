/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The information of a pixel, from its variances and covariance, in the kernels' dialect. The
 * kernel that includes this file provides VIF_SCALE, the buffer `sums`, the shared array
 * `log_lines`, and the parameters of VIF_STATS_PARAMS. */
#define NOISE 131072u /* variance 2.0 in units of 2^-16 */

/* 2048 * log2(x) from the top 16 bits of x >= 2^15. */
DEVICE u32 log2_fixed(u32 x)
{
    u32 shift = top_bit_u32(x) - 15u;
    u32 top = x >> shift;
    u32x2 line = log_lines[(top >> VIF_LOG_RUN_BITS) - VIF_LOG_FIRST / VIF_LOG_RUN];
    return ((top * line.x + line.y) >> VIF_LOG_SHIFT) + 2048u * shift;
}

/* The noise variance, plus the energy s2 of the distorted picture beyond `explained`. */
DEVICE u32 noise_level(u32 s2, u32 explained)
{
    return NOISE + (max_u32(s2, explained) - explained);
}

/* The logarithm of signal plus noise. Samples beyond the stated depth can make both any number, so
 * the argument is kept inside the table. */
DEVICE u32 log_of_both(u32 noise, u32 signal)
{
    return log2_fixed(max_u32(noise + signal, 32768u));
}

#include "feature/vif/vif_divide.h"

/* settle() returns the information of a pixel that look_closer() could not decide. */
#ifdef VIF_FRACTIONAL

/* Computes the gain, and what depends on it, in double as the CPU does. */
DEVICE u32 settle(u32 s1, u32 s2, u32 s12)
{
    u64 epsilon = u64(0x3edb7cdfu) << 32 | u64(0xd9d7bdbbu); /* 65536 * 1e-10 */
    u64 limit = u64(gain_hi) << 32 | u64(gain_lo);
    u64 covariance = sd_from_u32(s12), energy = sd_from_u32(s2);
    u64 g = sd_div(covariance, sd_add(sd_from_u32(s1), epsilon));
    u64 explained = sd_mul(g, covariance);
    u32 noise = NOISE + (energy > explained ? sd_to_u32(sd_sub(energy, explained)) : 0u);
    g = g > limit ? limit : g;
    u32 signal = sd_to_u32(sd_mul(sd_mul(g, g), sd_from_u32(s1)));
    return log_of_both(noise, signal) - log2_fixed(noise);
}

#else

DEVICE bool is_limited(u32 s1, u32 s12)
{
    return s12 > gain_whole * min_u32(s1, gain_room);
}

DEVICE u32 limited_signal(u32 s1)
{
    return gain_whole * gain_whole * s1;
}

DEVICE void leave_to_host(u32 s1, u32 s2, u32 s12)
{
    u32 i = ATOMIC_ADD(sums, VIF_UNSETTLED, 1u);
    if (i < VIF_UNSETTLED_MAX) {
        sums[VIF_UNSETTLED_AT(i)] = u32(VIF_SCALE);
        sums[VIF_UNSETTLED_AT(i) + 1u] = s1;
        sums[VIF_UNSETTLED_AT(i) + 2u] = s2;
        sums[VIF_UNSETTLED_AT(i) + 3u] = s12;
    }
}

/* Compares both candidates (explained energies q and q + 1, signals q - 1 and q). They usually have
 * the same logarithms, and then so has everything between them. If not, the host settles the
 * pixel. */
DEVICE u32 settle(u32 s1, u32 s2, u32 s12)
{
    u32 q = u32(divide_square(s12, s1));
    bool limited = is_limited(s1, s12);
    u32 less_noise = noise_level(s2, q + 1u), more_noise = noise_level(s2, q);
    u32 less_signal = limited ? limited_signal(s1) : max_u32(q, 1u) - 1u;
    u32 more_signal = limited ? limited_signal(s1) : q;
    u32 noise_log = log2_fixed(less_noise), log = log_of_both(less_noise, less_signal);
    if (noise_log == log2_fixed(more_noise) && log == log_of_both(more_noise, more_signal))
        return log - noise_log;
    leave_to_host(s1, s2, s12);
    return 0u;
}

#endif

/* is_at_limit() is true if the gain is so close to a limit which is not whole that only a double
 * can tell whether it exceeds it. limit_signal() returns the signal that follows from the limit if
 * the gain exceeds it, else `signal`. */
#ifdef VIF_FRACTIONAL
DEVICE bool is_at_limit(u32 s1, u32 s12)
{
    f32 bound = gain * f32(s1);
    return abs_f32(f32(s12) - bound) <= 1e-5f * bound;
}

DEVICE u32 limit_signal(u32 s1, u32 s12, u32 signal)
{
    if (f32(s12) > gain * f32(s1))
        signal =
            sd_to_u32(sd_mul(u64(gain_square_hi) << 32 | u64(gain_square_lo), sd_from_u32(s1)));
    return signal;
}
#else
DEVICE bool is_at_limit(u32 s1, u32 s12)
{
    return false;
}

DEVICE u32 limit_signal(u32 s1, u32 s12, u32 signal)
{
    return is_limited(s1, s12) ? limited_signal(s1) : signal;
}
#endif

/* The logarithm of signal plus noise minus that of the noise. The CPU's doubles stand for s12^2 /
 * s1 minus a tiny amount (the epsilon). With s12^2 = q * s1 + r they give q or q - 1: q, unless r
 * is small. If r is small, this sets `close` and the value it returns is meaningless. There are no
 * branches, so that several pixels can be in flight. */
DEVICE u32 information(u32 s1, u32 s2, u32 s12, INOUT(bool) close)
{
    u64 quotient = divide_square(s12, s1);
    u32 q = u32(quotient), r = u32(quotient >> 32);
    /* An r above this bound is also above twice `lean` (see look_closer) plus the band: twice
     * `lean` is below (q >> 16) + 1, the band's first term is below (s1 >> 17) + 1, and its other
     * terms and all roundings together are below 2. */
    close = r <= (q >> 16) + (s1 >> 17) + 4u || is_at_limit(s1, s12);
    u32 noise = noise_level(s2, q + 1u);
    return log_of_both(noise, limit_signal(s1, s12, q)) - log2_fixed(noise);
}

/* The information of a pixel that is `close`. Only an r within a narrow band leaves the result
 * open; settle() decides those. */
DEVICE u32 look_closer(u32 s1, u32 s2, u32 s12)
{
    u64 quotient = divide_square(s12, s1);
    u32 q = u32(quotient), r = u32(quotient >> 32);
    f32 lean = f32(q) * 6.5536e-6f;
    f32 band = 1.7763568e-15f * f32(s1) * f32(max_u32(q + 1u, s2)) + 9.5367432e-7f * lean +
               2.3841858e-7f * f32(r);
    if (abs_f32(f32(r) - lean) <= band || abs_f32(f32(r) - 2.0f * lean) <= band ||
        is_at_limit(s1, s12))
        return settle(s1, s2, s12);
    u32 noise = noise_level(s2, q + (f32(r) > lean ? 1u : 0u));
    u32 signal = q - (f32(r) <= 2.0f * lean ? 1u : 0u);
    return log_of_both(noise, limit_signal(s1, s12, signal)) - log2_fixed(noise);
}

/* (a * b + 2^31) >> 32 */
DEVICE u32 round_mul_hi(u32 a, u32 b)
{
    return u32((u64(a) * u64(b) + u64(2147483648u)) >> 32);
}
