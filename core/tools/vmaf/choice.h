/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Chooses models and sets them up as their makers advise (docs/models.md): the model of `--model
 * auto`, and what models of v1 are to know about the encode. Pure functions, for any thread. */
#ifndef TOOLS_CHOICE_H
#define TOOLS_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "input/video.h"
#include "spec.h"

/* The screen that scores are to be valid for. */
enum Display { DISPLAY_DERIVED, DISPLAY_HD, DISPLAY_PHONE, DISPLAY_4K, DISPLAY_4K_TV };

/* Sets *display to the display of this name, as in --display. False: there is none. */
bool display_find(const char *name, enum Display *display);

/* Facts about a distorted video and its reference by which models are chosen and set up. */
typedef struct ScoredPair {
    VideoFormat scored;               /* the format in which both are compared */
    unsigned width, height, bitdepth; /* size and depth of the encode; 0: unknown */
    bool told_size, told_bitdepth;    /* the user gave them (--enc_size, --enc_bitdepth) */
    bool widened;                     /* samples are scored with more bits than the videos have */
    unsigned rate_num, rate_den;      /* frames per second; 0: unknown */
    bool hdr;
} ScoredPair;

typedef struct AutoChoice {
    char version[40];   /* the built-in model */
    char reason[120];   /* for the user: "1920x1080, 24 fps" */
    bool other_display; /* the model is for 1080 rows, and the pictures have others */
    bool fast;          /* more frames per second than the model was made for */
} AutoChoice;

/* Chooses the model of `--model auto`. False: the pictures are HDR, and no model is for them. */
bool choice_auto(AutoChoice *choice, enum Display display, const ScoredPair *pair);

/* True if --display, or without it the reference's size, asks for a model of 2160 rows. */
bool choice_is_for_4k(enum Display display, unsigned width, unsigned height);

/* The options that cambi gets because of the encode. 0: not passed. */
typedef struct EncodeChoice {
    unsigned enc_width, enc_height, enc_bitdepth, src_width, src_height;
    bool raised;  /* the size is larger than the encode's, which is too small for cambi */
    bool refused; /* the user told a size that exceeds the scored one */
} EncodeChoice;

/* Returns the options for cambi. Options of the model itself (`spec`) have priority. */
EncodeChoice choice_encode(const ScoredPair *pair, const ModelSpec *spec);

/* The option number `i` of cambi that is passed: sets *key and *value. False: no more. */
bool choice_option(const EncodeChoice *choice, unsigned i, const char **key, unsigned *value);

/* Writes all options that are passed, "cambi.enc_width=960:enc_height=540"; empty: none. Returns
 * `text`. */
const char *choice_text(const EncodeChoice *choice, char *text, size_t size);

#endif
