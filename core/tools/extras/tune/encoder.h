/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* An encoder to test: one of ffmpeg's, with options, or a command given by the user. */
#ifndef TUNE_ENCODER_H
#define TUNE_ENCODER_H

#include <stdbool.h>
#include <stddef.h>

#include "common/argv.h"
#include "common/child.h"
#include "kinds.h"
#include "settings.h"
#include "template.h"

typedef struct Encoder {
    char *label;             /* name in tables, as typed */
    char *codec;             /* ffmpeg's name of the encoder; NULL: a command */
    const EncoderKind *kind; /* how ffmpeg takes the setting; NULL: unknown encoder, or a command */
    char *option; /* option that takes the setting, if the user named one; NULL: the usual one */
    Argv options; /* options for ffmpeg, such as -preset slow */
    char *device; /* that uploads go to, as the user named it; NULL: ffmpeg's choice */
    char *filter; /* the user's filters; NULL: none */
    Template command;
    double *settings; /* settings to try, in increasing order */
    size_t setting_count;
    double low, high;    /* range of valid settings */
    double grain;        /* settings are multiples of this; 0: any number */
    bool high_is_better; /* higher settings give better quality */
    bool two_pass;
    bool rate; /* the setting is a bit rate in kbit/s */
    bool failed;
} Encoder;

typedef struct Encode {
    const char *ffmpeg, *input, *y4m, *output;
    double setting;
    unsigned pass;        /* 1 or 2 of two passes; 0: there is only one */
    const char *pass_log; /* with `pass`: the file that the first pass leaves to the second */
    bool part;            /* a part that others will be joined to */
    const char *zones; /* bit rates of ranges of frames, as x264 and x265 take them; NULL: none */
    bool whole;        /* copy the audio as well */
    bool shown; /* the command is for people: without our options for progress and messages */
} Encode;

/* Parse "libx264" or "libx264:preset=slow:tune=film". Write \: \, and \\ for these characters
 * themselves. setting=NAME names the option that takes the setting; device=NAME the device of an
 * encoder that wants its frames uploaded. Returns 0, -ENOMEM, or -EINVAL
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

/* Append the options that select its device for uploads, and those with its setting. */
void encoder_add_device(const Encoder *encoder, Argv *argv);
void encoder_add_options(const Encoder *encoder, double setting, Argv *argv);

Argv encoder_command(const Encoder *encoder, const Encode *encode);

/* Make the encoder encode twice. Returns -EINVAL, with the reason in `error`, if it cannot. An
 * encoder that takes no quality then takes a bit rate: its setting and range change. */
int encoder_set_two_pass(Encoder *encoder, char *error, size_t error_size);
/* Remove what a first pass left at `log`. */
void encoder_discard_log(const char *log);

/* Check that ffmpeg has all these encoders, and narrow settings to what their version takes. Prints
 * what is missing and returns a negative errno. */
int encoders_check(Encoder *encoders, size_t count, const char *ffmpeg, Children *children);

#endif
