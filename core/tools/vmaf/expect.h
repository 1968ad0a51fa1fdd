/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a run will come to, as far as it can be told before it begins. */
#ifndef TOOLS_EXPECT_H
#define TOOLS_EXPECT_H

#include <stdint.h>

#include "options.h"

/* Pairs of a run, about: of `frames` in the reference (0: nobody knows) no more than `limit` (0: all), with each of
 * `distorted` videos, or the part that is asked for. 0: nobody knows. */
uint64_t expect_pairs(const PartChoice *part, uint64_t frames, uint64_t limit, unsigned distorted);

#endif
