/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* simd.h for AVX2. */

typedef __m256i vm;
typedef __m256i vacc;

/* ---- widening loads, narrowing stores ---- */

V_INLINE vi v_load_u8_to_16(const void *p)
{
    return _mm256_cvtepu8_epi16(_mm_loadu_si128(p));
}

V_INLINE vi v_load_u16_to_32(const void *p)
{
    return _mm256_cvtepu16_epi32(_mm_loadu_si128(p));
}

V_INLINE vi v_load_s16_to_32(const void *p)
{
    return _mm256_cvtepi16_epi32(_mm_loadu_si128(p));
}

/* Low halves of the 32-bit lanes, in order. */
V_INLINE void v_store_32_to_16(void *p, vi v)
{
    const __m256i low = _mm256_and_si256(v, _mm256_set1_epi32(0xffff));
    const __m256i packed = _mm256_packus_epi32(low, low);
    _mm_storeu_si128(p, _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08)));
}

/* ---- block operations ---- */

V_INLINE vi v_zip_lo16(vi a, vi b)
{
    return _mm256_unpacklo_epi16(a, b);
}

V_INLINE vi v_zip_hi16(vi a, vi b)
{
    return _mm256_unpackhi_epi16(a, b);
}

/* Lanes of 0…65535 only. */
V_INLINE vi v_pack_u32(vi lo, vi hi)
{
    return _mm256_packus_epi32(lo, hi);
}

/* Lanes of -32768…32767 only. */
V_INLINE vi v_pack_s32(vi lo, vi hi)
{
    return _mm256_packs_epi32(lo, hi);
}

/* High halves of the 32-bit lanes, in order. */
V_INLINE vi v_pack_high16(vi lo, vi hi)
{
    const __m256i packed = _mm256_packs_epi32(_mm256_srai_epi32(lo, 16), _mm256_srai_epi32(hi, 16));
    return _mm256_permute4x64_epi64(packed, 0xd8);
}

/* Low halves of the 32-bit lanes, in order. */
V_INLINE vi v_pack_low16(vi lo, vi hi)
{
    const __m256i mask = _mm256_set1_epi32(0xffff);
    const __m256i packed =
        _mm256_packus_epi32(_mm256_and_si256(lo, mask), _mm256_and_si256(hi, mask));
    return _mm256_permute4x64_epi64(packed, 0xd8);
}

/* The first and the second half of the 16-bit lanes, in order. */
V_INLINE vi v_widen_lo_s16(vi v)
{
    return _mm256_cvtepi16_epi32(_mm256_castsi256_si128(v));
}

V_INLINE vi v_widen_hi_s16(vi v)
{
    return _mm256_cvtepi16_epi32(_mm256_extracti128_si256(v, 1));
}

/* Even lanes of one, odd lanes of the other. */
V_INLINE vi v_blend_odd16(vi even, vi odd)
{
    return _mm256_blend_epi16(even, odd, 0xaa);
}

V_INLINE vi v_blend_odd32(vi even, vi odd)
{
    return _mm256_blend_epi32(even, odd, 0xaa);
}

/* ---- pairs of 16-bit lanes ---- */

/* Even 16-bit lanes of a and b, side by side; it is its own inverse together with v_trn_odd16. */
V_INLINE vi v_trn_even16(vi a, vi b)
{
    return _mm256_blend_epi16(a, _mm256_slli_epi32(b, 16), 0xaa);
}

/* Odd 16-bit lanes of a and b, side by side. */
V_INLINE vi v_trn_odd16(vi a, vi b)
{
    return _mm256_blend_epi16(_mm256_srli_epi32(a, 16), b, 0xaa);
}

/* Within blocks of 128 bits: the last words of one, from `words` on, and the first `words` of the
 * other. Of loads 8 words apart these are the loads between them. */
#define V_SPAN16(before, at, words) _mm256_alignr_epi8(at, before, 2 * (words))

/* ---- products ---- */

V_INLINE vi v_mulhi_s16(vi a, vi b)
{
    return _mm256_mulhi_epi16(a, b);
}

V_INLINE vi v_mulhi_u16(vi a, vi b)
{
    return _mm256_mulhi_epu16(a, b);
}

/* a0*b0 + a1*b1 of each pair of signed 16-bit lanes. */
V_INLINE vi v_madd16(vi a, vi b)
{
    return _mm256_madd_epi16(a, b);
}

V_INLINE vacc v_acc_zero(void)
{
    return _mm256_setzero_si256();
}

/* A sum that starts from `v`. */
V_INLINE vacc v_acc_from(vi v)
{
    return v;
}

V_INLINE vacc v_acc_madd16(vacc acc, vi a, vi b)
{
    return _mm256_add_epi32(acc, _mm256_madd_epi16(a, b));
}

V_INLINE vi v_acc_sum(vacc acc)
{
    return acc;
}

/* 64-bit products of the even 32-bit lanes. */
V_INLINE vi v_mul_even_u32(vi a, vi b)
{
    return _mm256_mul_epu32(a, b);
}

V_INLINE vi v_mul_even_s32(vi a, vi b)
{
    return _mm256_mul_epi32(a, b);
}

/* (a * b + 2^31) >> 32, unsigned. */
V_INLINE vi v_mulhi_round_u32(vi a, vi b)
{
    const __m256i half = _mm256_set1_epi64x(1LL << 31);
    const __m256i even = _mm256_add_epi64(_mm256_mul_epu32(a, b), half);
    const __m256i odd = _mm256_add_epi64(
        _mm256_mul_epu32(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32)), half);
    return _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
}

/* (a * b) >> 32, unsigned. */
V_INLINE vi v_mulhi_u32(vi a, vi b)
{
    const __m256i even = _mm256_mul_epu32(a, b);
    const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32));
    return _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
}

/* (a * b + 2^14) >> 15, signed; not for -32768 times itself. */
V_INLINE vi v_mulhrs_s16(vi a, vi b)
{
    return _mm256_mulhrs_epi16(a, b);
}

/* ---- lanes of 32 bits ---- */

V_INLINE vi v_min_s32(vi a, vi b)
{
    return _mm256_min_epi32(a, b);
}

V_INLINE vi v_max_s32(vi a, vi b)
{
    return _mm256_max_epi32(a, b);
}

V_INLINE vi v_abs_s32(vi a)
{
    return _mm256_abs_epi32(a);
}

V_INLINE vi v_min_s16(vi a, vi b)
{
    return _mm256_min_epi16(a, b);
}

V_INLINE vi v_max_s16(vi a, vi b)
{
    return _mm256_max_epi16(a, b);
}

V_INLINE vi v_abs_s16(vi a)
{
    return _mm256_abs_epi16(a);
}

V_INLINE vi v_min_u16(vi a, vi b)
{
    return _mm256_min_epu16(a, b);
}

V_INLINE vi v_min_u32(vi a, vi b)
{
    return _mm256_min_epu32(a, b);
}

/* (a + b + 1) >> 1 of unsigned lanes of 16 bits, the sum not cut. */
V_INLINE vi v_avg_u16(vi a, vi b)
{
    return _mm256_avg_epu16(a, b);
}

/* Counts per lane, 0…31. */
V_INLINE vi v_shlv32(vi a, vi count)
{
    return _mm256_sllv_epi32(a, count);
}

V_INLINE vi v_shrv_u32(vi a, vi count)
{
    return _mm256_srlv_epi32(a, count);
}

/* floor(log2 x) of 1…2^31-1. Clearing the bits below the top one first keeps the conversion to
 * single precision from rounding up to the next power of two. */
V_INLINE vi v_log2_floor32(vi x)
{
    const __m256i top = _mm256_andnot_si256(_mm256_srli_epi32(x, 1), x);
    const __m256i f = _mm256_castps_si256(_mm256_cvtepi32_ps(top));
    return _mm256_sub_epi32(_mm256_srli_epi32(f, 23), _mm256_set1_epi32(127));
}

/* table[index modulo 8]. */
V_INLINE vf v_lookup8_f32(const float *table, vi index)
{
    return _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), index);
}

/* table[index] for any table. */
V_INLINE vf v_gather_f32(const float *table, vi index)
{
    return _mm256_i32gather_ps(table, index, 4);
}

/* Bit i: lanes i of 16 bits differ. */
V_INLINE uint32_t v_differ16(vi a, vi b)
{
    const __m256i equal = _mm256_cmpeq_epi16(a, b);
    const __m128i bytes =
        _mm_packs_epi16(_mm256_castsi256_si128(equal), _mm256_extracti128_si256(equal, 1));
    return (uint32_t)_mm_movemask_epi8(bytes) ^ 0xffff;
}

/* ---- choices ---- */

V_INLINE vm vm_gt_s32(vi a, vi b)
{
    return _mm256_cmpgt_epi32(a, b);
}

V_INLINE vm vm_eq32(vi a, vi b)
{
    return _mm256_cmpeq_epi32(a, b);
}

V_INLINE vm vm_ge_f32(vf a, vf b)
{
    return _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_GE_OQ));
}

V_INLINE vm vm_gt_f32(vf a, vf b)
{
    return _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_GT_OQ));
}

V_INLINE vm vm_and(vm a, vm b)
{
    return _mm256_and_si256(a, b);
}

V_INLINE vm vm_or(vm a, vm b)
{
    return _mm256_or_si256(a, b);
}

V_INLINE vm vm_not(vm a)
{
    return _mm256_xor_si256(a, _mm256_set1_epi32(-1));
}

V_INLINE int vm_any(vm m)
{
    return !_mm256_testz_si256(m, m);
}

V_INLINE int vm_count(vm m)
{
    return __builtin_popcount((unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(m)));
}

/* Bit i: lane i. */
V_INLINE unsigned vm_bits(vm m)
{
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(m));
}

V_INLINE vf v_select_f32(vm m, vf yes, vf no)
{
    return _mm256_blendv_ps(no, yes, _mm256_castsi256_ps(m));
}

/* v where chosen, else 0. */
V_INLINE vi v_keep32(vm m, vi v)
{
    return _mm256_and_si256(m, v);
}

/* ---- conversions ---- */

V_INLINE vf v_s32_to_f32(vi a)
{
    return _mm256_cvtepi32_ps(a);
}

V_INLINE vi v_f32_to_s32_trunc(vf a)
{
    return _mm256_cvttps_epi32(a);
}

/* V32 integers as doubles, none negative, in an order that v_f64_to_s32_trunc undoes. */
V_INLINE void v_load_u31_to_f64(vd out[2], const int32_t *p)
{
    out[0] = _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)p));
    out[1] = _mm256_cvtepi32_pd(_mm_loadu_si128((const __m128i *)(p + V64)));
}

V_INLINE vd v_s32_lo_to_f64(vi a)
{
    return _mm256_cvtepi32_pd(_mm256_castsi256_si128(a));
}

V_INLINE vd v_s32_hi_to_f64(vi a)
{
    return _mm256_cvtepi32_pd(_mm256_extracti128_si256(a, 1));
}

V_INLINE vi v_f64_to_s32_trunc(vd lo, vd hi)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm256_cvttpd_epi32(lo)),
                                   _mm256_cvttpd_epi32(hi), 1);
}

V_INLINE vd v_f32_lo_to_f64(vf a)
{
    return _mm256_cvtps_pd(_mm256_castps256_ps128(a));
}

V_INLINE vd v_f32_hi_to_f64(vf a)
{
    return _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1));
}

V_INLINE vf v_f64_to_f32(vd lo, vd hi)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm256_cvtpd_ps(lo)), _mm256_cvtpd_ps(hi),
                                1);
}

/* b where a is not less. */
V_INLINE vd v_min_f64(vd a, vd b)
{
    return _mm256_min_pd(a, b);
}

V_INLINE vf v_min_f32(vf a, vf b)
{
    return _mm256_min_ps(a, b);
}

V_INLINE vf v_max_f32(vf a, vf b)
{
    return _mm256_max_ps(a, b);
}

/* a * b + c, fused where the set has it: for sums that come out the same either way. */
V_INLINE vf v_muladd_f32(vf a, vf b, vf c)
{
    return _mm256_fmadd_ps(a, b, c);
}

V_INLINE vf v_sqrt_f32(vf a)
{
    return _mm256_sqrt_ps(a);
}

V_INLINE vd v_sqrt_f64(vd a)
{
    return _mm256_sqrt_pd(a);
}

/* Floats that are as many as a vector's doubles */
typedef __m128 vhalf;

V_INLINE vd v_half_to_f64(vhalf a)
{
    return _mm256_cvtps_pd(a);
}

V_INLINE vhalf v_f64_to_half(vd a)
{
    return _mm256_cvtpd_ps(a);
}

/* Rounded to single precision, still a double. */
V_INLINE vd v_round_to_f32(vd a)
{
    return v_half_to_f64(v_f64_to_half(a));
}
