/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Completion for bash: a function of its own, which needs no other package. */
#include <string.h>

#include "manual.h"

/* A name that a function can have. */
static void put_identifier(FILE *file, const char *name)
{
    for (; *name; name++)
        fputc(*name == '-' ? '_' : *name, file);
}

static void put_values(FILE *file, const ManualProgram *program, const Values *values)
{
    if (*values->words)
        fprintf(file, "            mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\")\n",
                values->words);
    if (values->files || values->folders) {
        fputs("            _", file);
        put_identifier(file, program->name);
        fprintf(file, "_files %s\n", values->files ? "-f" : "-d");
    }
}

/* What may follow an option, for each that takes a value. */
static void put_option_values(FILE *file, const ManualProgram *program, const Arg *table)
{
    fputs("        case $prev in\n", file);
    for (const Arg *arg = table; !is_end(arg); arg++) {
        Values values;
        if (!arg->name || !arg->value)
            continue;
        fputs("        ", file);
        if (arg->letter)
            fprintf(file, "-%c | ", arg->letter);
        fputs("--", file);
        put_identifier(file, arg->name); /* as `prev` is brought to */
        fputs(")\n", file);
        values_of(arg->complete, &values);
        put_values(file, program, &values);
        fputs("            return\n            ;;\n", file);
    }
    fputs("        esac\n", file);
}

static void put_option_names(FILE *file, const Arg *table)
{
    fputs("        options='", file);
    for (const Arg *arg = table; !is_end(arg); arg++)
        if (arg->name)
            fprintf(file, " --%s", arg->name);
    fputs("'\n", file);
}

static void put_command_names(FILE *file, const ManualProgram *program)
{
    for (unsigned i = 0; i < program->command_count; i++)
        fprintf(file, "%s%s", i ? " " : "", program->commands[i].name);
}

static bool has_commands(const ManualProgram *program)
{
    return program->commands[0].name;
}

/* Sets `command` to the one that was typed. */
static void put_search(FILE *file, const ManualProgram *program)
{
    fputs("    local word command=\n"
          "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
          "        case $word in\n        ",
          file);
    for (unsigned i = 0; i < program->command_count; i++)
        fprintf(file, "%s%s", i ? " | " : "", program->commands[i].name);
    fputs(
        ")\n            command=$word\n            break\n            ;;\n        esac\n    done\n",
        file);
}

static void put_body(FILE *file, const ManualProgram *program)
{
    fputs("    case $command in\n", file);
    for (unsigned i = 0; i < program->command_count; i++) {
        fprintf(file, "    %s)\n", has_commands(program) ? program->commands[i].name : "''");
        put_option_values(file, program, program->commands[i].options);
        put_option_names(file, program->commands[i].options);
        fputs("        ;;\n", file);
    }
    if (has_commands(program)) {
        fputs("    *)\n        mapfile -t COMPREPLY < <(compgen -W '", file);
        put_command_names(file, program);
        fputs(" --help --version' -- \"$cur\")\n        return\n        ;;\n", file);
    }
    fputs("    esac\n", file);
}

void write_bash(const ManualProgram *program, FILE *file)
{
    Values words;
    fprintf(file, "# bash completion for %s\n\n_", program->name);
    put_identifier(file, program->name);
    fputs("_files() {\n"
          "    local found\n"
          "    mapfile -t found < <(compgen \"$1\" -- \"$cur\")\n"
          "    COMPREPLY+=(\"${found[@]}\")\n"
          "    compopt -o filenames 2> /dev/null\n"
          "}\n\n_",
          file);
    put_identifier(file, program->name);
    fputs("() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} options=\n"
          "    COMPREPLY=()\n"
          "    # --option=value comes as three words\n"
          "    if [[ $cur == '=' ]]; then\n"
          "        cur=\n"
          "    elif [[ $prev == '=' && $COMP_CWORD -gt 1 ]]; then\n"
          "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    fi\n"
          "    # hyphens stand for underscores\n"
          "    local name=${prev#--}\n"
          "    [[ $prev == --* ]] && prev=--${name//-/_}\n",
          file);
    if (has_commands(program))
        put_search(file, program);
    else
        fputs("    local command=\n", file);
    put_body(file, program);
    fputs("    if [[ $cur == -* ]]; then\n"
          "        [[ $cur == --*-* ]] && options=${options//_/-}\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n"
          "        return\n"
          "    fi\n",
          file);
    values_of(program->word, &words);
    fputs("    _", file);
    put_identifier(file, program->name);
    fprintf(file, "_files %s\n}\n\ncomplete -F _", words.folders ? "-d" : "-f");
    put_identifier(file, program->name);
    fprintf(file, " %s\n", program->name);
}
