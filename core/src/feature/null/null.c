/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* null: a feature that measures nothing and reports nothing. */
#include "engine/feature.h"

static int null_measure(const Feature *f, void *scratch, const FramePair *pair, void *result,
                        Team *team)
{
    return 0;
}

static int null_report(Feature *f, const FrameId *id, const void *result)
{
    return 0;
}

static const FeatureOutput null_outputs[] = {
    { .name = NULL },
};

const FeatureDef feature_null = {
    .name = "null",
    .summary = "does nothing",
    .outputs = null_outputs,
    .measure = null_measure,
    .report = null_report,
};
