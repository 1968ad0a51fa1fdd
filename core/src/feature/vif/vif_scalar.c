/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The row routines of vif in plain C. All other versions must give the same results. Pairs hold the
 * plain samples, (row 2j, row 2j+1) for each column; channels hold plain unsigned numbers. */
#include <math.h>
#include <stddef.h>

#include "base/simd_fn.h"
#include "feature/vif/vif.h"

/* The kernels have odd lengths and sum to 65536. */
static const uint16_t kernels[VIF_SCALES][2 * VIF_REACH + 1] = {
    { 489, 935, 1640, 2640, 3896, 5274, 6547, 7455, 7784, 7455, 6547, 5274, 3896, 2640, 1640, 935,
      489 },
    { 1244, 3663, 7925, 12590, 14692, 12590, 7925, 3663, 1244 },
    { 3571, 16004, 26386, 16004, 3571 },
    { 10904, 43728, 10904 },
};

void vif_log_table_fill(uint16_t table[VIF_LOG_ENTRIES])
{
    /* The reference rounds log2 to single precision before it rounds again. Adding a thousandth has
     * the same effect and stays clear of every tie, so any implementation of log2 gives the same
     * table. */
    for (int i = 0; i < VIF_LOG_ENTRIES; i++)
        table[i] = (uint16_t)floor(2048.0 * log2(32768.0 + i) + 0.5 + 1.0 / 1024.0);
}

/* 2048 * log2 x, from the top 16 bits of x >= 2^17. */
static uint32_t log_q11(const uint16_t *table, uint32_t x)
{
    const int drop = 16 - __builtin_clz(x);
    return table[(x >> drop) - VIF_LOG_ENTRIES] + 2048 * (uint32_t)drop;
}

void vif_add_pixel(VifSums *sums, int32_t var_ref, int32_t var_dis, int32_t cov,
                   const VifPixelParams *params)
{
    const double epsilon = 65536 * 1.0e-10;
    const uint16_t *const table = params->log_table;

    if (var_ref < VIF_NOISE) {
        sums->flat_energy += (uint32_t)var_dis;
        sums->flat_count++;
        return;
    }
    sums->den_log += log_q11(table, (uint32_t)(VIF_NOISE + var_ref)) - 2048 * 17;
    if (cov <= 0 || var_dis <= 0)
        return;

    double gain = cov / (var_ref + epsilon);
    const int32_t rest = (int32_t)(var_dis - gain * cov);
    gain = gain < params->gain_limit ? gain : params->gain_limit;
    const int32_t signal = (int32_t)(gain * gain * var_ref);
    const uint32_t noise = VIF_NOISE + (uint32_t)(rest > 0 ? rest : 0);
    sums->num_log += log_q11(table, noise + (uint32_t)signal) - log_q11(table, noise);
}

static uint64_t round_shift(uint64_t x, int bits)
{
    return bits ? (x + (UINT64_C(1) << (bits - 1))) >> bits : x;
}

static void join_8(uint16_t *pair, const void *even, const void *odd, int n, int depth)
{
    const uint8_t *const a = even, *const b = odd;
    for (int x = 0; x < n; x++) {
        pair[2 * x] = a[x];
        pair[2 * x + 1] = b[x];
    }
}

static void join_16(uint16_t *pair, const void *even, const void *odd, int n, int depth)
{
    const uint16_t *const a = even, *const b = odd;
    for (int x = 0; x < n; x++) {
        pair[2 * x] = a[x];
        pair[2 * x + 1] = b[x];
    }
}

static void put32(uint16_t *hi, uint64_t value)
{
    hi[0] = (uint16_t)(value >> 16);
    hi[VIF_PITCH] = (uint16_t)value;
}

static uint32_t get32(const uint16_t *hi)
{
    return (uint32_t)hi[0] << 16 | hi[VIF_PITCH];
}

/* The sample of row y + `row`, column x, of the picture whose pairs begin at word `offset`. */
static uint64_t sample(const uint16_t *const *pairs, int row, size_t offset, int x)
{
    return pairs[row >> 1][offset + 2 * (size_t)x + (row & 1)];
}

static inline void stats_columns(uint16_t *columns, const uint16_t *const *pairs, int n,
                                 const VifShifts *shifts, int scale)
{
    const int first = vif_pair_reach(scale) - vif_reach(scale);
    for (int row = 0; row < 2; row++, columns += VIF_ROW_WORDS) {
        for (int x = 0; x < n; x++) {
            uint64_t r = 0, d = 0, rr = 0, dd = 0, rd = 0;
            for (int k = 0; k <= 2 * vif_reach(scale); k++) {
                const uint64_t tap = kernels[scale][k];
                const uint64_t ref = sample(pairs, first + row + k, 0, x);
                const uint64_t dis = sample(pairs, first + row + k, VIF_PAIR_WORDS / 2, x);
                r += tap * ref;
                d += tap * dis;
                rr += tap * ref * ref;
                dd += tap * dis * dis;
                rd += tap * ref * dis;
            }
            columns[VIF_MEAN_REF * VIF_PITCH + x] = (uint16_t)round_shift(r, shifts->mean);
            columns[VIF_MEAN_DIS * VIF_PITCH + x] = (uint16_t)round_shift(d, shifts->mean);
            put32(&columns[VIF_REF_REF_HI * VIF_PITCH + x], round_shift(rr, shifts->square));
            put32(&columns[VIF_DIS_DIS_HI * VIF_PITCH + x], round_shift(dd, shifts->square));
            put32(&columns[VIF_REF_DIS_HI * VIF_PITCH + x], round_shift(rd, shifts->square));
        }
    }
}

static inline void stats_row(VifLaneSums *lanes, const uint16_t *columns, int n,
                             const VifPixelParams *params, int scale)
{
    VifSums sums = { 0 };
    for (int x = 0; x < n; x++) {
        const uint16_t *at = columns + x - vif_reach(scale);
        uint64_t mr = 0, md = 0, rr = 0, dd = 0, rd = 0;
        for (int k = 0; k <= 2 * vif_reach(scale); k++, at++) {
            const uint64_t tap = kernels[scale][k];
            mr += tap * at[VIF_MEAN_REF * VIF_PITCH];
            md += tap * at[VIF_MEAN_DIS * VIF_PITCH];
            rr += tap * get32(&at[VIF_REF_REF_HI * VIF_PITCH]);
            dd += tap * get32(&at[VIF_DIS_DIS_HI * VIF_PITCH]);
            rd += tap * get32(&at[VIF_REF_DIS_HI * VIF_PITCH]);
        }
        const int32_t var_ref = (int32_t)(round_shift(rr, 16) - round_shift(mr * mr, 32));
        const int32_t var_dis = (int32_t)(round_shift(dd, 16) - round_shift(md * md, 32));
        const int32_t cov = (int32_t)(round_shift(rd, 16) - round_shift(mr * md, 32));
        vif_add_pixel(&sums, var_ref, var_dis > 0 ? var_dis : 0, cov, params);
    }
    lanes->num_log[0] += sums.num_log;
    lanes->den_log[0] += sums.den_log;
    lanes->flat_energy[0] += sums.flat_energy;
    lanes->flat_count[0] += sums.flat_count;
}

/* `next` is the scale whose kernel is used. */
static inline void halve_columns(uint16_t *columns, const uint16_t *const *pairs, int n, int depth,
                                 int next)
{
    const int first = vif_pair_reach(next) - vif_reach(next);
    for (int x = 0; x < n; x++) {
        uint64_t r = 0, d = 0;
        for (int k = 0; k <= 2 * vif_reach(next); k++) {
            r += kernels[next][k] * sample(pairs, first + k, 0, x);
            d += kernels[next][k] * sample(pairs, first + k, VIF_PAIR_WORDS / 2, x);
        }
        columns[VIF_MEAN_REF * VIF_PITCH + x] = (uint16_t)round_shift(r, depth);
        columns[VIF_MEAN_DIS * VIF_PITCH + x] = (uint16_t)round_shift(d, depth);
    }
}

static inline void halve_row(uint16_t *out, const uint16_t *channel, int n, int next)
{
    for (int i = 0; i < n; i++) {
        uint64_t sum = 0;
        for (int k = 0; k <= 2 * vif_reach(next); k++)
            sum += (uint64_t)kernels[next][k] * channel[2 * i + k - vif_reach(next)];
        out[i] = (uint16_t)round_shift(sum, 16);
    }
}

#define STATS_OF_SCALE(s)                                                                          \
    static void stats_columns_##s(uint16_t *columns, const uint16_t *const *pairs, int n,          \
                                  const VifShifts *shifts)                                         \
    {                                                                                              \
        stats_columns(columns, pairs, n, shifts, s);                                               \
    }                                                                                              \
    static void stats_row_##s(VifLaneSums *sums, const uint16_t *columns, int n,                   \
                              const VifPixelParams *params)                                        \
    {                                                                                              \
        stats_row(sums, columns, n, params, s);                                                    \
    }
STATS_OF_SCALE(0)
STATS_OF_SCALE(1)
STATS_OF_SCALE(2)
STATS_OF_SCALE(3)

#define HALVE_TO_SCALE(s)                                                                          \
    static void halve_columns_to_##s(uint16_t *columns, const uint16_t *const *pairs, int n,       \
                                     int depth)                                                    \
    {                                                                                              \
        halve_columns(columns, pairs, n, depth, s);                                                \
    }                                                                                              \
    static void halve_row_to_##s(uint16_t *out, const uint16_t *channel, int n)                    \
    {                                                                                              \
        halve_row(out, channel, n, s);                                                             \
    }
HALVE_TO_SCALE(1)
HALVE_TO_SCALE(2)
HALVE_TO_SCALE(3)

static const VifDsp scalar = { {
    { join_8, stats_columns_0, stats_row_0, halve_columns_to_1, halve_row_to_1 },
    { join_16, stats_columns_1, stats_row_1, halve_columns_to_2, halve_row_to_2 },
    { join_16, stats_columns_2, stats_row_2, halve_columns_to_3, halve_row_to_3 },
    { join_16, stats_columns_3, stats_row_3, NULL, NULL },
} };

SIMD_DECLARE_ICL(vif_dsp_init, VifDsp *dsp, unsigned bpc);

void vif_dsp_init(VifDsp *dsp, unsigned bpc, unsigned cpu)
{
    *dsp = scalar;
    if (bpc > 8)
        dsp->scale[0].join = join_16;
    SIMD_CALL_ICL(cpu, vif_dsp_init, dsp, bpc);
}
