/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "expect.h"

uint64_t expect_pairs(const PartChoice *part, uint64_t frames, uint64_t limit, unsigned distorted)
{
    const uint64_t pairs = limit && (!frames || limit < frames) ? limit : frames;
    if (part->kind == PART_FRAMES) {
        const uint64_t last = pairs && part->last >= pairs ? pairs - 1 : part->last;
        return last >= part->first ? last - part->first + 1 : 0;
    }
    if (part->kind == PART_SHARD)
        return pairs ? pairs / part->count + 1 : 0;
    return pairs * distorted;
}
