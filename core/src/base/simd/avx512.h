/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* simd.h for AVX-512 (F, BW, DQ, VL, CD), with VNNI where the build has it. */

typedef __mmask16 vm;
typedef __m512i vacc;

/* ---- widening loads, narrowing stores ---- */

V_INLINE vi v_load_u8_to_16(const void *p)
{
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256(p));
}

V_INLINE vi v_load_u16_to_32(const void *p)
{
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256(p));
}

V_INLINE vi v_load_s16_to_32(const void *p)
{
    return _mm512_cvtepi16_epi32(_mm256_loadu_si256(p));
}

/* Low halves of the 32-bit lanes, in order. */
V_INLINE void v_store_32_to_16(void *p, vi v)
{
    _mm256_storeu_si256(p, _mm512_cvtepi32_epi16(v));
}

/* ---- block operations ---- */

/* Lane numbers. */
static const uint16_t v_index16[V16] __attribute__((unused)) = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};

V_INLINE vi v_zip_lo16(vi a, vi b)
{
    return _mm512_unpacklo_epi16(a, b);
}

V_INLINE vi v_zip_hi16(vi a, vi b)
{
    return _mm512_unpackhi_epi16(a, b);
}

/* Lanes of 0…65535 only. */
V_INLINE vi v_pack_u32(vi lo, vi hi)
{
    return _mm512_packus_epi32(lo, hi);
}

/* Lanes of -32768…32767 only. */
V_INLINE vi v_pack_s32(vi lo, vi hi)
{
    return _mm512_packs_epi32(lo, hi);
}

/* High halves of the 32-bit lanes, in order. */
V_INLINE vi v_pack_high16(vi lo, vi hi)
{
    const __m512i index =
        _mm512_add_epi16(_mm512_set1_epi16(1), _mm512_slli_epi16(v_load(v_index16), 1));
    return _mm512_permutex2var_epi16(lo, index, hi);
}

/* Low halves of the 32-bit lanes, in order. */
V_INLINE vi v_pack_low16(vi lo, vi hi)
{
    return _mm512_permutex2var_epi16(lo, _mm512_slli_epi16(v_load(v_index16), 1), hi);
}

/* The first and the second half of the 16-bit lanes, in order. */
V_INLINE vi v_widen_lo_s16(vi v)
{
    return _mm512_cvtepi16_epi32(_mm512_castsi512_si256(v));
}

V_INLINE vi v_widen_hi_s16(vi v)
{
    return _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64(v, 1));
}

/* Even lanes of one, odd lanes of the other. */
V_INLINE vi v_blend_odd16(vi even, vi odd)
{
    return _mm512_mask_blend_epi16(0xaaaaaaaa, even, odd);
}

V_INLINE vi v_blend_odd32(vi even, vi odd)
{
    return _mm512_mask_blend_epi32(0xaaaa, even, odd);
}

/* ---- pairs of 16-bit lanes ---- */

/* Even 16-bit lanes of a and b, side by side; it is its own inverse together with v_trn_odd16. */
V_INLINE vi v_trn_even16(vi a, vi b)
{
    return _mm512_mask_mov_epi16(a, 0xaaaaaaaa, _mm512_slli_epi32(b, 16));
}

/* Odd 16-bit lanes of a and b, side by side. */
V_INLINE vi v_trn_odd16(vi a, vi b)
{
    return _mm512_mask_mov_epi16(_mm512_srli_epi32(a, 16), 0xaaaaaaaa, b);
}

/* Within blocks of 128 bits: the last words of one, from `words` on, and the first `words` of the
 * other. Of loads 8 words apart these are the loads between them. */
#define V_SPAN16(before, at, words) _mm512_alignr_epi8(at, before, 2 * (words))

/* ---- products ---- */

V_INLINE vi v_mulhi_s16(vi a, vi b)
{
    return _mm512_mulhi_epi16(a, b);
}

V_INLINE vi v_mulhi_u16(vi a, vi b)
{
    return _mm512_mulhi_epu16(a, b);
}

/* a0*b0 + a1*b1 of each pair of signed 16-bit lanes. */
V_INLINE vi v_madd16(vi a, vi b)
{
    return _mm512_madd_epi16(a, b);
}

V_INLINE vacc v_acc_zero(void)
{
    return _mm512_setzero_si512();
}

/* A sum that starts from `v`. */
V_INLINE vacc v_acc_from(vi v)
{
    return v;
}

V_INLINE vacc v_acc_madd16(vacc acc, vi a, vi b)
{
#ifdef __AVX512VNNI__
    return _mm512_dpwssd_epi32(acc, a, b);
#else
    return _mm512_add_epi32(acc, _mm512_madd_epi16(a, b));
#endif
}

V_INLINE vi v_acc_sum(vacc acc)
{
    return acc;
}

/* 64-bit products of the even 32-bit lanes. */
V_INLINE vi v_mul_even_u32(vi a, vi b)
{
    return _mm512_mul_epu32(a, b);
}

V_INLINE vi v_mul_even_s32(vi a, vi b)
{
    return _mm512_mul_epi32(a, b);
}

/* (a * b + 2^31) >> 32, unsigned. */
V_INLINE vi v_mulhi_round_u32(vi a, vi b)
{
    const __m512i half = _mm512_set1_epi64(1LL << 31);
    const __m512i even = _mm512_add_epi64(_mm512_mul_epu32(a, b), half);
    const __m512i odd = _mm512_add_epi64(
        _mm512_mul_epu32(_mm512_srli_epi64(a, 32), _mm512_srli_epi64(b, 32)), half);
    return _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
}

/* (a * b) >> 32, unsigned. */
V_INLINE vi v_mulhi_u32(vi a, vi b)
{
    const __m512i even = _mm512_mul_epu32(a, b);
    const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(a, 32), _mm512_srli_epi64(b, 32));
    return _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
}

/* (a * b + 2^14) >> 15, signed; not for -32768 times itself. */
V_INLINE vi v_mulhrs_s16(vi a, vi b)
{
    return _mm512_mulhrs_epi16(a, b);
}

/* ---- lanes of 32 bits ---- */

V_INLINE vi v_min_s32(vi a, vi b)
{
    return _mm512_min_epi32(a, b);
}

V_INLINE vi v_max_s32(vi a, vi b)
{
    return _mm512_max_epi32(a, b);
}

V_INLINE vi v_abs_s32(vi a)
{
    return _mm512_abs_epi32(a);
}

V_INLINE vi v_min_s16(vi a, vi b)
{
    return _mm512_min_epi16(a, b);
}

V_INLINE vi v_max_s16(vi a, vi b)
{
    return _mm512_max_epi16(a, b);
}

V_INLINE vi v_abs_s16(vi a)
{
    return _mm512_abs_epi16(a);
}

V_INLINE vi v_min_u16(vi a, vi b)
{
    return _mm512_min_epu16(a, b);
}

V_INLINE vi v_min_u32(vi a, vi b)
{
    return _mm512_min_epu32(a, b);
}

/* (a + b + 1) >> 1 of unsigned lanes of 16 bits, the sum not cut. */
V_INLINE vi v_avg_u16(vi a, vi b)
{
    return _mm512_avg_epu16(a, b);
}

/* Counts per lane, 0…31. */
V_INLINE vi v_shlv32(vi a, vi count)
{
    return _mm512_sllv_epi32(a, count);
}

V_INLINE vi v_shrv_u32(vi a, vi count)
{
    return _mm512_srlv_epi32(a, count);
}

/* floor(log2 x) of 1…2^31-1. */
V_INLINE vi v_log2_floor32(vi x)
{
    return _mm512_sub_epi32(_mm512_set1_epi32(31), _mm512_lzcnt_epi32(x));
}

/* table[index modulo 8]. */
V_INLINE vf v_lookup8_f32(const float *table, vi index)
{
    return _mm512_permutexvar_ps(index, _mm512_broadcast_f32x8(_mm256_loadu_ps(table)));
}

/* table[index modulo 32]; only here. */
V_INLINE vf v_lookup32_f32(const float *table, vi index)
{
    return _mm512_permutex2var_ps(_mm512_loadu_ps(table), index, _mm512_loadu_ps(table + 16));
}

/* table[index] for any table. */
V_INLINE vf v_gather_f32(const float *table, vi index)
{
    return _mm512_i32gather_ps(index, table, 4);
}

/* Bit i: lanes i of 16 bits differ. */
V_INLINE uint32_t v_differ16(vi a, vi b)
{
    return _mm512_cmpneq_epi16_mask(a, b);
}

/* ---- choices ---- */

V_INLINE vm vm_gt_s32(vi a, vi b)
{
    return _mm512_cmpgt_epi32_mask(a, b);
}

V_INLINE vm vm_eq32(vi a, vi b)
{
    return _mm512_cmpeq_epi32_mask(a, b);
}

V_INLINE vm vm_ge_f32(vf a, vf b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ);
}

V_INLINE vm vm_gt_f32(vf a, vf b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ);
}

V_INLINE vm vm_and(vm a, vm b)
{
    return (vm)(a & b);
}

V_INLINE vm vm_or(vm a, vm b)
{
    return (vm)(a | b);
}

V_INLINE vm vm_not(vm a)
{
    return (vm)~a;
}

V_INLINE int vm_any(vm m)
{
    return m != 0;
}

V_INLINE int vm_count(vm m)
{
    return __builtin_popcount(m);
}

/* Bit i: lane i. */
V_INLINE unsigned vm_bits(vm m)
{
    return m;
}

V_INLINE vf v_select_f32(vm m, vf yes, vf no)
{
    return _mm512_mask_blend_ps(m, no, yes);
}

/* v where chosen, else 0. */
V_INLINE vi v_keep32(vm m, vi v)
{
    return _mm512_maskz_mov_epi32(m, v);
}

/* ---- conversions ---- */

V_INLINE vf v_s32_to_f32(vi a)
{
    return _mm512_cvtepi32_ps(a);
}

/* Rounded towards zero; only here. */
V_INLINE vf v_s32_to_f32_trunc(vi a)
{
    return _mm512_cvt_roundepi32_ps(a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

V_INLINE vi v_f32_to_s32_trunc(vf a)
{
    return _mm512_cvttps_epi32(a);
}

/* V32 integers as doubles, none negative, in an order that v_f64_to_s32_trunc undoes: even lanes,
 * then odd ones, which are in place already. */
V_INLINE void v_load_u31_to_f64(vd out[2], const int32_t *p)
{
    const vi v = v_load(p);
    out[0] = _mm512_cvtepi64_pd(_mm512_and_si512(v, _mm512_set1_epi64(0xffffffff)));
    out[1] = _mm512_cvtepi64_pd(_mm512_srli_epi64(v, 32));
}

V_INLINE vd v_s32_lo_to_f64(vi a)
{
    return _mm512_cvtepi32_pd(_mm512_castsi512_si256(a));
}

V_INLINE vd v_s32_hi_to_f64(vi a)
{
    return _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(a, 1));
}

/* Truncates the doubles to 32-bit integers; they must fit. */
V_INLINE vi v_f64_to_s32_trunc(vd even, vd odd)
{
    return _mm512_mask_shuffle_epi32(_mm512_cvttpd_epi64(even), 0xaaaa, _mm512_cvttpd_epi64(odd),
                                     _MM_PERM_CCAA);
}

V_INLINE vd v_f32_lo_to_f64(vf a)
{
    return _mm512_cvtps_pd(_mm512_castps512_ps256(a));
}

V_INLINE vd v_f32_hi_to_f64(vf a)
{
    return _mm512_cvtps_pd(_mm512_extractf32x8_ps(a, 1));
}

V_INLINE vf v_f64_to_f32(vd lo, vd hi)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(lo)), _mm512_cvtpd_ps(hi), 1);
}

/* b where a is not less. */
V_INLINE vd v_min_f64(vd a, vd b)
{
    return _mm512_min_pd(a, b);
}

V_INLINE vf v_min_f32(vf a, vf b)
{
    return _mm512_min_ps(a, b);
}

V_INLINE vf v_max_f32(vf a, vf b)
{
    return _mm512_max_ps(a, b);
}

/* a * b + c, fused where the set has it: for sums that come out the same either way. */
V_INLINE vf v_muladd_f32(vf a, vf b, vf c)
{
    return _mm512_fmadd_ps(a, b, c);
}

V_INLINE vf v_sqrt_f32(vf a)
{
    return _mm512_sqrt_ps(a);
}

V_INLINE vd v_sqrt_f64(vd a)
{
    return _mm512_sqrt_pd(a);
}

/* Floats that are as many as a vector's doubles */
typedef __m256 vhalf;

V_INLINE vd v_half_to_f64(vhalf a)
{
    return _mm512_cvtps_pd(a);
}

V_INLINE vhalf v_f64_to_half(vd a)
{
    return _mm512_cvtpd_ps(a);
}

/* Rounded to single precision, still a double. */
V_INLINE vd v_round_to_f32(vd a)
{
    return v_half_to_f64(v_f64_to_half(a));
}
