/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Borders: an index outside 0…n-1 is reflected, the edge sample not repeated. */
#ifndef FEATURE_COMMON_MIRROR_H
#define FEATURE_COMMON_MIRROR_H

/* Reflected once. */
static inline int mirror_index(int i, int n)
{
    if (i < 0)
        return -i;
    return i < n ? i : 2 * (n - 1) - i;
}

/* Reflected as often as a plane smaller than the kernel needs; n > 1. */
static inline int mirror_index_far(int i, int n)
{
    const int period = 2 * (n - 1);
    i = i < 0 ? -i % period : i % period;
    return i < n ? i : period - i;
}

#endif
