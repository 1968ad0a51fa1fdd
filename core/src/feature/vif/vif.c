/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vif: visual information fidelity in fixed point, on four scales of luma. */
#include <errno.h>
#include <stddef.h>

#include "engine/feature.h"
#include "base/log.h"
#include "base/mem.h"
#include "feature/vif/vif.h"

static const Option options[] = {
    BOOL_OPTION(VifOptions, debug, "debug", NULL, false, "also report numerators and denominators"),
    DOUBLE_OPTION(VifOptions, gain_limit, "vif_enhn_gain_limit", "egl", 100, 1, 100,
                  "upper limit of the enhancement gain"),
    BOOL_OPTION(VifOptions, skip_scale0, "vif_skip_scale0", "ssclz", false,
                "skip the full-size scale"),
    { 0 },
};

enum { OUT_SCALE0 = 0, OUT_VIF = VIF_SCALES, OUT_NUM, OUT_DEN, OUT_NUM_SCALE0 };

static const FeatureOutput outputs[] = {
    { .name = "VMAF_integer_feature_vif_scale0_score", .help = "fidelity at full size" },
    { .name = "VMAF_integer_feature_vif_scale1_score", .help = "fidelity at half size" },
    { .name = "VMAF_integer_feature_vif_scale2_score",
      .help = "fidelity at a quarter of the size" },
    { .name = "VMAF_integer_feature_vif_scale3_score",
      .help = "fidelity at an eighth of the size" },
    { .name = "integer_vif", .help = "all scales together (debug)", .extra = true },
    { .name = "integer_vif_num", .help = "its numerator (debug)", .extra = true },
    { .name = "integer_vif_den", .help = "its denominator (debug)", .extra = true },
    { .name = "integer_vif_num_scale0", .help = "numerator of scale 0 (debug)", .extra = true },
    { .name = "integer_vif_den_scale0", .help = "denominator of scale 0 (debug)", .extra = true },
    { .name = "integer_vif_num_scale1", .help = "numerator of scale 1 (debug)", .extra = true },
    { .name = "integer_vif_den_scale1", .help = "denominator of scale 1 (debug)", .extra = true },
    { .name = "integer_vif_num_scale2", .help = "numerator of scale 2 (debug)", .extra = true },
    { .name = "integer_vif_den_scale2", .help = "denominator of scale 2 (debug)", .extra = true },
    { .name = "integer_vif_num_scale3", .help = "numerator of scale 3 (debug)", .extra = true },
    { .name = "integer_vif_den_scale3", .help = "denominator of scale 3 (debug)", .extra = true },
    { 0 },
};

typedef struct VifState {
    VifSetup setup; /* first: the other files take f->state as a VifSetup */
    uint16_t log_table[VIF_LOG_ENTRIES];
} VifState;

static int init(Feature *f)
{
    const VifOptions *o = f->options;
    const FrameShape *shape = &f->shape;
    if (shape->w[0] < VIF_MIN_SIZE || shape->h[0] < VIF_MIN_SIZE) {
        log_error("%s: pictures are %ux%u, below the smallest size, %dx%d", f->def->name,
                  shape->w[0], shape->h[0], VIF_MIN_SIZE, VIF_MIN_SIZE);
        return -EINVAL;
    }
    VifState *state = f->state = mem_alloc(sizeof(*state));
    if (!state)
        return -ENOMEM;
    vif_log_table_fill(state->log_table);
    state->setup = (VifSetup){
        .w = shape->w[0],
        .h = shape->h[0],
        .bpc = shape->bpc,
        .skip_scale0 = o->skip_scale0,
        .pixel = { .log_table = state->log_table, .gain_limit = o->gain_limit },
    };
    vif_dsp_init(&state->setup.dsp, shape->bpc, f->cpu);
    return 0;
}

static int measure(const Feature *f, void *scratch, const FramePair *pair, void *result, Team *team)
{
    const VifState *state = f->state;
    const void *const planes[2] = { pair->ref->data[0], pair->dist->data[0] };
    const ptrdiff_t strides[2] = { pair->ref->stride[0], pair->dist->stride[0] };
    vif_frame_measure(scratch, &state->setup, planes, strides, result, team);
    return 0;
}

/* Numerator and denominator of a scale, in single precision as the reference keeps them. */
typedef struct VifRatio {
    float num, den;
} VifRatio;

static VifRatio ratio_of(const VifSums *s)
{
    const double flat = (double)s->flat_count - (double)s->flat_energy / 16384.0 / 65025.0;
    return (VifRatio){ .num = (float)((double)s->num_log / 2048.0 + flat),
                       .den = (float)((double)s->den_log / 2048.0 + (double)s->flat_count) };
}

static int report_debug(Feature *f, unsigned index, const VifRatio ratio[VIF_SCALES], int first)
{
    double num = 0.0, den = 0.0;
    int err = 0;
    for (int s = first; s < VIF_SCALES; s++) {
        num += ratio[s].num;
        den += ratio[s].den;
    }
    err |= feature_emit(f, OUT_VIF, index, den == 0.0 ? 1.0 : num / den);
    err |= feature_emit(f, OUT_NUM, index, num);
    err |= feature_emit(f, OUT_DEN, index, den);
    for (unsigned s = 0; s < VIF_SCALES; s++) {
        err |= feature_emit(f, OUT_NUM_SCALE0 + 2 * s, index, ratio[s].num);
        err |= feature_emit(f, OUT_NUM_SCALE0 + 2 * s + 1, index, ratio[s].den);
    }
    return err ? -EINVAL : 0;
}

static int report(Feature *f, const FrameId *id, const void *result)
{
    const VifOptions *o = f->options;
    const VifResult *r = result;
    VifRatio ratio[VIF_SCALES];
    int err = 0;
    for (unsigned s = 0; s < VIF_SCALES; s++) {
        const bool skipped = s == 0 && o->skip_scale0;
        ratio[s] = skipped ? (VifRatio){ 0.0f, -1.0f } : ratio_of(&r->scale[s]);
        const float score = skipped ? 0.0f : ratio[s].num / ratio[s].den;
        err |= feature_emit(f, OUT_SCALE0 + s, id->index, score);
    }
    if (o->debug)
        err |= report_debug(f, id->index, ratio, o->skip_scale0 ? 1 : 0);
    return err ? -EINVAL : 0;
}

/* ---- maps ---- */

static unsigned map_layers(const Feature *f, MapLayer *layers)
{
    const VifOptions *o = f->options;
    unsigned count = 0;
    for (unsigned s = o->skip_scale0; s < VIF_SCALES; s++)
        layers[count++] = (MapLayer){
            .output = OUT_SCALE0 + s,
            .w = f->shape.w[0] >> s,
            .h = f->shape.h[0] >> s,
            .terms = VIF_TERMS,
            .step_x = 1u << s,
            .step_y = 1u << s,
            .best = 1.0,
            .worst = 0.0,
        };
    return count;
}

static int map_measure(const Feature *f, void *scratch, const FramePair *pair, MapLayer *layers)
{
    VifResult unused;
    vif_frame_map(scratch, layers);
    const int err = measure(f, scratch, pair, &unused, NULL);
    vif_frame_map(scratch, NULL);
    return err;
}

static int map_sum(const Feature *f, const MapLayer *layers, void *result)
{
    const VifOptions *o = f->options;
    VifResult *const r = result;
    for (unsigned s = o->skip_scale0; s < VIF_SCALES; s++, layers++) {
        VifSums *const sums = &r->scale[s];
        const VmafPartValue *cell = layers->cells;
        for (size_t n = (size_t)layers->w * layers->h; n; n--, cell += VIF_TERMS) {
            sums->num_log += (uint64_t)cell[VIF_TERM_NUM].integer;
            sums->den_log += (uint64_t)cell[VIF_TERM_DEN].integer;
            sums->flat_energy += (uint64_t)cell[VIF_TERM_ENERGY].integer;
            sums->flat_count += (uint64_t)cell[VIF_TERM_FLAT].integer;
        }
    }
    return 0;
}

static double map_value(const Feature *f, unsigned layer, const double *terms, double cells)
{
    const VifSums sums = { .num_log = (uint64_t)terms[VIF_TERM_NUM],
                           .den_log = (uint64_t)terms[VIF_TERM_DEN],
                           .flat_energy = (uint64_t)terms[VIF_TERM_ENERGY],
                           .flat_count = (uint64_t)terms[VIF_TERM_FLAT] };
    const VifRatio ratio = ratio_of(&sums);
    return ratio.num / ratio.den;
}

static const FeatureMap vif_map = {
    .layers = map_layers,
    .measure = map_measure,
    .sum = map_sum,
    .value = map_value,
};

static const ResultField fields[] = {
    RESULT_FIELD(VifResult, scale, FIELD_U64),
    { 0 },
};

const FeatureDef feature_vif = {
    .name = "vif",
    .summary = "visual information fidelity, fixed point",
    .options = options,
    .options_size = sizeof(VifOptions),
    .outputs = outputs,
    .result_size = sizeof(VifResult),
    .fields = fields,
    .init = init,
    .close = feature_free_state,
    .scratch_create = vif_frame_create,
    .scratch_destroy = vif_frame_destroy,
    .measure = measure,
    .report = report,
    .gpu = &vif_gpu,
    .map = &vif_map,
};
