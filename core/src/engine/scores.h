/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The score store: (metric name, index) -> double, written once. The context owns it. Any thread
 * may call all functions but scores_create and scores_destroy. */
#ifndef ENGINE_SCORES_H
#define ENGINE_SCORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ScoreStore ScoreStore;

/* The position of a metric in a report. Metrics are listed in the order in which the reference,
 * working frame by frame, would write them first, whichever thread was faster here: by this key,
 * and by first write where keys are equal. A score without a key comes after all others of its
 * step. */
typedef struct ScoreOrder {
    unsigned step; /* pairs read when the score is due, 0 before the first, or SCORES_FLUSH */
    unsigned feature, output;
} ScoreOrder;

#define SCORES_FLUSH (~0u)

int scores_create(ScoreStore **store);
void scores_destroy(ScoreStore *store);

/* Sets the position in the stream: the number of pairs read, or SCORES_FLUSH. */
void scores_set_step(ScoreStore *store, unsigned step);

/* The listener is called for each score, by the call that stores it, with no lock held. A new
 * listener replaces the one before; NULL removes it. */
typedef void (*ScoreListener)(void *arg, const char *name, unsigned index, double value);
void scores_listen(ScoreStore *store, ScoreListener listener, void *arg);

/* -EINVAL and a warning when the index has a score already or is forgotten; -ENOMEM. `order` NULL:
 * first-write order. */
int scores_set(ScoreStore *store, const char *name, unsigned index, double value,
               const ScoreOrder *order);
/* Stores *value, or sets *value to the score that is there already. -ENOMEM; -ERANGE: the index is
 * forgotten. */
int scores_settle(ScoreStore *store, const char *name, unsigned index, double *value,
                  const ScoreOrder *order);

/* Drops all scores of indices below `before`, and ignores those that come later: the store of a
 * stream without end then takes the memory of a few frames. */
void scores_forget(ScoreStore *store, unsigned before);

/* A score to be stored. */
typedef struct ScoreEntry {
    const char *name;
    unsigned index;
    double value;
    ScoreOrder order;
    const struct Feature *feature; /* the feature that made it */
    bool stored;
} ScoreEntry;

/* The scores of this index are stored all or none. */
typedef struct ScoreFrame {
    unsigned index;
    bool failed; /* none */
} ScoreFrame;

/* Stores entries in their order and sets their `stored`, then calls the listener. With a frame,
 * entries of other indices are stored each on its own, and those of the frame's index only if none
 * is refused. Without a frame all are stored or none. Returns the first error: -EINVAL and a
 * warning for an index that has a score already, or -ENOMEM; *culprit is then the number of that
 * entry. */
int scores_store(ScoreStore *store, ScoreEntry *entries, size_t count, const ScoreFrame *frame,
                 size_t *culprit);

/* The stored name for a name that a user gives, which may be the short one that reports print.
 * Returns an unknown name unchanged. The result is `name` itself or lives as long as the store. */
const char *scores_resolve(ScoreStore *store, const char *name);
/* Looks a score up by its stored name. -EINVAL when there is no such metric or no score at that
 * index. */
int scores_get(ScoreStore *store, const char *name, unsigned index, double *value);

/* The kinds of scores that names are claimed for. */
enum ClaimKind { CLAIM_FEATURE, CLAIM_MODEL, CLAIM_IMPORT };

/* Claims names for a feature, for a model (`owner` is its number) or for imported scores, all or
 * none. Features may share names with each other and with imported scores, which replace theirs; a
 * model shares its names with nobody. -EINVAL (logged) when a name is taken or reserved for
 * reports; -ENOMEM. */
int scores_claim(ScoreStore *store, const char *const *names, size_t count, enum ClaimKind kind,
                 uint64_t owner);

/* Stores a figure about the whole clip; the last value set counts. -ENOMEM. */
int scores_set_aggregate(ScoreStore *store, const char *name, double value);

/* All columns at one moment, in report order. They are copies, so that writers go on meanwhile; the
 * names live as long as the store. After -ENOMEM there is nothing to clear. */
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
