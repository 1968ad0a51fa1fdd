/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* simd.h for SSE4.1: what x86 without AVX2 has. */

typedef __m128i vm;
typedef __m128i vacc;

/* ---- widening loads, narrowing stores ---- */

V_INLINE vi v_load_u8_to_16(const void *p)
{
    return _mm_cvtepu8_epi16(_mm_loadl_epi64(p));
}

V_INLINE vi v_load_u16_to_32(const void *p)
{
    return _mm_cvtepu16_epi32(_mm_loadl_epi64(p));
}

V_INLINE vi v_load_s16_to_32(const void *p)
{
    return _mm_cvtepi16_epi32(_mm_loadl_epi64(p));
}

/* Low halves of the 32-bit lanes, in order. */
V_INLINE void v_store_32_to_16(void *p, vi v)
{
    const __m128i low = _mm_and_si128(v, _mm_set1_epi32(0xffff));
    _mm_storel_epi64(p, _mm_packus_epi32(low, low));
}

/* ---- block operations ---- */

V_INLINE vi v_zip_lo16(vi a, vi b)
{
    return _mm_unpacklo_epi16(a, b);
}

V_INLINE vi v_zip_hi16(vi a, vi b)
{
    return _mm_unpackhi_epi16(a, b);
}

/* Lanes of 0…65535 only. */
V_INLINE vi v_pack_u32(vi lo, vi hi)
{
    return _mm_packus_epi32(lo, hi);
}

/* Lanes of -32768…32767 only. */
V_INLINE vi v_pack_s32(vi lo, vi hi)
{
    return _mm_packs_epi32(lo, hi);
}

/* High halves of the 32-bit lanes, in order. */
V_INLINE vi v_pack_high16(vi lo, vi hi)
{
    return _mm_packs_epi32(_mm_srai_epi32(lo, 16), _mm_srai_epi32(hi, 16));
}

/* Low halves of the 32-bit lanes, in order. */
V_INLINE vi v_pack_low16(vi lo, vi hi)
{
    const __m128i mask = _mm_set1_epi32(0xffff);
    return _mm_packus_epi32(_mm_and_si128(lo, mask), _mm_and_si128(hi, mask));
}

/* The first and the second half of the 16-bit lanes, in order. */
V_INLINE vi v_widen_lo_s16(vi v)
{
    return _mm_cvtepi16_epi32(v);
}

V_INLINE vi v_widen_hi_s16(vi v)
{
    return _mm_srai_epi32(_mm_unpackhi_epi16(v, v), 16);
}

/* Even lanes of one, odd lanes of the other. */
V_INLINE vi v_blend_odd16(vi even, vi odd)
{
    return _mm_blend_epi16(even, odd, 0xaa);
}

V_INLINE vi v_blend_odd32(vi even, vi odd)
{
    return _mm_blend_epi16(even, odd, 0xcc);
}

/* ---- pairs of 16-bit lanes ---- */

/* Even 16-bit lanes of a and b, side by side; it is its own inverse together with v_trn_odd16. */
V_INLINE vi v_trn_even16(vi a, vi b)
{
    return _mm_blend_epi16(a, _mm_slli_epi32(b, 16), 0xaa);
}

/* Odd 16-bit lanes of a and b, side by side. */
V_INLINE vi v_trn_odd16(vi a, vi b)
{
    return _mm_blend_epi16(_mm_srli_epi32(a, 16), b, 0xaa);
}

/* Within blocks of 128 bits: the last words of one, from `words` on, and the first `words` of the
 * other. Of loads 8 words apart these are the loads between them. */
#define V_SPAN16(before, at, words) _mm_alignr_epi8(at, before, 2 * (words))

/* ---- products ---- */

V_INLINE vi v_mulhi_s16(vi a, vi b)
{
    return _mm_mulhi_epi16(a, b);
}

V_INLINE vi v_mulhi_u16(vi a, vi b)
{
    return _mm_mulhi_epu16(a, b);
}

/* a0*b0 + a1*b1 of each pair of signed 16-bit lanes. */
V_INLINE vi v_madd16(vi a, vi b)
{
    return _mm_madd_epi16(a, b);
}

V_INLINE vacc v_acc_zero(void)
{
    return _mm_setzero_si128();
}

/* A sum that starts from `v`. */
V_INLINE vacc v_acc_from(vi v)
{
    return v;
}

V_INLINE vacc v_acc_madd16(vacc acc, vi a, vi b)
{
    return _mm_add_epi32(acc, _mm_madd_epi16(a, b));
}

V_INLINE vi v_acc_sum(vacc acc)
{
    return acc;
}

/* 64-bit products of the even 32-bit lanes. */
V_INLINE vi v_mul_even_u32(vi a, vi b)
{
    return _mm_mul_epu32(a, b);
}

V_INLINE vi v_mul_even_s32(vi a, vi b)
{
    return _mm_mul_epi32(a, b);
}

/* (a * b + 2^31) >> 32, unsigned. */
V_INLINE vi v_mulhi_round_u32(vi a, vi b)
{
    const __m128i half = _mm_set1_epi64x(1LL << 31);
    const __m128i even = _mm_add_epi64(_mm_mul_epu32(a, b), half);
    const __m128i odd =
        _mm_add_epi64(_mm_mul_epu32(_mm_srli_epi64(a, 32), _mm_srli_epi64(b, 32)), half);
    return _mm_blend_epi16(_mm_srli_epi64(even, 32), odd, 0xcc);
}

/* (a * b) >> 32, unsigned. */
V_INLINE vi v_mulhi_u32(vi a, vi b)
{
    const __m128i even = _mm_mul_epu32(a, b);
    const __m128i odd = _mm_mul_epu32(_mm_srli_epi64(a, 32), _mm_srli_epi64(b, 32));
    return _mm_blend_epi16(_mm_srli_epi64(even, 32), odd, 0xcc);
}

/* (a * b + 2^14) >> 15, signed; not for -32768 times itself. */
V_INLINE vi v_mulhrs_s16(vi a, vi b)
{
    return _mm_mulhrs_epi16(a, b);
}

/* ---- lanes of 32 bits ---- */

V_INLINE vi v_min_s32(vi a, vi b)
{
    return _mm_min_epi32(a, b);
}

V_INLINE vi v_max_s32(vi a, vi b)
{
    return _mm_max_epi32(a, b);
}

V_INLINE vi v_abs_s32(vi a)
{
    return _mm_abs_epi32(a);
}

V_INLINE vi v_min_s16(vi a, vi b)
{
    return _mm_min_epi16(a, b);
}

V_INLINE vi v_max_s16(vi a, vi b)
{
    return _mm_max_epi16(a, b);
}

V_INLINE vi v_abs_s16(vi a)
{
    return _mm_abs_epi16(a);
}

V_INLINE vi v_min_u16(vi a, vi b)
{
    return _mm_min_epu16(a, b);
}

V_INLINE vi v_min_u32(vi a, vi b)
{
    return _mm_min_epu32(a, b);
}

/* (a + b + 1) >> 1 of unsigned lanes of 16 bits, the sum not cut. */
V_INLINE vi v_avg_u16(vi a, vi b)
{
    return _mm_avg_epu16(a, b);
}

/* Counts per lane, 0…31. */
V_INLINE vi v_shlv32(vi a, vi count)
{
    return (vi)((v_u32)a << (v_u32)count);
}

V_INLINE vi v_shrv_u32(vi a, vi count)
{
    return (vi)((v_u32)a >> (v_u32)count);
}

/* floor(log2 x) of 1…2^31-1. Clearing the bits below the top one first keeps the conversion to
 * single precision from rounding up to the next power of two. */
V_INLINE vi v_log2_floor32(vi x)
{
    const __m128i top = _mm_andnot_si128(_mm_srli_epi32(x, 1), x);
    const __m128i f = _mm_castps_si128(_mm_cvtepi32_ps(top));
    return _mm_sub_epi32(_mm_srli_epi32(f, 23), _mm_set1_epi32(127));
}

/* table[index modulo 8]. */
V_INLINE vf v_lookup8_f32(const float *table, vi index)
{
    const __m128i every = _mm_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12);
    const __m128i entry = _mm_and_si128(_mm_slli_epi32(index, 2), _mm_set1_epi32(12));
    const __m128i bytes = _mm_add_epi8(_mm_shuffle_epi8(entry, every), _mm_set1_epi32(0x03020100));
    const __m128i *const halves = (const __m128i *)table;
    const __m128i lo = _mm_shuffle_epi8(_mm_loadu_si128(halves), bytes);
    const __m128i hi = _mm_shuffle_epi8(_mm_loadu_si128(halves + 1), bytes);
    return _mm_blendv_ps(_mm_castsi128_ps(lo), _mm_castsi128_ps(hi),
                         _mm_castsi128_ps(_mm_slli_epi32(index, 29)));
}

/* table[index] for any table. */
V_INLINE vf v_gather_f32(const float *table, vi index)
{
    return _mm_setr_ps(table[_mm_extract_epi32(index, 0)], table[_mm_extract_epi32(index, 1)],
                       table[_mm_extract_epi32(index, 2)], table[_mm_extract_epi32(index, 3)]);
}

/* Bit i: lanes i of 16 bits differ. */
V_INLINE uint32_t v_differ16(vi a, vi b)
{
    const __m128i bytes = _mm_packs_epi16(_mm_cmpeq_epi16(a, b), _mm_setzero_si128());
    return ((uint32_t)_mm_movemask_epi8(bytes) ^ 0xff) & 0xff;
}

/* ---- choices ---- */

V_INLINE vm vm_gt_s32(vi a, vi b)
{
    return _mm_cmpgt_epi32(a, b);
}

V_INLINE vm vm_eq32(vi a, vi b)
{
    return _mm_cmpeq_epi32(a, b);
}

V_INLINE vm vm_ge_f32(vf a, vf b)
{
    return _mm_castps_si128(_mm_cmpge_ps(a, b));
}

V_INLINE vm vm_gt_f32(vf a, vf b)
{
    return _mm_castps_si128(_mm_cmpgt_ps(a, b));
}

V_INLINE vm vm_and(vm a, vm b)
{
    return _mm_and_si128(a, b);
}

V_INLINE vm vm_or(vm a, vm b)
{
    return _mm_or_si128(a, b);
}

V_INLINE vm vm_not(vm a)
{
    return _mm_xor_si128(a, _mm_set1_epi32(-1));
}

V_INLINE int vm_any(vm m)
{
    return !_mm_testz_si128(m, m);
}

V_INLINE int vm_count(vm m)
{
    return __builtin_popcount((unsigned)_mm_movemask_ps(_mm_castsi128_ps(m)));
}

/* Bit i: lane i. */
V_INLINE unsigned vm_bits(vm m)
{
    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(m));
}

V_INLINE vf v_select_f32(vm m, vf yes, vf no)
{
    return _mm_blendv_ps(no, yes, _mm_castsi128_ps(m));
}

/* v where chosen, else 0. */
V_INLINE vi v_keep32(vm m, vi v)
{
    return _mm_and_si128(m, v);
}

/* ---- conversions ---- */

V_INLINE vf v_s32_to_f32(vi a)
{
    return _mm_cvtepi32_ps(a);
}

V_INLINE vi v_f32_to_s32_trunc(vf a)
{
    return _mm_cvttps_epi32(a);
}

/* V32 integers as doubles, none negative, in an order that v_f64_to_s32_trunc undoes. */
V_INLINE void v_load_u31_to_f64(vd out[2], const int32_t *p)
{
    out[0] = _mm_cvtepi32_pd(_mm_loadl_epi64((const __m128i *)p));
    out[1] = _mm_cvtepi32_pd(_mm_loadl_epi64((const __m128i *)(p + V64)));
}

V_INLINE vd v_s32_lo_to_f64(vi a)
{
    return _mm_cvtepi32_pd(a);
}

V_INLINE vd v_s32_hi_to_f64(vi a)
{
    return _mm_cvtepi32_pd(_mm_unpackhi_epi64(a, a));
}

V_INLINE vi v_f64_to_s32_trunc(vd lo, vd hi)
{
    return _mm_unpacklo_epi64(_mm_cvttpd_epi32(lo), _mm_cvttpd_epi32(hi));
}

V_INLINE vd v_f32_lo_to_f64(vf a)
{
    return _mm_cvtps_pd(a);
}

V_INLINE vd v_f32_hi_to_f64(vf a)
{
    return _mm_cvtps_pd(_mm_movehl_ps(a, a));
}

V_INLINE vf v_f64_to_f32(vd lo, vd hi)
{
    return _mm_movelh_ps(_mm_cvtpd_ps(lo), _mm_cvtpd_ps(hi));
}

/* b where a is not less. */
V_INLINE vd v_min_f64(vd a, vd b)
{
    return _mm_min_pd(a, b);
}

V_INLINE vf v_min_f32(vf a, vf b)
{
    return _mm_min_ps(a, b);
}

V_INLINE vf v_max_f32(vf a, vf b)
{
    return _mm_max_ps(a, b);
}

/* a * b + c, fused where the set has it: for sums that come out the same either way. */
V_INLINE vf v_muladd_f32(vf a, vf b, vf c)
{
    return _mm_add_ps(_mm_mul_ps(a, b), c);
}

V_INLINE vf v_sqrt_f32(vf a)
{
    return _mm_sqrt_ps(a);
}

V_INLINE vd v_sqrt_f64(vd a)
{
    return _mm_sqrt_pd(a);
}

/* Floats that are as many as a vector's doubles */
typedef float vhalf __attribute__((vector_size(8)));

V_INLINE vd v_half_to_f64(vhalf a)
{
    return __builtin_convertvector(a, vd);
}

V_INLINE vhalf v_f64_to_half(vd a)
{
    return __builtin_convertvector(a, vhalf);
}

/* Rounded to single precision, still a double. */
V_INLINE vd v_round_to_f32(vd a)
{
    return v_half_to_f64(v_f64_to_half(a));
}
