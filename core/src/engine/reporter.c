/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/reporter.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"

static int hear(void *arg, const ScoreEntry *entry)
{
    Reporter *r = arg;
    if (r->mute || index_set_has(&r->dropped, entry->index))
        return 0;
    if (mem_grow(&r->entries, r->count, &r->capacity, sizeof(*r->entries)))
        return -ENOMEM;
    r->entries[r->count++] = *entry;
    return 0;
}

static void listen(Reporter *r, Feature *f)
{
    f->hear = hear;
    f->hear_arg = r;
}

static void drop(Reporter *r, unsigned index)
{
    if (index_set_add(&r->dropped, index))
        r->mute = true;
}

/* Features of the reference return positive codes, too. */
static int negative(int err)
{
    return err > 0 ? -EINVAL : err;
}

static int report(Reporter *r, const FrameId *id, const Measured *m)
{
    Feature *f = m->feature;
    if (m->err)
        return m->err;
    if (!f->first_step)
        f->first_step = (unsigned)id->position + 1;
    listen(r, f);
    return f->def->report ? f->def->report(f, id, m->result) : 0;
}

int reporter_frame(Reporter *r, const FrameId *id, const Measured *measured, unsigned count,
                   const Feature **failed)
{
    int err = 0;
    r->count = 0;
    for (unsigned i = 0; i < count; i++) {
        const int own = negative(report(r, id, &measured[i]));
        if (own && !err) {
            err = own;
            *failed = measured[i].feature;
        }
    }
    if (!count)
        return 0;
    size_t culprit = 0;
    const int lost = scores_store(measured[0].feature->scores, r->entries, r->count,
                                  &(ScoreFrame){ id->index, err != 0 }, &culprit);
    if (lost && !err) {
        err = lost;
        *failed = r->entries[culprit].feature;
    }
    if (err)
        drop(r, id->index);
    return err;
}

int reporter_flush(Reporter *r, Feature *f)
{
    r->count = 0;
    listen(r, f);
    const int err = f->def->flush ? negative(f->def->flush(f)) : 0;
    size_t culprit;
    return err ? err : scores_store(f->scores, r->entries, r->count, NULL, &culprit);
}

void reporter_clear(Reporter *r)
{
    mem_free(r->entries);
    index_set_clear(&r->dropped);
    *r = (Reporter){ 0 };
}

bool index_set_has(const IndexSet *set, unsigned index)
{
    const size_t word = index / 64;
    if (word < set->base)
        return true;
    return word - set->base < set->count && set->words[word - set->base] >> (index % 64) & 1;
}

int index_set_add(IndexSet *set, unsigned index)
{
    const size_t word = index / 64;
    if (word < set->base)
        return 0;
    if (mem_grow_to(&set->words, word - set->base, &set->count, sizeof(*set->words)))
        return -ENOMEM;
    set->words[word - set->base] |= (uint64_t)1 << (index % 64);
    return 0;
}

void index_set_close(IndexSet *set, unsigned before)
{
    const size_t gone = before / 64 > set->base ? before / 64 - set->base : 0;
    if (!gone || gone < set->count / 2)
        return;
    const size_t kept = gone < set->count ? set->count - gone : 0;
    if (kept)
        memmove(set->words, set->words + gone, kept * sizeof(*set->words));
    if (set->count)
        memset(set->words + kept, 0, (set->count - kept) * sizeof(*set->words));
    set->base += gone;
}

void index_set_clear(IndexSet *set)
{
    mem_free(set->words);
    *set = (IndexSet){ 0 };
}
