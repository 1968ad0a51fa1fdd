/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "args.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "message.h"
#include "suggest.h"

void args_start(ArgScanner *scanner, const Arg *table, int argc, char **argv)
{
    *scanner = (ArgScanner){ .table = table, .argc = argc, .argv = argv, .at = 1 };
}

static bool is_end(const Arg *arg)
{
    return !arg->name && !arg->help;
}

/* True if the option's name begins with `name`. Hyphens and underscores are equal. */
static bool begins(const Arg *arg, const char *name, size_t length)
{
    if (!arg->name)
        return false;
    for (size_t i = 0; i < length; i++) {
        const char a = arg->name[i] == '-' ? '_' : arg->name[i];
        if (a != (name[i] == '-' ? '_' : name[i]))
            return false;
    }
    return true;
}

static void say_unknown(ArgScanner *scanner, const char *name, size_t length)
{
    Suggestion like = { 0 };
    char text[96];
    for (const Arg *arg = scanner->table; !is_end(arg); arg++)
        if (arg->name)
            suggest(&like, name, length, arg->name);
    snprintf(scanner->error, sizeof(scanner->error), "unknown option '--%.*s'%s", (int)length, name,
             suggestion_text(&like, "--", text));
}

/* The option called `name`, or the only one that starts with it. NULL, with the reason in `error`:
 * none. */
static const Arg *find_long(ArgScanner *scanner, const char *name, size_t length)
{
    const Arg *found = NULL;
    unsigned older = 0, newer = 0;
    for (const Arg *arg = scanner->table; !is_end(arg); arg++) {
        if (!begins(arg, name, length))
            continue;
        if (!arg->name[length])
            return arg;
        if (!found || (found->newer && !arg->newer))
            found = arg;
        *(arg->newer ? &newer : &older) += 1;
    }
    if (older == 1 || older + newer == 1)
        return found;
    if (!found) {
        say_unknown(scanner, name, length);
        return NULL;
    }
    const int n = snprintf(scanner->error, sizeof(scanner->error), "ambiguous option '--%.*s'",
                           (int)length, name);
    size_t used = n > 0 ? (size_t)n : 0;
    const char *join = "; could be";
    for (const Arg *arg = scanner->table; !is_end(arg) && used < sizeof(scanner->error); arg++) {
        if (!begins(arg, name, length))
            continue;
        used += (size_t)snprintf(scanner->error + used, sizeof(scanner->error) - used, "%s '--%s'",
                                 join, arg->name);
        join = " or";
    }
    return NULL;
}

static int next_long(ArgScanner *scanner, const char *text, const Arg **arg, const char **value)
{
    const char *const equals = strchr(text, '=');
    *arg = find_long(scanner, text, equals ? (size_t)(equals - text) : strlen(text));
    if (!*arg)
        return -1;
    if (!(*arg)->value) {
        if (!equals)
            return 1;
        snprintf(scanner->error, sizeof(scanner->error), "option '--%s' takes no value",
                 (*arg)->name);
        return -1;
    }
    if (equals) {
        *value = equals + 1;
        return 1;
    }
    if (scanner->at < scanner->argc) {
        *value = scanner->argv[scanner->at++];
        return 1;
    }
    snprintf(scanner->error, sizeof(scanner->error), "option '--%s' requires a value",
             (*arg)->name);
    return -1;
}

static int next_short(ArgScanner *scanner, const Arg **arg, const char **value)
{
    const char letter = *scanner->cluster++;
    for (*arg = scanner->table; !is_end(*arg) && (*arg)->letter != letter; (*arg)++)
        ;
    if (is_end(*arg)) {
        snprintf(scanner->error, sizeof(scanner->error), "unknown option '-%c'", letter);
        return -1;
    }
    if (!(*arg)->value)
        return 1;
    *value = *scanner->cluster             ? scanner->cluster
             : scanner->at < scanner->argc ? scanner->argv[scanner->at++]
                                           : NULL;
    scanner->cluster = NULL;
    if (*value)
        return 1;
    snprintf(scanner->error, sizeof(scanner->error), "option '-%c' (--%s) requires a value%s",
             letter, (*arg)->name, letter == 'h' ? "; for help use --help" : "");
    return -1;
}

int args_next(ArgScanner *scanner, const Arg **arg, const char **value)
{
    *value = NULL;
    if (scanner->cluster && *scanner->cluster)
        return next_short(scanner, arg, value);
    if (scanner->at >= scanner->argc)
        return 0;
    const char *const word = scanner->argv[scanner->at++];
    if (!scanner->only_words && !strcmp(word, "--")) {
        scanner->only_words = true;
        return args_next(scanner, arg, value);
    }
    if (!scanner->only_words && word[0] == '-' && word[1] == '-')
        return next_long(scanner, word + 2, arg, value);
    if (!scanner->only_words && word[0] == '-' && word[1]) {
        scanner->cluster = word + 1;
        return next_short(scanner, arg, value);
    }
    *arg = NULL;
    *value = word;
    return 1;
}

/* Prints the option's names, then the lines of its help text, all in one column. */
static void print_arg(const Arg *arg, FILE *file)
{
    enum { COLUMN = 34 };
    char left[80];
    const int n = snprintf(left, sizeof(left), "  %c%c%s --%s%s%s", arg->letter ? '-' : ' ',
                           arg->letter ? arg->letter : ' ', arg->letter ? "," : " ", arg->name,
                           arg->value ? " " : "", arg->value ? arg->value : "");
    fputs(left, file);
    int column = n;
    if (column > COLUMN - 2) {
        fputc('\n', file);
        column = 0;
    }
    for (const char *line = arg->help; line;) {
        const char *const end = strchr(line, '\n');
        fprintf(file, "%*s%.*s\n", COLUMN - column, "", end ? (int)(end - line) : (int)strlen(line),
                line);
        column = 0;
        line = end ? end + 1 : NULL;
    }
}

void args_print_help(const Arg *table, FILE *file)
{
    for (const Arg *arg = table; !is_end(arg); arg++) {
        if (arg->name)
            print_arg(arg, file);
        else
            fprintf(file, "\n%s:\n", arg->help);
    }
}

static const char *program_name; /* for `wrong` */

int wrong(const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    say("%s: %s; --help lists the options", program_name, text);
    return -EINVAL;
}

/* Lists the commands: "compare, search or corpus". */
static void list_names(const Subcommand *table, char *text, size_t size)
{
    size_t used = 0;
    for (const Subcommand *at = table; at->name && used < size; at++) {
        const char *const join = at == table ? "" : at[1].name ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", join, at->name);
    }
}

int subcommand_find(const char *program, const Subcommand *table, const char *word, unsigned *found)
{
    char names[256];
    unsigned count = 0;
    program_name = program;
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
    Suggestion like = { 0 };
    char text[96];
    for (const Subcommand *at = table; at->name; at++)
        suggest(&like, word, strlen(word), at->name);
    if (*word)
        return wrong("unknown command \"%s\"; use %s%s", word, names,
                     suggestion_text(&like, "", text));
    return wrong("no command given; use %s", names);
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
