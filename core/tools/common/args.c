/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "args.h"

void args_start(ArgScanner *scanner, const Arg *table, int argc, char **argv)
{
    *scanner = (ArgScanner){ .table = table, .argc = argc, .argv = argv, .at = 1 };
}

static bool is_end(const Arg *arg)
{
    return !arg->name && !arg->help;
}

/* Does the option's name begin so? Hyphens and underscores are one. */
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

/* The option called `name`, or the only one that starts so. */
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
    const int n = snprintf(scanner->error, sizeof(scanner->error), "%s option '--%.*s'",
                           found ? "ambiguous" : "unknown", (int)length, name);
    size_t used = n > 0 ? (size_t)n : 0;
    const char *join = "; could be";
    for (const Arg *arg = scanner->table; found && !is_end(arg) && used < sizeof(scanner->error);
         arg++) {
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

/* The option's spelling, then its help text, each line of it in the same column. */
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
