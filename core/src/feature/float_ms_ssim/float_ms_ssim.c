/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_ms_ssim: structural similarity of luma at five scales, each half the size of the one
 * before. All scales are computed together: as soon as a row of a scale is ready, it goes into the
 * window of its scale and into the next scale, and is not needed any more. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "engine/feature.h"
#include "base/log.h"
#include "base/mem.h"
#include "feature/common/plane.h"
#include "feature/common/float_rows.h"
#include "feature/common/ssim/ssim_gpu.h"
#include "feature/float_ms_ssim/float_ms_ssim_tile.h"

enum { SCALES = 5 };

/* The window must fit into the last scale. */
#define MIN_SIDE (SSIM_WINDOW << (SCALES - 1))

enum { OUT_SCORE, OUT_L, OUT_C = OUT_L + SCALES, OUT_S = OUT_C + SCALES };

/* The exponents of contrast and structure at each scale, and of luminance, which counts in the last
 * only. */
static const float weight[SCALES] = { 0.0448f, 0.2856f, 0.3001f, 0.2363f, 0.1333f };
static const float luma_weight[SCALES] = { 0.0f, 0.0f, 0.0f, 0.0f, 0.1333f };

/* ---- halving ---- */

/* Makes the next scale of an image: a 9x9 low-pass, then every other sample of every other row. The
 * image arrives row by row and leaves row by row. */
enum { HALVE_TAPS = 9 };

typedef struct SsimHalve {
    const FloatDsp *rows;
    const SsimDsp *dsp;
    unsigned w, h;  /* size of the input; the output is half as large, rounded up */
    unsigned taken; /* input rows so far */
    unsigned given; /* output rows so far */
    float *line;    /* a row with its reflected borders */
    float *even[HALVE_TAPS], *odd[HALVE_TAPS]; /* even and odd samples of row y, in slot y % 9 */
} SsimHalve;

enum { REACH = HALVE_TAPS / 2 };

/* One quarter of the low-pass, which is symmetric in both directions. It is a filter in two
 * dimensions: applied first along rows and then along columns it would round differently. */
static const float quarter[(REACH + 1) * (REACH + 1)] = { HALVE_QUARTER };

static unsigned fold(unsigned k)
{
    return k <= REACH ? k : HALVE_TAPS - 1 - k;
}

/* Reflects a position at the edges so that the edge sample is repeated. */
static unsigned reflect(int i, int n)
{
    return (unsigned)(i < 0 ? -1 - i : i < n ? i : 2 * n - 1 - i);
}

static unsigned half(unsigned n)
{
    return n / 2 + (n & 1);
}

/* w and h must be above 9. Returns -ENOMEM if there is no memory. Call ssim_halve_free in any
 * case. */
static int ssim_halve_init(SsimHalve *halve, const FloatDsp *rows, const SsimDsp *dsp, unsigned w,
                           unsigned h)
{
    *halve = (SsimHalve){ .rows = rows, .dsp = dsp, .w = w, .h = h };
    halve->line = float_line_alloc(w);
    bool failed = !halve->line;
    for (unsigned k = 0; k < HALVE_TAPS; k++) {
        halve->even[k] = mem_aligned_alloc((half(w) + REACH) * sizeof(float));
        halve->odd[k] = mem_aligned_alloc((half(w) + REACH) * sizeof(float));
        failed |= !halve->even[k] || !halve->odd[k];
    }
    return failed ? -ENOMEM : 0;
}

static void ssim_halve_free(SsimHalve *halve)
{
    float_line_free(halve->line);
    for (unsigned k = 0; k < HALVE_TAPS; k++) {
        mem_aligned_free(halve->even[k]);
        mem_aligned_free(halve->odd[k]);
    }
}

/* Begins a new image. */
static void ssim_halve_start(SsimHalve *halve)
{
    halve->taken = halve->given = 0;
}

/* Takes the next row of the input. */
static void ssim_halve_push(SsimHalve *halve, const float *row)
{
    const unsigned slot = halve->taken++ % HALVE_TAPS;
    const int w = (int)halve->w;
    float *line = halve->line;
    memcpy(line, row, halve->w * sizeof(float));
    for (int i = 1; i <= REACH; i++) {
        line[-i] = line[reflect(-i, w)];
        line[w - 1 + i] = line[reflect(w - 1 + i, w)];
    }
    /* even[0] is the sample 4 positions to the left of the first output. */
    halve->rows->split(halve->even[slot], halve->odd[slot], line - REACH, half(halve->w) + REACH);
}

/* Writes the next row of the output and returns true, or returns false if the input rows that it
 * needs have not arrived yet. */
static bool ssim_halve_pull(SsimHalve *halve, float *out)
{
    const unsigned y = 2 * halve->given;
    if (y >= halve->h || halve->taken < (y + REACH < halve->h ? y + REACH + 1 : halve->h))
        return false;
    const float *rows[HALVE_TAPS * HALVE_TAPS];
    float taps[HALVE_TAPS * HALVE_TAPS];
    for (unsigned r = 0, i = 0; r < HALVE_TAPS; r++) {
        const unsigned slot = reflect((int)(y + r) - REACH, (int)halve->h) % HALVE_TAPS;
        for (unsigned c = 0; c < HALVE_TAPS; c++, i++) {
            rows[i] = (c & 1 ? halve->odd[slot] : halve->even[slot]) + c / 2;
            taps[i] = quarter[fold(r) * (REACH + 1) + fold(c)];
        }
    }
    halve->dsp->weigh(out, rows, taps, HALVE_TAPS * HALVE_TAPS, half(halve->w));
    halve->given++;
    return true;
}

/* ---- the feature ---- */

typedef struct MsSsimState {
    FloatDsp rows;
    SsimDsp dsp;
    unsigned w[SCALES], h[SCALES];
} MsSsimState;

typedef struct MsSsimScale {
    SsimWindow window;
    SsimHalve halve[2]; /* for each image; unused in the last scale */
    float *row[2];      /* the current row of each image */
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

/* Takes the current row of scale k, then all rows of smaller scales that are ready because of
 * it. */
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
        const double s = pow(mean[k].s, weight[k]); /* NaN if the mean is negative */
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

/* ---- the GPU ----
 *
 * One pass sums up the picture and another halves it; then further halves are made, and one pass
 * sums up all of them. */

GPU_PARAMS(SsimHalveParams, SSIM_HALVE_PARAMS);

/* The sizes of all scales. Scale 0 is the picture; the others are its halves, one image of several
 * scales. */
typedef struct Sizes {
    unsigned w[SCALES], h[SCALES], rows[SCALES];
    uint32_t first[SCALES];        /* first element of the scale in the image of halves */
    size_t sums[SCALES], all_sums; /* first byte of its sums in the result; bytes of all */
} Sizes;

static Sizes sizes_of(const FrameShape *shape)
{
    Sizes s = { 0 };
    uint32_t first = 0;
    for (unsigned k = 0; k < SCALES; k++) {
        s.w[k] = k ? ssim_gpu_halved(s.w[k - 1]) : shape->w[0];
        s.h[k] = k ? ssim_gpu_halved(s.h[k - 1]) : shape->h[0];
        s.rows[k] = k > 1 ? s.rows[1] : ssim_gpu_rows(s.w[k], s.h[k], k ? SCALES - 1 : 1);
        s.first[k] = first;
        s.sums[k] = s.all_sums;
        first += k ? s.w[k] * s.h[k] : 0;
        s.all_sums += ssim_gpu_sums_size(s.w[k], s.h[k], s.rows[k]);
    }
    return s;
}

/* The sums of scale k that are used, as bits. The score needs luminance of the last scale only. */
static unsigned sums_used(const Feature *f, unsigned k)
{
    const SsimOptions *const options = f->options;
    const bool with_luma = options->enable_lcs || k + 1 == SCALES;
    return 1u << SSIM_C | 1u << SSIM_S | (unsigned)with_luma << SSIM_L;
}

static SsimHalveParams halve_params(const Sizes *s, unsigned k, const SsimImage *luma)
{
    return (SsimHalveParams){
        .width = s->w[k - 1],
        .height = s->h[k - 1],
        .stride = k > 1 ? s->w[k - 1] : luma->stride,
        .step = luma->step,
        .first_in = s->first[k - 1],
        .first_out = s->first[k],
    };
}

/* Makes scale 1 from the picture. */
static void plan_first_half(const Feature *f, GpuPlan *plan, const Sizes *s, const SsimImage *luma,
                            const SsimImage *halves)
{
    const SsimHalveParams params = halve_params(s, 1, luma);
    gpu_pass(plan, &(GpuPass){
                       .kernel = gpu_by_depth(f, "ssim_halve_8", "ssim_halve_16"),
                       GPU_PASS_BUFFERS(luma->picture[0], luma->picture[1], halves->picture[0],
                                        halves->picture[1]),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { gpu_workgroups(s->w[1], HALVE_TILE_W),
                                       gpu_workgroups(s->h[1], HALVE_TILE_H), 2 },
                   });
}

/* Makes the scales k to `last`, one or two, from the scale before k. */
static void plan_halves(GpuPlan *plan, const Sizes *s, unsigned k, unsigned last,
                        const SsimImage *luma, const SsimImage *halves)
{
    const SsimHalveParams params = halve_params(s, k, luma);
    const bool twice = last > k;
    gpu_pass(
        plan,
        &(GpuPass){
            .kernel = twice ? "ssim_halve_twice" : "ssim_halve_f32",
            GPU_PASS_BUFFERS(halves->picture[0], halves->picture[1]),
            GPU_PASS_PARAMS(&params),
            .workgroups = { gpu_workgroups(s->w[last], twice ? HALVE_TWICE_W : HALVE_TILE_W),
                            gpu_workgroups(s->h[last], twice ? HALVE_TWICE_H : HALVE_TILE_H), 2 },
        });
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const Sizes s = sizes_of(&f->shape);
    const GpuBuf sums = gpu_result(plan, s.all_sums, false);
    const SsimImage luma = ssim_gpu_luma(f, plan);
    const SsimImage halves = ssim_gpu_float_image(plan, s.w[1], s.h[1], SCALES - 1);
    ssim_gpu_plan_window(f, plan, &luma, sums_used(f, 0), sums, 0);
    plan_first_half(f, plan, &s, &luma, &halves);
    gpu_next_stage(plan);
    plan_halves(plan, &s, 2, 2, &luma, &halves);
    gpu_next_stage(plan);
    plan_halves(plan, &s, 3, SCALES - 1, &luma, &halves);
    gpu_next_stage(plan);
    ssim_gpu_plan_window(f, plan, &halves, sums_used(f, SCALES - 1), sums, s.sums[1]);
    return 0;
}

static int collect(const Feature *f, const void *readback, void *result)
{
    const Sizes s = sizes_of(&f->shape);
    SsimSums *sums = result;
    int err = 0;
    for (unsigned k = 0; k < SCALES; k++) {
        const int doubt = ssim_gpu_collect((const char *)readback + s.sums[k], s.w[k], s.h[k],
                                           s.rows[k], sums_used(f, k), &sums[k]);
        err = err ? err : doubt;
    }
    return err;
}

static bool same(const Feature *f, const void *a, const void *b)
{
    const SsimSums *sums_a = a, *sums_b = b;
    const Sizes s = sizes_of(&f->shape);
    bool all = true;
    for (unsigned k = 0; k < SCALES; k++)
        all &= ssim_gpu_same(&sums_a[k], &sums_b[k], s.w[k], s.h[k], sums_used(f, k));
    return all;
}

static const FeatureGpu float_ms_ssim_gpu = { .plan = plan_frame,
                                              .collect = collect,
                                              .same = same };

/* ---- the definition ---- */

static const Option ms_ssim_options[] = {
    SSIM_OPTIONS,
    { 0 },
};

#define TERM(out, letter, what, k)                                                                 \
    [out + k] = { .name = "float_ms_ssim_" letter "_scale" #k,                                     \
                  .help = what " at scale " #k,                                                    \
                  .extra = true }
#define TERMS(out, letter, what)                                                                   \
    TERM(out, letter, what, 0), TERM(out, letter, what, 1), TERM(out, letter, what, 2),            \
        TERM(out, letter, what, 3), TERM(out, letter, what, 4)

static const FeatureOutput ms_ssim_outputs[] = {
    [OUT_SCORE] = { .name = "float_ms_ssim", .help = "structural similarity of luma at 5 scales" },
    TERMS(OUT_L, "l", "luminance"),
    TERMS(OUT_C, "c", "contrast"),
    TERMS(OUT_S, "s", "structure"),
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
