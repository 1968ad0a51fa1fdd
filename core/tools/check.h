/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Checks extractors and their options by the registry, more strictly than the library does: what it
 * would ignore or cut short is refused here, with words that help. */
#ifndef TOOLS_CHECK_H
#define TOOLS_CHECK_H

#include "engine/feature.h"
#include "model/model.h"
#include "spec.h"

/* All return 0 or, after saying what is wrong, -EINVAL. */
int check_feature(const FeatureSpec *spec);
int check_overload(const OptionSpec *overload, const VmafModel *model);

#endif
