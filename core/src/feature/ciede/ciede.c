/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ciede: mean CIEDE2000 colour difference, on a logarithmic scale. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "engine/feature.h"
#include "base/decimal.h"
#include "base/log.h"
#include "base/mem.h"
#include "feature/ciede/ciede.h"
#include "feature/common/float_rows.h"

typedef struct CiedeState {
    CiedeDsp dsp;
    CiedeRange range;
} CiedeState;

typedef struct CiedeScratch {
    uint16_t *sample[2][3]; /* a row of each plane of each picture, all as wide as luma */
    float *difference;
} CiedeScratch;

static int ciede_init(Feature *f)
{
    const FrameShape *shape = &f->shape;
    if (shape->pix_fmt == VMAF_PIX_FMT_YUV400P) {
        log_error("%s: pictures without chroma are not supported", f->def->name);
        return -EINVAL;
    }
    if (float_rows_check_depth(f->def->name, shape->bpc))
        return -EINVAL;
    if (!shape_has_chroma(shape)) {
        log_error("%s: pictures of %ux%u are too small to have chroma", f->def->name, shape->w[0],
                  shape->h[0]);
        return -EINVAL;
    }
    CiedeState *s = f->state = mem_alloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    ciede_dsp_init(&s->dsp, f->cpu);
    s->range = ciede_range(shape->bpc);
    return 0;
}

static void ciede_scratch_destroy(void *scratch)
{
    CiedeScratch *s = scratch;
    if (!s)
        return;
    for (unsigned i = 0; i < 2; i++)
        for (unsigned p = 0; p < 3; p++)
            mem_aligned_free(s->sample[i][p]);
    mem_aligned_free(s->difference);
    mem_free(s);
}

static int ciede_scratch_create(const Feature *f, void **scratch)
{
    const unsigned w = f->shape.w[0];
    CiedeScratch *s = mem_zalloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    bool failed = !(s->difference = mem_aligned_alloc(w * sizeof(float)));
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned p = 0; p < 3; p++) {
            s->sample[i][p] = mem_aligned_alloc(w * sizeof(uint16_t));
            failed |= !s->sample[i][p];
        }
    }
    if (failed) {
        ciede_scratch_destroy(s);
        return -ENOMEM;
    }
    *scratch = s;
    return 0;
}

/* Copies samples of a row, each `repeat` times (1 or 2), until n samples are written. */
static void copy_row(uint16_t *out, size_t n, const VmafPicture *pic, unsigned plane, unsigned y,
                     unsigned repeat)
{
    const char *row = (const char *)pic->data[plane] + (ptrdiff_t)y * pic->stride[plane];
    if (pic->bpc == 8) {
        for (size_t i = 0; i < n; i++)
            out[i] = ((const uint8_t *)row)[repeat == 2 ? i / 2 : i];
    } else {
        for (size_t i = 0; i < n; i++)
            out[i] = ((const uint16_t *)row)[repeat == 2 ? i / 2 : i];
    }
}

/* Writes a row of subsampled chroma at the size of luma. At 4:2:0 the reference repeats rows and
 * columns. At 4:2:2 it repeats only rows (although chroma has all rows), so the right half of a row
 * comes from the memory behind it: zeros up to a multiple of 32 samples, then the next row, and
 * after the last row of Cb the rows of Cr. With odd widths this also affects the last column at
 * 4:2:0. */
static void spread_chroma(uint16_t *out, const VmafPicture *pic, unsigned plane, unsigned y)
{
    const unsigned repeat = pic->pix_fmt == VMAF_PIX_FMT_YUV420P ? 2 : 1;
    const unsigned cw = pic->w[plane], ch = pic->h[plane], pitch = (cw + 31) / 32 * 32;
    const size_t w = pic->w[0];
    unsigned row = y / 2 < ch ? y / 2 : ch - 1;
    for (size_t x = 0; x < w; x += (size_t)pitch * repeat, row++) {
        size_t n = (size_t)cw * repeat < w - x ? (size_t)cw * repeat : w - x;
        const size_t gap = (size_t)pitch * repeat < w - x ? (size_t)pitch * repeat : w - x;
        if (row < ch)
            copy_row(out + x, n, pic, plane, row, repeat);
        else if (plane == 1 && row - ch < ch)
            copy_row(out + x, n, pic, 2, row - ch, repeat);
        else
            n = 0;
        memset(out + x + n, 0, (gap - n) * sizeof(*out));
    }
}

static CiedeRow load_row(uint16_t *const sample[3], const VmafPicture *pic, unsigned y)
{
    copy_row(sample[0], pic->w[0], pic, 0, y, 1);
    for (unsigned p = 1; p < 3; p++) {
        if (pic->pix_fmt == VMAF_PIX_FMT_YUV444P)
            copy_row(sample[p], pic->w[0], pic, p, y, 1);
        else
            spread_chroma(sample[p], pic, p, y);
    }
    return (CiedeRow){ sample[0], sample[1], sample[2] };
}

static int ciede_measure(const Feature *f, void *scratch, const FramePair *pair, void *result,
                         Team *team)
{
    const CiedeState *state = f->state;
    CiedeScratch *s = scratch;
    const unsigned w = f->shape.w[0], h = f->shape.h[0];
    double sum = 0.0;
    for (unsigned y = 0; y < h; y++) {
        const CiedeRow ref = load_row(s->sample[0], pair->ref, y);
        const CiedeRow dist = load_row(s->sample[1], pair->dist, y);
        state->dsp.row(s->difference, &ref, &dist, w, &state->range);
        for (unsigned x = 0; x < w; x++)
            sum += s->difference[x];
    }
    *(CiedeResult *)result = (CiedeResult){ sum };
    return 0;
}

void ciede_differences(const Feature *f, float *out, const CiedeRow *ref, const CiedeRow *dist,
                       size_t n)
{
    const CiedeState *state = f->state;
    state->dsp.row(out, ref, dist, n, &state->range);
}

static int ciede_report(Feature *f, const FrameId *id, const void *result)
{
    const CiedeResult *r = result;
    const double mean = r->sum / ((double)f->shape.w[0] * f->shape.h[0]);
    return feature_emit(f, 0, id->index, 45.0 - 20.0 * decimal_log(mean));
}

static const FeatureOutput ciede_outputs[] = {
    { .name = "ciede2000", .help = "colour difference; higher is more alike" },
    { .name = NULL },
};

static const ResultField fields[] = {
    RESULT_FIELD(CiedeResult, sum, FIELD_DOUBLE),
    { 0 },
};

const FeatureDef feature_ciede = {
    .name = "ciede",
    .summary = "CIEDE2000 colour difference",
    .outputs = ciede_outputs,
    .flags = FEATURE_CHROMA,
    .result_size = sizeof(CiedeResult),
    .fields = fields,
    .init = ciede_init,
    .close = feature_free_state,
    .scratch_create = ciede_scratch_create,
    .scratch_destroy = ciede_scratch_destroy,
    .measure = ciede_measure,
    .report = ciede_report,
    .gpu = &ciede_gpu,
};
