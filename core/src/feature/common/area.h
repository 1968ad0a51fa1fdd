/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Samples of a plane. A plane of 65536 by 65536 has more than 32 bits can count. */
#ifndef FEATURE_COMMON_AREA_H
#define FEATURE_COMMON_AREA_H

#include <stdint.h>

static inline uint64_t plane_area(unsigned w, unsigned h)
{
    return (uint64_t)w * h;
}

#endif
