/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Walks through the outermost parts of a JSON text without building a tree of it: reports of films have
 * millions of numbers. A value is found by its brackets; whether it is well formed, its parser finds out. */
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

/* Steps over blanks and, if it is next, `c`. */
bool scan_take(Scan *scan, char c);

/* Steps over the next value, whatever it is. False when there is none, or it does not end. */
bool scan_value(Scan *scan, Slice *value);

/* The next `"key": value` of an object, or value of an array, and the comma that follows. 1; 0 when the
 * closing bracket came instead, which is stepped over; -1 when the text is something else. Set `first` before
 * the first one. */
int scan_member(Scan *scan, bool *first, Slice *key, Slice *value);
int scan_item(Scan *scan, bool *first, Slice *value);

#endif
