/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* One figure of many scores: mean, harmonic_mean, min, max, median or pN, N from 0 to 100. */
#ifndef TUNE_POOL_H
#define TUNE_POOL_H

#include <stddef.h>

enum PoolKind { POOL_MEAN, POOL_HARMONIC, POOL_MIN, POOL_MAX, POOL_PERCENTILE };

typedef struct Pool {
    enum PoolKind kind;
    unsigned percent; /* of POOL_PERCENTILE; the median is the 50th */
} Pool;

#define POOL_NAME_SIZE 32

/* 0 or -EINVAL. */
int pool_parse(Pool *pool, const char *text);
void pool_print(const Pool *pool, char text[POOL_NAME_SIZE]);
/* As reports have it. NAN: there are no scores. */
double pool_scores(const Pool *pool, const double *scores, size_t count);

#endif
