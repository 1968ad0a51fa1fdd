/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Completion for zsh, by its own _arguments. */
#include <string.h>

#include "manual.h"

/* Within single quotes, and within the brackets of a description. */
static void put_quoted(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", file);
        else if (strchr("[]:\\", *text))
            fprintf(file, "\\%c", *text);
        else
            fputc(*text, file);
    }
}

static void put_action(FILE *file, const Values *values)
{
    if (*values->words && values->files)
        fprintf(file, "{compadd -- %s; _files}", values->words);
    else if (*values->words)
        fprintf(file, "(%s)", values->words);
    else if (values->files)
        fputs("_files", file);
    else if (values->folders)
        fputs("_files -/", file);
    else
        fputc(' ', file);
}

static void put_option(FILE *file, const Arg *arg)
{
    char help[128];
    Values values;
    short_help(arg, help, sizeof(help));
    values_of(arg->complete, &values);
    fputs("        ", file);
    if (arg->letter)
        fprintf(file, "'*'{-%c%s,--%s%s}'", arg->letter, arg->value ? "+" : "", arg->name,
                arg->value ? "=" : "");
    else
        fprintf(file, "'*--%s%s", arg->name, arg->value ? "=" : "");
    fputc('[', file);
    put_quoted(file, help);
    fputc(']', file);
    if (arg->value) {
        fputc(':', file);
        put_quoted(file, arg->value);
        fputc(':', file);
        put_action(file, &values);
    }
    fputs("' \\\n", file);
}

static void put_arguments(FILE *file, const ManualProgram *program, const Arg *table)
{
    Values words;
    fputs("    _arguments -s -S \\\n", file);
    for (const Arg *arg = table; !is_end(arg); arg++)
        if (arg->name)
            put_option(file, arg);
    values_of(program->word, &words);
    fputs("        '*:file:", file);
    put_action(file, &words);
    fputs("'\n", file);
}

/* The command first, then what it takes. */
static void put_commands(FILE *file, const ManualProgram *program)
{
    fputs("    local curcontext=$curcontext state line\n"
          "    local -a commands=(\n",
          file);
    for (unsigned i = 0; i < program->command_count; i++) {
        fprintf(file, "        '%s:", program->commands[i].name);
        put_quoted(file, program->commands[i].summary);
        fputs("'\n", file);
    }
    fputs(
        "    )\n"
        "    _arguments -C '--help[print help]' '--version[print the version]' '1:command:->command' "
        "'*::argument:->argument'\n"
        "    if [[ $state == command ]]; then\n"
        "        _describe command commands\n"
        "        return\n"
        "    fi\n"
        "    case $line[1] in\n",
        file);
    for (unsigned i = 0; i < program->command_count; i++) {
        fprintf(file, "    %s)\n", program->commands[i].name);
        put_arguments(file, program, program->commands[i].options);
        fputs("        ;;\n", file);
    }
    fputs("    esac\n", file);
}

void write_zsh(const ManualProgram *program, FILE *file)
{
    fprintf(file, "#compdef %s\n\n_%s() {\n", program->name, program->name);
    if (program->commands[0].name)
        put_commands(file, program);
    else
        put_arguments(file, program, program->commands[0].options);
    fprintf(file, "}\n\n_%s \"$@\"\n", program->name);
}
