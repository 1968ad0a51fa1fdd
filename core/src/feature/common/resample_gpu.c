/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/common/resample_gpu.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "feature/common/resample_tile.h"

/* Where the samples of the new size come from: its columns, then its rows. */
static int plan_positions(GpuPlan *plan, const Resampler *resampler, ResampleGpu *out)
{
    const unsigned w = resampler_width(resampler), h = resampler_height(resampler);
    ResampleTaps from;
    resampler_column_taps(resampler, 0, &from);
    out->taps = from.count;
    const size_t words = ((size_t)w + h) * from.count * 2;
    uint32_t *const table = mem_array(words, sizeof(*table));
    if (!table)
        return -ENOMEM;
    uint32_t *entry = table;
    for (unsigned i = 0; i < w + h; i++) {
        if (i < w)
            resampler_column_taps(resampler, i, &from);
        else
            resampler_row_taps(resampler, i - w, &from);
        for (unsigned k = 0; k < from.count; k++, entry += 2) {
            entry[0] = from.at[k];
            memcpy(&entry[1], &from.weight[k], sizeof(float));
        }
    }
    out->positions = gpu_table(plan, table, words * sizeof(*table));
    mem_free(table);
    return 0;
}

int resample_plan(GpuPlan *plan, const Resampler *resampler, ResampleGpu *out)
{
    static const uint32_t ways[] = {
        [RESAMPLE_NEAREST] = RESAMPLE_WAY_NEAREST,
        [RESAMPLE_BILINEAR] = RESAMPLE_WAY_BILINEAR,
        [RESAMPLE_BICUBIC] = RESAMPLE_WAY_WEIGHED,
        [RESAMPLE_LANCZOS4] = RESAMPLE_WAY_NORMALISED,
    };
    if (resampler) {
        out->way = ways[resampler_method(resampler)];
        return plan_positions(plan, resampler, out);
    }
    static const uint32_t unused;
    *out = (ResampleGpu){ .positions = gpu_table(plan, &unused, sizeof(unused)),
                          .way = RESAMPLE_WAY_NONE };
    return 0;
}
