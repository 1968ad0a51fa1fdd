/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vif's horizontal pass and its pixels in vectors (see vif_simd.c), as three short loops over a row:
 * filters; variances, which queue up what has texture; logarithms of the queue, several vectors in
 * lock-step. Each loop keeps to the registers there are, and the last one, a long chain of divisions
 * and polynomials, has enough in flight to hide how long each step takes. */
#include "feature/vif/vif_simd.h"

/* ---- filters ---- */

/* One row's filtered channels: the even columns' sums, then the odd ones'. */
#define HALF_ROW (VIF_PITCH / 2)
typedef struct Sums {
    int32_t mean[2][2][HALF_ROW];   /* [ref, dis][place] */
    int32_t moment[3][2][HALF_ROW]; /* [ref², dis², ref·dis][place] */
} Sums;

/* Two channels at once, for even and odd outputs. Of the words about a place, those 8 before, at and
 * 8 after it are loaded; what lies between is put together from them. */
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
    STEP(-4, V_SPAN16(a8, mid_a, 4), V_SPAN16(b8, mid_b, 4))
    STEP(-2, V_SPAN16(a8, mid_a, 6), V_SPAN16(b8, mid_b, 6))
    a8 = v_load(a + 8);
    b8 = v_load(b + 8);
    STEP(0, mid_a, mid_b)
    STEP(2, V_SPAN16(mid_a, a8, 2), V_SPAN16(mid_b, b8, 2))
    STEP(4, V_SPAN16(mid_a, a8, 4), V_SPAN16(mid_b, b8, 4))
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

/* A second moment, from the channels of its halves. */
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

/* Pixels with texture, and among them some without, which count for nothing: their numbers are 0. */
typedef struct Queue {
    int32_t ref[VIF_PITCH], dis[VIF_PITCH], cov[VIF_PITCH];
    int length;
} Queue;

typedef struct FlatSums {
    vi energy, count; /* energy has 64-bit lanes */
} FlatSums;

V_INLINE void queue_pixels(Queue *queue, FlatSums *flat, vi ref, vi dis, vi cov)
{
    const vm is_flat = vm_gt_s32(v_set32(VIF_NOISE), ref), textured = vm_not(is_flat);
    dis = v_max_s32(dis, v_zero());
    flat->energy = v_add64(flat->energy, v_widen_sum_u32(v_keep32(is_flat, dis)));
    flat->count = v_add32(flat->count, v_keep32(is_flat, v_set32(1)));
    const vm linked = vm_and(textured, vm_gt_s32(v_min_s32(cov, dis), v_zero()));
    v_store(queue->ref + queue->length, v_keep32(textured, ref));
    v_store(queue->dis + queue->length, dis);
    v_store(queue->cov + queue->length, v_keep32(linked, cov));
    queue->length += vm_any(textured) ? V32 : 0;
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
            if (n - x < V16) { /* columns past the end: flat, without energy */
                const vm inside = vm_first32((n - x + 1 - place) / 2);
                var[0] = v_keep32(inside, var[0]);
                var[1] = v_keep32(inside, var[1]);
            }
            queue_pixels(queue, flat, var[0], var[1], var[2]);
        }
    }
}

/* ---- pixels ---- */

/* [1, 2) is cut into 2^LOG_BITS pieces, by the leading bits. Each has a polynomial in the bits that
 * follow its own, 15 in all (as a number, 256 times too large), which gives 2048 * log2 + 1/2, less
 * 2048 / 2^LOG_BITS for every piece before it, well enough that its whole part, in single precision,
 * is the table's entry for each of the 32768 leading bit patterns; the cubics do so fused or not.
 * Found by linear programming; the test of this file's routines tries every pattern. */
#if V_BYTES == 64 /* a lookup takes 32 entries in one step */
enum { LOG_BITS = 5, LOG_DEGREE = 2 };
static const float log_terms[LOG_DEGREE + 1][1 << LOG_BITS] = {
    { 0x1.013932p-1f, 0x1.b6b3a2p+4f, 0x1.9d02fep+5f, 0x1.2515c6p+6f, 0x1.720022p+6f,
      0x1.b5d718p+6f, 0x1.f11176p+6f, 0x1.12034p+7f,  0x1.279e06p+7f, 0x1.398966p+7f,
      0x1.47ebcp+7f,  0x1.52fcaap+7f, 0x1.5ad95cp+7f, 0x1.5fa44p+7f,  0x1.618074p+7f,
      0x1.6098d8p+7f, 0x1.5d022ep+7f, 0x1.56dbc8p+7f, 0x1.4e3c9ep+7f, 0x1.4342f4p+7f,
      0x1.360134p+7f, 0x1.268f76p+7f, 0x1.1507dp+7f,  0x1.01754cp+7f, 0x1.d7dfe2p+6f,
      0x1.a908b6p+6f, 0x1.768e38p+6f, 0x1.40a61ap+6f, 0x1.073ebp+6f,  0x1.952e58p+5f,
      0x1.158ef8p+5f, 0x1.1f8c9ep+4f },
    { 0x1.714a36p-12f, 0x1.661aap-12f,  0x1.5b83a8p-12f, 0x1.51a6c2p-12f, 0x1.486a98p-12f,
      0x1.3f69ecp-12f, 0x1.36de32p-12f, 0x1.2effccp-12f, 0x1.276f28p-12f, 0x1.201726p-12f,
      0x1.197ff2p-12f, 0x1.12cc2p-12f,  0x1.0c790cp-12f, 0x1.068d6cp-12f, 0x1.00fe54p-12f,
      0x1.f6ec32p-13f, 0x1.ec688cp-13f, 0x1.e243aap-13f, 0x1.d8bc42p-13f, 0x1.cf5278p-13f,
      0x1.c6860ap-13f, 0x1.be07bp-13f,  0x1.b59048p-13f, 0x1.adaeb4p-13f, 0x1.a5eca6p-13f,
      0x1.9eb9bap-13f, 0x1.97b0f8p-13f, 0x1.905ad4p-13f, 0x1.89fb28p-13f, 0x1.83ad4ap-13f,
      0x1.7d4006p-13f, 0x1.7729bp-13f },
    { -0x1.68cc56p-36f, -0x1.5201b6p-36f, -0x1.3ab93ep-36f, -0x1.2da7a2p-36f, -0x1.287c0ap-36f,
      -0x1.0eaf2ep-36f, -0x1.f6e8b4p-37f, -0x1.e6e468p-37f, -0x1.ccf7cap-37f, -0x1.9d2234p-37f,
      -0x1.b1f93cp-37f, -0x1.8eaca6p-37f, -0x1.7287fp-37f,  -0x1.683006p-37f, -0x1.689bfp-37f,
      -0x1.519fc4p-37f, -0x1.41c776p-37f, -0x1.2dd71cp-37f, -0x1.2a74a4p-37f, -0x1.15dbe4p-37f,
      -0x1.12b154p-37f, -0x1.0bdc0cp-37f, -0x1.efce22p-38f, -0x1.e9c112p-38f, -0x1.c8fdc2p-38f,
      -0x1.d1e308p-38f, -0x1.c5acd8p-38f, -0x1.90a84cp-38f, -0x1.a17b2p-38f,  -0x1.aff06cp-38f,
      -0x1.83bb18p-38f, -0x1.78bd22p-38f },
};
#define LOOK_UP v_lookup32_f32
#else
enum { LOG_BITS = 3, LOG_DEGREE = 3 };
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
#endif

/* As many vectors go through the pixels together. */
#define TOGETHER 4
#define EACH UNROLL for (int j = 0; j < TOGETHER; j++)
#define EACH_HALF UNROLL for (int j = 0; j < 2 * TOGETHER; j++)

/* 2048 * log2 x from the top 16 bits of x, 2^17 <= x < 2^31: as many whole pieces, with those that the
 * exponent of a float, 127 too large, has too many; and the rest. */
typedef struct Log {
    vi pieces[TOGETHER], rest[TOGETHER];
} Log;

V_INLINE void log_q11(Log *out, const vi x[TOGETHER])
{
    vi bits[TOGETHER];
    vf u[TOGETHER], p[TOGETHER];
    /* Clears the bit 18 places below the top one: the conversion cannot round past it. */
    EACH bits[j] = v_cast_f32(v_s32_to_f32(v_andnot(v_shr_u32(x[j], 18), x[j])));
    EACH out->pieces[j] = v_shr_u32(bits[j], 23 - LOG_BITS);
    EACH u[j] = v_s32_to_f32(v_and(bits[j], v_set32((1 << (23 - LOG_BITS)) - 256)));
    EACH p[j] = LOOK_UP(log_terms[LOG_DEGREE], out->pieces[j]);
    for (int k = LOG_DEGREE - 1; k >= 0; k--)
        EACH p[j] = v_muladd_f32(p[j], u[j], LOOK_UP(log_terms[k], out->pieces[j]));
    EACH out->rest[j] = v_f32_to_s32_trunc(p[j]);
}

/* Of a row; the logarithm of the noise, 2^17, is still in `den`, once for each pixel of the queue. */
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
    EACH_HALF r[j] = v_load_s32_to_f64(ref + j * V64);
    EACH_HALF c[j] = v_load_s32_to_f64(cov + j * V64);
    EACH_HALF gain[j] = v_div_f64(c[j], v_add_f64(r[j], v_set_f64(65536 * 1.0e-10)));
    EACH_HALF rest[j] = v_sub_f64(v_load_s32_to_f64(dis + j * V64), v_mul_f64(gain[j], c[j]));
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

/* One for all scales. */
static __attribute__((noinline)) void add_row(VifLaneSums *lanes, const Sums *sums, int n,
                                              const VifPixelParams *params)
{
    const vd limit = v_set_f64(params->gain_limit);
    Queue queue;
    FlatSums flat = { v_zero(), v_zero() };
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
    add_lanes(lanes->den_log, log_sum(logs.den_pieces, logs.den_rest));
    lanes->den_log[0] -= (uint64_t)queue.length * NOISE_LOG;
    add_lanes(lanes->flat_energy, flat.energy);
    add_lanes(lanes->flat_count, v_widen_sum_u32(flat.count));
    lanes->flat_count[0] -= (uint64_t)(-n & (V16 - 1));
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

void SIMD_FN(vif_rows_init)(VifDsp *dsp)
{
    dsp->scale[0].stats_row = stats_row_0;
    dsp->scale[1].stats_row = stats_row_1;
    dsp->scale[2].stats_row = stats_row_2;
    dsp->scale[3].stats_row = stats_row_3;
}
