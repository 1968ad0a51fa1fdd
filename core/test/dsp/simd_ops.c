/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Checks every operation of the vector language (base/simd.h) against its definition, lane by lane.
 * The build compiles it once for each instruction set. Lanes are random, with the extremes and ties
 * that features meet too rarely to show a fault. */
#include <math.h>

#include "base/simd.h"
#include "dsp/check.h"

/* A vector's bytes as lanes of any type. */
typedef union Lanes {
    uint8_t u8[V_BYTES];
    uint16_t u16[V16];
    int16_t s16[V16];
    uint32_t u32[V32];
    int32_t s32[V32];
    uint64_t u64[V64];
    int64_t s64[V64];
    float f32[V32];
    double f64[V64];
} Lanes;

static const CheckSet *set_;

static vi vector(const Lanes *l)
{
    return v_load(l);
}

static Lanes lanes(vi v)
{
    Lanes l;
    v_store(&l, v);
    return l;
}

static Lanes lanes_f32(vf v)
{
    Lanes l;
    v_store_f32(l.f32, v);
    return l;
}

static Lanes lanes_f64(vd v)
{
    Lanes l;
    v_store_f64(l.f64, v);
    return l;
}

static void same(const char *what, Lanes got, Lanes want)
{
    if (memcmp(&got, &want, sizeof(got)) != 0)
        check_fail("simd %s: %s", set_->name, what);
}

static void same_number(const char *what, uint64_t got, uint64_t want)
{
    if (got != want)
        check_fail("simd %s: %s", set_->name, what);
}

/* Half of the words are values that arithmetic often gets wrong. */
static Lanes random_words(void)
{
    static const uint16_t odd[] = { 0, 1, 2, 0x7fff, 0x8000, 0x8001, 0xffff, 0xfffe, 0x4000 };
    Lanes l;
    for (int i = 0; i < V16; i++)
        l.u16[i] = check_random() & 1 ? odd[check_random() % 9] : (uint16_t)check_random();
    return l;
}

static Lanes random_floats(void)
{
    static const float odd[] = { 0.0f, 1.0f, -1.0f, 0.5f, 16777217.0f, -2147483648.0f, 1e-30f };
    Lanes l;
    for (int i = 0; i < V32; i++)
        l.f32[i] = check_random() & 1
                       ? odd[check_random() % 7]
                       : (float)(int32_t)check_random() / (float)(1 << check_random() % 31);
    return l;
}

static Lanes random_doubles(double limit)
{
    Lanes l;
    for (int i = 0; i < V64; i++)
        l.f64[i] = ((double)check_random() / 2147483648.0 - 1.0) * limit;
    return l;
}

/* `expression` is the wanted value, from a and b, lanes of `type`; x is the lane's number. */
#define EACH(count, type, expression)                                                              \
    for (int x = 0; x < (count); x++)                                                              \
    want.type[x] = (expression)
#define CHECK(op, count, type, expression)                                                         \
    do {                                                                                           \
        Lanes want;                                                                                \
        EACH(count, type, expression);                                                             \
        same(#op, lanes(op), want);                                                                \
    } while (0)
#define CHECK_F32(op, expression)                                                                  \
    do {                                                                                           \
        Lanes want;                                                                                \
        EACH(V32, f32, expression);                                                                \
        same(#op, lanes_f32(op), want);                                                            \
    } while (0)
#define CHECK_F64(op, expression)                                                                  \
    do {                                                                                           \
        Lanes want;                                                                                \
        EACH(V64, f64, expression);                                                                \
        same(#op, lanes_f64(op), want);                                                            \
    } while (0)

static void check_16(void)
{
    const Lanes A = random_words(), B = random_words();
    const vi a = vector(&A), b = vector(&B);
    const int n = (int)(check_random() % 16);
    CHECK(v_add16(a, b), V16, u16, (uint16_t)(A.u16[x] + B.u16[x]));
    CHECK(v_sub16(a, b), V16, u16, (uint16_t)(A.u16[x] - B.u16[x]));
    CHECK(v_mul16(a, b), V16, u16, (uint16_t)((uint32_t)A.u16[x] * B.u16[x]));
    CHECK(v_mulhi_s16(a, b), V16, s16, (int16_t)((int32_t)A.s16[x] * B.s16[x] >> 16));
    CHECK(v_mulhi_u16(a, b), V16, u16, (uint16_t)((uint32_t)A.u16[x] * B.u16[x] >> 16));
    CHECK(v_min_s16(a, b), V16, s16, A.s16[x] < B.s16[x] ? A.s16[x] : B.s16[x]);
    CHECK(v_max_s16(a, b), V16, s16, A.s16[x] > B.s16[x] ? A.s16[x] : B.s16[x]);
    CHECK(v_min_u16(a, b), V16, u16, A.u16[x] < B.u16[x] ? A.u16[x] : B.u16[x]);
    CHECK(v_avg_u16(a, b), V16, u16, (uint16_t)((A.u16[x] + B.u16[x] + 1) >> 1));
    CHECK(v_abs_s16(a), V16, u16, (uint16_t)(A.s16[x] < 0 ? -A.s16[x] : A.s16[x]));
    CHECK(v_shr_u16(a, n), V16, u16, (uint16_t)(A.u16[x] >> n));
    CHECK(v_shr_s16(a, n), V16, s16, (int16_t)(A.s16[x] >> n));
    CHECK(v_set16(A.s16[0]), V16, u16, A.u16[0]);
    Lanes C = B; /* the product of -32768 with itself is not defined */
    for (int i = 0; i < V16; i++)
        C.s16[i] = A.s16[i] == INT16_MIN && B.s16[i] == INT16_MIN ? 3 : B.s16[i];
    CHECK(v_mulhrs_s16(a, vector(&C)), V16, s16,
          (int16_t)(((int32_t)A.s16[x] * C.s16[x] + (1 << 14)) >> 15));
    uint64_t differ = 0;
    for (int i = 0; i < V16; i++) {
        C.u16[i] = check_random() & 1 ? A.u16[i] : B.u16[i];
        differ |= (uint64_t)(A.u16[i] != C.u16[i]) << i;
    }
    same_number("v_differ16", v_differ16(a, vector(&C)), differ);
}

static int32_t madd(const Lanes *a, const Lanes *b, int x)
{
    return (int32_t)((uint32_t)(a->s16[2 * x] * b->s16[2 * x]) +
                     (uint32_t)(a->s16[2 * x + 1] * b->s16[2 * x + 1]));
}

static int log2_floor(uint32_t v)
{
    int log = 0;
    while (v >> log > 1)
        log++;
    return log;
}

static void check_32(void)
{
    const Lanes A = random_words(), B = random_words(), C = random_words();
    const vi a = vector(&A), b = vector(&B);
    const int n = (int)(check_random() % 32);
    CHECK(v_add32(a, b), V32, u32, A.u32[x] + B.u32[x]);
    CHECK(v_sub32(a, b), V32, u32, A.u32[x] - B.u32[x]);
    CHECK(v_mul32(a, b), V32, u32, A.u32[x] * B.u32[x]);
    CHECK(v_mulhi_u32(a, b), V32, u32, (uint32_t)((uint64_t)A.u32[x] * B.u32[x] >> 32));
    CHECK(v_mulhi_round_u32(a, b), V32, u32,
          (uint32_t)(((uint64_t)A.u32[x] * B.u32[x] + (UINT64_C(1) << 31)) >> 32));
    CHECK(v_min_s32(a, b), V32, s32, A.s32[x] < B.s32[x] ? A.s32[x] : B.s32[x]);
    CHECK(v_max_s32(a, b), V32, s32, A.s32[x] > B.s32[x] ? A.s32[x] : B.s32[x]);
    CHECK(v_min_u32(a, b), V32, u32, A.u32[x] < B.u32[x] ? A.u32[x] : B.u32[x]);
    CHECK(v_abs_s32(a), V32, u32, A.s32[x] < 0 ? 0u - A.u32[x] : A.u32[x]);
    CHECK(v_shl32(a, n), V32, u32, A.u32[x] << n);
    CHECK(v_shr_u32(a, n), V32, u32, A.u32[x] >> n);
    CHECK(v_shr_s32(a, n), V32, s32, A.s32[x] >> n);
    CHECK(v_set32(A.s32[0]), V32, u32, A.u32[0]);
    CHECK(v_zero(), V32, u32, 0);
    CHECK(v_madd16(a, b), V32, s32, madd(&A, &B, x));
    CHECK(v_set_pair16(A.s16[0], B.s16[0]), V32, u32, A.u16[0] | (uint32_t)B.u16[0] << 16);
    CHECK(v_acc_sum(v_acc_madd16(v_acc_from(vector(&C)), a, b)), V32, u32,
          C.u32[x] + (uint32_t)madd(&A, &B, x));
    CHECK(v_acc_sum(v_acc_madd16(v_acc_madd16(v_acc_zero(), a, b), b, vector(&C))), V32, u32,
          (uint32_t)madd(&A, &B, x) + (uint32_t)madd(&B, &C, x));
    Lanes count, some;
    for (int i = 0; i < V32; i++) {
        count.u32[i] = check_random() % 32;
        some.u32[i] = A.u32[i] >> (1 + check_random() % 31);
        some.u32[i] += !some.u32[i];
    }
    CHECK(v_shlv32(a, vector(&count)), V32, u32, A.u32[x] << count.u32[x]);
    CHECK(v_shrv_u32(a, vector(&count)), V32, u32, A.u32[x] >> count.u32[x]);
    CHECK(v_log2_floor32(vector(&some)), V32, s32, log2_floor(some.u32[x]));
}

/* Products whose lower half is exactly one half, where rounding matters. */
static void check_ties(void)
{
    Lanes A, B;
    for (int i = 0; i < V32; i++) {
        const int low = (int)(check_random() % 32);
        A.u32[i] = (check_random() | 1) << low;
        B.u32[i] = (check_random() | 1) << (31 - low);
    }
    CHECK(v_mulhi_round_u32(vector(&A), vector(&B)), V32, u32,
          (uint32_t)(((uint64_t)A.u32[x] * B.u32[x] + (UINT64_C(1) << 31)) >> 32));
}

static void check_64(void)
{
    const Lanes A = random_words(), B = random_words();
    const vi a = vector(&A), b = vector(&B);
    const int n = (int)(check_random() % 64);
    CHECK(v_add64(a, b), V64, u64, A.u64[x] + B.u64[x]);
    CHECK(v_sub64(a, b), V64, u64, A.u64[x] - B.u64[x]);
    CHECK(v_and(a, b), V64, u64, A.u64[x] & B.u64[x]);
    CHECK(v_or(a, b), V64, u64, A.u64[x] | B.u64[x]);
    CHECK(v_xor(a, b), V64, u64, A.u64[x] ^ B.u64[x]);
    CHECK(v_andnot(a, b), V64, u64, ~A.u64[x] & B.u64[x]);
    CHECK(v_shl64(a, n), V64, u64, A.u64[x] << n);
    CHECK(v_shr_u64(a, n), V64, u64, A.u64[x] >> n);
    CHECK(v_set64(A.s64[0]), V64, u64, A.u64[0]);
    CHECK(v_mul_even_u32(a, b), V64, u64, (uint64_t)A.u32[2 * x] * B.u32[2 * x]);
    CHECK(v_mul_even_s32(a, b), V64, s64, (int64_t)A.s32[2 * x] * B.s32[2 * x]);
    CHECK(v_widen_sum_u32(a), V64, u64, (uint64_t)A.u32[2 * x] + A.u32[2 * x + 1]);
    uint64_t sum_32 = 0, sum_64 = 0;
    for (int i = 0; i < V64; i++) {
        sum_64 += A.u64[i];
        sum_32 += (uint64_t)A.u32[2 * i] + A.u32[2 * i + 1];
    }
    same_number("v_sum_u32", v_sum_u32(a), sum_32);
    same_number("v_sum_u64", v_sum_u64(a), sum_64);
}

static void check_order(void)
{
    const Lanes A = random_words(), B = random_words();
    const vi a = vector(&A), b = vector(&B), zero = v_zero();
    CHECK(v_load_u8_to_16(&A), V16, u16, A.u8[x]);
    CHECK(v_load_u16_to_32(&A), V32, u32, A.u16[x]);
    CHECK(v_load_s16_to_32(&A), V32, s32, A.s16[x]);
    CHECK(v_widen_lo_s16(a), V32, s32, A.s16[x]);
    CHECK(v_widen_hi_s16(a), V32, s32, A.s16[V32 + x]);
    CHECK(v_pack_high16(a, b), V16, u16, (uint16_t)((x < V32 ? A : B).u32[x % V32] >> 16));
    CHECK(v_pack_low16(a, b), V16, u16, (uint16_t)(x < V32 ? A : B).u32[x % V32]);
    CHECK(v_blend_odd16(a, b), V16, u16, x % 2 ? B.u16[x] : A.u16[x]);
    CHECK(v_blend_odd32(a, b), V32, u32, x % 2 ? B.u32[x] : A.u32[x]);
    CHECK(v_trn_even16(a, b), V16, u16, x % 2 ? B.u16[x - 1] : A.u16[x]);
    CHECK(v_trn_odd16(a, b), V16, u16, x % 2 ? B.u16[x] : A.u16[x + 1]);
    CHECK(V_SPAN16(a, b, 2), V16, u16, x % 8 < 6 ? A.u16[x + 2] : B.u16[x - 6]);
    CHECK(V_SPAN16(a, b, 4), V16, u16, x % 8 < 4 ? A.u16[x + 4] : B.u16[x - 4]);
    CHECK(V_SPAN16(a, b, 6), V16, u16, x % 8 < 2 ? A.u16[x + 6] : B.u16[x - 2]);
    /* A zip followed by a pack keeps the order of the lanes. */
    CHECK(v_pack_u32(v_zip_lo16(a, zero), v_zip_hi16(a, zero)), V16, u16, A.u16[x]);
    CHECK(v_pack_s32(v_shr_s32(v_zip_lo16(zero, a), 16), v_shr_s32(v_zip_hi16(zero, a), 16)), V16,
          s16, A.s16[x]);
    CHECK(v_pack_s32(v_shr_s32(v_zip_lo16(a, b), 16), v_shr_s32(v_zip_hi16(a, b), 16)), V16, s16,
          B.s16[x]);
    uint16_t stored[V32 + 1];
    stored[V32] = 0x1234;
    v_store_32_to_16(stored, a);
    for (int i = 0; i < V32; i++)
        same_number("v_store_32_to_16", stored[i], (uint16_t)A.u32[i]);
    same_number("v_store_32_to_16 stays inside", stored[V32], 0x1234);
}

static void same_choice(const char *what, vm got, uint64_t want)
{
    unsigned count = 0;
    for (int i = 0; i < V32; i++)
        count += want >> i & 1;
    same_number(what, vm_bits(got), want);
    same_number("vm_count", (uint64_t)vm_count(got), count);
    same_number("vm_any", vm_any(got) != 0, want != 0);
}

static void check_choices(void)
{
    const Lanes A = random_words(), F = random_floats(), G = random_floats();
    Lanes B = random_words(), H = G;
    uint64_t greater = 0, equal = 0, not_less = 0, more = 0;
    const uint64_t all = (UINT64_C(1) << V32) - 1;
    for (int i = 0; i < V32; i++) {
        if (check_random() % 3 == 0) {
            B.u32[i] = A.u32[i];
            H.f32[i] = F.f32[i];
        }
        greater |= (uint64_t)(A.s32[i] > B.s32[i]) << i;
        equal |= (uint64_t)(A.s32[i] == B.s32[i]) << i;
        not_less |= (uint64_t)(F.f32[i] >= H.f32[i]) << i;
        more |= (uint64_t)(F.f32[i] > H.f32[i]) << i;
    }
    const vi a = vector(&A), b = vector(&B);
    const vf f = v_load_f32(F.f32), h = v_load_f32(H.f32);
    const vm gt = vm_gt_s32(a, b), eq = vm_eq32(a, b), ge = vm_ge_f32(f, h);
    same_choice("vm_gt_s32", gt, greater);
    same_choice("vm_eq32", eq, equal);
    same_choice("vm_ge_f32", ge, not_less);
    same_choice("vm_gt_f32", vm_gt_f32(f, h), more);
    same_choice("vm_and", vm_and(ge, gt), not_less & greater);
    same_choice("vm_or", vm_or(ge, gt), not_less | greater);
    same_choice("vm_not", vm_not(gt), ~greater & all);
    for (int i = 0; i <= V32; i++)
        same_choice("vm_first32", vm_first32(i), (UINT64_C(1) << i) - 1);
    CHECK(v_keep32(ge, a), V32, u32, not_less >> x & 1 ? A.u32[x] : 0);
    CHECK_F32(v_select_f32(gt, f, h), greater >> x & 1 ? F.f32[x] : H.f32[x]);
}

#if V_BYTES == 64
static float cut_to_float(int32_t x)
{
    const float nearest = (float)x;
    return fabs((double)nearest) > fabs((double)x) ? nextafterf(nearest, 0.0f) : nearest;
}
#endif

static void check_floats(void)
{
    const Lanes A = random_floats(), B = random_floats(), I = random_words();
    const vf a = v_load_f32(A.f32), b = v_load_f32(B.f32);
    Lanes P = A; /* small enough for 32 bits; square roots need numbers that are not negative */
    for (int i = 0; i < V32; i++)
        P.f32[i] = fabsf(A.f32[i]) < 2e9f ? A.f32[i] : 0.25f;
    CHECK_F32(v_add_f32(a, b), A.f32[x] + B.f32[x]);
    CHECK_F32(v_sub_f32(a, b), A.f32[x] - B.f32[x]);
    CHECK_F32(v_mul_f32(a, b), A.f32[x] * B.f32[x]);
    CHECK_F32(v_div_f32(a, v_set_f32(3.0f)), A.f32[x] / 3.0f);
    CHECK_F32(v_min_f32(a, b), A.f32[x] < B.f32[x] ? A.f32[x] : B.f32[x]);
    CHECK_F32(v_max_f32(a, b), A.f32[x] > B.f32[x] ? A.f32[x] : B.f32[x]);
    CHECK_F32(v_abs_f32(a), fabsf(A.f32[x]));
    CHECK_F32(v_sqrt_f32(v_abs_f32(a)), sqrtf(fabsf(A.f32[x])));
    CHECK_F32(v_s32_to_f32(vector(&I)), (float)I.s32[x]);
    CHECK(v_f32_to_s32_trunc(v_load_f32(P.f32)), V32, s32, (int32_t)P.f32[x]);
    CHECK(v_cast_f32(a), V32, u32, A.u32[x]);
    CHECK_F64(v_f32_lo_to_f64(a), (double)A.f32[x]);
    CHECK_F64(v_f32_hi_to_f64(a), (double)A.f32[V64 + x]);
    /* The result is exact, so it is the same fused or not. */
    CHECK_F32(v_muladd_f32(v_s32_to_f32(v_shr_s32(vector(&I), 20)), v_set_f32(3), v_set_f32(7)),
              (float)((I.s32[x] >> 20) * 3 + 7));
    CHECK_F64(v_s32_lo_to_f64(vector(&I)), (double)I.s32[x]);
    CHECK_F64(v_s32_hi_to_f64(vector(&I)), (double)I.s32[V64 + x]);

    float table[64];
    Lanes index;
    for (int i = 0; i < 64; i++)
        table[i] = (float)(int32_t)check_random();
    for (int i = 0; i < V32; i++)
        index.u32[i] = check_random() % 64;
    CHECK_F32(v_gather_f32(table, vector(&index)), table[index.u32[x]]);
    CHECK_F32(v_lookup8_f32(table, vector(&index)), table[index.u32[x] % 8]);
#if V_BYTES == 64
    CHECK_F32(v_s32_to_f32_trunc(vector(&I)), cut_to_float(I.s32[x]));
    CHECK_F32(v_lookup32_f32(table, vector(&index)), table[index.u32[x] % 32]);
#endif
}

static void check_doubles(void)
{
    const Lanes A = random_doubles(1e9), B = random_doubles(2e9);
    const vd a = v_load_f64(A.f64), b = v_load_f64(B.f64);
    CHECK_F64(v_add_f64(a, b), A.f64[x] + B.f64[x]);
    CHECK_F64(v_sub_f64(a, b), A.f64[x] - B.f64[x]);
    CHECK_F64(v_mul_f64(a, b), A.f64[x] * B.f64[x]);
    CHECK_F64(v_div_f64(a, v_set_f64(3.0)), A.f64[x] / 3.0);
    CHECK_F64(v_min_f64(a, b), A.f64[x] < B.f64[x] ? A.f64[x] : B.f64[x]);
    CHECK_F64(v_sqrt_f64(v_mul_f64(a, a)), sqrt(A.f64[x] * A.f64[x]));
    CHECK_F64(v_round_to_f32(a), (double)(float)A.f64[x]);
    CHECK_F64(v_half_to_f64(v_f64_to_half(b)), (double)(float)B.f64[x]);
    Lanes I = random_words();
    for (int i = 0; i < V32; i++)
        I.u32[i] >>= 1;
    vd of[2];
    v_load_u31_to_f64(of, I.s32);
    for (int i = 0; i < 2; i++)
        of[i] = v_sub_f64(v_mul_f64(of[i], v_set_f64(0.25)), v_set_f64(1e8));
    CHECK(v_f64_to_s32_trunc(of[0], of[1]), V32, s32, (int32_t)(I.s32[x] * 0.25 - 1e8));
    CHECK_F32(v_f64_to_f32(a, b), (float)(x < V64 ? A.f64[x] : B.f64[x - V64]));
}

void SIMD_FN(simd_ops_check)(const CheckSet *set)
{
    set_ = set;
    for (int i = 0; i < 2000; i++) {
        check_16();
        check_32();
        check_ties();
        check_64();
        check_order();
        check_choices();
        check_floats();
        check_doubles();
    }
}
