/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Walks through the outermost values of a JSON text without building a tree of it: reports of
 * films hold millions of numbers. It only matches brackets and quotes; the parser that gets a
 * value checks it. A Scan does not own its text. */
#ifndef TOOLS_REPORT_SCAN_H
#define TOOLS_REPORT_SCAN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Scan {
    const char *at, *end;
} Scan;

/* A piece of the text. */
typedef struct Slice {
    const char *data;
    size_t size;
} Slice;

/* Skips white space and then `c`. False: another character follows. */
bool scan_take(Scan *scan, char c);

/* Skips the next value of any type. False: there is none, or it does not end. */
bool scan_value(Scan *scan, Slice *value);

/* Skip the next `"key": value` of an object or the next value of an array, and the comma before
 * it. Set *first to true before the first call. Return 1, or 0 after skipping the closing
 * bracket, or -1 if the text is malformed. */
int scan_member(Scan *scan, bool *first, Slice *key, Slice *value);
int scan_item(Scan *scan, bool *first, Slice *value);

#endif
