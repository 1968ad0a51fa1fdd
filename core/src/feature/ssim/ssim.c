/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ssim: structural similarity of luma from exact integer moments under a 9x9 Gaussian. Not in the
 * reference's command; the figures are those of the well-known tool of that name. */
#include "feature/ssim/ssim.h"

#include <errno.h>
#include <string.h>

#include "engine/feature.h"
#include "base/mem.h"
#include "feature/common/ssim/ssim_dsp.h"

enum { TAPS = 9, REACH = TAPS / 2 };

/* Sigma 1.5, in 1/256. Taps beyond the border are dropped, so positions near it weigh less. */
static const double gauss[TAPS] = { 2, 9, 28, 55, 68, 55, 28, 9, 2 };

/* Moments are whole numbers below 2^48, which a double holds: no sum here is ever rounded. */
typedef struct SsimScratch {
    double *line;                    /* a row of one moment, with REACH zeros at each end */
    double *across[SSIM_MAPS][TAPS]; /* row y, filtered along the row, is in slot y % 9 */
    double *moment[SSIM_MAPS];       /* filtered both ways */
    double *weight;                  /* of each column; that of a row multiplies it */
} SsimScratch;

double ssim_tap_sum(unsigned at, unsigned n)
{
    double sum = 0.0;
    for (int k = 0; k < TAPS; k++) {
        const int i = (int)at + k - REACH;
        if (i >= 0 && i < (int)n)
            sum += gauss[k];
    }
    return sum;
}

SsimConstants ssim_constants(unsigned bpc)
{
    const double peak = (double)((1u << bpc) - 1);
    return (SsimConstants){ peak * peak * (0.01 * 0.01), peak * peak * (0.03 * 0.03) };
}

static void ssim_scratch_destroy(void *scratch)
{
    SsimScratch *s = scratch;
    if (!s)
        return;
    mem_aligned_free(s->line);
    mem_aligned_free(s->weight);
    for (unsigned map = 0; map < SSIM_MAPS; map++) {
        mem_aligned_free(s->moment[map]);
        for (unsigned k = 0; k < TAPS; k++)
            mem_aligned_free(s->across[map][k]);
    }
    mem_free(s);
}

static int ssim_scratch_create(const Feature *f, void **scratch)
{
    const unsigned w = f->shape.w[0];
    SsimScratch *s = mem_zalloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    s->line = mem_aligned_alloc((w + 2 * REACH) * sizeof(double));
    s->weight = mem_aligned_alloc(w * sizeof(double));
    bool failed = !s->line || !s->weight;
    for (unsigned map = 0; map < SSIM_MAPS; map++) {
        s->moment[map] = mem_aligned_alloc(w * sizeof(double));
        failed |= !s->moment[map];
        for (unsigned k = 0; k < TAPS; k++) {
            s->across[map][k] = mem_aligned_alloc(w * sizeof(double));
            failed |= !s->across[map][k];
        }
    }
    if (failed) {
        ssim_scratch_destroy(s);
        return -ENOMEM;
    }
    memset(s->line, 0, (w + 2 * REACH) * sizeof(double));
    for (unsigned x = 0; x < w; x++)
        s->weight[x] = ssim_tap_sum(x, w);
    *scratch = s;
    return 0;
}

static void load_product(double *restrict out, const VmafPicture *a, const VmafPicture *b,
                         unsigned y, unsigned w)
{
    const char *row_a = (const char *)a->data[0] + (ptrdiff_t)y * a->stride[0];
    const char *row_b = b ? (const char *)b->data[0] + (ptrdiff_t)y * b->stride[0] : NULL;
    for (unsigned x = 0; x < w; x++) {
        if (a->bpc > 8)
            out[x] = (double)((const uint16_t *)row_a)[x] * (b ? ((const uint16_t *)row_b)[x] : 1);
        else
            out[x] = (double)((const uint8_t *)row_a)[x] * (b ? ((const uint8_t *)row_b)[x] : 1);
    }
}

static void filter_across(SsimScratch *s, const FramePair *pair, unsigned y, unsigned w)
{
    const VmafPicture *a = pair->ref, *b = pair->dist;
    const VmafPicture *const factor[SSIM_MAPS][2] = {
        [SSIM_A] = { a, NULL }, [SSIM_B] = { b, NULL }, [SSIM_AA] = { a, a },
        [SSIM_BB] = { b, b },   [SSIM_AB] = { a, b },
    };
    for (unsigned map = 0; map < SSIM_MAPS; map++) {
        double *restrict out = s->across[map][y % TAPS];
        load_product(s->line + REACH, factor[map][0], factor[map][1], y, w);
        for (unsigned x = 0; x < w; x++) {
            const double *in = s->line + x;
            out[x] = gauss[0] * (in[0] + in[8]) + gauss[1] * (in[1] + in[7]) +
                     gauss[2] * (in[2] + in[6]) + gauss[3] * (in[3] + in[5]) + gauss[4] * in[4];
        }
    }
}

static void filter_down(SsimScratch *s, unsigned y, unsigned w, unsigned h)
{
    for (unsigned map = 0; map < SSIM_MAPS; map++) {
        double *restrict out = s->moment[map];
        memset(out, 0, w * sizeof(double));
        for (unsigned k = 0; k < TAPS; k++) {
            if (y + k < REACH || y + k >= h + REACH)
                continue;
            const double *restrict in = s->across[map][(y + k - REACH) % TAPS];
            for (unsigned x = 0; x < w; x++)
                out[x] += gauss[k] * in[x];
        }
    }
}

static void add_row(const SsimScratch *s, SsimResult *r, double row_weight, SsimConstants c,
                    unsigned width)
{
    for (unsigned x = 0; x < width; x++) {
        const double w = row_weight * s->weight[x];
        const double a = s->moment[SSIM_A][x], b = s->moment[SSIM_B][x];
        const double k1 = c.luma * w * w, k2 = c.contrast * w * w;
        const double top = w * (2 * (a * b) + k1) * (k2 + 2 * (s->moment[SSIM_AB][x] * w - a * b));
        const double low = (a * a + b * b + k1) * (s->moment[SSIM_AA][x] * w - a * a +
                                                   s->moment[SSIM_BB][x] * w - b * b + k2);
        r->sum += top / low;
        r->weight += w;
    }
}

static int ssim_measure(const Feature *f, void *scratch, const FramePair *pair, void *result,
                        Team *team)
{
    SsimScratch *s = scratch;
    SsimResult r = { 0.0, 0.0 };
    const unsigned w = f->shape.w[0], h = f->shape.h[0];
    const SsimConstants constants = ssim_constants(f->shape.bpc);
    for (unsigned y = 0, loaded = 0; y < h; y++) {
        for (; loaded < h && loaded <= y + REACH; loaded++)
            filter_across(s, pair, loaded, w);
        filter_down(s, y, w, h);
        add_row(s, &r, ssim_tap_sum(y, h), constants, w);
    }
    *(SsimResult *)result = r;
    return 0;
}

static int ssim_report(Feature *f, const FrameId *id, const void *result)
{
    const SsimResult *r = result;
    return feature_emit(f, 0, id->index, r->sum / r->weight);
}

static const FeatureOutput ssim_outputs[] = {
    { .name = "ssim", .help = "structural similarity of luma", .extra = true },
    { .name = NULL },
};

static const ResultField fields[] = {
    RESULT_FIELD(SsimResult, sum, FIELD_DOUBLE),
    RESULT_FIELD(SsimResult, weight, FIELD_DOUBLE),
    { 0 },
};

const FeatureDef feature_ssim = {
    .name = "ssim",
    .summary = "structural similarity of luma, from integers",
    .outputs = ssim_outputs,
    .result_size = sizeof(SsimResult),
    .fields = fields,
    .scratch_create = ssim_scratch_create,
    .scratch_destroy = ssim_scratch_destroy,
    .measure = ssim_measure,
    .report = ssim_report,
    .gpu = &ssim_gpu,
};
