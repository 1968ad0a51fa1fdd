/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* simd.h for NEON (arm64). */

typedef uint32x4_t vm;
typedef int32x4x2_t vacc; /* vmlal adds four products at a time: the pairs meet in v_acc_sum */

#define V_S16(x) vreinterpretq_s16_s32(x)
#define V_U16(x) vreinterpretq_u16_s32(x)
#define V_U32(x) vreinterpretq_u32_s32(x)
#define V_FROM_S16(x) vreinterpretq_s32_s16(x)
#define V_FROM_U16(x) vreinterpretq_s32_u16(x)
#define V_FROM_U32(x) vreinterpretq_s32_u32(x)

/* ---- widening loads, narrowing stores ---- */

V_INLINE vi v_load_u8_to_16(const void *p)
{
    return V_FROM_U16(vmovl_u8(vld1_u8(p)));
}

V_INLINE vi v_load_u16_to_32(const void *p)
{
    return V_FROM_U32(vmovl_u16(vld1_u16(p)));
}

V_INLINE vi v_load_s16_to_32(const void *p)
{
    return vmovl_s16(vld1_s16(p));
}

/* Low halves of the 32-bit lanes, in order. */
V_INLINE void v_store_32_to_16(void *p, vi v)
{
    vst1_u16(p, vmovn_u32(V_U32(v)));
}

/* ---- block operations ---- */

V_INLINE vi v_zip_lo16(vi a, vi b)
{
    return V_FROM_S16(vzip1q_s16(V_S16(a), V_S16(b)));
}

V_INLINE vi v_zip_hi16(vi a, vi b)
{
    return V_FROM_S16(vzip2q_s16(V_S16(a), V_S16(b)));
}

/* Lanes of 0…65535 only. */
V_INLINE vi v_pack_u32(vi lo, vi hi)
{
    return V_FROM_U16(vuzp1q_u16(V_U16(lo), V_U16(hi)));
}

/* Only for lanes between -32768 and 32767. */
V_INLINE vi v_pack_s32(vi lo, vi hi)
{
    return V_FROM_U16(vuzp1q_u16(V_U16(lo), V_U16(hi)));
}

/* High halves of the 32-bit lanes, in order. */
V_INLINE vi v_pack_high16(vi lo, vi hi)
{
    return V_FROM_S16(vuzp2q_s16(V_S16(lo), V_S16(hi)));
}

/* Low halves of the 32-bit lanes, in order. */
V_INLINE vi v_pack_low16(vi lo, vi hi)
{
    return V_FROM_S16(vuzp1q_s16(V_S16(lo), V_S16(hi)));
}

/* The first and the second half of the 16-bit lanes, in order. */
V_INLINE vi v_widen_lo_s16(vi v)
{
    return vmovl_s16(vget_low_s16(V_S16(v)));
}

V_INLINE vi v_widen_hi_s16(vi v)
{
    return vmovl_high_s16(V_S16(v));
}

/* Even lanes of one, odd lanes of the other. */
V_INLINE vi v_blend_odd16(vi even, vi odd)
{
    return vbslq_s32(vdupq_n_u32(0xffff0000), odd, even);
}

V_INLINE vi v_blend_odd32(vi even, vi odd)
{
    return vreinterpretq_s32_u64(vbslq_u64(
        vdupq_n_u64(0xffffffff00000000), vreinterpretq_u64_s32(odd), vreinterpretq_u64_s32(even)));
}

/* ---- pairs of 16-bit lanes ---- */

/* Even 16-bit lanes of a and b, side by side; it is its own inverse together with v_trn_odd16. */
V_INLINE vi v_trn_even16(vi a, vi b)
{
    return V_FROM_S16(vtrn1q_s16(V_S16(a), V_S16(b)));
}

/* Odd 16-bit lanes of a and b, side by side. */
V_INLINE vi v_trn_odd16(vi a, vi b)
{
    return V_FROM_S16(vtrn2q_s16(V_S16(a), V_S16(b)));
}

/* Within blocks of 128 bits: the last words of one, from `words` on, and the first `words` of the
 * other. Of loads 8 words apart these are the loads between them. */
#define V_SPAN16(before, at, words) V_FROM_S16(vextq_s16(V_S16(before), V_S16(at), words))

/* ---- products ---- */

V_INLINE vi v_mulhi_s16(vi a, vi b)
{
    const int32x4_t lo = vmull_s16(vget_low_s16(V_S16(a)), vget_low_s16(V_S16(b)));
    const int32x4_t hi = vmull_high_s16(V_S16(a), V_S16(b));
    return V_FROM_S16(vuzp2q_s16(V_S16(lo), V_S16(hi)));
}

V_INLINE vi v_mulhi_u16(vi a, vi b)
{
    const uint32x4_t lo = vmull_u16(vget_low_u16(V_U16(a)), vget_low_u16(V_U16(b)));
    const uint32x4_t hi = vmull_high_u16(V_U16(a), V_U16(b));
    return V_FROM_U16(vuzp2q_u16(vreinterpretq_u16_u32(lo), vreinterpretq_u16_u32(hi)));
}

/* a0*b0 + a1*b1 of each pair of signed 16-bit lanes. */
V_INLINE vi v_madd16(vi a, vi b)
{
    const int32x4_t lo = vmull_s16(vget_low_s16(V_S16(a)), vget_low_s16(V_S16(b)));
    return vpaddq_s32(lo, vmull_high_s16(V_S16(a), V_S16(b)));
}

V_INLINE vacc v_acc_zero(void)
{
    return (vacc){ { vdupq_n_s32(0), vdupq_n_s32(0) } };
}

/* A sum that starts from `v`. */
V_INLINE vacc v_acc_from(vi v)
{
    const int32x4_t zero = vdupq_n_s32(0);
    return (vacc){ { vzip1q_s32(v, zero), vzip2q_s32(v, zero) } };
}

V_INLINE vacc v_acc_madd16(vacc acc, vi a, vi b)
{
    acc.val[0] = vmlal_s16(acc.val[0], vget_low_s16(V_S16(a)), vget_low_s16(V_S16(b)));
    acc.val[1] = vmlal_high_s16(acc.val[1], V_S16(a), V_S16(b));
    return acc;
}

V_INLINE vi v_acc_sum(vacc acc)
{
    return vpaddq_s32(acc.val[0], acc.val[1]);
}

/* 64-bit products of the even 32-bit lanes. */
V_INLINE vi v_mul_even_u32(vi a, vi b)
{
    return vreinterpretq_s32_u64(
        vmull_u32(vmovn_u64(vreinterpretq_u64_s32(a)), vmovn_u64(vreinterpretq_u64_s32(b))));
}

V_INLINE vi v_mul_even_s32(vi a, vi b)
{
    return vreinterpretq_s32_s64(
        vmull_s32(vmovn_s64(vreinterpretq_s64_s32(a)), vmovn_s64(vreinterpretq_s64_s32(b))));
}

/* (a * b + 2^31) >> 32, unsigned. */
V_INLINE vi v_mulhi_round_u32(vi a, vi b)
{
    const uint64x2_t lo = vmull_u32(vget_low_u32(V_U32(a)), vget_low_u32(V_U32(b)));
    const uint64x2_t hi = vmull_high_u32(V_U32(a), V_U32(b));
    return V_FROM_U32(vrshrn_high_n_u64(vrshrn_n_u64(lo, 32), hi, 32));
}

/* (a * b) >> 32, unsigned. */
V_INLINE vi v_mulhi_u32(vi a, vi b)
{
    const uint64x2_t lo = vmull_u32(vget_low_u32(V_U32(a)), vget_low_u32(V_U32(b)));
    const uint64x2_t hi = vmull_high_u32(V_U32(a), V_U32(b));
    return V_FROM_U32(vuzp2q_u32(vreinterpretq_u32_u64(lo), vreinterpretq_u32_u64(hi)));
}

/* (a * b + 2^14) >> 15, signed; not for -32768 times itself. */
V_INLINE vi v_mulhrs_s16(vi a, vi b)
{
    return V_FROM_S16(vqrdmulhq_s16(V_S16(a), V_S16(b)));
}

/* ---- lanes of 32 bits ---- */

V_INLINE vi v_min_s32(vi a, vi b)
{
    return vminq_s32(a, b);
}

V_INLINE vi v_max_s32(vi a, vi b)
{
    return vmaxq_s32(a, b);
}

V_INLINE vi v_abs_s32(vi a)
{
    return vabsq_s32(a);
}

V_INLINE vi v_min_s16(vi a, vi b)
{
    return V_FROM_S16(vminq_s16(V_S16(a), V_S16(b)));
}

V_INLINE vi v_max_s16(vi a, vi b)
{
    return V_FROM_S16(vmaxq_s16(V_S16(a), V_S16(b)));
}

V_INLINE vi v_abs_s16(vi a)
{
    return V_FROM_S16(vabsq_s16(V_S16(a)));
}

V_INLINE vi v_min_u16(vi a, vi b)
{
    return V_FROM_U16(vminq_u16(V_U16(a), V_U16(b)));
}

V_INLINE vi v_min_u32(vi a, vi b)
{
    return V_FROM_U32(vminq_u32(V_U32(a), V_U32(b)));
}

/* (a + b + 1) >> 1 of unsigned lanes of 16 bits, the sum not cut. */
V_INLINE vi v_avg_u16(vi a, vi b)
{
    return V_FROM_U16(vrhaddq_u16(V_U16(a), V_U16(b)));
}

/* Counts per lane, 0…31. */
V_INLINE vi v_shlv32(vi a, vi count)
{
    return vshlq_s32(a, count);
}

V_INLINE vi v_shrv_u32(vi a, vi count)
{
    return V_FROM_U32(vshlq_u32(V_U32(a), vnegq_s32(count)));
}

/* floor(log2 x) of 1…2^31-1. */
V_INLINE vi v_log2_floor32(vi x)
{
    return vsubq_s32(vdupq_n_s32(31), vclzq_s32(x));
}

/* table[index modulo 8]. */
V_INLINE vf v_lookup8_f32(const float *table, vi index)
{
    const uint8_t *const bytes = (const uint8_t *)table;
    const uint8x16x2_t entries = { { vld1q_u8(bytes), vld1q_u8(bytes + 16) } };
    const uint32x4_t entry = vandq_u32(V_U32(index), vdupq_n_u32(7));
    const uint32x4_t at = vmlaq_n_u32(vdupq_n_u32(0x03020100), entry, 0x04040404);
    return vreinterpretq_f32_u8(vqtbl2q_u8(entries, vreinterpretq_u8_u32(at)));
}

/* table[index] for any table. */
V_INLINE vf v_gather_f32(const float *table, vi index)
{
    const float lanes[4] = { table[vgetq_lane_s32(index, 0)], table[vgetq_lane_s32(index, 1)],
                             table[vgetq_lane_s32(index, 2)], table[vgetq_lane_s32(index, 3)] };
    return vld1q_f32(lanes);
}

/* Bit i: lanes i of 16 bits differ. */
V_INLINE uint32_t v_differ16(vi a, vi b)
{
    static const uint16_t bit[8] = { 1, 2, 4, 8, 16, 32, 64, 128 };
    const uint16x8_t equal = vceqq_u16(vreinterpretq_u16_s32(a), vreinterpretq_u16_s32(b));
    return vaddvq_u16(vbicq_u16(vld1q_u16(bit), equal));
}

/* ---- choices ---- */

V_INLINE vm vm_gt_s32(vi a, vi b)
{
    return vcgtq_s32(a, b);
}

V_INLINE vm vm_eq32(vi a, vi b)
{
    return vceqq_s32(a, b);
}

V_INLINE vm vm_ge_f32(vf a, vf b)
{
    return vcgeq_f32(a, b);
}

V_INLINE vm vm_gt_f32(vf a, vf b)
{
    return vcgtq_f32(a, b);
}

V_INLINE vm vm_and(vm a, vm b)
{
    return vandq_u32(a, b);
}

V_INLINE vm vm_or(vm a, vm b)
{
    return vorrq_u32(a, b);
}

V_INLINE vm vm_not(vm a)
{
    return vmvnq_u32(a);
}

V_INLINE int vm_any(vm m)
{
    return vmaxvq_u32(m) != 0;
}

V_INLINE int vm_count(vm m)
{
    return (int)vaddvq_u32(vshrq_n_u32(m, 31));
}

/* Bit i: lane i. */
V_INLINE unsigned vm_bits(vm m)
{
    const uint32x4_t weight = { 1, 2, 4, 8 };
    return vaddvq_u32(vandq_u32(m, weight));
}

V_INLINE vf v_select_f32(vm m, vf yes, vf no)
{
    return vbslq_f32(m, yes, no);
}

/* v where chosen, else 0. */
V_INLINE vi v_keep32(vm m, vi v)
{
    return V_FROM_U32(vandq_u32(m, V_U32(v)));
}

/* ---- conversions ---- */

V_INLINE vf v_s32_to_f32(vi a)
{
    return vcvtq_f32_s32(a);
}

V_INLINE vi v_f32_to_s32_trunc(vf a)
{
    return vcvtq_s32_f32(a);
}

/* V32 integers as doubles, none negative, in an order that v_f64_to_s32_trunc undoes. */
V_INLINE void v_load_u31_to_f64(vd out[2], const int32_t *p)
{
    out[0] = vcvtq_f64_s64(vmovl_s32(vld1_s32(p)));
    out[1] = vcvtq_f64_s64(vmovl_s32(vld1_s32(p + V64)));
}

V_INLINE vd v_s32_lo_to_f64(vi a)
{
    return vcvtq_f64_s64(vmovl_s32(vget_low_s32(a)));
}

V_INLINE vd v_s32_hi_to_f64(vi a)
{
    return vcvtq_f64_s64(vmovl_high_s32(a));
}

V_INLINE vi v_f64_to_s32_trunc(vd lo, vd hi)
{
    return vmovn_high_s64(vmovn_s64(vcvtq_s64_f64(lo)), vcvtq_s64_f64(hi));
}

V_INLINE vd v_f32_lo_to_f64(vf a)
{
    return vcvt_f64_f32(vget_low_f32(a));
}

V_INLINE vd v_f32_hi_to_f64(vf a)
{
    return vcvt_high_f64_f32(a);
}

V_INLINE vf v_f64_to_f32(vd lo, vd hi)
{
    return vcvt_high_f32_f64(vcvt_f32_f64(lo), hi);
}

/* b where a is not less. */
V_INLINE vd v_min_f64(vd a, vd b)
{
    return vbslq_f64(vcltq_f64(a, b), a, b);
}

V_INLINE vf v_min_f32(vf a, vf b)
{
    return vbslq_f32(vcltq_f32(a, b), a, b);
}

V_INLINE vf v_max_f32(vf a, vf b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}

/* a * b + c, fused where the set has it: for sums that come out the same either way. */
V_INLINE vf v_muladd_f32(vf a, vf b, vf c)
{
    return vfmaq_f32(c, a, b);
}

V_INLINE vf v_sqrt_f32(vf a)
{
    return vsqrtq_f32(a);
}

V_INLINE vd v_sqrt_f64(vd a)
{
    return vsqrtq_f64(a);
}

/* Floats that are as many as a vector's doubles */
typedef float32x2_t vhalf;

V_INLINE vd v_half_to_f64(vhalf a)
{
    return vcvt_f64_f32(a);
}

V_INLINE vhalf v_f64_to_half(vd a)
{
    return vcvt_f32_f64(a);
}

/* Rounded to single precision, still a double. */
V_INLINE vd v_round_to_f32(vd a)
{
    return v_half_to_f64(v_f64_to_half(a));
}
