/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_motion: mean absolute difference of the blurred reference and the blurred one before it. */
#include "feature/float_motion/float_motion.h"

#include <errno.h>

#include "base/log.h"
#include "base/mem.h"

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
                  "factor that makes up for frame rate"),
    DOUBLE_OPTION(MotionOptions, blend_factor, "motion_blend_factor", "mbf", 1, 0, 1,
                  "slope of motion3 above the offset"),
    DOUBLE_OPTION(MotionOptions, blend_offset, "motion_blend_offset", "mbo", 40, 0, 1000,
                  "where that slope begins"),
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
    { .name = "VMAF_feature_motion2_score", .help = "the lesser of this frame's and the next's" },
    { .name = "VMAF_feature_motion3_score", .help = "motion2 blended", .delay = OUTPUT_NEXT_FRAME },
    { .name = "VMAF_feature_motion_score", .help = "motion of this frame (debug)" },
    { 0 },
};

/* A frame is scored when the next one is known. */
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
        log_error("%s: motion_add_scale1 takes widths up to 15360, not %u", name, s->w[0]);
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

static int scratch_create(const Feature *f, void **scratch)
{
    const FloatMotionSetup *setup = float_motion_setup(f);
    *scratch = NULL;
    return setup ? float_motion_frame_create((FloatMotionFrame **)scratch, setup) : 0;
}

static void scratch_destroy(void *scratch)
{
    float_motion_frame_destroy(scratch);
}

static int measure(const Feature *f, void *scratch, const FramePair *pair, void *result, Team *team)
{
    FloatMotionResult *r = result;
    r->step = 0.0;
    if (float_motion_setup(f) && pair->prev_ref[0])
        r->step = float_motion_frame_measure(scratch, pair->prev_ref[0], pair->ref);
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

/* motion2 and motion3 of the last frame, whose lesser neighbouring step is `step`. */
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
    .scratch_create = scratch_create,
    .scratch_destroy = scratch_destroy,
    .measure = measure,
    .report = report,
    .flush = flush,
    .gpu = &float_motion_gpu,
};
