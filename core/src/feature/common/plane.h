/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Small calculations about a plane of samples: its area, its sample depth, indices at its
 * borders. */
#ifndef FEATURE_COMMON_PLANE_H
#define FEATURE_COMMON_PLANE_H

#include <stdint.h>

/* Samples in a plane. 65536 x 65536 of them need more than 32 bits. */
static inline uint64_t plane_area(unsigned w, unsigned h)
{
    return (uint64_t)w * h;
}

/* The float features scale samples to 0…256: this is the value of one sample step on that scale. */
static inline double depth_step(unsigned bpc)
{
    return 1.0 / (1u << (bpc - 8));
}

/* The largest sample on that scale: 255, 255.75, 255.9375, 255.99609375 for 8, 10, 12 and 16
 * bits. */
static inline double depth_peak(unsigned bpc)
{
    return ((1u << bpc) - 1) * depth_step(bpc);
}

/* The score in dB for two equal pictures: 60, 72, 84, 108 for 8, 10, 12 and 16 bits. */
static inline double depth_ceiling_db(unsigned bpc)
{
    return 6.0 * bpc + 12.0;
}

/* Reflects an index outside 0…n-1 once; the edge sample is not repeated. */
static inline int mirror_index(int i, int n)
{
    if (i < 0)
        return -i;
    return i < n ? i : 2 * (n - 1) - i;
}

/* Reflects as often as needed, for planes smaller than the kernel; n > 1. */
static inline int mirror_index_far(int i, int n)
{
    const int period = 2 * (n - 1);
    i = i < 0 ? -i % period : i % period;
    return i < n ? i : period - i;
}

#endif
