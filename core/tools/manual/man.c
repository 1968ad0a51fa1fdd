/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Writes manual pages, in the man macros; contains the main function for all formats. */
#include <ctype.h>
#include <string.h>

#include "libvmaf/libvmaf.h"
#include "manual.h"

#define PAGE_DATE "2026-11-15"

/* Returns the code point at *at and moves *at past it. */
static unsigned long next_character(const char **at)
{
    const unsigned char first = (unsigned char)*(*at)++;
    unsigned long code = first < 0x80   ? first
                         : first < 0xE0 ? first & 0x1F
                         : first < 0xF0 ? first & 0x0F
                                        : first & 0x07;
    while (((unsigned char)**at & 0xC0) == 0x80)
        code = code << 6 | ((unsigned char)*(*at)++ & 0x3F);
    return code;
}

/* Prints text, with everything escaped that has a meaning for the formatter. */
static void put(FILE *file, const char *text, size_t length)
{
    const char *const end = text + length;
    while (text < end) {
        const unsigned long code = next_character(&text);
        if (code == '\\')
            fputs("\\e", file);
        else if (code == '-')
            fputs("\\-", file);
        else if (code == '\'')
            fputs("\\(aq", file);
        else if (code == '`')
            fputs("\\(ga", file);
        else if (code == '^')
            fputs("\\(ha", file);
        else if (code == '~')
            fputs("\\(ti", file);
        else if (code == '"')
            fputs("\\(dq", file);
        else if (code < 0x80)
            fputc((int)code, file);
        else
            fprintf(file, "\\[u%04lX]", code);
    }
}

static void put_line(FILE *file, const char *text, size_t length)
{
    if (length && *text == '.')
        fputs("\\&", file);
    put(file, text, length);
    fputc('\n', file);
}

/* Prints a paragraph in short source lines, which the formatter joins. */
static void put_filled(FILE *file, const char *text, size_t length)
{
    enum { SHORT = 60 };
    while (length > SHORT) {
        size_t piece = SHORT;
        while (piece && text[piece] != ' ')
            piece--;
        if (!piece)
            break;
        put_line(file, text, piece);
        text += piece + 1;
        length -= piece + 1;
    }
    put_line(file, text, length);
}

/* Prints a text of paragraphs and of indented lines, which stay as they are. */
static void put_text(FILE *file, const char *text)
{
    bool verbatim = false, open = false;
    while (*text) {
        const size_t length = strcspn(text, "\n");
        const bool plain = *text == ' ';
        if (plain != verbatim && length)
            fputs(plain ? ".PP\n.nf\n.RS 4\n" : ".RE\n.fi\n", file);
        if (length)
            verbatim = plain;
        if (!length && open && !verbatim && text[1] && text[1] != ' ')
            fputs(".PP\n", file);
        else if (length && plain)
            put_line(file, text + strspn(text, " "), length - strspn(text, " "));
        else if (length)
            put_filled(file, text, length);
        open = length;
        text += length + (text[length] == '\n');
    }
    if (verbatim)
        fputs(".RE\n.fi\n", file);
}

static void put_string(FILE *file, const char *text)
{
    put(file, text, strlen(text));
}

static void put_option(FILE *file, const Arg *arg)
{
    fputs(".TP\n", file);
    if (arg->letter)
        fprintf(file, "\\fB\\-%c\\fR, ", arg->letter);
    fputs("\\fB\\-\\-", file);
    put_string(file, arg->name);
    fputs("\\fR", file);
    if (arg->value) {
        fputs(" \\fI", file);
        put_string(file, arg->value);
        fputs("\\fR", file);
    }
    fputc('\n', file);
    put_text(file, arg->help);
}

static void put_options(FILE *file, const Arg *table, const char *heading)
{
    for (const Arg *arg = table; !is_end(arg); arg++) {
        if (arg->name) {
            put_option(file, arg);
            continue;
        }
        fprintf(file, "%s ", heading);
        put_string(file, arg->help);
        fputc('\n', file);
    }
}

static void put_synopsis(FILE *file, const ManualProgram *program)
{
    for (unsigned i = 0; i < program->command_count; i++) {
        const Subcommand *const command = &program->commands[i];
        fputs(i ? ".br\n\\fB" : "\\fB", file);
        put_string(file, program->name);
        if (command->name) {
            fputc(' ', file);
            put_string(file, command->name);
        }
        fputs("\\fR ", file);
        put_string(file, command->words);
        fputs(command->name ? " [OPTION]...\n" : "\n", file);
    }
}

static void put_commands(FILE *file, const ManualProgram *program)
{
    for (unsigned i = 0; i < program->command_count; i++) {
        const Subcommand *const command = &program->commands[i];
        if (!command->name) {
            fputs(".SH OPTIONS\n", file);
            put_options(file, command->options, ".SS");
            continue;
        }
        fputs(".SH \"", file);
        for (const char *at = command->name; *at; at++)
            fputc(toupper((unsigned char)*at), file);
        fputs(" OPTIONS\"\n", file);
        put_text(file, command->summary);
        put_options(file, command->options, ".SS");
    }
}

void write_man(const ManualProgram *program, FILE *file)
{
    fputs(".TH \"", file);
    for (const char *at = program->name; *at; at++)
        if (*at == '-')
            fputs("\\-", file);
        else
            fputc(toupper((unsigned char)*at), file);
    fprintf(file, "\" 1 " PAGE_DATE " \"vmaf\\-turbo %s\" \"User Commands\"\n.SH NAME\n",
            vmaf_version());
    put_string(file, program->name);
    fputs(" \\- ", file);
    put_string(file, program->summary);
    fputs("\n.SH SYNOPSIS\n", file);
    put_synopsis(file, program);
    fputs(".SH DESCRIPTION\n", file);
    put_text(file, program->description);
    put_commands(file, program);
    for (const ManualSection *section = program->sections; section->title; section++) {
        fprintf(file, ".SH \"%s\"\n", section->title);
        put_text(file, section->text);
    }
}

/* ---- the program ---- */

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*write)(const ManualProgram *program, FILE *file);
    } kinds[] = {
        { "man", write_man }, { "bash", write_bash }, { "zsh", write_zsh }, { "fish", write_fish }
    };
    const ManualProgram *const program = argc == 3 ? manual_program(argv[2]) : NULL;
    for (size_t i = 0; program && i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (strcmp(argv[1], kinds[i].name) != 0)
            continue;
        kinds[i].write(program, stdout);
        return fflush(stdout) ? 1 : 0;
    }
    fputs("usage: manual man|bash|zsh|fish PROGRAM\n", stderr);
    return 1;
}
