/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "pool.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libvmaf/report.h"

static const struct {
    const char *name;
    Pool pool;
} pools[] = {
    { "mean", { POOL_MEAN, 0 } },
    { "harmonic_mean", { POOL_HARMONIC, 0 } },
    { "min", { POOL_MIN, 0 } },
    { "max", { POOL_MAX, 0 } },
    { "median", { POOL_PERCENTILE, 50 } },
};

int pool_parse(Pool *pool, const char *text)
{
    for (size_t i = 0; i < sizeof(pools) / sizeof(*pools); i++) {
        if (!strcmp(text, pools[i].name)) {
            *pool = pools[i].pool;
            return 0;
        }
    }
    char *end;
    if (text[0] != 'p' || text[1] < '0' || text[1] > '9')
        return -EINVAL;
    const unsigned long percent = strtoul(text + 1, &end, 10);
    if (*end || percent > 100)
        return -EINVAL;
    *pool = (Pool){ POOL_PERCENTILE, (unsigned)percent };
    return 0;
}

void pool_print(const Pool *pool, char text[POOL_NAME_SIZE])
{
    for (size_t i = 0; i < sizeof(pools) / sizeof(*pools); i++) {
        if (pools[i].pool.kind == pool->kind && pools[i].pool.percent == pool->percent) {
            snprintf(text, POOL_NAME_SIZE, "%s", pools[i].name);
            return;
        }
    }
    snprintf(text, POOL_NAME_SIZE, "p%u", pool->percent);
}

double pool_scores(const Pool *pool, const double *scores, size_t count)
{
    VmafStatistics statistics = { .size = sizeof(statistics) };
    if (!count || vmaf_statistics(scores, count, &statistics))
        return NAN;
    switch (pool->kind) {
    case POOL_MEAN:
        return statistics.mean;
    case POOL_HARMONIC:
        return statistics.harmonic_mean;
    case POOL_MIN:
        return statistics.min;
    case POOL_MAX:
        return statistics.max;
    case POOL_PERCENTILE:
        return statistics.percentile[pool->percent];
    }
    return NAN;
}
