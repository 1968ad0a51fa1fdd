/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Borders: an index outside 0…n-1 is reflected once, the edge sample not repeated. */
#ifndef FEATURE_COMMON_MIRROR_H
#define FEATURE_COMMON_MIRROR_H

static inline int mirror_index(int i, int n)
{
    if (i < 0)
        return -i;
    return i < n ? i : 2 * (n - 1) - i;
}

#endif
