/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option.h"

int usage_error(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputs(" (vmaf --help lists the options)\n", stderr);
    return -EINVAL;
}

int bad_value(const Arg *arg, const char *value, const char *wanted)
{
    char name[48] = "";
    if (arg->letter)
        snprintf(name, sizeof(name), "-%c/", arg->letter);
    return usage_error("Invalid argument \"%s\" for option %s--%s; should be %s", value, name,
                       arg->name, wanted);
}

int parse_mask(const Arg *arg, const char *value, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoull(value, &end, 0);
    if (end == value || *end || errno)
        return bad_value(arg, value, "an integer");
    return 0;
}

int parse_number(const Arg *arg, const char *value, unsigned *out)
{
    uint64_t number;
    const int err = parse_mask(arg, value, &number);
    if (err)
        return err;
    if (strchr(value, '-'))
        return bad_value(arg, value, "an integer that is not negative");
    if (number > UINT_MAX)
        return bad_value(arg, value, "a smaller integer");
    *out = (unsigned)number;
    return 0;
}
