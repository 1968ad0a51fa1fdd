/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Removes control characters from text that is printed to a terminal, because names of files may
 * contain them. Pure functions for any thread; the programs include this header, too. */
#ifndef BASE_MASK_H
#define BASE_MASK_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* If the text begins with a control character, or one that changes the direction of text, returns
 * its length in bytes of UTF-8, otherwise 0. Sets *whole to the length of the first character. */
static inline size_t text_control_size(const unsigned char *at, size_t *whole)
{
    static const struct {
        unsigned char lead, last;
    } lengths[] = { { 0xc2, 0xdf }, { 0xe0, 0xef }, { 0xf0, 0xf4 } };
    *whole = 1;
    if (*at < 0x80)
        return (*at < 0x20 && *at != '\t') || *at == 0x7f;
    for (size_t i = 0; i < 3 && *whole == 1; i++)
        if (*at >= lengths[i].lead && *at <= lengths[i].last)
            *whole = i + 2;
    for (size_t i = 1; i < *whole; i++)
        if ((at[i] & 0xc0) != 0x80)
            *whole = 1;
    if (*whole == 1) /* not UTF-8: older terminals take 0x80 to 0x9f for controls */
        return *at < 0xa0;
    if (*whole == 2)
        return *at == 0xc2 && at[1] < 0xa0 ? 2 : 0;
    const bool turns =
        (at[1] == 0x80 && (at[2] == 0x8e || at[2] == 0x8f || (at[2] >= 0xa8 && at[2] <= 0xae))) ||
        (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9);
    return *at == 0xe2 && turns ? 3 : 0;
}

/* Replaces control characters with question marks. Returns `text`. */
static inline char *text_mask_controls(char *text)
{
    size_t whole;
    for (unsigned char *at = (unsigned char *)text; *at; at += whole)
        memset(at, '?', text_control_size(at, &whole));
    return text;
}

#endif
