/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Completions for bash, zsh and fish. */
#include <string.h>

#include "libvmaf/device.h"
#include "libvmaf/inspect.h"
#include "manual.h"

/* ---- what can follow an option ---- */

/* How a value is completed. */
typedef struct Values {
    bool files, folders;
    char words[4096]; /* separated by blanks */
} Values;

/* Adds the first `length` bytes of `word`. */
static void add(Values *values, const char *word, size_t length)
{
    const size_t used = strlen(values->words);
    snprintf(values->words + used, sizeof(values->words) - used, "%s%.*s", used ? " " : "",
             (int)length, word);
}

static void add_models(Values *values)
{
    VmafBuiltinModelInfo info = { .size = sizeof(info) };
    for (unsigned i = 0; !vmaf_builtin_model_info(i, &info); i++)
        add(values, info.name, strlen(info.name));
    values->files = true;
}

static void add_features(Values *values)
{
    VmafExtractorInfo info = { .size = sizeof(info) };
    for (unsigned i = 0; !vmaf_extractor_info(i, &info); i++)
        add(values, info.name, strlen(info.name));
}

static void add_backends(Values *values)
{
    const char *name;
    add(values, "cpu", 3);
    add(values, "auto", 4);
    for (unsigned i = 0; (name = vmaf_backend_name(i)); i++)
        add(values, name, strlen(name));
}

/* Finds out how a value is completed, by the `complete` of its option. */
static void values_of(const char *complete, Values *values)
{
    *values = (Values){ 0 };
    if (!complete || !strcmp(complete, "device")) /* asking drivers takes too long at a key press */
        return;
    if (!strcmp(complete, "file"))
        values->files = true;
    else if (!strcmp(complete, "folder"))
        values->folders = true;
    else if (!strcmp(complete, "model"))
        add_models(values);
    else if (!strcmp(complete, "feature"))
        add_features(values);
    else if (!strcmp(complete, "backend"))
        add_backends(values);
    else
        for (const char *end; *complete; complete = end + (*end == '|')) {
            end = complete + strcspn(complete, "|");
            add(values, complete, (size_t)(end - complete));
        }
}

/* Writes the beginning of the help text, in one line: what fits beside an option in a list. */
static void short_help(const Arg *arg, char *text, size_t size)
{
    const char *at = arg->help;
    size_t used = 0;
    for (; *at && used + 1 < size; at++) {
        if (*at == ';' || *at == '(' || (*at == ':' && (at[1] == ' ' || at[1] == '\n')))
            break;
        text[used++] = *at == '\n' ? ' ' : *at;
    }
    while (used && ((unsigned char)*at & 0xC0) == 0x80) { /* do not cut within a character */
        used--;
        at--;
    }
    while (used && text[used - 1] == ' ')
        used--;
    text[used] = '\0';
}

/* ---- bash: a function of its own, which needs no other package ---- */

/* Prints the name with underscores in place of hyphens. */
static void bash_put_identifier(FILE *file, const char *name)
{
    for (; *name; name++)
        fputc(*name == '-' ? '_' : *name, file);
}

static void bash_put_values(FILE *file, const ManualProgram *program, const Values *values)
{
    if (*values->words)
        fprintf(file, "            mapfile -t COMPREPLY < <(compgen -W '%s' -- \"$cur\")\n",
                values->words);
    if (values->files || values->folders) {
        fputs("            _", file);
        bash_put_identifier(file, program->name);
        fprintf(file, "_files %s\n", values->files ? "-f" : "-d");
    }
}

/* Prints a case for each option that takes a value. */
static void bash_put_option_values(FILE *file, const ManualProgram *program, const Arg *table)
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
        bash_put_identifier(file, arg->name); /* `prev` is spelled with underscores, too */
        fputs(")\n", file);
        values_of(arg->complete, &values);
        bash_put_values(file, program, &values);
        fputs("            return\n            ;;\n", file);
    }
    fputs("        esac\n", file);
}

static void bash_put_option_names(FILE *file, const Arg *table)
{
    fputs("        options='", file);
    for (const Arg *arg = table; !is_end(arg); arg++)
        if (arg->name)
            fprintf(file, " --%s", arg->name);
    fputs("'\n", file);
}

static void bash_put_command_names(FILE *file, const ManualProgram *program)
{
    for (unsigned i = 0; i < program->command_count; i++)
        fprintf(file, "%s%s", i ? " " : "", program->commands[i].name);
}

static bool has_commands(const ManualProgram *program)
{
    return program->commands[0].name;
}

/* Prints the loop that sets `command` to the command among the typed words. */
static void bash_put_search(FILE *file, const ManualProgram *program)
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

static void bash_put_body(FILE *file, const ManualProgram *program)
{
    fputs("    case $command in\n", file);
    for (unsigned i = 0; i < program->command_count; i++) {
        fprintf(file, "    %s)\n", has_commands(program) ? program->commands[i].name : "''");
        bash_put_option_values(file, program, program->commands[i].options);
        bash_put_option_names(file, program->commands[i].options);
        fputs("        ;;\n", file);
    }
    if (has_commands(program)) {
        fputs("    *)\n        mapfile -t COMPREPLY < <(compgen -W '", file);
        bash_put_command_names(file, program);
        fputs(" --help --version' -- \"$cur\")\n        return\n        ;;\n", file);
    }
    fputs("    esac\n", file);
}

void write_bash(const ManualProgram *program, FILE *file)
{
    Values words;
    fprintf(file, "# bash completion for %s\n\n_", program->name);
    bash_put_identifier(file, program->name);
    fputs("_files() {\n"
          "    local found\n"
          "    mapfile -t found < <(compgen \"$1\" -- \"$cur\")\n"
          "    COMPREPLY+=(\"${found[@]}\")\n"
          "    compopt -o filenames 2> /dev/null\n"
          "}\n\n_",
          file);
    bash_put_identifier(file, program->name);
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
        bash_put_search(file, program);
    else
        fputs("    local command=\n", file);
    bash_put_body(file, program);
    fputs("    if [[ $cur == -* ]]; then\n"
          "        [[ $cur == --*-* ]] && options=${options//_/-}\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n"
          "        return\n"
          "    fi\n",
          file);
    values_of(program->word, &words);
    fputs("    _", file);
    bash_put_identifier(file, program->name);
    fprintf(file, "_files %s\n}\n\ncomplete -F _", words.folders ? "-d" : "-f");
    bash_put_identifier(file, program->name);
    fprintf(file, " %s\n", program->name);
}

/* ---- zsh: uses its _arguments ---- */

/* Prints text inside single quotes and inside the brackets of a description. */
static void zsh_put_quoted(FILE *file, const char *text)
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

static void zsh_put_action(FILE *file, const Values *values)
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

static void zsh_put_option(FILE *file, const Arg *arg)
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
    zsh_put_quoted(file, help);
    fputc(']', file);
    if (arg->value) {
        fputc(':', file);
        zsh_put_quoted(file, arg->value);
        fputc(':', file);
        zsh_put_action(file, &values);
    }
    fputs("' \\\n", file);
}

static void zsh_put_arguments(FILE *file, const ManualProgram *program, const Arg *table)
{
    Values words;
    fputs("    _arguments -s -S \\\n", file);
    for (const Arg *arg = table; !is_end(arg); arg++)
        if (arg->name)
            zsh_put_option(file, arg);
    values_of(program->word, &words);
    fputs("        '*:file:", file);
    zsh_put_action(file, &words);
    fputs("'\n", file);
}

/* Prints the completion of a command, then of its arguments. */
static void zsh_put_commands(FILE *file, const ManualProgram *program)
{
    fputs("    local curcontext=$curcontext state line\n"
          "    local -a commands=(\n",
          file);
    for (unsigned i = 0; i < program->command_count; i++) {
        fprintf(file, "        '%s:", program->commands[i].name);
        zsh_put_quoted(file, program->commands[i].summary);
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
        zsh_put_arguments(file, program, program->commands[i].options);
        fputs("        ;;\n", file);
    }
    fputs("    esac\n", file);
}

void write_zsh(const ManualProgram *program, FILE *file)
{
    fprintf(file, "#compdef %s\n\n_%s() {\n", program->name, program->name);
    if (program->commands[0].name)
        zsh_put_commands(file, program);
    else
        zsh_put_arguments(file, program, program->commands[0].options);
    fprintf(file, "}\n\n_%s \"$@\"\n", program->name);
}

/* ---- fish ---- */

static void fish_put_quoted(FILE *file, const char *text)
{
    fputc('\'', file);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            fputc('\\', file);
        fputc(*text, file);
    }
    fputc('\'', file);
}

static void fish_put_values(FILE *file, const Values *values)
{
    if (values->folders)
        fputs(" -x -a '(__fish_complete_directories)'", file);
    else
        fputs(values->files ? " -r -F" : " -x", file);
    if (*values->words)
        fprintf(file, " -a '%s'", values->words);
}

static void fish_put_option(FILE *file, const ManualProgram *program, const Subcommand *command,
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
        fish_put_values(file, &values);
    }
    fputs(" -d ", file);
    fish_put_quoted(file, help);
    fputc('\n', file);
}

static void fish_put_command(FILE *file, const ManualProgram *program, const Subcommand *command)
{
    if (!command->name)
        return;
    fprintf(file, "complete -c %s -n __fish_use_subcommand -f -a %s -d ", program->name,
            command->name);
    fish_put_quoted(file, command->summary);
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
        fish_put_command(file, program, &program->commands[i]);
    if (program->commands[0].name)
        fprintf(file,
                "complete -c %s -n __fish_use_subcommand -f -l help -d 'print help'\n"
                "complete -c %s -n __fish_use_subcommand -f -l version -d 'print the version'\n",
                program->name, program->name);
    for (unsigned i = 0; i < program->command_count; i++)
        for (const Arg *arg = program->commands[i].options; !is_end(arg); arg++)
            if (arg->name)
                fish_put_option(file, program, &program->commands[i], arg);
}
