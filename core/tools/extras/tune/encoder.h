/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* An encoder to test: one of ffmpeg's, with options, or a command given by the user. */
#ifndef TUNE_ENCODER_H
#define TUNE_ENCODER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/argv.h"
#include "common/child.h"

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

typedef struct EncoderKind EncoderKind;

typedef struct Encoder {
    char *label;             /* name in tables, as typed */
    char *codec;             /* ffmpeg's name of the encoder; NULL: a command */
    const EncoderKind *kind; /* how ffmpeg takes the setting; NULL: unknown encoder, or a command */
    char *option; /* option that takes the setting, if the user named one; NULL: the usual one */
    Argv options; /* options for ffmpeg, such as -preset slow */
    Template command;
    double *settings; /* settings to try, in increasing order */
    size_t setting_count;
    double low, high;    /* range of valid settings */
    bool high_is_better; /* higher settings give better quality */
    bool failed;
} Encoder;

typedef struct Encode {
    const char *ffmpeg, *input, *y4m, *output;
    double setting;
    bool whole; /* copy the audio as well */
    bool shown; /* the command is for people: without our options for progress and messages */
} Encode;

/* Parse "libx264" or "libx264:preset=slow:tune=film". Write \: \, and \\ for these characters
 * themselves. setting=NAME names the option that takes the setting. Returns 0, -ENOMEM, or -EINVAL
 * with the reason in `error`. Free the encoder after success. */
int encoder_parse(Encoder *encoder, const char *text, size_t length, char *error,
                  size_t error_size);
/* Parse "x264 --crf {crf} -o {output} {input}" or "NAME=x264 …". Returns as encoder_parse does. */
int encoder_parse_command(Encoder *encoder, const char *text, char *error, size_t error_size);
void encoder_free(Encoder *encoder);

/* Returns -EINVAL, with the reason in `error`, if the setting is out of the encoder's range. */
int encoder_check_setting(const Encoder *encoder, double setting, char *error, size_t error_size);
/* The name of the setting, such as "crf" or "qp". */
const char *encoder_setting_name(const Encoder *encoder);
/* The extension of the files it writes, such as "mkv". */
void encoder_extension(const Encoder *encoder, char *text, size_t size);
bool encoder_wants_y4m(const Encoder *encoder);

Argv encoder_command(const Encoder *encoder, const Encode *encode);

/* Check that ffmpeg has all these encoders. Prints what is missing and returns a negative errno. */
int encoders_check(const Encoder *encoders, size_t count, const char *ffmpeg, Children *children);

/* Lists of settings as the user types them: "20..44:6", "18,21.5,24", or both: "0,20..44:6". */

#define RANGE_MAX 256 /* limit on settings, since each one costs an encode */

/* Parse a list into increasing values without duplicates. Returns 0, or -EINVAL with the reason in
 * `error`. */
int range_parse(const char *text, double values[RANGE_MAX], size_t *count, char *error,
                size_t error_size);

/* Print a setting as encoders read it: "23", "21.5". */
void range_print(double value, char *text, size_t size);

#endif
