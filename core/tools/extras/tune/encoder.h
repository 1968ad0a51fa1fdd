/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* An encoder: one of ffmpeg's, with options, or a command of the user's. */
#ifndef TUNE_ENCODER_H
#define TUNE_ENCODER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/argv.h"
#include "common/child.h"

/* A command as typed, made into the words of an argument vector. No shell ever sees it: there are no variables,
 * no patterns, no pipes. Blanks part words; '…' keeps everything, "…" all but \" and \\, and outside of
 * both a backslash keeps the next character.
 *
 * After that, in each word, {NAME} is replaced. So a file's name stays one word, whatever is in it. */

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

typedef struct EncoderKind EncoderKind;

typedef struct Encoder {
    char *label;             /* what it is called in tables: as typed */
    char *codec;             /* ffmpeg's name for it; NULL: a command */
    const EncoderKind *kind; /* how ffmpeg takes its setting; NULL: not known, or a command */
    char *option;            /* the one that takes it, as typed; NULL: the kind's */
    Argv options;            /* -preset slow … */
    Template command;
    double *settings; /* to be tried, rising */
    size_t setting_count;
    double low, high;    /* settings there are */
    bool high_is_better; /* of settings */
    bool failed;
} Encoder;

typedef struct Encode {
    const char *ffmpeg, *input, *y4m, *output;
    double setting;
    bool whole; /* what is beside the video is copied */
} Encode;

/* "libx264" or "libx264:preset=slow:tune=film"; \: \, and \\ stand for the characters. setting=NAME says which
 * option takes the setting. 0, -ENOMEM, or -EINVAL with the reason in `error`. */
int encoder_parse(Encoder *encoder, const char *text, size_t length, char *error,
                  size_t error_size);
/* "x264 --crf {crf} -o {output} {input}" or "NAME=x264 …". */
int encoder_parse_command(Encoder *encoder, const char *text, char *error, size_t error_size);
void encoder_free(Encoder *encoder);

/* -EINVAL, and the reason, when the encoder has no such setting. */
int encoder_check_setting(const Encoder *encoder, double setting, char *error, size_t error_size);
/* What the setting is called: "crf", "qp". */
const char *encoder_setting_name(const Encoder *encoder);
/* Of its files: "mkv". */
void encoder_extension(const Encoder *encoder, char *text, size_t size);
bool encoder_wants_y4m(const Encoder *encoder);

Argv encoder_command(const Encoder *encoder, const Encode *encode);

/* Asks ffmpeg whether it has them all. Says what is missing; negative errno. */
int encoders_check(const Encoder *encoders, size_t count, const char *ffmpeg, Children *children);

#endif
