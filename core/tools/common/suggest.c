/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Longer words are not compared: nobody mistypes them. */
enum { LONGEST = 64 };

static int letter(char c)
{
    return c == '-' ? '_' : tolower((unsigned char)c);
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* How many letters must be added, removed, changed or swapped with their neighbours. */
static unsigned distance_of(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][LONGEST + 1]; /* two letters back, one letter back, this one */
    for (unsigned j = 0; j <= b_length; j++)
        rows[1][j] = j;
    for (unsigned i = 1; i <= a_length; i++) {
        rows[2][0] = i;
        for (unsigned j = 1; j <= b_length; j++) {
            const int x = letter(a[i - 1]), y = letter(b[j - 1]);
            rows[2][j] = least(rows[1][j - 1] + (x != y), 1 + least(rows[1][j], rows[2][j - 1]));
            if (i > 1 && j > 1 && x == letter(b[j - 2]) && letter(a[i - 2]) == y)
                rows[2][j] = least(rows[2][j], rows[0][j - 2] + 1);
        }
        memcpy(rows[0], rows[1], sizeof(*rows));
        memcpy(rows[1], rows[2], sizeof(*rows));
    }
    return rows[1][b_length];
}

void suggest(Suggestion *suggestion, const char *typed, size_t length, const char *known)
{
    const size_t known_length = strlen(known);
    if (length < 3 || length > LONGEST || known_length > LONGEST)
        return;
    const unsigned distance = distance_of(typed, length, known, known_length);
    const unsigned most = length < 6 ? 1 : length < 10 ? 2 : 3;
    if (distance > most || (suggestion->word && distance >= suggestion->distance))
        return;
    *suggestion = (Suggestion){ known, distance };
}

const char *suggestion_text(const Suggestion *suggestion, const char *prefix, char text[96])
{
    *text = '\0';
    if (suggestion->word)
        snprintf(text, 96, "; did you mean %s%s?", prefix, suggestion->word);
    return text;
}
