/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* motion: how much the reference moves, from the blurred difference of its frames, in fixed
 * point. */
#include "feature/motion/motion.h"

#include <errno.h>

#include "base/log.h"
#include "base/mem.h"
#include "feature/common/plane.h"
#include "feature/common/strips.h"

/* ---- Frame routine */

static const StripsKind strips_kind = {
    .widest = MOTION_STRIP,
    .step = MOTION_STRIP_STEP,
    .pairs = MOTION_PAIRS,
    .pair_size = MOTION_PAIR_WORDS * sizeof(uint32_t),
    .columns_size = 2 * MOTION_ROW_WORDS * sizeof(int16_t),
    .sums = 1,
    .shared_pixels = MOTION_SHARED_PIXELS,
};

struct MotionFrame {
    Strips *strips;
};

typedef struct Pass {
    const MotionSetup *setup;
    const uint8_t *plane[2];
    ptrdiff_t stride[2];
} Pass;

static void load_pair(const void *pass, const Strip *s, void *pair, int y)
{
    const Pass *p = pass;
    const MotionSetup *setup = p->setup;
    const size_t skip = (size_t)s->from * (setup->bpc > 8 ? 2 : 1);
    const void *rows[2][2];
    for (int picture = 0; picture < 2; picture++) {
        for (int i = 0; i < 2; i++)
            rows[picture][i] = p->plane[picture] +
                               mirror_index_far(y + i, (int)setup->h) * p->stride[picture] + skip;
    }
    setup->dsp.join(pair, rows[0], rows[1], s->to - s->from);
}

/* Prefetches row y of both pictures for a later pair. */
static void fetch_row(const Pass *p, const Strip *s, int y)
{
    const int size = p->setup->bpc > 8 ? 2 : 1;
    for (int picture = 0; picture < 2 && y < (int)p->setup->h; picture++)
        strip_fetch(p->plane[picture] + y * p->stride[picture] + s->from * size,
                    (size_t)((s->to - s->from) * size));
}

static void sum_rows(const void *pass, const Strip *s, const void *const *pairs, int y)
{
    const Pass *p = pass;
    const MotionSetup *setup = p->setup;
    const uint32_t *const ring[MOTION_PAIRS] = { pairs[0], pairs[1], pairs[2] };
    int16_t *columns = (int16_t *)s->columns + MOTION_MARGIN;

    fetch_row(p, s, y + MOTION_REACH + STRIPS_FETCH);
    fetch_row(p, s, y + 1 + MOTION_REACH + STRIPS_FETCH);
    setup->dsp.blur_columns(columns - (s->x0 - s->from), ring, s->to - s->from, (int)setup->bpc);
    for (int row = 0; row < 2 && y + row < (int)setup->h; row++, columns += MOTION_ROW_WORDS) {
        strip_mirror(s, columns, 2, MOTION_PITCH, MOTION_REACH);
        *s->sums += setup->dsp.blur_row(columns, s->x1 - s->x0);
    }
}

uint64_t motion_frame_measure(MotionFrame *frame, const MotionSetup *setup,
                              const void *const planes[2], const ptrdiff_t strides[2], Team *team)
{
    const Pass p = {
        .setup = setup,
        .plane = { planes[0], planes[1] },
        .stride = { strides[0], strides[1] },
    };
    const StripsPlane plane = {
        .w = (int)setup->w,
        .h = (int)setup->h,
        .reach = MOTION_REACH,
        .pair_reach = MOTION_REACH,
        .load = load_pair,
        .sum = sum_rows,
        .arg = &p,
    };
    uint64_t sad;
    strips_sweep(frame->strips, &plane, &sad, team);
    return sad;
}

int motion_frame_create(const Feature *f, void **out)
{
    const MotionSetup *const setup = f->state;
    MotionFrame *frame = *out = mem_zalloc(sizeof(*frame));
    if (!frame)
        return -ENOMEM;
    const int err = strips_create(&frame->strips, &strips_kind, (int)setup->w, (int)setup->h);
    if (err) {
        motion_frame_destroy(frame);
        *out = NULL;
    }
    return err;
}

void motion_frame_destroy(void *scratch)
{
    MotionFrame *const frame = scratch;
    if (!frame)
        return;
    strips_destroy(frame->strips);
    mem_free(frame);
}

/* ---- The feature */

static const Option options[] = {
    BOOL_OPTION(MotionOptions, debug, "debug", NULL, false, "also report motion"),
    BOOL_OPTION(MotionOptions, force_zero, "motion_force_zero", "force_0", false,
                "report 0 for every frame"),
    DOUBLE_OPTION(MotionOptions, blend_factor, "motion_blend_factor", "mbf", 1, 0, 1,
                  "slope of motion3 above the offset"),
    DOUBLE_OPTION(MotionOptions, blend_offset, "motion_blend_offset", "mbo", 40, 0, 1000,
                  "motion above which that slope applies"),
    DOUBLE_OPTION(MotionOptions, fps_weight, "motion_fps_weight", "mfw", 1, 0, 5,
                  "factor that compensates for the frame rate"),
    DOUBLE_OPTION(MotionOptions, max_val, "motion_max_val", "mmxv", 10000, 0, 10000,
                  "upper limit of the scores"),
    BOOL_OPTION(MotionOptions, five_frame_window, "motion_five_frame_window", "mffw", false,
                "compare with the frame two frames back"),
    BOOL_OPTION(MotionOptions, moving_average, "motion_moving_average", "mma", false,
                "average motion3 with that of the frame before"),
    { 0 },
};

enum { OUT_SAD, OUT_MOTION, OUT_MOTION2, OUT_MOTION3 };

static const FeatureOutput outputs[] = {
    { .name = "VMAF_integer_feature_motion_sad_score", .help = "motion of this frame alone" },
    { .name = "VMAF_integer_feature_motion_score", .help = "motion of this frame alone (debug)" },
    { .name = "VMAF_integer_feature_motion2_score",
      .help = "the lesser of this frame's motion and the next frame's",
      .delay = OUTPUT_FLUSH },
    { .name = "VMAF_integer_feature_motion3_score",
      .help = "motion2 blended and averaged",
      .delay = OUTPUT_FLUSH },
    { 0 },
};

/* motion2 and motion3 of a frame wait for the frame after it. The first frames' motion3 waits for
 * the first comparison of two frames. */
typedef struct MotionState {
    MotionSetup setup; /* first: the frame routine takes f->state as a MotionSetup */
    uint64_t frames;   /* frames reported so far */
    double raw[2];     /* raw scores of the last frame and of the one before it */
    unsigned index[2]; /* indices of these two */
    double previous;   /* last motion3 before averaging */
} MotionState;

static int init(Feature *f)
{
    const MotionOptions *o = f->options;
    const FrameShape *shape = &f->shape;
    MotionState *state = f->state = mem_zalloc(sizeof(*state));
    if (!state)
        return -ENOMEM;
    state->setup = (MotionSetup){ .w = shape->w[0], .h = shape->h[0], .bpc = shape->bpc };
    motion_dsp_init(&state->setup.dsp, shape->bpc, f->cpu);
    if (!o->force_zero && (shape->w[0] < 3 || shape->h[0] < 3)) {
        log_error("%s: pictures are %ux%u, below the smallest size, 3x3", f->def->name, shape->w[0],
                  shape->h[0]);
        return -EINVAL;
    }
    return 0;
}

static int measure(const Feature *f, void *scratch, const FramePair *pair, void *result, Team *team)
{
    const MotionOptions *o = f->options;
    const MotionState *state = f->state;
    const VmafPicture *earlier = pair->prev_ref[motion_distance(o) - 1];
    MotionResult *r = result;
    r->sad = 0;
    if (o->force_zero || !earlier)
        return 0;
    const void *const planes[2] = { earlier->data[0], pair->ref->data[0] };
    const ptrdiff_t strides[2] = { earlier->stride[0], pair->ref->stride[0] };
    r->sad = motion_frame_measure(scratch, &state->setup, planes, strides, team);
    return 0;
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static double blended(const MotionOptions *o, double m)
{
    const double value = m * o->blend_factor + (1.0 - o->blend_factor) * lesser(o->blend_offset, m);
    return lesser(value, o->max_val);
}

static double raw_score(const Feature *f, uint64_t position, const MotionResult *r)
{
    const MotionOptions *o = f->options;
    const double pixels = (double)f->shape.w[0] * (double)f->shape.h[0];
    if (position < motion_distance(o) || o->force_zero)
        return 0.0;
    return lesser((double)r->sad / 256.0 / pixels * o->fps_weight, o->max_val);
}

/* Reports motion3 of the first `count` frames. They have no earlier frame to be compared with, so
 * they take the first value that there is. */
static int emit_head(Feature *f, unsigned count, double value)
{
    MotionState *state = f->state;
    int err = 0;
    for (unsigned i = count; i-- > 0 && !err;)
        err = feature_emit(f, OUT_MOTION3, state->index[i], value);
    state->previous = value;
    return err;
}

static int emit_smoothed(Feature *f, unsigned index, double motion2)
{
    const MotionOptions *o = f->options;
    MotionState *state = f->state;
    const double now = blended(o, motion2);
    const double motion3 = o->moving_average ? (now + state->previous) / 2.0 : now;
    state->previous = now;
    int err = feature_emit(f, OUT_MOTION2, index, motion2);
    return err ? err : feature_emit(f, OUT_MOTION3, index, motion3);
}

/* Reports the scores of earlier frames that can be settled once frame `position` has the raw score
 * `raw`. */
static int settle_earlier(Feature *f, uint64_t position, double raw)
{
    const MotionOptions *o = f->options;
    const MotionState *state = f->state;
    const unsigned distance = motion_distance(o);
    if (position == distance)
        return emit_head(f, distance, blended(o, raw));
    if (position < distance)
        return 0;
    /* motion2 of the frame before is the lesser of its own score and this frame's. With the
     * five-frame window it is the lesser of its left neighbour's score and this frame's; the left
     * neighbour counts only once it has been compared with an earlier frame. */
    const bool alone = distance == 2 && position == 3;
    const double motion2 = alone ? raw : lesser(state->raw[distance - 1], raw);
    return emit_smoothed(f, state->index[0], motion2);
}

static int report(Feature *f, const FrameId *id, const void *result)
{
    const MotionOptions *o = f->options;
    MotionState *state = f->state;
    const uint64_t position = state->frames;
    const double raw = raw_score(f, position, result);

    int err = feature_emit(f, OUT_SAD, id->index, raw);
    if (!err && o->debug)
        err = feature_emit(f, OUT_MOTION, id->index, raw);
    if (!err && position < motion_distance(o))
        err = feature_emit(f, OUT_MOTION2, id->index, 0.0);
    if (!err)
        err = settle_earlier(f, position, raw);
    state->raw[1] = state->raw[0];
    state->index[1] = state->index[0];
    state->raw[0] = raw;
    state->index[0] = id->index;
    state->frames++;
    return err;
}

static int flush(Feature *f)
{
    const MotionState *state = f->state;
    const unsigned distance = motion_distance(f->options);
    if (!state)
        return 0;
    if (state->frames <= distance)
        return emit_head(f, (unsigned)state->frames, 0.0);
    return emit_smoothed(f, state->index[0], state->raw[0]);
}

static const ResultField fields[] = {
    RESULT_FIELD(MotionResult, sad, FIELD_U64),
    { 0 },
};

const FeatureDef feature_motion = {
    .name = "motion",
    .summary = "motion of the reference, fixed point",
    .options = options,
    .options_size = sizeof(MotionOptions),
    .outputs = outputs,
    .flags = FEATURE_EVERY_FRAME,
    .result_size = sizeof(MotionResult),
    .fields = fields,
    .reach = 2,
    .init = init,
    .close = feature_free_state,
    .scratch_create = motion_frame_create,
    .scratch_destroy = motion_frame_destroy,
    .measure = measure,
    .report = report,
    .flush = flush,
    .gpu = &motion_gpu,
};
