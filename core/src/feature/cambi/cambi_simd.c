/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* cambi's row functions, compiled for each instruction set. */
#include "base/simd.h"
#include "feature/cambi/cambi_loops.h"

void SIMD_FN(cambi_dsp_init)(CambiDsp *dsp);

static unsigned runs(uint16_t *starts, const uint16_t *codes, size_t n)
{
    unsigned count = 1;
    starts[0] = 0;
    size_t i = 1;
    for (; i + V16 <= n; i += V16) {
        uint32_t bits = v_differ16(v_load(codes + i), v_load(codes + i - 1));
        for (; bits; bits &= bits - 1)
            starts[count++] = (uint16_t)(i + (unsigned)__builtin_ctz(bits));
    }
    for (; i < n; i++) {
        starts[count] = (uint16_t)i;
        count += codes[i] != codes[i - 1];
    }
    starts[count] = (uint16_t)n;
    return count;
}

/* Runs are short, so always working on whole vectors is cheaper than a separate loop for the
 * tail. */
static void add(uint16_t *counts, const uint16_t *by, size_t n)
{
    for (size_t i = 0; i < n; i += V16)
        v_store(counts + i, v_add16(v_load(counts + i), v_load(by + i)));
}

static void subtract(uint16_t *counts, const uint16_t *by, size_t n)
{
    for (size_t i = 0; i < n; i += V16)
        v_store(counts + i, v_sub16(v_load(counts + i), v_load(by + i)));
}

/* Counts are at most 65^2, and the product of two counts of the same window is below 2^24. So with
 * floats only the multiplication by the weight rounds, exactly as converting the whole product
 * would. */
V_INLINE vf contrast_block(const CambiRun *run, const uint16_t *counts)
{
    const vi own = v_load_u16_to_32(counts);
    const vf own_f = v_s32_to_f32(own);
    vf best = v_set_f32(0.0f);
    for (unsigned d = run->first; d <= run->steps; d++) {
        const ptrdiff_t away = (ptrdiff_t)d * run->pitch;
        const vi other =
            v_max_s32(v_load_u16_to_32(counts + away), v_load_u16_to_32(counts - away));
        if (!vm_any(vm_gt_s32(other, v_zero())))
            continue;
        const vf both = v_mul_f32(own_f, v_s32_to_f32(other));
        const vf product = v_mul_f32(both, v_set_f32(cambi_step_weight[d]));
        const vf reciprocal = v_gather_f32(run->reciprocal, v_add32(own, other));
        best = v_max_f32(v_mul_f32(product, reciprocal), best);
    }
    return best;
}

/* From this many samples on, a vector is faster than a loop. */
enum { WORTH_A_VECTOR = 4 };

static void contrast(float *out, const CambiRun *run, size_t n)
{
    size_t i = 0;
    for (; i + V32 <= n; i += V32)
        v_store_f32(out + i, contrast_block(run, run->own + i));
    if (n - i < WORTH_A_VECTOR) {
        for (; i < n; i++)
            out[i] = contrast_of(run, run->own + i);
    } else {
        float rest[V32];
        v_store_f32(rest, contrast_block(run, run->own + i));
        for (size_t k = 0; i + k < n; k++)
            out[i + k] = rest[k];
    }
}

static double sum_above(const float *values, size_t n, float limit, size_t *count)
{
    const vf least = v_set_f32(limit);
    vd lo = v_set_f64(0.0), hi = v_set_f64(0.0);
    double lanes[2 * V64], sum = 0.0;
    size_t above = 0, i = 0;
    for (; i + V32 <= n; i += V32) {
        const vf value = v_load_f32(values + i);
        const vm counts = vm_gt_f32(value, least);
        const vf kept = (vf)v_keep32(counts, (vi)value);
        lo = v_add_f64(lo, v_f32_lo_to_f64(kept));
        hi = v_add_f64(hi, v_f32_hi_to_f64(kept));
        above += (size_t)vm_count(counts);
    }
    v_store_f64(lanes, lo);
    v_store_f64(lanes + V64, hi);
    for (int k = 0; k < 2 * V64; k++)
        sum += lanes[k];
    for (; i < n; i++) {
        if (values[i] > limit) {
            sum += values[i];
            above++;
        }
    }
    *count = above;
    return sum;
}

SIMD_ONCE void SIMD_FN(cambi_dsp_init)(CambiDsp *dsp)
{
    *dsp = (CambiDsp){
        .widen_8 = widen_8,
        .narrow_16 = narrow_16,
        .smooth = smooth,
        .flat = flat,
        .slide = slide,
        .mask = mask,
        .keep_even_16 = keep_even_16,
        .keep_even_8 = keep_even_8,
        .mode3 = mode3,
        .masked = masked,
        .cancel = cancel,
        .runs = runs,
        .add = add,
        .subtract = subtract,
        .contrast = contrast,
        .sum_above = sum_above,
    };
}
