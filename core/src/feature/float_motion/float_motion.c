/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_motion: mean absolute difference of the blurred reference and the blurred reference before
 * it, in single precision. */
#include "feature/float_motion/float_motion.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "feature/common/plane.h"

/* ---- Frame routine */

/* A kind of plane, luma or chroma, of both pictures. */
typedef struct PlanePair {
    unsigned w, h;
    FloatRows *rows[2];
    Resampler *half;
    size_t walked; /* row pitch with which the halving steps through the store */
} PlanePair;

typedef struct FloatMotionFrame {
    const FloatMotionSetup *setup;
    PlanePair luma, chroma;
    float *line, *blurred[2];
    FloatTotal total;
    /* For the halving: both blurred planes as a whole, at the pitch of luma. */
    size_t pitch;
    float *store[2];
    float *half_row[2];
} FloatMotionFrame;

static size_t round_up_8(unsigned w)
{
    return ((size_t)w + 7) & ~(size_t)7;
}

static int plane_pair_init(PlanePair *pair, const FloatMotionSetup *setup, unsigned p)
{
    pair->w = setup->shape.w[p];
    pair->h = setup->shape.h[p];
    pair->walked = round_up_8(pair->w);
    const FloatRowsParams params = {
        .dsp = &setup->dsp,
        .w = pair->w,
        .h = pair->h,
        .bpc = setup->shape.bpc,
        .offset = -128.0f,
        .window = setup->blur->count,
    };
    for (unsigned i = 0; i < 2; i++) {
        const int err = float_rows_create(&pair->rows[i], &params);
        if (err)
            return err;
    }
    if (!setup->half_size)
        return 0;
    return resampler_create(&pair->half, RESAMPLE_BILINEAR, pair->w, pair->h, (pair->w + 1) / 2,
                            (pair->h + 1) / 2);
}

static void plane_pair_free(PlanePair *pair)
{
    float_rows_destroy(pair->rows[0]);
    float_rows_destroy(pair->rows[1]);
    resampler_destroy(pair->half);
}

static int allocate(FloatMotionFrame *m)
{
    const FrameShape *shape = &m->setup->shape;
    m->pitch = round_up_8(shape->w[0]);
    m->line = float_line_alloc(shape->w[0]);
    if (!m->line)
        return -ENOMEM;
    for (unsigned i = 0; i < 2; i++) {
        m->blurred[i] = float_line_alloc(shape->w[0]);
        if (!m->blurred[i])
            return -ENOMEM;
        if (!m->setup->half_size)
            continue;
        m->half_row[i] = float_line_alloc((shape->w[0] + 1) / 2);
        m->store[i] = mem_array(m->pitch * shape->h[0], sizeof(float));
        if (!m->half_row[i] || !m->store[i])
            return -ENOMEM;
    }
    int err = float_total_init(&m->total, &m->setup->dsp, shape->w[0]);
    if (!err)
        err = plane_pair_init(&m->luma, m->setup, 0);
    if (!err && m->setup->planes > 1)
        err = plane_pair_init(&m->chroma, m->setup, 1);
    return err;
}

static void frame_destroy(void *frame)
{
    FloatMotionFrame *const m = frame;
    if (!m)
        return;
    float_line_free(m->line);
    for (unsigned i = 0; i < 2; i++) {
        float_line_free(m->blurred[i]);
        float_line_free(m->half_row[i]);
        mem_free(m->store[i]);
    }
    float_total_free(&m->total);
    plane_pair_free(&m->luma);
    plane_pair_free(&m->chroma);
    mem_free(m);
}

static int frame_create(const Feature *f, void **out)
{
    const FloatMotionSetup *const setup = float_motion_setup(f);
    *out = NULL;
    if (!setup)
        return 0;
    FloatMotionFrame *m = mem_zalloc(sizeof(*m));
    if (!m)
        return -ENOMEM;
    m->setup = setup;
    const int err = allocate(m);
    if (err) {
        frame_destroy(m);
        return err;
    }
    *out = m;
    return 0;
}

static const float *blur_row(FloatMotionFrame *m, const PlanePair *pair, unsigned i, unsigned y)
{
    const FloatFilter *blur = m->setup->blur;
    if (blur->count == 1)
        return float_rows_get(pair->rows[i], y);
    float_filter_row(&m->setup->dsp, blur, m->blurred[i], m->line, pair->rows[i], y, pair->w,
                     pair->h);
    return m->blurred[i];
}

/* Keeps a blurred row for the halving. Past the plane's width the store is zero. */
static void keep_row(FloatMotionFrame *m, const PlanePair *pair, unsigned i, unsigned y,
                     const float *row)
{
    float *to = m->store[i] + y * m->pitch;
    memcpy(to, row, pair->w * sizeof(*to));
    memset(to + pair->w, 0, (m->pitch - pair->w) * sizeof(*to));
}

static float full_size(FloatMotionFrame *m, const PlanePair *pair)
{
    float_total_start(&m->total, pair->w);
    for (unsigned y = 0; y < pair->h; y++) {
        const float *row[2];
        for (unsigned i = 0; i < 2; i++) {
            row[i] = blur_row(m, pair, i, y);
            if (pair->half)
                keep_row(m, pair, i, y, row[i]);
        }
        m->setup->dsp.distance(float_total_row(&m->total), row[0], row[1], pair->w);
        float_total_add(&m->total);
    }
    return float_total_finish(&m->total) / (float)plane_area(pair->w, pair->h);
}

/* The reference steps through a chroma plane with chroma's own pitch although the plane is stored
 * at luma's. The rows here start where those steps lead. */
static float half_size(FloatMotionFrame *m, const PlanePair *pair)
{
    const unsigned w = resampler_width(pair->half), h = resampler_height(pair->half);
    float_total_start(&m->total, w);
    for (unsigned y = 0; y < h; y++) {
        unsigned at[RESAMPLE_MAX_TAPS];
        const unsigned count = resampler_rows(pair->half, y, at);
        for (unsigned i = 0; i < 2; i++) {
            const float *rows[RESAMPLE_MAX_TAPS];
            for (unsigned k = 0; k < count; k++)
                rows[k] = m->store[i] + at[k] * pair->walked;
            resampler_row(pair->half, m->half_row[i], y, rows);
        }
        m->setup->dsp.distance(float_total_row(&m->total), m->half_row[0], m->half_row[1], w);
        float_total_add(&m->total);
    }
    return float_total_finish(&m->total) / (float)plane_area(w, h);
}

static double frame_measure(FloatMotionFrame *m, const VmafPicture *before, const VmafPicture *now)
{
    double step = 0.0;
    for (unsigned p = 0; p < m->setup->planes; p++) {
        const PlanePair *pair = p ? &m->chroma : &m->luma;
        float_rows_bind(pair->rows[0], before->data[p], before->stride[p]);
        float_rows_bind(pair->rows[1], now->data[p], now->stride[p]);
        float score = full_size(m, pair);
        if (pair->half)
            score += half_size(m, pair);
        step += score;
    }
    return step;
}

/* ---- The feature */

typedef struct MotionOptions {
    bool debug, force_zero, add_scale1, add_uv;
    double fps_weight, blend_factor, blend_offset, max_val;
    int filter_size;
} MotionOptions;

static const Option options[] = {
    BOOL_OPTION(MotionOptions, debug, "debug", NULL, true, "also report motion"),
    BOOL_OPTION(MotionOptions, force_zero, "motion_force_zero", "force_0", false,
                "report 0 for every frame"),
    DOUBLE_OPTION(MotionOptions, fps_weight, "motion_fps_weight", "mfw", 1, 0, 5,
                  "factor that compensates for the frame rate"),
    DOUBLE_OPTION(MotionOptions, blend_factor, "motion_blend_factor", "mbf", 1, 0, 1,
                  "slope of motion3 above the offset"),
    DOUBLE_OPTION(MotionOptions, blend_offset, "motion_blend_offset", "mbo", 40, 0, 1000,
                  "motion above which that slope applies"),
    BOOL_OPTION(MotionOptions, add_scale1, "motion_add_scale1", "mdc", false,
                "add the motion of half-size pictures"),
    INT_OPTION(MotionOptions, filter_size, "motion_filter_size", "mfs", 5, 0, 9,
               "taps of the blur: 1 (none), 3, any other value 5"),
    BOOL_OPTION(MotionOptions, add_uv, "motion_add_uv", "mau", false,
                "add the motion of the chroma planes"),
    DOUBLE_OPTION(MotionOptions, max_val, "motion_max_val", "mmxv", 10000, 0, 10000,
                  "upper limit of the scores"),
    { 0 },
};

enum { OUT_MOTION2, OUT_MOTION3, OUT_MOTION };

static const FeatureOutput outputs[] = {
    { .name = "VMAF_feature_motion2_score",
      .help = "the lesser of this frame's motion and the next frame's" },
    { .name = "VMAF_feature_motion3_score", .help = "motion2 blended", .delay = OUTPUT_NEXT_FRAME },
    { .name = "VMAF_feature_motion_score", .help = "motion of this frame (debug)" },
    { 0 },
};

/* A frame gets its scores when the next one is known. */
typedef struct MotionState {
    FloatMotionSetup setup;
    uint64_t frames;
    unsigned last_index;
    double last_step;
} MotionState;

static const FloatFilter blur3 = { 3, { 0.166378498f, 0.667243004f, 0.166378498f } };
static const FloatFilter blur5 = {
    5, { 0.054488685f, 0.244201342f, 0.402619947f, 0.244201342f, 0.054488685f }
};
static const FloatFilter blur1 = { 1, { 1.0f } };

static int check_shape(const Feature *f, const FloatMotionSetup *setup)
{
    const FrameShape *s = &f->shape;
    const char *name = f->def->name;
    if (setup->planes > 1 && s->pix_fmt == VMAF_PIX_FMT_YUV400P) {
        log_error("%s: motion_add_uv needs chroma, which 4:0:0 pictures lack", name);
        return -EINVAL;
    }
    for (unsigned p = 0; p < setup->planes; p++) {
        if (s->w[p] < 3 || s->h[p] < 3) {
            log_error("%s: plane %u is %ux%u, below the smallest size, 3x3", name, p, s->w[p],
                      s->h[p]);
            return -EINVAL;
        }
    }
    if (setup->half_size && s->w[0] > 15360) {
        log_error("%s: motion_add_scale1 supports widths up to 15360, not %u", name, s->w[0]);
        return -EINVAL;
    }
    return float_rows_check_depth(name, s->bpc);
}

static int init(Feature *f)
{
    const MotionOptions *o = f->options;
    MotionState *state = f->state = mem_zalloc(sizeof(*state));
    if (!state)
        return -ENOMEM;
    if (!o->add_uv)
        f->planes &= 1;
    f->undelayed = o->force_zero;
    if (o->force_zero)
        return 0;
    FloatMotionSetup *setup = &state->setup;
    setup->shape = f->shape;
    setup->planes = o->add_uv ? 3 : 1;
    setup->half_size = o->add_scale1;
    setup->blur = o->filter_size == 1 ? &blur1 : o->filter_size == 3 ? &blur3 : &blur5;
    float_dsp_init(&setup->dsp, f->shape.bpc, f->cpu);
    return check_shape(f, setup);
}

const FloatMotionSetup *float_motion_setup(const Feature *f)
{
    const MotionOptions *o = f->options;
    const MotionState *state = f->state;
    return o->force_zero ? NULL : &state->setup;
}

static int measure(const Feature *f, void *scratch, const FramePair *pair, void *result, Team *team)
{
    FloatMotionResult *r = result;
    r->step = 0.0;
    if (float_motion_setup(f) && pair->prev_ref[0])
        r->step = frame_measure(scratch, pair->prev_ref[0], pair->ref);
    return 0;
}

static double capped(const MotionOptions *o, double value)
{
    return value < o->max_val ? value : o->max_val;
}

static double blended(const MotionOptions *o, double value)
{
    const double knee = o->blend_offset < value ? o->blend_offset : value;
    return capped(o, value * o->blend_factor + (1.0 - o->blend_factor) * knee);
}

static int emit_all(Feature *f, unsigned index, double value)
{
    const MotionOptions *o = f->options;
    int err = o->debug ? feature_emit(f, OUT_MOTION, index, value) : 0;
    if (!err)
        err = feature_emit(f, OUT_MOTION2, index, value);
    return err ? err : feature_emit(f, OUT_MOTION3, index, value);
}

/* Reports motion2 and motion3 of the last frame; `step` is the lesser of its two neighbouring
 * steps. */
static int emit_last(Feature *f, double step)
{
    const MotionOptions *o = f->options;
    const MotionState *state = f->state;
    const double weighted = step * o->fps_weight;
    const int err = feature_emit(f, OUT_MOTION2, state->last_index, capped(o, weighted));
    return err ? err : feature_emit(f, OUT_MOTION3, state->last_index, blended(o, weighted));
}

static int report(Feature *f, const FrameId *id, const void *result)
{
    const MotionOptions *o = f->options;
    MotionState *state = f->state;
    const double step = state->frames == 0 ? 0.0 : ((const FloatMotionResult *)result)->step;
    if (o->force_zero)
        return emit_all(f, id->index, 0.0);

    int err = 0;
    if (o->debug)
        err = feature_emit(f, OUT_MOTION, id->index, capped(o, step * o->fps_weight));
    if (!err && state->frames == 0)
        err = feature_emit(f, OUT_MOTION2, id->index, 0.0);
    else if (!err && state->frames == 1)
        err = feature_emit(f, OUT_MOTION3, state->last_index, blended(o, step * o->fps_weight));
    else if (!err)
        err = emit_last(f, state->last_step < step ? state->last_step : step);
    state->frames++;
    state->last_index = id->index;
    state->last_step = step;
    return err;
}

static int flush(Feature *f)
{
    const MotionOptions *o = f->options;
    const MotionState *state = f->state;
    if (o->force_zero || !state || state->frames == 0)
        return 0;
    if (state->frames == 1)
        return feature_emit(f, OUT_MOTION3, state->last_index, 0.0);
    return emit_last(f, state->last_step);
}

static const ResultField fields[] = {
    RESULT_FIELD(FloatMotionResult, step, FIELD_DOUBLE),
    { 0 },
};

const FeatureDef feature_float_motion = {
    .name = "float_motion",
    .summary = "motion of the reference, single precision",
    .options = options,
    .options_size = sizeof(MotionOptions),
    .outputs = outputs,
    .flags = FEATURE_EVERY_FRAME | FEATURE_CHROMA,
    .result_size = sizeof(FloatMotionResult),
    .fields = fields,
    .reach = 1,
    .init = init,
    .close = feature_free_state,
    .scratch_create = frame_create,
    .scratch_destroy = frame_destroy,
    .measure = measure,
    .report = report,
    .flush = flush,
    .gpu = &float_motion_gpu,
};
