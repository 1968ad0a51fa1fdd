/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_ansnr: signal to noise ratio of luma after a light blur of the reference and a heavier one
 * of the distorted picture. In single precision; the order of every sum is part of the result. */
#include <errno.h>
#include <math.h>

#include "base/decimal.h"
#include "base/log.h"
#include "base/mem.h"
#include "engine/feature.h"
#include "feature/common/float_rows.h"
#include "feature/common/float_sums/float_sums_gpu.h"
#include "feature/common/plane.h"
#include "feature/float_ansnr/float_ansnr_tile.h"

#define HEAVY_DIVISOR 571

#define NOISE_FLOOR 1e-10

/* Samples are centred on zero. */
#define OFFSET (-128.0f)

enum { MIN_SIDE = 3, MAX_SIZE = 5, MAX_KINDS = 3 };
enum { OUT_ANSNR, OUT_ANPSNR };

typedef struct AnsnrResult {
    float signal, noise; /* each row summed from left to right, then the rows from the top */
} AnsnrResult;

/* A square kernel, symmetric from top to bottom: row k is entry min(k, size-1-k) of `taps`, which
 * has `kinds` rows. */
typedef struct AnsnrKernel {
    unsigned size, kinds;
    double divisor;
    int taps[MAX_KINDS][MAX_SIZE];
} AnsnrKernel;

static const AnsnrKernel light_blur = {
    .size = 3,
    .kinds = 2,
    .divisor = 16,
    .taps = { { 1, 2, 1 }, { 2, 4, 2 } },
};
static const AnsnrKernel heavy_blur = {
    .size = 5,
    .kinds = 3,
    .divisor = HEAVY_DIVISOR,
    .taps = { { 2, 7, 12, 7, 2 }, { 7, 31, 52, 31, 7 }, { 12, 52, 127, 52, 12 } },
};

/* A filter that moves down a plane. Each kind of kernel row is applied once to a row of samples.
 * The last `size` results of each kind wait in `partial` for the output rows they contribute to. */
typedef struct AnsnrBlur {
    const AnsnrKernel *kernel;
    float taps[MAX_KINDS][MAX_SIZE];
    unsigned loaded; /* rows of the plane read so far */
    float *line;
    float *partial[MAX_KINDS][MAX_SIZE];
} AnsnrBlur;

typedef struct AnsnrScratch {
    AnsnrBlur ref, dist;
    FloatTotal signal, noise;
    float *clean, *rough;
} AnsnrScratch;

static int blur_init(AnsnrBlur *b, const AnsnrKernel *kernel, unsigned w)
{
    b->kernel = kernel;
    b->line = float_line_alloc(w);
    int failed = !b->line;
    for (unsigned i = 0; i < kernel->kinds; i++) {
        for (unsigned k = 0; k < kernel->size; k++) {
            b->taps[i][k] = (float)(kernel->taps[i][k] / kernel->divisor);
            b->partial[i][k] = mem_aligned_alloc(w * sizeof(float));
            failed |= !b->partial[i][k];
        }
    }
    return failed ? -ENOMEM : 0;
}

static void blur_free(AnsnrBlur *b)
{
    float_line_free(b->line);
    for (unsigned i = 0; i < MAX_KINDS; i++)
        for (unsigned k = 0; k < MAX_SIZE; k++)
            mem_aligned_free(b->partial[i][k]);
}

/* Reflects an index at the edges; the edge sample is repeated on the far side only. */
static unsigned reflect(int i, int n)
{
    return (unsigned)(i < 0 ? -i : i < n ? i : 2 * n - 1 - i);
}

static void blur_load(AnsnrBlur *b, const FloatDsp *dsp, const VmafPicture *pic)
{
    const AnsnrKernel *kernel = b->kernel;
    const int w = (int)pic->w[0], reach = (int)kernel->size / 2;
    const char *row = (const char *)pic->data[0] + (ptrdiff_t)b->loaded * pic->stride[0];
    dsp->load(b->line, row, pic->w[0], (float)depth_step(pic->bpc), OFFSET);
    for (int i = 1; i <= reach; i++) {
        b->line[-i] = b->line[reflect(-i, w)];
        b->line[w - 1 + i] = b->line[reflect(w - 1 + i, w)];
    }
    const float *shifted[MAX_SIZE];
    for (unsigned k = 0; k < kernel->size; k++)
        shifted[k] = b->line - reach + k;
    for (unsigned i = 0; i < kernel->kinds; i++)
        dsp->weigh(b->partial[i][b->loaded % kernel->size], shifted, b->taps[i], kernel->size,
                   pic->w[0]);
    b->loaded++;
}

/* Writes row `y` of the filtered plane to `out`. */
static void blur_row(AnsnrBlur *b, const FloatDsp *dsp, const VmafPicture *pic, unsigned y,
                     float *out)
{
    static const float ones[MAX_SIZE] = { 1.0f, 1.0f, 1.0f, 1.0f, 1.0f };
    const unsigned size = b->kernel->size, h = pic->h[0];
    const float *rows[MAX_SIZE];
    while (b->loaded < h && b->loaded <= y + size / 2)
        blur_load(b, dsp, pic);
    for (unsigned k = 0; k < size; k++) {
        const unsigned kind = k < size - 1 - k ? k : size - 1 - k;
        rows[k] = b->partial[kind][reflect((int)(y + k) - (int)size / 2, (int)h) % size];
    }
    dsp->weigh(out, rows, ones, size, pic->w[0]);
}

static int ansnr_init(Feature *f)
{
    const FrameShape *shape = &f->shape;
    if (float_rows_check_depth(f->def->name, shape->bpc))
        return -EINVAL;
    if (shape->w[0] < MIN_SIDE || shape->h[0] < MIN_SIDE) {
        log_error("%s: pictures of %ux%u are too small: both sides must be at least %d",
                  f->def->name, shape->w[0], shape->h[0], MIN_SIDE);
        return -EINVAL;
    }
    f->state = mem_alloc(sizeof(FloatDsp));
    if (!f->state)
        return -ENOMEM;
    float_dsp_init(f->state, shape->bpc, f->cpu);
    return 0;
}

static void ansnr_scratch_destroy(void *scratch)
{
    AnsnrScratch *s = scratch;
    if (!s)
        return;
    blur_free(&s->ref);
    blur_free(&s->dist);
    float_total_free(&s->signal);
    float_total_free(&s->noise);
    mem_aligned_free(s->clean);
    mem_aligned_free(s->rough);
    mem_free(s);
}

static int ansnr_scratch_create(const Feature *f, void **scratch)
{
    const unsigned w = f->shape.w[0];
    AnsnrScratch *s = mem_zalloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    s->clean = mem_aligned_alloc(w * sizeof(float));
    s->rough = mem_aligned_alloc(w * sizeof(float));
    if (!s->clean || !s->rough || blur_init(&s->ref, &light_blur, w) ||
        blur_init(&s->dist, &heavy_blur, w) || float_total_init(&s->signal, f->state, w) ||
        float_total_init(&s->noise, f->state, w)) {
        ansnr_scratch_destroy(s);
        return -ENOMEM;
    }
    *scratch = s;
    return 0;
}

static int ansnr_measure(const Feature *f, void *scratch, const FramePair *pair, void *result,
                         Team *team)
{
    const FloatDsp *dsp = f->state;
    AnsnrScratch *s = scratch;
    const unsigned w = f->shape.w[0], h = f->shape.h[0];
    s->ref.loaded = s->dist.loaded = 0;
    float_total_start(&s->signal, w);
    float_total_start(&s->noise, w);
    for (unsigned y = 0; y < h; y++) {
        blur_row(&s->ref, dsp, pair->ref, y, s->clean);
        blur_row(&s->dist, dsp, pair->dist, y, s->rough);
        dsp->multiply(float_total_row(&s->signal), s->clean, s->clean, w);
        float_total_add(&s->signal);
        dsp->subtract(s->rough, s->clean, s->rough, w);
        dsp->multiply(float_total_row(&s->noise), s->rough, s->rough, w);
        float_total_add(&s->noise);
    }
    *(AnsnrResult *)result = (AnsnrResult){
        .signal = float_total_finish(&s->signal),
        .noise = float_total_finish(&s->noise),
    };
    return 0;
}

/* ---- On the GPU: squares of signal and noise, then the sums of their rows */

GPU_PARAMS(FloatAnsnrParams, FLOAT_ANSNR_PARAMS);

static float heavy_tap(int numerator)
{
    return (float)(numerator / (double)HEAVY_DIVISOR);
}

static int ansnr_plan(const Feature *f, GpuPlan *plan)
{
    const unsigned w = f->shape.w[0], h = f->shape.h[0];
    const FloatTerms terms = float_terms(plan, w, h, 2);
    const GpuBuf sums = gpu_result(plan, float_sums_size(h, 2), false);
    const FloatAnsnrParams params = {
        .width = w,
        .height = h,
        .stride = gpu_plane_stride(plan, 0),
        .scale = (float)depth_step(f->shape.bpc),
        .tap2 = heavy_tap(2),
        .tap7 = heavy_tap(7),
        .tap12 = heavy_tap(12),
        .tap31 = heavy_tap(31),
        .tap52 = heavy_tap(52),
        .tap127 = heavy_tap(127),
    };
    gpu_pass(plan,
             &(GpuPass){
                 .kernel = gpu_by_depth(f, "float_ansnr_8", "float_ansnr_16"),
                 GPU_PASS_BUFFERS(gpu_ref(plan, 0), gpu_dist(plan, 0), terms.planes),
                 GPU_PASS_PARAMS(&params),
                 .workgroups = { gpu_workgroups(w, ANSNR_TILE_W), gpu_workgroups(h, ANSNR_TILE_H) },
             });
    gpu_next_stage(plan);
    float_sums_plan(plan, &terms, sums, 0);
    return 0;
}

static int ansnr_collect(const Feature *f, const void *readback, void *result)
{
    const float *const rows = readback;
    const unsigned h = f->shape.h[0];
    *(AnsnrResult *)result = (AnsnrResult){
        .signal = float_sums_total(rows, h),
        .noise = float_sums_total(rows + h, h),
    };
    return 0;
}

static const FeatureGpu ansnr_gpu = { .plan = ansnr_plan, .collect = ansnr_collect };

/* ---- Scores */

static int ansnr_report(Feature *f, const FrameId *id, const void *result)
{
    const AnsnrResult *r = result;
    const double peak = depth_peak(f->shape.bpc), ceiling = depth_ceiling_db(f->shape.bpc);
    const float ratio = r->signal / r->noise;
    const double ansnr = r->noise == 0.0f ? ceiling : 10.0 * decimal_log((double)ratio);
    const double noise = (double)r->noise > NOISE_FLOOR ? (double)r->noise : NOISE_FLOOR;
    const double anpsnr = 10.0 * decimal_log(peak * peak * f->shape.w[0] * f->shape.h[0] / noise);
    int err = feature_emit(f, OUT_ANSNR, id->index, ansnr);
    err |= feature_emit(f, OUT_ANPSNR, id->index, anpsnr < ceiling ? anpsnr : ceiling);
    return err ? -EINVAL : 0;
}

static const FeatureOutput ansnr_outputs[] = {
    [OUT_ANSNR] = { .name = "float_ansnr", .help = "signal to noise ratio of filtered luma in dB" },
    [OUT_ANPSNR] = { .name = "float_anpsnr",
                     .help = "the same with the peak as the signal",
                     .extra = true },
    { .name = NULL },
};

static const ResultField fields[] = {
    RESULT_FIELD(AnsnrResult, signal, FIELD_FLOAT),
    RESULT_FIELD(AnsnrResult, noise, FIELD_FLOAT),
    { 0 },
};

const FeatureDef feature_float_ansnr = {
    .name = "float_ansnr",
    .summary = "signal to noise ratio of filtered luma",
    .outputs = ansnr_outputs,
    .result_size = sizeof(AnsnrResult),
    .fields = fields,
    .init = ansnr_init,
    .close = feature_free_state,
    .scratch_create = ansnr_scratch_create,
    .scratch_destroy = ansnr_scratch_destroy,
    .measure = ansnr_measure,
    .report = ansnr_report,
    .gpu = &ansnr_gpu,
};
