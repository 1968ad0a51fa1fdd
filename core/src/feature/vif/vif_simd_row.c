/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vif's horizontal pass and its pixels in vectors (see vif_simd.c), as three short loops over a
 * row: filters; variances, which put textured pixels into a queue; logarithms of the queue, several
 * vectors in lock-step. Each loop stays within the registers available. The last one is a long
 * chain of divisions and polynomials, so it keeps several vectors in flight to hide the latency of
 * each step. */
#include "feature/vif/vif_simd.h"

/* ---- filters ---- */

/* One row's filtered channels: first the sums of the even columns, then those of the odd ones. */
#define HALF_ROW (VIF_PITCH / 2)
typedef struct Sums {
    _Alignas(V_BYTES) int32_t mean[2][2][HALF_ROW]; /* [ref, dis][place] */
    int32_t moment[3][2][HALF_ROW];                 /* [ref², dis², ref·dis][place] */
} Sums;

/* Filters two channels at once, for even and odd outputs. Of the words around a position, every
 * fourth is loaded and those between are put together from loaded ones: that way loads and shifts
 * keep pace with the products. */
#define STEP(offset, in_a, in_b)                                                                   \
    if (reach >= (offset) && -(offset) <= reach) {                                                 \
        filter(sum_a, in_a, scale, ((offset) + reach) / 2);                                        \
        filter(sum_b, in_b, scale, ((offset) + reach) / 2);                                        \
    }
V_INLINE void filter_row(vi out[2][2], const uint16_t *a, const uint16_t *b, int scale,
                         int32_t start_a, int32_t start_b)
{
    const int reach = vif_pair_reach(scale);
    const vi mid_a = v_load(a), mid_b = v_load(b);
    vacc sum_a[2], sum_b[2];
    vi a8 = v_load(a - 8), b8 = v_load(b - 8);
    start(sum_a, start_a);
    start(sum_b, start_b);
    STEP(-8, a8, b8)
    STEP(-6, V_SPAN16(a8, mid_a, 2), V_SPAN16(b8, mid_b, 2))
    STEP(-4, v_load(a - 4), v_load(b - 4))
    STEP(-2, V_SPAN16(a8, mid_a, 6), V_SPAN16(b8, mid_b, 6))
    a8 = v_load(a + 8);
    b8 = v_load(b + 8);
    STEP(0, mid_a, mid_b)
    STEP(2, V_SPAN16(mid_a, a8, 2), V_SPAN16(mid_b, b8, 2))
    STEP(4, v_load(a + 4), v_load(b + 4))
    STEP(6, V_SPAN16(mid_a, a8, 6), V_SPAN16(mid_b, b8, 6))
    STEP(8, a8, b8)
    for (int place = 0; place < 2; place++) {
        out[0][place] = total(sum_a[place], mid_a, scale, place);
        out[1][place] = total(sum_b[place], mid_b, scale, place);
    }
}
#undef STEP

V_INLINE void filter_means(Sums *sums, const uint16_t *columns, int n, int scale)
{
    for (int x = 0; x < n; x += V16) {
        vi out[2][2];
        filter_row(out, columns + VIF_MEAN_REF * VIF_PITCH + x,
                   columns + VIF_MEAN_DIS * VIF_PITCH + x, scale, INT32_MIN, INT32_MIN);
        for (int place = 0; place < 2; place++) {
            v_store(&sums->mean[0][place][x / 2], out[0][place]);
            v_store(&sums->mean[1][place][x / 2], out[1][place]);
        }
    }
}

/* Filters a second moment, from the channels of its halves. */
V_INLINE void filter_moment(int32_t sums[2][HALF_ROW], const uint16_t *hi, int n, int scale)
{
    for (int x = 0; x < n; x += V16) {
        vi out[2][2];
        filter_row(out, hi + x, hi + VIF_PITCH + x, scale, INT32_MIN, 1 << 15);
        for (int place = 0; place < 2; place++)
            v_store(&sums[place][x / 2], v_add32(out[0][place], v_shr_s32(out[1][place], 16)));
    }
}

/* ---- variances ---- */

/* Pixels with texture, and among them some without texture, which are stored as 0 and add
 * nothing. */
typedef struct Queue {
    _Alignas(V_BYTES) int32_t ref[VIF_PITCH], dis[VIF_PITCH], cov[VIF_PITCH];
    int length;
} Queue;

typedef struct FlatSums {
    vi energy; /* 64-bit lanes */
    int count;
} FlatSums;

/* A branch decides where the next pixels go, not arithmetic. With arithmetic this stage takes up to
 * a quarter longer in some runs, apparently because loads wait for stores to addresses that are not
 * yet known. */
V_INLINE void queue_pixels(Queue *queue, FlatSums *flat, vi ref, vi dis, vi cov)
{
    const vm is_flat = vm_gt_s32(v_set32(VIF_NOISE), ref), textured = vm_not(is_flat);
    dis = v_max_s32(dis, v_zero());
    flat->energy = v_add64(flat->energy, v_widen_sum_u32(v_keep32(is_flat, dis)));
    flat->count += vm_count(is_flat);
    if (!vm_any(textured))
        return;
    const vm linked = vm_and(textured, vm_gt_s32(v_min_s32(cov, dis), v_zero()));
    v_store(queue->ref + queue->length, v_keep32(textured, ref));
    v_store(queue->dis + queue->length, dis);
    v_store(queue->cov + queue->length, v_keep32(linked, cov));
    queue->length += V32;
}

V_INLINE void find_variances(Queue *queue, FlatSums *flat, const Sums *sums, int n)
{
    for (int x = 0; x < n; x += V16) {
        for (int place = 0; place < 2; place++) {
            const vi mr = v_load(&sums->mean[0][place][x / 2]);
            const vi md = v_load(&sums->mean[1][place][x / 2]);
            vi var[3] = { v_mulhi_round_u32(mr, mr), v_mulhi_round_u32(md, md),
                          v_mulhi_round_u32(mr, md) };
            for (int c = 0; c < 3; c++)
                var[c] = v_sub32(v_load(&sums->moment[c][place][x / 2]), var[c]);
            if (n - x < V16) { /* columns past the end count as flat, without energy */
                const vm inside = vm_first32((n - x + 1 - place) / 2);
                var[0] = v_keep32(inside, var[0]);
                var[1] = v_keep32(inside, var[1]);
            }
            queue_pixels(queue, flat, var[0], var[1], var[2]);
        }
    }
}

/* ---- pixels ---- */

/* A logarithm without a table lookup for each number. [1, 2) is cut into 2^LOG_BITS pieces, by the
 * leading bits. Each piece has a polynomial in the bits that follow (15 bits in all). It gives 2048
 * * log2 minus 2048 / 2^LOG_BITS for every piece before it, so precisely that its rounded value is
 * the table's entry for each of the 32768 leading bit patterns. place_in_piece makes the
 * polynomial's argument; whole_log makes an integer of its value, which is too large by LOG_START.
 * The coefficients were found by linear programming; the test of this file's routines tries every
 * pattern. */
#if V_BYTES == 64 /* a lookup takes 32 entries in one step */
enum { LOG_BITS = 5, LOG_DEGREE = 2 };
#define PLACE_BITS ((1 << (23 - LOG_BITS)) - 256)

/* A number so large that no fraction bits remain: the sum is rounded, and its low bits are the
 * integer. */
#define LOG_MAGIC 0x1.8p23f
#define LOG_START 0x4b400000
static const float log_terms[LOG_DEGREE + 1][1 << LOG_BITS] = {
    { LOG_MAGIC - 4392, LOG_MAGIC - 4189, LOG_MAGIC - 3997, LOG_MAGIC - 3833, LOG_MAGIC - 3675,
      LOG_MAGIC - 3527, LOG_MAGIC - 3381, LOG_MAGIC - 3262, LOG_MAGIC - 3132, LOG_MAGIC - 3023,
      LOG_MAGIC - 2931, LOG_MAGIC - 2826, LOG_MAGIC - 2736, LOG_MAGIC - 2651, LOG_MAGIC - 2584,
      LOG_MAGIC - 2510, LOG_MAGIC - 2444, LOG_MAGIC - 2374, LOG_MAGIC - 2321, LOG_MAGIC - 2262,
      LOG_MAGIC - 2215, LOG_MAGIC - 2172, LOG_MAGIC - 2119, LOG_MAGIC - 2081, LOG_MAGIC - 2039,
      LOG_MAGIC - 2016, LOG_MAGIC - 1981, LOG_MAGIC - 1946, LOG_MAGIC - 1928, LOG_MAGIC - 1905,
      LOG_MAGIC - 1878, LOG_MAGIC - 1860 },
    { 0x1.6c5da8p+12f, 0x1.5bf0dap+12f, 0x1.4c3f4p+12f,  0x1.3f673cp+12f, 0x1.32bf78p+12f,
      0x1.26cae8p+12f, 0x1.1aa1d2p+12f, 0x1.114fc8p+12f, 0x1.0634f4p+12f, 0x1.fa9896p+11f,
      0x1.ec3be6p+11f, 0x1.d9f3eap+11f, 0x1.caab0ap+11f, 0x1.bc02f2p+11f, 0x1.b12658p+11f,
      0x1.a3fe2ap+11f, 0x1.9846bep+11f, 0x1.8b0eb8p+11f, 0x1.818984p+11f, 0x1.760eaep+11f,
      0x1.6d1c3cp+11f, 0x1.64af86p+11f, 0x1.596a6cp+11f, 0x1.517656p+11f, 0x1.4819aep+11f,
      0x1.4317d2p+11f, 0x1.3abd54p+11f, 0x1.321da6p+11f, 0x1.2d56a4p+11f, 0x1.2707d6p+11f,
      0x1.1f6ccp+11f,  0x1.19c92p+11f },
    { -0x1.677666p+10f, -0x1.51c89p+10f, -0x1.3cf4ecp+10f, -0x1.2d2b7ep+10f, -0x1.1d3d56p+10f,
      -0x1.0e2e28p+10f, -0x1.fcaceep+9f, -0x1.e73d7ap+9f,  -0x1.cap+9f,      -0x1.b4c046p+9f,
      -0x1.a5b3dp+9f,   -0x1.8e507ep+9f, -0x1.7c3698p+9f,  -0x1.6ae2cap+9f,  -0x1.60788ep+9f,
      -0x1.51126ep+9f,  -0x1.441a8ep+9f, -0x1.33c428p+9f,  -0x1.2a56e8p+9f,  -0x1.1caa78p+9f,
      -0x1.13b0a4p+9f,  -0x1.0b5a2cp+9f, -0x1.fa5094p+8f,  -0x1.ea781ep+8f,  -0x1.d4567ap+8f,
      -0x1.cefc14p+8f,  -0x1.bbc61cp+8f, -0x1.a74612p+8f,  -0x1.a1656ap+8f,  -0x1.95184cp+8f,
      -0x1.833422p+8f,  -0x1.78d03cp+8f },
};
#define LOOK_UP v_lookup32_f32

V_INLINE vi leading_bits(vi x)
{
    return v_cast_f32(v_s32_to_f32_trunc(x));
}

/* 1 plus the bits after the piece's own, as a fraction. */
V_INLINE vf place_in_piece(vi bits)
{
    return (vf)v_or(v_and(bits, v_set32(PLACE_BITS)), v_set32(0x3f800000));
}

V_INLINE vi whole_log(vf p)
{
    return v_cast_f32(p);
}
#else
enum { LOG_BITS = 3, LOG_DEGREE = 3 };
#define PLACE_BITS ((1 << (23 - LOG_BITS)) - 256)
#define LOG_START 0
/* The constant term is half too large because whole_log truncates. These cubics are right with and
 * without fused multiply-add. */
static const float log_terms[LOG_DEGREE + 1][1 << LOG_BITS] = {
    { 0x1.028d36p-1f, 0x1.72091p+6f, 0x1.279f1p+7f, 0x1.5ad5f8p+7f, 0x1.5d026p+7f, 0x1.3600fp+7f,
      0x1.d7db4p+6f, 0x1.0740cp+6f },
    { 0x1.714604p-12f, 0x1.4844ccp-12f, 0x1.277166p-12f, 0x1.0c96fep-12f, 0x1.ec6c12p-13f,
      0x1.c68c14p-13f, 0x1.a614f4p-13f, 0x1.89f1a8p-13f },
    { -0x1.6db97cp-36f, -0x1.21f14ep-36f, -0x1.d5e912p-37f, -0x1.84ec88p-37f, -0x1.46fe62p-37f,
      -0x1.16c3f2p-37f, -0x1.e0fedcp-38f, -0x1.a30f04p-38f },
    { 0x1.967d34p-60f, 0x1.278d3ap-60f, 0x1.b2949ep-61f, 0x1.4d6170p-61f, 0x1.0276aep-61f,
      0x1.999346p-62f, 0x1.4b85f4p-62f, 0x1.0e3088p-62f },
};
#define LOOK_UP v_lookup8_f32

V_INLINE vi leading_bits(vi x)
{
    /* Clears the bit 18 places below the top one, so that the conversion cannot round past it. */
    return v_cast_f32(v_s32_to_f32(v_andnot(v_shr_u32(x, 18), x)));
}

/* The bits after the piece's own, as a number 256 times too large. */
V_INLINE vf place_in_piece(vi bits)
{
    return v_s32_to_f32(v_and(bits, v_set32(PLACE_BITS)));
}

V_INLINE vi whole_log(vf p)
{
    return v_f32_to_s32_trunc(p);
}
#endif

/* Number of vectors that go through the pixels together. */
#define TOGETHER 4
#define EACH UNROLL for (int j = 0; j < TOGETHER; j++)
#define EACH_HALF UNROLL for (int j = 0; j < 2 * TOGETHER; j++)

/* 2048 * log2 x from the top 16 bits of x, 2^17 <= x < 2^31, in two terms: whole pieces (with too
 * many, since the exponent of a float is 127 too large), and the rest. */
typedef struct Log {
    vi pieces[TOGETHER], rest[TOGETHER];
} Log;

V_INLINE void log_q11(Log *out, const vi x[TOGETHER])
{
    vi bits[TOGETHER];
    vf u[TOGETHER], p[TOGETHER];
    EACH bits[j] = leading_bits(x[j]);
    EACH out->pieces[j] = v_shr_u32(bits[j], 23 - LOG_BITS);
    EACH u[j] = place_in_piece(bits[j]);
    EACH p[j] = LOOK_UP(log_terms[LOG_DEGREE], out->pieces[j]);
    for (int k = LOG_DEGREE - 1; k >= 0; k--)
        EACH p[j] = v_muladd_f32(p[j], u[j], LOOK_UP(log_terms[k], out->pieces[j]));
    EACH out->rest[j] = whole_log(p[j]);
}

/* Sums of a row. `den` still contains the logarithm of the noise, 2^17, once for each pixel of the
 * queue. */
typedef struct LogSums {
    vi num_pieces, num_rest, den_pieces, den_rest;
} LogSums;
#define NOISE_LOG ((127 + 17) * 2048)

V_INLINE void add_pixels(LogSums *sums, const int32_t *ref, const int32_t *dis, const int32_t *cov,
                         vd limit)
{
    const vi noise = v_set32(VIF_NOISE);
    vi x[TOGETHER], y[TOGETHER];
    Log a, b;
    EACH x[j] = v_add32(v_load(ref + j * V32), noise);
    log_q11(&a, x);
    EACH sums->den_pieces = v_add32(sums->den_pieces, a.pieces[j]);
    EACH sums->den_rest = v_add32(sums->den_rest, a.rest[j]);

    vd r[2 * TOGETHER], c[2 * TOGETHER], gain[2 * TOGETHER], rest[2 * TOGETHER];
    EACH v_load_u31_to_f64(r + 2 * j, ref + j * V32);
    EACH v_load_u31_to_f64(c + 2 * j, cov + j * V32);
    EACH_HALF gain[j] = v_div_f64(c[j], v_add_f64(r[j], v_set_f64(65536 * 1.0e-10)));
    EACH
    {
        v_load_u31_to_f64(rest + 2 * j, dis + j * V32);
        rest[2 * j] = v_sub_f64(rest[2 * j], v_mul_f64(gain[2 * j], c[2 * j]));
        rest[2 * j + 1] = v_sub_f64(rest[2 * j + 1], v_mul_f64(gain[2 * j + 1], c[2 * j + 1]));
    }
    EACH_HALF gain[j] = v_min_f64(gain[j], limit);
    EACH_HALF r[j] = v_mul_f64(v_mul_f64(gain[j], gain[j]), r[j]);
    EACH x[j] = v_max_s32(v_f64_to_s32_trunc(rest[2 * j], rest[2 * j + 1]), v_zero());
    EACH x[j] = v_add32(x[j], noise);
    EACH y[j] = v_add32(v_f64_to_s32_trunc(r[2 * j], r[2 * j + 1]), x[j]);
    log_q11(&a, x);
    log_q11(&b, y);
    EACH sums->num_pieces = v_add32(sums->num_pieces, v_sub32(b.pieces[j], a.pieces[j]));
    EACH sums->num_rest = v_add32(sums->num_rest, v_sub32(b.rest[j], a.rest[j]));
}

V_INLINE vi log_sum(vi pieces, vi rest)
{
    return v_widen_sum_u32(v_add32(v_shl32(pieces, 11 - LOG_BITS), rest));
}

V_INLINE void add_lanes(uint64_t *lanes, vi v)
{
    v_store(lanes, v_add64(v_load(lanes), v));
}

/* ---- a row ---- */

/* Adds a filtered row to the sums. All scales share this function. */
static __attribute__((noinline)) void add_row(VifLaneSums *lanes, const Sums *sums, int n,
                                              const VifPixelParams *params)
{
    const vd limit = v_set_f64(params->gain_limit);
    Queue queue;
    FlatSums flat = { v_zero(), 0 };
    LogSums logs = { v_zero(), v_zero(), v_zero(), v_zero() };
    queue.length = 0;
    find_variances(&queue, &flat, sums, n);
    for (; queue.length % (TOGETHER * V32); queue.length += V32) {
        v_store(queue.ref + queue.length, v_zero());
        v_store(queue.dis + queue.length, v_zero());
        v_store(queue.cov + queue.length, v_zero());
    }
    for (int i = 0; i < queue.length; i += TOGETHER * V32)
        add_pixels(&logs, queue.ref + i, queue.dis + i, queue.cov + i, limit);
    add_lanes(lanes->num_log, log_sum(logs.num_pieces, logs.num_rest));
    const vi den_start = v_set32((int32_t)((unsigned)queue.length / V32 * LOG_START));
    add_lanes(lanes->den_log, log_sum(logs.den_pieces, v_sub32(logs.den_rest, den_start)));
    lanes->den_log[0] -= (uint64_t)queue.length * NOISE_LOG;
    add_lanes(lanes->flat_energy, flat.energy);
    lanes->flat_count[0] += (uint64_t)(flat.count - (-n & (V16 - 1)));
}

#define ROW_OF_SCALE(s)                                                                            \
    static void stats_row_##s(VifLaneSums *lanes, const uint16_t *columns, int n,                  \
                              const VifPixelParams *params)                                        \
    {                                                                                              \
        Sums sums;                                                                                 \
        filter_means(&sums, columns, n, s);                                                        \
        for (int c = 0; c < 3; c++)                                                                \
            filter_moment(sums.moment[c], columns + (VIF_REF_REF_HI + 2 * c) * VIF_PITCH, n, s);   \
        add_row(lanes, &sums, n, params);                                                          \
    }
ROW_OF_SCALE(0)
ROW_OF_SCALE(1)
ROW_OF_SCALE(2)
ROW_OF_SCALE(3)

SIMD_ONCE void SIMD_FN(vif_rows_init)(VifDsp *dsp)
{
    dsp->scale[0].stats_row = stats_row_0;
    dsp->scale[1].stats_row = stats_row_1;
    dsp->scale[2].stats_row = stats_row_2;
    dsp->scale[3].stats_row = stats_row_3;
}
