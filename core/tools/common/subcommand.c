/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "subcommand.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vmaf/command.h"
#include "interrupt.h"
#include "message.h"

static const char *speaker;

int wrong(const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    say("%s: %s; --help lists the options", speaker, text);
    return -EINVAL;
}

/* "compare, search and corpus" */
static void list_names(const Subcommand *table, char *text, size_t size)
{
    size_t used = 0;
    for (const Subcommand *at = table; at->name && used < size; at++) {
        const char *const join = at == table ? "" : at[1].name ? ", " : " and ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", join, at->name);
    }
}

int subcommand_find(const char *program, const Subcommand *table, const char *word, unsigned *found)
{
    char names[256];
    unsigned count = 0;
    speaker = program;
    for (; table[count].name; count++) {
        if (!strcmp(word, table[count].name)) {
            *found = count;
            return 0;
        }
    }
    *found = count;
    if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"))
        return 0;
    *found = count + 1;
    if (!strcmp(word, "--version"))
        return 0;
    list_names(table, names, sizeof(names));
    if (*word)
        return wrong("there is no command \"%s\"; there are %s", word, names);
    return wrong("what shall be done? There are %s", names);
}

int take_number(const Arg *arg, const char *value, double low, double high, double *out)
{
    char *end;
    *out = strtod(value, &end);
    if (end == value || *end || !(*out >= low && *out <= high))
        return wrong("--%s takes a number from %.10g to %.10g, not \"%s\"", arg->name, low, high,
                     value);
    return 0;
}

int take_count(const Arg *arg, const char *value, unsigned low, unsigned high, unsigned *out)
{
    double number;
    const int err = take_number(arg, value, low, high, &number);
    if (!err && number != floor(number))
        return wrong("--%s takes a whole number, not \"%s\"", arg->name, value);
    *out = err ? 0 : (unsigned)number;
    return err;
}

int subcommand_end(int result)
{
    if (finish_stdout() && !result)
        result = EXIT_FAILED;
    if (!interrupt_signal())
        return result;
    say("stopped by %s", interrupt_name(interrupt_signal()));
    return EXIT_SIGNAL + interrupt_signal();
}
