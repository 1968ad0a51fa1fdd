/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How ffmpeg's encoders take constant quality: a table. Static data: any thread may read it. */
#ifndef TUNE_KINDS_H
#define TUNE_KINDS_H

#include <stdbool.h>

/* How an encoder makes two passes (--two-pass). */
enum TwoPass {
    TWO_PASS_NONE,
    TWO_PASS_QUALITY, /* at the usual quality setting */
    TWO_PASS_RATE,    /* only at a bit rate, which then is the setting */
};

typedef struct EncoderKind {
    const char *name;   /* a '*' at its end or start stands for any characters there */
    const char *option; /* takes the setting */
    double low, high;
    double grain; /* settings are multiples of this; 0: any number */
    bool high_is_better;
    enum TwoPass passes;
    /* The device that the encoder wants its frames on, by ffmpeg's name; NULL: it takes frames from
     * main memory. Frames are uploaded. */
    const char *device;
    const char *beside[6]; /* further options, without which the encoder would ignore the setting */
    const char *also[2];   /* further options that take the setting */
} EncoderKind;

/* The entry for an encoder of ffmpeg; NULL: there is none. */
const EncoderKind *encoder_kind_find(const char *codec);

#endif
