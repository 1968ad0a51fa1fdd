/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Manual pages and completions for shells. A program writes them at build time from the tables of
 * options that the programs parse their command lines with, so that they are always complete. */
#ifndef MANUAL_MANUAL_H
#define MANUAL_MANUAL_H

#include <stdbool.h>
#include <stdio.h>

#include "common/args.h"

/* A section of a manual page. An empty line of its text separates paragraphs; a line that begins
 * with a blank stays as it is. */
typedef struct ManualSection {
    const char *title; /* NULL ends the list */
    const char *text;
} ManualSection;

typedef struct ManualProgram {
    const char *name, *summary, *description;
    const char *word; /* the kind of arguments that are not options; as Arg.complete */
    const Subcommand *commands;
    unsigned command_count;
    const ManualSection *sections;
} ManualProgram;

const ManualProgram *manual_program(const char *name); /* NULL: no such program */

void write_man(const ManualProgram *program, FILE *file);
void write_bash(const ManualProgram *program, FILE *file);
void write_zsh(const ManualProgram *program, FILE *file);
void write_fish(const ManualProgram *program, FILE *file);

/* True for the row that ends a table. */
static inline bool is_end(const Arg *arg)
{
    return !arg->name && !arg->help;
}

#endif
