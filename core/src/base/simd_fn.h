/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Names of vector functions, and how to call them.
 *
 * A file listed in `simd_sources` is compiled once for each instruction set; it names what it
 * exports with SIMD_FN(vif_dsp_init), which becomes vif_dsp_init_sse41, _avx2, _avx512 or _neon.
 * The caller declares all of them with SIMD_DECLARE and runs those that the CPU has with
 * SIMD_CALL, the best last, so that each overrides the functions it does better.
 *
 * Ice Lake and later have more of AVX-512. A file that gains from that, such as one that uses
 * v_acc_madd16, is listed in `icl_sources`, too, and is compiled once more, for _avx512icl. Its
 * functions are declared with SIMD_DECLARE_ICL and run with SIMD_CALL_ICL. All other files would
 * become the same code again. */
#ifndef BASE_SIMD_FN_H
#define BASE_SIMD_FN_H

#include "base/cpu.h"

#define SIMD_PASTE_(name, suffix) name##_##suffix
#define SIMD_PASTE(name, suffix) SIMD_PASTE_(name, suffix)

/* Marks functions that run once, such as these: they lie together, so that starting does not touch
 * the pages of every instruction set's code. */
#define SIMD_ONCE __attribute__((cold))

#ifdef SIMD_SUFFIX /* set by the build, inside the vector code only */
#define SIMD_FN(name) SIMD_PASTE(name, SIMD_SUFFIX)
#endif

#if !defined(HAVE_SIMD)
#define SIMD_DECLARE(name, ...) struct SimdNothing
#define SIMD_CALL(cpu, name, ...) ((void)(cpu))

#elif defined(__x86_64__) && !defined(HAVE_AVX512)
#define SIMD_DECLARE(name, ...)                                                                    \
    void name##_sse41(__VA_ARGS__);                                                                \
    void name##_avx2(__VA_ARGS__)
#define SIMD_CALL(cpu, name, ...)                                                                  \
    do {                                                                                           \
        if ((cpu)&CPU_SSE41)                                                                       \
            name##_sse41(__VA_ARGS__);                                                             \
        if ((cpu)&CPU_AVX2)                                                                        \
            name##_avx2(__VA_ARGS__);                                                              \
    } while (0)

#elif defined(__x86_64__)
#define SIMD_DECLARE(name, ...)                                                                    \
    void name##_sse41(__VA_ARGS__);                                                                \
    void name##_avx2(__VA_ARGS__);                                                                 \
    void name##_avx512(__VA_ARGS__)
#define SIMD_CALL(cpu, name, ...)                                                                  \
    do {                                                                                           \
        if ((cpu)&CPU_SSE41)                                                                       \
            name##_sse41(__VA_ARGS__);                                                             \
        if ((cpu)&CPU_AVX2)                                                                        \
            name##_avx2(__VA_ARGS__);                                                              \
        if ((cpu)&CPU_AVX512)                                                                      \
            name##_avx512(__VA_ARGS__);                                                            \
    } while (0)
#define SIMD_DECLARE_ICL(name, ...)                                                                \
    SIMD_DECLARE(name, __VA_ARGS__);                                                               \
    void name##_avx512icl(__VA_ARGS__)
#define SIMD_CALL_ICL(cpu, name, ...)                                                              \
    do {                                                                                           \
        SIMD_CALL(cpu, name, __VA_ARGS__);                                                         \
        if ((cpu)&CPU_AVX512ICL)                                                                   \
            name##_avx512icl(__VA_ARGS__);                                                         \
    } while (0)

#else
#define SIMD_DECLARE(name, ...) void name##_neon(__VA_ARGS__)
#define SIMD_CALL(cpu, name, ...)                                                                  \
    do {                                                                                           \
        if ((cpu)&CPU_NEON)                                                                        \
            name##_neon(__VA_ARGS__);                                                              \
    } while (0)
#endif

#ifndef SIMD_CALL_ICL
#define SIMD_DECLARE_ICL SIMD_DECLARE
#define SIMD_CALL_ICL SIMD_CALL
#endif

#endif
