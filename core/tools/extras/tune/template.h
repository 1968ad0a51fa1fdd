/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Encoder commands that the user gives. */
#ifndef TUNE_TEMPLATE_H
#define TUNE_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/argv.h"

/* A command template: a command line split into the words of an argument vector. No shell runs it,
 * so variables, patterns and pipes do not work. Blanks separate words. '…' keeps everything
 * literally; "…" also, except for \" and \\; outside of quotes a backslash keeps the next
 * character.
 *
 * After splitting, {NAME} is replaced inside each word. A file name therefore always stays one
 * word, whatever characters it has. */

typedef struct Template {
    Argv words;
} Template;

typedef struct TemplateValues {
    const char *input;   /* {input} */
    const char *y4m;     /* {y4m} */
    const char *output;  /* {output}, {output.EXT} */
    const char *setting; /* {crf} */
} TemplateValues;

/* Split and check a command. Returns 0, -ENOMEM, or -EINVAL with the reason in `error`, also when
 * {output} or {crf} is missing. Free the template after success. */
int template_parse(Template *template, const char *text, char *error, size_t error_size);
void template_free(Template *template);

bool template_wants_y4m(const Template *template);
/* The extension for the output file: "mkv" unless {output.EXT} names another. */
void template_extension(const Template *template, char *text, size_t size);

/* Fill in the values. The caller frees the vector; its `failed` is set when memory ran out. */
Argv template_fill(const Template *template, const TemplateValues *values);

#endif
