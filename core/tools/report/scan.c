/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/scan.h"

#include <string.h>

static void skip_blanks(Scan *scan)
{
    while (scan->at < scan->end && *scan->at && strchr(" \t\r\n", *scan->at))
        scan->at++;
}

bool scan_take(Scan *scan, char c)
{
    skip_blanks(scan);
    if (scan->at == scan->end || *scan->at != c)
        return false;
    scan->at++;
    return true;
}

/* Called after the opening quote. */
static bool skip_string(Scan *scan)
{
    while (scan->at < scan->end) {
        const char c = *scan->at++;
        if (c == '"')
            return true;
        if (c == '\\' && scan->at < scan->end)
            scan->at++;
    }
    return false;
}

static bool skip_brackets(Scan *scan)
{
    size_t depth = 0;
    while (scan->at < scan->end) {
        const char c = *scan->at++;
        if (c == '"' && !skip_string(scan))
            return false;
        if (c == '{' || c == '[')
            depth++;
        else if ((c == '}' || c == ']') && !--depth)
            return true;
    }
    return false;
}

bool scan_value(Scan *scan, Slice *value)
{
    skip_blanks(scan);
    const char *const start = scan->at;
    bool whole = true;
    if (start == scan->end)
        return false;
    if (*start == '"') {
        scan->at++;
        whole = skip_string(scan);
    } else if (*start == '{' || *start == '[') {
        whole = skip_brackets(scan);
    } else {
        while (scan->at < scan->end && *scan->at && !strchr(" \t\r\n,:]}", *scan->at))
            scan->at++;
        whole = scan->at > start;
    }
    *value = (Slice){ start, (size_t)(scan->at - start) };
    return whole;
}

/* Skips the comma before the next value. Returns 1, 0 after skipping the closing bracket, or -1. */
static int before_value(Scan *scan, bool *first, char bracket)
{
    const bool was_first = *first;
    *first = false;
    if (scan_take(scan, bracket))
        return 0;
    return was_first || scan_take(scan, ',') ? 1 : -1;
}

int scan_member(Scan *scan, bool *first, Slice *key, Slice *value)
{
    const int next = before_value(scan, first, '}');
    if (next <= 0)
        return next;
    skip_blanks(scan);
    if (scan->at == scan->end || *scan->at != '"')
        return -1;
    return scan_value(scan, key) && scan_take(scan, ':') && scan_value(scan, value) ? 1 : -1;
}

int scan_item(Scan *scan, bool *first, Slice *value)
{
    const int next = before_value(scan, first, ']');
    if (next <= 0)
        return next;
    return scan_value(scan, value) ? 1 : -1;
}
