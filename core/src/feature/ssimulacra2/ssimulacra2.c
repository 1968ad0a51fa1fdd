/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ssimulacra2: SSIMULACRA 2.1, structural and edge errors of six scales in a perceptual colour
 * space. */
#include "feature/ssimulacra2/ssimulacra2.h"

#include <errno.h>

#include "base/mem.h"

static int init(Feature *f)
{
    Ssimu2Setup *const setup = f->state = mem_zalloc(sizeof(*setup));
    if (!setup)
        return -ENOMEM;
    const int err = ssimu2_setup_init(setup, &f->shape, f->options);
    if (!err)
        ssimu2_dsp_init(&setup->dsp, f->shape.bpc, f->shape.w[1] < f->shape.w[0], f->cpu);
    return err;
}

static int measure(const Feature *f, void *scratch, const FramePair *pair, void *result, Team *team)
{
    const Ssimu2Setup *const setup = f->state;
    ssimu2_add_blocks(result, setup, ssimu2_frame_measure(scratch, setup, pair, team));
    return 0;
}

static int report(Feature *f, const FrameId *id, const void *result)
{
    return feature_emit(f, 0, id->index, ssimu2_score(f->state, result));
}

static const Option options[] = {
    STRING_OPTION(Ssimu2Options, matrix, "matrix", "mtx", "bt709",
                  "of Y'CbCr: bt709, bt601 or bt2020ncl; gbr: the planes are G', B' and R'"),
    STRING_OPTION(Ssimu2Options, range, "range", "rng", "limited", "of samples: limited or full"),
    STRING_OPTION(Ssimu2Options, transfer, "transfer", "trc", "srgb",
                  "transfer function: srgb, which stands for every SDR video"),
    STRING_OPTION(Ssimu2Options, tags[0], "ref_tags", NULL, "",
                  "MATRIX/RANGE or MATRIX/RANGE/BITS of the reference, in place of `matrix` and "
                  "`range`; the command sets it from the file"),
    STRING_OPTION(Ssimu2Options, tags[1], "dist_tags", NULL, "", "the same of the distorted video"),
    BOOL_OPTION(Ssimu2Options, prune, "prune", "prn", false,
                "leave out weights below 0.01: faster, and scores rise by less than 0.001"),
    { 0 },
};

static const FeatureOutput outputs[] = {
    { .name = "ssimulacra2",
      .help = "SSIMULACRA 2.1: 100 for equal pictures, without lower limit" },
    { 0 },
};

static const ResultField fields[] = {
    RESULT_FIELD(Ssimu2Result, sums, FIELD_DOUBLE),
    { 0 },
};

const FeatureDef feature_ssimulacra2 = {
    .name = "ssimulacra2",
    .summary = "SSIMULACRA 2.1, from all planes",
    .options = options,
    .options_size = sizeof(Ssimu2Options),
    .outputs = outputs,
    .flags = FEATURE_CHROMA,
    .result_size = sizeof(Ssimu2Result),
    .fields = fields,
    .init = init,
    .close = feature_free_state,
    .scratch_create = ssimu2_frame_create,
    .scratch_destroy = ssimu2_frame_destroy,
    .measure = measure,
    .report = report,
    .gpu = &ssimu2_gpu,
};
