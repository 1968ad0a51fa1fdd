/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Manual pages and completions for shells, written at build time from the tables that the programs parse their
 * command lines with: what they know is what is documented. */
#ifndef MANUAL_MANUAL_H
#define MANUAL_MANUAL_H

#include <stdbool.h>
#include <stdio.h>

#include "common/args.h"

/* Texts are in lines; an empty one parts paragraphs. A line that begins with a blank is shown as it is. */
typedef struct ManualSection {
    const char *title; /* NULL ends the list */
    const char *text;
} ManualSection;

typedef struct ManualProgram {
    const char *name, *summary, *description;
    const char *word; /* what words that are no options are: as Arg.complete has it */
    const Subcommand *commands;
    unsigned command_count;
    const ManualSection *sections;
} ManualProgram;

const ManualProgram *manual_program(const char *name); /* NULL: no such program */

/* What can be written. */
void write_man(const ManualProgram *program, FILE *file);
void write_bash(const ManualProgram *program, FILE *file);
void write_zsh(const ManualProgram *program, FILE *file);
void write_fish(const ManualProgram *program, FILE *file);

/* ---- for those ---- */

static inline bool is_end(const Arg *arg)
{
    return !arg->name && !arg->help;
}

/* How a value is completed. */
typedef struct Values {
    bool files, folders;
    char words[4096]; /* parted by blanks */
} Values;

void values_of(const char *complete, Values *values);

/* The help text in one line, and short: what fits beside an option in a list. */
void short_help(const Arg *arg, char *text, size_t size);

#endif
