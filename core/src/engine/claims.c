/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/claims.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/option.h"

static const Claim *find(const Claims *claims, const char *name)
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

/* Reports print both as the same. */
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
    const Claim *claim = find(claims, name);
    if (claim)
        return may_share(claim, kind, owner) ? NULL : claim;
    claim = find_namesake(claims, name);
    return claim && claim->kind == CLAIM_FEATURE && kind == CLAIM_FEATURE ? NULL : claim;
}

static int add(Claims *claims, const char *name, enum ClaimKind kind, uint64_t owner)
{
    if (find(claims, name))
        return 0;
    if (mem_grow(&claims->list, claims->count, &claims->capacity, sizeof(*claims->list)))
        return -ENOMEM;
    char *copy = mem_strdup(name);
    if (!copy)
        return -ENOMEM;
    claims->list[claims->count++] = (Claim){ copy, kind, owner };
    return 0;
}

static void shorten(Claims *claims, size_t count)
{
    while (claims->count > count)
        mem_free(claims->list[--claims->count].name);
}

int claims_add(Claims *claims, const char *const *names, size_t count, enum ClaimKind kind,
               uint64_t owner, size_t *place, const Claim **taken)
{
    const size_t before = claims->count;
    for (size_t i = 0; i < count; i++) {
        *place = i;
        *taken = find_clash(claims, names[i], kind, owner);
        if (*taken)
            return -EEXIST;
    }
    for (size_t i = 0; i < count; i++) {
        if (add(claims, names[i], kind, owner)) {
            shorten(claims, before);
            return -ENOMEM;
        }
    }
    return 0;
}

void claims_clear(Claims *claims)
{
    shorten(claims, 0);
    mem_free(claims->list);
    *claims = (Claims){ 0 };
}
