/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/cpu.h"

#include <stdbool.h>

#if defined(HAVE_SIMD) && (defined(__x86_64__) || defined(__i386__))
#include <cpuid.h>

/* Asks the CPU directly, because not every compiler knows the name "lzcnt". A CPU without lzcnt
 * decodes the instruction as an older one (bsr), which gives other results. */
static bool has_lzcnt(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & 1u << 5);
}
#endif

/* The sets that the CPU has and the library has code for. */
static unsigned detect(void)
{
    unsigned flags = 0;
#if !defined(HAVE_SIMD)
#elif defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse2"))
        flags |= CPU_SSE2;
    if (__builtin_cpu_supports("ssse3"))
        flags |= CPU_SSSE3;
    if (__builtin_cpu_supports("sse4.1"))
        flags |= CPU_SSE41;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("popcnt") && has_lzcnt())
        flags |= CPU_AVX2;
#ifdef HAVE_AVX512
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd"))
        flags |= CPU_AVX512;
    if (__builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
        __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bitalg") &&
        __builtin_cpu_supports("avx512vpopcntdq"))
        flags |= CPU_AVX512ICL;
#endif
#elif defined(__aarch64__)
    flags |= CPU_NEON;
#endif
    return flags;
}

unsigned cpu_flags(uint64_t mask)
{
    const unsigned flags = detect() & ~(unsigned)mask;
    unsigned on = 0;
    /* Each set requires the one before it. */
    for (unsigned bit = CPU_SSE2; bit <= CPU_AVX512ICL && (flags & bit); bit <<= 1)
        on |= bit;
    return on;
}

const char *cpu_best_set(unsigned flags)
{
#if defined(__aarch64__)
    return flags & CPU_NEON ? "NEON" : "scalar";
#else
    return flags & CPU_AVX512ICL ? "AVX-512 (Ice Lake)"
           : flags & CPU_AVX512  ? "AVX-512"
           : flags & CPU_AVX2    ? "AVX2"
           : flags & CPU_SSE41   ? "SSE4.1"
                                 : "scalar";
#endif
}
