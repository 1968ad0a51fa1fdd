/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/scores.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/name.h"
#include "base/option.h"

typedef struct Column {
    char *name;
    ScoreOrder order;
    unsigned sequence; /* first-write order, between equals */
    unsigned base;     /* the index of the first element of `values` and `written` */
    double *values;
    size_t value_capacity;
    bool *written;
    size_t capacity; /* room in `written`; `values` has at least as much */
} Column;

typedef struct Aggregate {
    char *name;
    double value;
} Aggregate;

/* A name and what it is claimed for. */
typedef struct Claim {
    char *name;
    enum ClaimKind kind;
    uint64_t owner; /* for a model's name: the model's number */
} Claim;

typedef struct Claims {
    Claim *list;
    size_t count, capacity;
} Claims;

struct ScoreStore {
    pthread_mutex_t lock; /* guards the rest */
    Column *columns;
    size_t column_count, column_capacity;
    unsigned *listed; /* columns in report order */
    size_t listed_capacity;
    bool listed_valid;
    Aggregate *aggregates;
    size_t aggregate_count, aggregate_capacity;
    Claims claims;
    unsigned step; /* the step of a score without an order */
    unsigned last_read;
    unsigned forgotten; /* scores below this index are gone, and no more are taken */
    ScoreListener listener;
    void *listener_arg;
};

static void shorten_claims(Claims *claims, size_t count)
{
    while (claims->count > count)
        mem_free(claims->list[--claims->count].name);
}

int scores_create(ScoreStore **out)
{
    ScoreStore *store = mem_zalloc(sizeof(*store));
    if (!store)
        return -ENOMEM;
    pthread_mutex_init(&store->lock, NULL);
    *out = store;
    return 0;
}

void scores_destroy(ScoreStore *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < store->column_count; i++) {
        mem_free(store->columns[i].name);
        mem_free(store->columns[i].values);
        mem_free(store->columns[i].written);
    }
    for (size_t i = 0; i < store->aggregate_count; i++)
        mem_free(store->aggregates[i].name);
    mem_free(store->columns);
    mem_free(store->listed);
    mem_free(store->aggregates);
    shorten_claims(&store->claims, 0);
    mem_free(store->claims.list);
    pthread_mutex_destroy(&store->lock);
    mem_free(store);
}

void scores_set_step(ScoreStore *store, unsigned step)
{
    pthread_mutex_lock(&store->lock);
    store->step = step;
    if (step != SCORES_FLUSH)
        store->last_read = step;
    store->listed_valid = false;
    pthread_mutex_unlock(&store->lock);
}

void scores_listen(ScoreStore *store, ScoreListener listener, void *arg)
{
    pthread_mutex_lock(&store->lock);
    store->listener = listener;
    store->listener_arg = arg;
    pthread_mutex_unlock(&store->lock);
}

static Column *find_locked(const ScoreStore *store, const char *name)
{
    for (size_t i = 0; i < store->column_count; i++)
        if (!strcmp(store->columns[i].name, name))
            return &store->columns[i];
    return NULL;
}

static int grow_columns_locked(ScoreStore *store)
{
    if (mem_grow(&store->columns, store->column_count, &store->column_capacity,
                 sizeof(*store->columns)))
        return -ENOMEM;
    return mem_grow(&store->listed, store->column_count, &store->listed_capacity,
                    sizeof(*store->listed));
}

static Column *add_column_locked(ScoreStore *store, const char *name, const ScoreOrder *order)
{
    if (grow_columns_locked(store))
        return NULL;
    char *copy = mem_strdup(name);
    if (!copy)
        return NULL;
    Column *column = &store->columns[store->column_count];
    *column = (Column){
        .name = copy,
        .order = order ? *order : (ScoreOrder){ store->step, UINT_MAX, 0 },
        .sequence = (unsigned)store->column_count,
        .base = store->forgotten,
    };
    store->column_count++;
    store->listed_valid = false;
    return column;
}

/* Makes room for the element `at`. */
static int grow_column(Column *column, size_t at)
{
    if (mem_grow_to(&column->values, at, &column->value_capacity, sizeof(*column->values)))
        return -ENOMEM;
    return mem_grow_to(&column->written, at, &column->capacity, sizeof(*column->written));
}

/* The score at an index; NULL: there is none. */
static const double *value_at(const Column *column, unsigned index)
{
    const size_t at = index - (size_t)column->base;
    return index >= column->base && at < column->capacity && column->written[at]
               ? &column->values[at]
               : NULL;
}

static int set_locked(ScoreStore *store, const char *name, unsigned index, double value,
                      const ScoreOrder *order)
{
    if (index < store->forgotten)
        return -ERANGE;
    Column *column = find_locked(store, name);
    if (!column)
        column = add_column_locked(store, name, order);
    const size_t at = column ? index - (size_t)column->base : 0;
    if (!column || grow_column(column, at))
        return -ENOMEM;
    assert(at < column->capacity && column->capacity <= column->value_capacity);
    if (column->written[at])
        return -EINVAL;
    column->values[at] = value;
    column->written[at] = true;
    return 0;
}

/* Stores a score and calls the listener. -EINVAL: a score is there already, and *value is set to
 * it. -ERANGE: the index is forgotten. */
static int set_and_tell(ScoreStore *store, const char *name, unsigned index, double *value,
                        const ScoreOrder *order)
{
    pthread_mutex_lock(&store->lock);
    const int err = set_locked(store, name, index, *value, order);
    if (err == -EINVAL)
        *value = *value_at(find_locked(store, name), index);
    const ScoreListener listener = store->listener;
    void *const arg = store->listener_arg;
    pthread_mutex_unlock(&store->lock);

    if (!err && listener)
        listener(arg, name, index, *value);
    return err;
}

int scores_set(ScoreStore *store, const char *name, unsigned index, double value,
               const ScoreOrder *order)
{
    const int err = set_and_tell(store, name, index, &value, order);
    if (err == -EINVAL)
        log_warning("feature \"%s\" cannot be overwritten at index %u", name, index);
    if (err == -ERANGE)
        log_warning("the scores of index %u are forgotten: \"%s\" cannot be added", index, name);
    return err == -ERANGE ? -EINVAL : err;
}

/* Moves the elements that are kept to the front, but only if that frees at least half of the
 * memory. Each element is thus moved a few times at most. */
static void forget_in_column(Column *column, unsigned before)
{
    const size_t gone = before > column->base ? before - (size_t)column->base : 0;
    if (!gone || gone < column->capacity / 2)
        return;
    const size_t kept = gone < column->capacity ? column->capacity - gone : 0;
    if (kept) {
        memmove(column->values, column->values + gone, kept * sizeof(*column->values));
        memmove(column->written, column->written + gone, kept * sizeof(*column->written));
    }
    if (column->capacity)
        memset(column->written + kept, 0, (column->capacity - kept) * sizeof(*column->written));
    column->base = before;
}

void scores_forget(ScoreStore *store, unsigned before)
{
    pthread_mutex_lock(&store->lock);
    for (size_t i = 0; before > store->forgotten && i < store->column_count; i++)
        forget_in_column(&store->columns[i], before);
    if (before > store->forgotten)
        store->forgotten = before;
    pthread_mutex_unlock(&store->lock);
}

/* Removes the columns from `first` on that hold no score. */
static void remove_empty_columns_locked(ScoreStore *store, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < store->column_count; i++) {
        Column *column = &store->columns[i];
        bool empty = true;
        for (size_t index = 0; empty && index < column->capacity; index++)
            empty = !column->written[index];
        if (empty) {
            mem_free(column->name);
            mem_free(column->values);
            mem_free(column->written);
        } else {
            store->columns[kept++] = *column;
        }
    }
    store->column_count = kept;
    store->listed_valid = false;
}

static bool is_of_frame(const ScoreEntry *entry, const ScoreFrame *frame)
{
    return !frame || entry->index == frame->index;
}

static int store_locked(ScoreStore *store, ScoreEntry *entries, size_t count,
                        const ScoreFrame *frame, size_t *culprit)
{
    const size_t columns = store->column_count;
    bool failed = frame && frame->failed;
    int first = 0;
    for (size_t i = 0; i < count; i++) {
        ScoreEntry *const entry = &entries[i];
        entry->stored = false;
        if (entry->index < store->forgotten || (failed && is_of_frame(entry, frame)))
            continue;
        const int err = set_locked(store, entry->name, entry->index, entry->value, &entry->order);
        entry->stored = !err;
        if (err && !first) {
            first = err;
            *culprit = i;
        }
        failed = failed || err;
    }
    for (size_t i = 0; failed && i < count; i++) {
        ScoreEntry *const entry = &entries[i];
        if (!entry->stored || !is_of_frame(entry, frame))
            continue;
        Column *const column = find_locked(store, entry->name);
        column->written[entry->index - (size_t)column->base] = false;
        entry->stored = false;
    }
    if (failed)
        remove_empty_columns_locked(store, columns);
    return first;
}

int scores_store(ScoreStore *store, ScoreEntry *entries, size_t count, const ScoreFrame *frame,
                 size_t *culprit)
{
    pthread_mutex_lock(&store->lock);
    const int err = store_locked(store, entries, count, frame, culprit);
    const ScoreListener listener = store->listener;
    void *const arg = store->listener_arg;
    pthread_mutex_unlock(&store->lock);

    if (err == -EINVAL)
        log_warning("feature \"%s\" cannot be overwritten at index %u", entries[*culprit].name,
                    entries[*culprit].index);
    for (size_t i = 0; listener && i < count; i++)
        if (entries[i].stored)
            listener(arg, entries[i].name, entries[i].index, entries[i].value);
    return err;
}

int scores_settle(ScoreStore *store, const char *name, unsigned index, double *value,
                  const ScoreOrder *order)
{
    const int err = set_and_tell(store, name, index, value, order);
    return err == -EINVAL ? 0 : err;
}

/* ---- names ---- */

static const Claim *find_claim(const Claims *claims, const char *name)
{
    for (size_t i = 0; i < claims->count; i++)
        if (!strcmp(claims->list[i].name, name))
            return &claims->list[i];
    return NULL;
}

static bool may_share(const Claim *claim, enum ClaimKind kind, uint64_t owner)
{
    if (claim->kind == CLAIM_MODEL || kind == CLAIM_MODEL)
        return claim->kind == kind && claim->owner == owner;
    return true;
}

/* A claimed name that reports print the same way as `name`. */
static const Claim *find_namesake(const Claims *claims, const char *name)
{
    const char *const alias = metric_alias(name);
    for (size_t i = 0; i < claims->count; i++)
        if (!strcmp(metric_alias(claims->list[i].name), alias))
            return &claims->list[i];
    return NULL;
}

static const Claim *find_clash(const Claims *claims, const char *name, enum ClaimKind kind,
                               uint64_t owner)
{
    const Claim *claim = find_claim(claims, name);
    if (claim)
        return may_share(claim, kind, owner) ? NULL : claim;
    claim = find_namesake(claims, name);
    return claim && claim->kind == CLAIM_FEATURE && kind == CLAIM_FEATURE ? NULL : claim;
}

static int add_claim(Claims *claims, const char *name, enum ClaimKind kind, uint64_t owner)
{
    if (find_claim(claims, name))
        return 0;
    if (mem_grow(&claims->list, claims->count, &claims->capacity, sizeof(*claims->list)))
        return -ENOMEM;
    char *copy = mem_strdup(name);
    if (!copy)
        return -ENOMEM;
    claims->list[claims->count++] = (Claim){ copy, kind, owner };
    return 0;
}

/* Claims all names or none. -EEXIST when one is taken: *taken is the claim it clashes with, *number
 * its number among `names`. */
static int add_claims(Claims *claims, const char *const *names, size_t count, enum ClaimKind kind,
                      uint64_t owner, size_t *number, const Claim **taken)
{
    const size_t before = claims->count;
    for (size_t i = 0; i < count; i++) {
        *number = i;
        *taken = find_clash(claims, names[i], kind, owner);
        if (*taken)
            return -EEXIST;
    }
    for (size_t i = 0; i < count; i++) {
        if (add_claim(claims, names[i], kind, owner)) {
            shorten_claims(claims, before);
            return -ENOMEM;
        }
    }
    return 0;
}

int scores_claim(ScoreStore *store, const char *const *names, size_t count, enum ClaimKind kind,
                 uint64_t owner)
{
    static const char *const kinds[] = { "a feature", "a model", "imported scores" };
    for (size_t i = 0; i < count; i++) {
        if (name_is_reserved(names[i])) {
            log_error(
                "scores cannot be named \"%s\", which reports use themselves; choose another name",
                names[i]);
            return -EINVAL;
        }
    }
    size_t number = 0;
    const Claim *taken = NULL;
    pthread_mutex_lock(&store->lock);
    const int err = add_claims(&store->claims, names, count, kind, owner, &number, &taken);
    const char *const other = err == -EEXIST ? taken->name : NULL; /* lives as long as the store */
    const enum ClaimKind other_kind = err == -EEXIST ? taken->kind : CLAIM_FEATURE;
    pthread_mutex_unlock(&store->lock);
    if (!other)
        return err;
    log_error("the name \"%s\" is taken: scores of %s are called \"%s\"; choose another one",
              metric_alias(names[number]), kinds[other_kind], other);
    return -EINVAL;
}

const char *scores_resolve(ScoreStore *store, const char *name)
{
    pthread_mutex_lock(&store->lock);
    const char *stored = name;
    const bool exact = find_locked(store, name);
    for (size_t i = 0; !exact && i < store->column_count; i++)
        if (!strcmp(metric_alias(store->columns[i].name), name))
            stored = store->columns[i].name;
    pthread_mutex_unlock(&store->lock);
    return stored;
}

int scores_get(ScoreStore *store, const char *name, unsigned index, double *value)
{
    int err = -EINVAL;
    pthread_mutex_lock(&store->lock);
    const Column *column = find_locked(store, name);
    const double *const found =
        column && index >= store->forgotten ? value_at(column, index) : NULL;
    if (found) {
        *value = *found;
        err = 0;
    }
    pthread_mutex_unlock(&store->lock);
    return err;
}

static int set_aggregate_locked(ScoreStore *store, const char *name, double value)
{
    for (size_t i = 0; i < store->aggregate_count; i++) {
        if (!strcmp(store->aggregates[i].name, name)) {
            store->aggregates[i].value = value;
            return 0;
        }
    }
    if (mem_grow(&store->aggregates, store->aggregate_count, &store->aggregate_capacity,
                 sizeof(*store->aggregates)))
        return -ENOMEM;
    char *copy = mem_strdup(name);
    if (!copy)
        return -ENOMEM;
    store->aggregates[store->aggregate_count++] = (Aggregate){ copy, value };
    return 0;
}

int scores_set_aggregate(ScoreStore *store, const char *name, double value)
{
    pthread_mutex_lock(&store->lock);
    const int err = set_aggregate_locked(store, name, value);
    pthread_mutex_unlock(&store->lock);
    return err;
}

static int compare(unsigned a, unsigned b)
{
    return (a > b) - (a < b);
}

/* A score that was due with a read that never came is listed with the flush. */
static unsigned effective_step(const ScoreStore *store, const Column *column)
{
    return column->order.step > store->last_read ? SCORES_FLUSH : column->order.step;
}

static int compare_columns(const ScoreStore *store, const Column *a, const Column *b)
{
    int c = compare(effective_step(store, a), effective_step(store, b));
    if (c == 0)
        c = compare(a->order.feature, b->order.feature);
    if (c == 0)
        c = compare(a->order.output, b->order.output);
    return c ? c : compare(a->sequence, b->sequence);
}

static void list_columns_locked(ScoreStore *store)
{
    if (store->listed_valid)
        return;
    assert(store->column_count <= store->listed_capacity);
    /* Insertion sort: a few dozen columns that mostly lie in order. */
    for (unsigned i = 0; i < store->column_count; i++) {
        unsigned at = i;
        for (; at > 0; at--) {
            if (compare_columns(store, &store->columns[store->listed[at - 1]],
                                &store->columns[i]) <= 0)
                break;
            store->listed[at] = store->listed[at - 1];
        }
        store->listed[at] = i;
    }
    store->listed_valid = true;
}

void score_table_clear(ScoreTable *table)
{
    for (size_t i = 0; i < table->column_count; i++) {
        mem_free(table->columns[i].values);
        mem_free(table->columns[i].written);
    }
    mem_free(table->columns);
    *table = (ScoreTable){ 0 };
}

/* Copies only what was written: a score at a high index must not make the copy touch all memory
 * before it. */
static void copy_written(ScoreColumn *to, const Column *from, unsigned forgotten)
{
    for (size_t i = 0; i < from->capacity; i++) {
        const size_t index = from->base + i;
        if (!from->written[i] || index < forgotten)
            continue;
        to->written[index] = true;
        to->values[index] = from->values[i];
    }
}

static int copy_column(ScoreColumn *to, const Column *from, unsigned forgotten)
{
    const size_t capacity = from->capacity ? from->base + from->capacity : 0;
    *to = (ScoreColumn){ .name = from->name, .capacity = capacity };
    if (!from->capacity) /* memory ran out before its first score */
        return 0;
    to->values = mem_array(capacity, sizeof(*to->values));
    to->written = mem_array(capacity, sizeof(*to->written));
    if (!to->values || !to->written)
        return -ENOMEM;
    copy_written(to, from, forgotten);
    return 0;
}

static int copy_columns_locked(ScoreStore *store, ScoreTable *out)
{
    if (!store->column_count)
        return 0;
    out->columns = mem_array(store->column_count, sizeof(*out->columns));
    if (!out->columns)
        return -ENOMEM;
    list_columns_locked(store);
    int err = 0;
    while (!err && out->column_count < store->column_count) {
        const unsigned from = store->listed[out->column_count];
        err = copy_column(&out->columns[out->column_count++], &store->columns[from],
                          store->forgotten);
    }
    return err;
}

int scores_copy(ScoreStore *store, ScoreTable *out)
{
    *out = (ScoreTable){ 0 };
    pthread_mutex_lock(&store->lock);
    const int err = copy_columns_locked(store, out);
    pthread_mutex_unlock(&store->lock);
    if (err)
        score_table_clear(out);
    return err;
}

size_t scores_aggregate_count(ScoreStore *store)
{
    pthread_mutex_lock(&store->lock);
    const size_t count = store->aggregate_count;
    pthread_mutex_unlock(&store->lock);
    return count;
}

int scores_aggregate(ScoreStore *store, size_t i, const char **name, double *value)
{
    int err = -EINVAL;
    pthread_mutex_lock(&store->lock);
    if (i < store->aggregate_count) {
        *name = store->aggregates[i].name;
        *value = store->aggregates[i].value;
        err = 0;
    }
    pthread_mutex_unlock(&store->lock);
    return err;
}
