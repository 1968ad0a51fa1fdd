/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Completion for fish. */
#include "manual.h"

static void put_quoted(FILE *file, const char *text)
{
    fputc('\'', file);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            fputc('\\', file);
        fputc(*text, file);
    }
    fputc('\'', file);
}

static void put_values(FILE *file, const Values *values)
{
    if (values->folders)
        fputs(" -x -a '(__fish_complete_directories)'", file);
    else
        fputs(values->files ? " -r -F" : " -x", file);
    if (*values->words)
        fprintf(file, " -a '%s'", values->words);
}

static void put_option(FILE *file, const ManualProgram *program, const Subcommand *command,
                       const Arg *arg)
{
    char help[128];
    short_help(arg, help, sizeof(help));
    fprintf(file, "complete -c %s", program->name);
    if (command->name)
        fprintf(file, " -n '__fish_seen_subcommand_from %s'", command->name);
    if (arg->letter)
        fprintf(file, " -s %c", arg->letter);
    fprintf(file, " -l %s", arg->name);
    if (arg->value) {
        Values values;
        values_of(arg->complete, &values);
        put_values(file, &values);
    }
    fputs(" -d ", file);
    put_quoted(file, help);
    fputc('\n', file);
}

static void put_command(FILE *file, const ManualProgram *program, const Subcommand *command)
{
    if (!command->name)
        return;
    fprintf(file, "complete -c %s -n __fish_use_subcommand -f -a %s -d ", program->name,
            command->name);
    put_quoted(file, command->summary);
    fputc('\n', file);
}

void write_fish(const ManualProgram *program, FILE *file)
{
    Values words;
    fprintf(file, "# fish completion for %s\n", program->name);
    values_of(program->word, &words);
    if (words.folders)
        fprintf(file, "complete -c %s -f -a '(__fish_complete_directories)'\n", program->name);
    for (unsigned i = 0; i < program->command_count; i++)
        put_command(file, program, &program->commands[i]);
    if (program->commands[0].name)
        fprintf(file,
                "complete -c %s -n __fish_use_subcommand -f -l help -d 'print help'\n"
                "complete -c %s -n __fish_use_subcommand -f -l version -d 'print the version'\n",
                program->name, program->name);
    for (unsigned i = 0; i < program->command_count; i++)
        for (const Arg *arg = program->commands[i].options; !is_end(arg); arg++)
            if (arg->name)
                put_option(file, program, &program->commands[i], arg);
}
