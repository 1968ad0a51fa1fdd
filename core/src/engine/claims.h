/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Who may write under which name. A name that two would write under, or that a report prints like
 * another one, would show the figures of one as those of the other. */
#ifndef ENGINE_CLAIMS_H
#define ENGINE_CLAIMS_H

#include <stddef.h>
#include <stdint.h>

enum ClaimKind { CLAIM_FEATURE, CLAIM_MODEL, CLAIM_IMPORT };

typedef struct Claim {
    char *name;
    enum ClaimKind kind;
    uint64_t owner; /* of a model: which one */
} Claim;

/* Zeroed claims are empty. Not thread-safe. */
typedef struct Claims {
    Claim *list;
    size_t count, capacity;
} Claims;

/* Claims all of the names or none. Features may share names with each other and with imported scores,
 * which stand in for theirs; a model shares its names with nobody.
 *
 * -EEXIST when one is taken, with *taken the claim it clashes with and *place its place in `names`;
 * -ENOMEM. */
int claims_add(Claims *claims, const char *const *names, size_t count, enum ClaimKind kind,
               uint64_t owner, size_t *place, const Claim **taken);
void claims_clear(Claims *claims);

#endif
