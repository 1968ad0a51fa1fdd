/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The score store: (metric name, index) -> double, written once. All functions are thread-safe. */
#ifndef ENGINE_SCORES_H
#define ENGINE_SCORES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct ScoreStore ScoreStore;

/* Columns are listed by this key, then by first write: what a serial run of the reference would
 * give. A score without an order follows all that its step holds. */
typedef struct ScoreOrder {
    unsigned
        step; /* 0 before the first pair is read, then the number of pairs read, or SCORES_FLUSH */
    unsigned feature, output;
} ScoreOrder;

#define SCORES_FLUSH (~0u)

int scores_create(ScoreStore **store);
void scores_destroy(ScoreStore *store);

/* Where the stream stands: the number of pairs read, or SCORES_FLUSH. */
void scores_set_step(ScoreStore *store, unsigned step);

/* Called for every score that is stored, by the call that stores it, with no lock held. */
typedef void (*ScoreListener)(void *arg, const char *name, unsigned index, double value);
void scores_listen(ScoreStore *store, ScoreListener listener, void *arg);

/* -EINVAL and a WARNING when the slot is taken; -ENOMEM. `order` NULL: first-write order. */
int scores_set(ScoreStore *store, const char *name, unsigned index, double value,
               const ScoreOrder *order);
/* The stored name that a name from outside means: itself, or the metric that reports print so. The
 * string lives as long as one of both. */
const char *scores_resolve(ScoreStore *store, const char *name);
/* -EINVAL when unknown or unwritten. By stored name. */
int scores_get(ScoreStore *store, const char *name, unsigned index, double *value);

int scores_set_aggregate(ScoreStore *store, const char *name, double value);

/* For reports. Not to be mixed with writers. */
typedef struct ScoreColumn {
    const char *name; /* stored name */
    size_t capacity;
    const double *values;
    const bool *written;
} ScoreColumn;
size_t scores_column_count(ScoreStore *store);
int scores_column(ScoreStore *store, size_t i, ScoreColumn *out); /* i-th in report order */
size_t scores_aggregate_count(ScoreStore *store);
int scores_aggregate(ScoreStore *store, size_t i, const char **name, double *value);

#endif
