/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_ms_ssim: structural similarity of luma at five scales, each half the size of the one
 * before. All scales are worked on together: a row of one, as soon as it is there, goes into its
 * window and into the next scale, and is forgotten. */
#include <errno.h>
#include <math.h>

#include "engine/feature.h"
#include "base/log.h"
#include "base/mem.h"
#include "feature/common/plane.h"
#include "feature/common/float_rows.h"
#include "feature/common/ssim/ssim_score.h"
#include "feature/common/ssim/ssim_window.h"
#include "feature/float_ms_ssim/float_ms_ssim.h"
#include "feature/float_ms_ssim/ssim_halve.h"

enum { SCALES = MS_SSIM_SCALES };

/* A window must fit the last scale. */
#define MIN_SIDE (SSIM_WINDOW << (SCALES - 1))

enum { OUT_SCORE, OUT_L, OUT_C = OUT_L + SCALES, OUT_S = OUT_C + SCALES };

/* How much a scale counts: exponents of contrast and structure; of luminance in the last only. */
static const float weight[SCALES] = { 0.0448f, 0.2856f, 0.3001f, 0.2363f, 0.1333f };
static const float luma_weight[SCALES] = { 0.0f, 0.0f, 0.0f, 0.0f, 0.1333f };

typedef struct MsSsimState {
    FloatDsp rows;
    SsimDsp dsp;
    unsigned w[SCALES], h[SCALES];
} MsSsimState;

typedef struct MsSsimScale {
    SsimWindow window;
    SsimHalve halve[2]; /* of each image; not in the last scale */
    float *row[2];      /* the row at hand */
} MsSsimScale;

typedef struct MsSsimScratch {
    MsSsimScale scale[SCALES];
} MsSsimScratch;

typedef struct MsSsimResult {
    SsimSums scale[SCALES];
} MsSsimResult;

static int ms_ssim_init(Feature *f)
{
    const FrameShape *shape = &f->shape;
    if (float_rows_check_depth(f->def->name, shape->bpc))
        return -EINVAL;
    if (shape->w[0] < MIN_SIDE || shape->h[0] < MIN_SIDE) {
        log_error("%s: pictures of %ux%u are too small: both sides must be at least %d",
                  f->def->name, shape->w[0], shape->h[0], MIN_SIDE);
        return -EINVAL;
    }
    MsSsimState *s = f->state = mem_zalloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    float_dsp_init(&s->rows, shape->bpc, f->cpu);
    ssim_dsp_init(&s->dsp, f->cpu);
    s->w[0] = shape->w[0];
    s->h[0] = shape->h[0];
    for (unsigned k = 1; k < SCALES; k++) {
        s->w[k] = (s->w[k - 1] + 1) / 2;
        s->h[k] = (s->h[k - 1] + 1) / 2;
    }
    return 0;
}

static void ms_ssim_scratch_destroy(void *scratch)
{
    MsSsimScratch *s = scratch;
    if (!s)
        return;
    for (unsigned k = 0; k < SCALES; k++) {
        ssim_window_free(&s->scale[k].window);
        for (unsigned i = 0; i < 2; i++) {
            ssim_halve_free(&s->scale[k].halve[i]);
            mem_aligned_free(s->scale[k].row[i]);
        }
    }
    mem_free(s);
}

static int scale_init(MsSsimScale *scale, const MsSsimState *state, unsigned k)
{
    const unsigned w = state->w[k], h = state->h[k];
    int err = ssim_window_init(&scale->window, &state->rows, &state->dsp, w);
    for (unsigned i = 0; i < 2; i++) {
        scale->row[i] = mem_aligned_alloc(w * sizeof(float));
        if (!scale->row[i])
            err = -ENOMEM;
        if (!err && k + 1 < SCALES)
            err = ssim_halve_init(&scale->halve[i], &state->rows, &state->dsp, w, h);
    }
    return err;
}

static int ms_ssim_scratch_create(const Feature *f, void **scratch)
{
    MsSsimScratch *s = mem_zalloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    for (unsigned k = 0; k < SCALES; k++) {
        if (scale_init(&s->scale[k], f->state, k)) {
            ms_ssim_scratch_destroy(s);
            return -ENOMEM;
        }
    }
    *scratch = s;
    return 0;
}

/* Takes the row at hand of scale k, and whatever rows of smaller scales that makes ready. */
static void take_row(MsSsimScratch *s, unsigned k)
{
    MsSsimScale *scale = &s->scale[k];
    ssim_window_push(&scale->window, scale->row[0], scale->row[1]);
    if (k + 1 == SCALES)
        return;
    ssim_halve_push(&scale->halve[0], scale->row[0]);
    ssim_halve_push(&scale->halve[1], scale->row[1]);
    MsSsimScale *next = &s->scale[k + 1];
    while (ssim_halve_pull(&scale->halve[0], next->row[0])) {
        ssim_halve_pull(&scale->halve[1], next->row[1]);
        take_row(s, k + 1);
    }
}

static int ms_ssim_measure(const Feature *f, void *scratch, const FramePair *pair, void *result,
                           Team *team)
{
    const MsSsimState *state = f->state;
    MsSsimScratch *s = scratch;
    const VmafPicture *pic[2] = { pair->ref, pair->dist };
    for (unsigned k = 0; k < SCALES; k++) {
        ssim_window_start(&s->scale[k].window);
        ssim_halve_start(&s->scale[k].halve[0]);
        ssim_halve_start(&s->scale[k].halve[1]);
    }
    for (unsigned y = 0; y < state->h[0]; y++) {
        for (unsigned i = 0; i < 2; i++) {
            const char *row = (const char *)pic[i]->data[0] + (ptrdiff_t)y * pic[i]->stride[0];
            state->rows.load(s->scale[0].row[i], row, state->w[0], (float)depth_step(f->shape.bpc),
                             0.0f);
        }
        take_row(s, 0);
    }
    MsSsimResult *out = result;
    for (unsigned k = 0; k < SCALES; k++)
        out->scale[k] = s->scale[k].window.sums;
    return 0;
}

static int ms_ssim_report(Feature *f, const FrameId *id, const void *result)
{
    const MsSsimState *state = f->state;
    const SsimOptions *opt = f->options;
    const MsSsimResult *r = result;
    SsimMeans mean[SCALES];
    double score = 1.0;
    for (unsigned k = 0; k < SCALES; k++) {
        mean[k] = ssim_means(&r->scale[k], state->w[k], state->h[k]);
        const double l = pow(mean[k].l, luma_weight[k]);
        const double c = pow(mean[k].c, weight[k]);
        const double s = pow(mean[k].s, weight[k]); /* NaN where structures are opposed */
        score *= l * c * s;
    }
    int err = feature_emit(f, OUT_SCORE, id->index, ssim_score(score, opt, &f->shape));
    for (unsigned k = 0; opt->enable_lcs && k < SCALES; k++) {
        err |= feature_emit(f, OUT_L + k, id->index, mean[k].l);
        err |= feature_emit(f, OUT_C + k, id->index, mean[k].c);
        err |= feature_emit(f, OUT_S + k, id->index, mean[k].s);
    }
    return err ? -EINVAL : 0;
}

static const Option ms_ssim_options[] = {
    SSIM_OPTIONS,
    { 0 },
};

#define PART(out, letter, what, k)                                                                 \
    [out + k] = { .name = "float_ms_ssim_" letter "_scale" #k,                                     \
                  .help = what " at scale " #k,                                                    \
                  .extra = true }
#define PARTS(out, letter, what)                                                                   \
    PART(out, letter, what, 0), PART(out, letter, what, 1), PART(out, letter, what, 2),            \
        PART(out, letter, what, 3), PART(out, letter, what, 4)

static const FeatureOutput ms_ssim_outputs[] = {
    [OUT_SCORE] = { .name = "float_ms_ssim", .help = "structural similarity of luma at 5 scales" },
    PARTS(OUT_L, "l", "luminance"),
    PARTS(OUT_C, "c", "contrast"),
    PARTS(OUT_S, "s", "structure"),
    { .name = NULL },
};

static const ResultField fields[] = {
    RESULT_FIELD(MsSsimResult, scale, FIELD_DOUBLE),
    { 0 },
};

const FeatureDef feature_float_ms_ssim = {
    .name = "float_ms_ssim",
    .summary = "structural similarity of luma at five scales",
    .options = ms_ssim_options,
    .options_size = sizeof(SsimOptions),
    .outputs = ms_ssim_outputs,
    .result_size = sizeof(MsSsimResult),
    .fields = fields,
    .init = ms_ssim_init,
    .close = feature_free_state,
    .scratch_create = ms_ssim_scratch_create,
    .scratch_destroy = ms_ssim_scratch_destroy,
    .measure = ms_ssim_measure,
    .report = ms_ssim_report,
    .gpu = &float_ms_ssim_gpu,
};
