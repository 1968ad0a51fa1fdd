/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A feature without GPU code that takes every picture, for tests of features that run beside a
 * device: the mean distance of luma. This registry, the library's plus that feature, replaces the
 * library's own. */
#define ALSO_REGISTER feature_on_cpu
#include "feature/registry.c"

#include <stdlib.h>

typedef struct OnCpuResult {
    uint64_t sum;
} OnCpuResult;

static int sample(const VmafPicture *pic, unsigned x, unsigned y)
{
    const char *row = (const char *)pic->data[0] + (ptrdiff_t)y * pic->stride[0];
    return pic->bpc > 8 ? ((const uint16_t *)row)[x] : ((const uint8_t *)row)[x];
}

static int measure(const Feature *f, void *scratch, const FramePair *pair, void *result, Team *team)
{
    OnCpuResult *r = result;
    r->sum = 0;
    for (unsigned y = 0; y < f->shape.h[0]; y++)
        for (unsigned x = 0; x < f->shape.w[0]; x++)
            r->sum += (uint64_t)abs(sample(pair->ref, x, y) - sample(pair->dist, x, y));
    return 0;
}

static int report(Feature *f, const FrameId *id, const void *result)
{
    const double samples = (double)f->shape.w[0] * f->shape.h[0];
    return feature_emit(f, 0, id->index, (double)((const OnCpuResult *)result)->sum / samples);
}

static const FeatureOutput outputs[] = {
    { .name = "on_cpu", .help = "mean distance of luma" },
    { .name = NULL },
};

const FeatureDef feature_on_cpu = {
    .name = "on_cpu",
    .summary = "mean distance of luma",
    .outputs = outputs,
    .result_size = sizeof(OnCpuResult),
    .measure = measure,
    .report = report,
};
