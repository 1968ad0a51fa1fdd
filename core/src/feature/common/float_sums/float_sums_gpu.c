/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/common/float_sums/float_sums_gpu.h"

#include "feature/common/float_sums/float_sums_tile.h"

GPU_PARAMS(FloatSumsParams, FLOAT_SUMS_PARAMS);

FloatTerms float_terms(GpuPlan *plan, unsigned w, unsigned h, unsigned count)
{
    const GpuBuf planes = gpu_scratch(plan, (size_t)w * h * count * sizeof(float));
    return (FloatTerms){ planes, w, h, count };
}

size_t float_sums_size(unsigned h, unsigned count)
{
    return (size_t)h * count * sizeof(float);
}

void float_sums_plan(GpuPlan *plan, const FloatTerms *terms, GpuBuf result, unsigned first_sum)
{
    const FloatSumsParams params = {
        .width = terms->w,
        .height = terms->h,
        .first_sum = first_sum,
    };
    gpu_pass(plan, &(GpuPass){
                       .kernel = "float_row_sums",
                       GPU_PASS_BUFFERS(terms->planes, result),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { gpu_workgroups(terms->h, SUMS_ROWS), terms->count },
                   });
}

float float_sums_total(const float *rows, unsigned h)
{
    float sum = 0.0f;
    for (unsigned y = 0; y < h; y++)
        sum += rows[y];
    return sum;
}
