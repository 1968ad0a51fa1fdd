/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The score store: (metric name, index) -> double, written once. All functions are thread-safe. */
#ifndef ENGINE_SCORES_H
#define ENGINE_SCORES_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/claims.h"

typedef struct ScoreStore ScoreStore;

/* Where a metric stands in a report. Metrics are listed in the order in which the reference,
 * working frame by frame, would write them first, whatever thread was faster here: by this key, and
 * by first write where keys are equal. A score without a key comes after all others of its step. */
typedef struct ScoreOrder {
    unsigned step; /* pairs read when the score is due, 0 before the first, or SCORES_FLUSH */
    unsigned feature, output;
} ScoreOrder;

#define SCORES_FLUSH (~0u)

int scores_create(ScoreStore **store);
void scores_destroy(ScoreStore *store);

/* Where the stream stands: the number of pairs read, or SCORES_FLUSH. */
void scores_set_step(ScoreStore *store, unsigned step);

/* The listener is called for each score, by the call of scores_set that stores it, with no lock
 * held. There is one; NULL removes it. */
typedef void (*ScoreListener)(void *arg, const char *name, unsigned index, double value);
void scores_listen(ScoreStore *store, ScoreListener listener, void *arg);

/* -EINVAL and a WARNING when the slot is taken; -ENOMEM. `order` NULL: first-write order. */
int scores_set(ScoreStore *store, const char *name, unsigned index, double value,
               const ScoreOrder *order);
/* Stores *value unless a score is there, whose value it then becomes. -ENOMEM. */
int scores_settle(ScoreStore *store, const char *name, unsigned index, double *value,
                  const ScoreOrder *order);

/* A score on its way. */
typedef struct ScoreEntry {
    const char *name;
    unsigned index;
    double value;
    ScoreOrder order;
    const struct Feature *feature; /* who made it */
    bool stored;
} ScoreEntry;

/* Scores of this index are stored all or none. */
typedef struct ScoreFrame {
    unsigned index;
    bool failed; /* none */
} ScoreFrame;

/* Stores entries in their order and sets their `stored`, then tells the listener. With a frame, entries
 * of other indices are stored for themselves; those of the frame's are not if any entry is refused.
 * Without a frame all are stored or none. The first error: -EINVAL and a WARNING for a slot that is
 * taken, -ENOMEM; *culprit is the place of that entry. */
int scores_store(ScoreStore *store, ScoreEntry *entries, size_t count, const ScoreFrame *frame,
                 size_t *culprit);

/* The name under which scores are stored, from a name that a user gives: that may be the short one
 * that reports print. A name that is not known comes back as it is. The result is `name` itself or
 * lives as long as the store. */
const char *scores_resolve(ScoreStore *store, const char *name);
/* By stored name. -EINVAL when there is no such metric or no score at that index. */
int scores_get(ScoreStore *store, const char *name, unsigned index, double *value);

/* Claims names for a feature, a model (by its number) or imported scores, all or none; see
 * engine/claims.h. -EINVAL (logged) when one is taken or a report's own; -ENOMEM. */
int scores_claim(ScoreStore *store, const char *const *names, size_t count, enum ClaimKind kind,
                 uint64_t owner);

int scores_set_aggregate(ScoreStore *store, const char *name, double value);

/* For reports: all columns at one instant, in report order. They are copies, so that writers go on
 * meanwhile; the names live as long as the store. -ENOMEM leaves nothing behind. */
typedef struct ScoreColumn {
    const char *name; /* stored name */
    size_t capacity;
    double *values;
    bool *written;
} ScoreColumn;
typedef struct ScoreTable {
    ScoreColumn *columns;
    size_t column_count;
} ScoreTable;
int scores_copy(ScoreStore *store, ScoreTable *out);
void score_table_clear(ScoreTable *table);
size_t scores_aggregate_count(ScoreStore *store);
int scores_aggregate(ScoreStore *store, size_t i, const char **name, double *value);

#endif
