/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A small vector language: one source, compiled for SSE4.1, AVX2, AVX-512 and NEON.
 *
 * Its types are as wide as the registers of the instruction set (V_BYTES):
 *   vi    integers; the name of an operation says which lanes it takes (16, 32 or 64 bits) and,
 *         where it matters, whether they are signed (s) or unsigned (u)
 *   vf    floats, V32 of them
 *   vd    doubles, V64 of them
 *   vm    a choice for each 32-bit lane (on AVX-512 a mask register)
 *   vacc  32-bit sums of products of 16-bit pairs; v_acc_sum reads it
 * Arithmetic wraps. Loads and stores need no alignment. Products and sums of floats are fused
 * by v_muladd_f32 alone.
 *
 * "Block" operations (v_zip_lo16, v_zip_hi16, v_pack_u32, v_pack_s32) work within blocks of 128
 * bits on x86. A pack undoes the zips; only together do they keep the order of the columns on every
 * set. All other operations keep the order of the lanes.
 *
 * Operations that all sets share are written here with the compiler's vector types; the others are
 * in simd/SET.h, under the same names. */
#ifndef BASE_SIMD_H
#define BASE_SIMD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/simd_fn.h"

#define V_INLINE static inline __attribute__((always_inline, unused))

#if defined(__AVX512F__)
#include <immintrin.h>
#define V_BYTES 64
typedef __m512i vi;
typedef __m512 vf;
typedef __m512d vd;
#elif defined(__AVX2__)
#include <immintrin.h>
#define V_BYTES 32
typedef __m256i vi;
typedef __m256 vf;
typedef __m256d vd;
#elif defined(__SSE4_1__)
#include <smmintrin.h> /* SSE4.1 and older alone: gcc takes 0.2 s to read all of immintrin.h */
#define V_BYTES 16
typedef __m128i vi;
typedef __m128 vf;
typedef __m128d vd;
#elif defined(__aarch64__)
#include <arm_neon.h>
#define V_BYTES 16
typedef int32x4_t vi;
typedef float32x4_t vf;
typedef float64x2_t vd;
#else
#error "no vector code for this target"
#endif

#define V16 (V_BYTES / 2)
#define V32 (V_BYTES / 4)
#define V64 (V_BYTES / 8)

typedef int16_t v_s16 __attribute__((vector_size(V_BYTES)));
typedef uint16_t v_u16 __attribute__((vector_size(V_BYTES)));
typedef int32_t v_s32 __attribute__((vector_size(V_BYTES)));
typedef uint32_t v_u32 __attribute__((vector_size(V_BYTES)));
typedef int64_t v_s64 __attribute__((vector_size(V_BYTES)));
typedef uint64_t v_u64 __attribute__((vector_size(V_BYTES)));

/* ---- memory and constants ---- */

/* No alignment assumed, any type may lie there. */
typedef vi vi_anywhere __attribute__((aligned(1), may_alias));
typedef vf vf_anywhere __attribute__((aligned(1), may_alias));
typedef vd vd_anywhere __attribute__((aligned(1), may_alias));

V_INLINE vi v_load(const void *p)
{
    return *(const vi_anywhere *)p;
}

V_INLINE void v_store(void *p, vi v)
{
    *(vi_anywhere *)p = v;
}

V_INLINE vf v_load_f32(const float *p)
{
    return *(const vf_anywhere *)p;
}

V_INLINE void v_store_f32(float *p, vf v)
{
    *(vf_anywhere *)p = v;
}

V_INLINE vd v_load_f64(const double *p)
{
    return *(const vd_anywhere *)p;
}

V_INLINE void v_store_f64(double *p, vd v)
{
    *(vd_anywhere *)p = v;
}

V_INLINE vi v_zero(void)
{
    return (vi)(v_s32){ 0 };
}

V_INLINE vi v_set16(int16_t x)
{
    return (vi)((v_s16){ 0 } + x);
}

V_INLINE vi v_set32(int32_t x)
{
    return (vi)((v_s32){ 0 } + x);
}

V_INLINE vi v_set64(int64_t x)
{
    return (vi)((v_s64){ 0 } + x);
}

/* The pair (lo, hi) in every 32-bit lane: the second operand of v_madd16. */
V_INLINE vi v_set_pair16(int16_t lo, int16_t hi)
{
    return v_set32((int32_t)((uint32_t)(uint16_t)lo | (uint32_t)(uint16_t)hi << 16));
}

V_INLINE vf v_set_f32(float x)
{
    return (vf){ 0 } + x;
}

V_INLINE vd v_set_f64(double x)
{
    return (vd){ 0 } + x;
}

/* ---- integer arithmetic ---- */

#define V_BINARY(name, type, op)                                                                   \
    V_INLINE vi name(vi a, vi b)                                                                   \
    {                                                                                              \
        return (vi)((type)a op(type) b);                                                           \
    }
V_BINARY(v_add16, v_u16, +)
V_BINARY(v_add32, v_u32, +)
V_BINARY(v_add64, v_u64, +)
V_BINARY(v_sub16, v_u16, -)
V_BINARY(v_sub32, v_u32, -)
V_BINARY(v_sub64, v_u64, -)
V_BINARY(v_mul16, v_u16, *) /* low half of the product */
V_BINARY(v_mul32, v_u32, *) /* low half of the product; slow on Intel */
V_BINARY(v_and, v_u64, &)
V_BINARY(v_or, v_u64, |)
V_BINARY(v_xor, v_u64, ^)
#undef V_BINARY

V_INLINE vi v_andnot(vi not_this, vi b)
{
    return (vi)(~(v_u64)not_this & (v_u64)b);
}

/* Shifts by one count for all lanes; s: arithmetic, u: logical. */
#define V_SHIFT(name, type, op)                                                                    \
    V_INLINE vi name(vi a, int count)                                                              \
    {                                                                                              \
        return (vi)((type)a op count);                                                             \
    }
V_SHIFT(v_shl32, v_u32, <<)
V_SHIFT(v_shl64, v_u64, <<)
V_SHIFT(v_shr_u16, v_u16, >>)
V_SHIFT(v_shr_u32, v_u32, >>)
V_SHIFT(v_shr_u64, v_u64, >>)
V_SHIFT(v_shr_s16, v_s16, >>)
V_SHIFT(v_shr_s32, v_s32, >>)
#undef V_SHIFT

/* ---- floating point: each is one IEEE operation ---- */

#define V_BINARY(name, type, op)                                                                   \
    V_INLINE type name(type a, type b)                                                             \
    {                                                                                              \
        return a op b;                                                                             \
    }
V_BINARY(v_add_f32, vf, +)
V_BINARY(v_sub_f32, vf, -)
V_BINARY(v_mul_f32, vf, *)
V_BINARY(v_div_f32, vf, /)
V_BINARY(v_add_f64, vd, +)
V_BINARY(v_sub_f64, vd, -)
V_BINARY(v_mul_f64, vd, *)
V_BINARY(v_div_f64, vd, /)
#undef V_BINARY

V_INLINE vf v_abs_f32(vf a)
{
    return (vf)((v_u32)a & 0x7fffffffu);
}

#if defined(__AVX512F__)
#include "base/simd/avx512.h"
#elif defined(__AVX2__)
#include "base/simd/avx2.h"
#elif defined(__SSE4_1__)
#include "base/simd/sse41.h"
#else
#include "base/simd/neon.h"
#endif

V_INLINE vi v_cast_f32(vf a)
{
    return (vi)a;
}

/* ---- sums over lanes ---- */

V_INLINE uint64_t v_sum_u64(vi v)
{
    uint64_t lanes[V64], sum = 0;
    v_store(lanes, v);
    for (int i = 0; i < V64; i++)
        sum += lanes[i];
    return sum;
}

/* Each pair of 32-bit lanes, taken as unsigned, into a 64-bit lane. */
V_INLINE vi v_widen_sum_u32(vi v)
{
    return v_add64(v_and(v, v_set64(0xffffffff)), v_shr_u64(v, 32));
}

V_INLINE uint64_t v_sum_u32(vi v)
{
    return v_sum_u64(v_widen_sum_u32(v));
}

/* The first `n` lanes of 32 bits. */
V_INLINE vm vm_first32(int n)
{
    static const int32_t index[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
    return vm_gt_s32(v_set32(n), v_load(index));
}

#endif
