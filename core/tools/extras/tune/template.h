/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A command as typed, made into the words of an argument vector. No shell ever sees it: there are no variables,
 * no patterns, no pipes. Blanks part words; '…' keeps everything, "…" all but \" and \\, and outside of
 * both a backslash keeps the next character.
 *
 * After that, in each word, {NAME} is replaced. So a file's name stays one word, whatever is in it. */
#ifndef TUNE_TEMPLATE_H
#define TUNE_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/argv.h"

typedef struct Template {
    Argv words;
} Template;

typedef struct TemplateValues {
    const char *input;   /* {input} */
    const char *y4m;     /* {y4m} */
    const char *output;  /* {output}, {output.EXT} */
    const char *setting; /* {crf} */
} TemplateValues;

/* 0, -ENOMEM, or -EINVAL with the reason in `error`: also when the output or the setting is not in it. */
int template_parse(Template *template, const char *text, char *error, size_t error_size);
void template_free(Template *template);

bool template_wants_y4m(const Template *template);
/* What the output's name is to end with; "mkv" unless {output.EXT} says otherwise. */
void template_extension(const Template *template, char *text, size_t size);

/* A new vector; `failed` says when there was no memory. */
Argv template_fill(const Template *template, const TemplateValues *values);

#endif
