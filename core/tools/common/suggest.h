/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Suggestions for words that were mistyped. Pure functions: any thread may call them. */
#ifndef TOOLS_SUGGEST_H
#define TOOLS_SUGGEST_H

#include <stddef.h>

/* The known word that is most like a mistyped one. Zeroed, it has none; the strings stay the
 * caller's. */
typedef struct Suggestion {
    const char *word;
    unsigned distance;
} Suggestion;

/* Takes `known` if fewer letters have to change to it than to the word found so far, and few
 * enough to be a slip. `typed`: `length` letters. Hyphens and underscores are equal, and so are
 * capital and small letters. */
void suggest(Suggestion *suggestion, const char *typed, size_t length, const char *known);

/* Writes `; did you mean PREFIXWORD?`, or an empty text if there is no suggestion. Returns
 * `text`. */
const char *suggestion_text(const Suggestion *suggestion, const char *prefix, char text[96]);

#endif
