/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Checks extractors and their options by what the library says of them, more strictly than it does
 * itself: what it would ignore or cut short is refused here, with words that help. */
#ifndef TOOLS_CHECK_H
#define TOOLS_CHECK_H

#include <stdbool.h>

#include "libvmaf/model.h"
#include "spec.h"

/* Both return 0 or, after saying what is wrong, -EINVAL. */
int check_feature(const FeatureSpec *spec);
/* *used: the model uses the extractor. One that exists will do: programs pass the same options with every
 * model. */
int check_overload(const OptionSpec *overload, const VmafModel *model, bool *used);

#endif
