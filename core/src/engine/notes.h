/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a context notes for its reports besides scores: the videos, the models, the settings of the
 * program. Zeroed notes are empty. All texts are copies of their own. */
#ifndef OUTPUT_NOTES_H
#define OUTPUT_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libvmaf/report.h"

typedef struct NotedInput {
    char *path; /* NULL: nothing is known of this video */
    char *kind; /* how it was read: "y4m", "raw", …; NULL: not told */
    unsigned width, height, bitdepth;
    enum VmafPixelFormat pix_fmt;
    uint64_t skipped;            /* frames before the first one read */
    unsigned rate_num, rate_den; /* 0: not known */
    uint64_t frames;             /* of the whole video; 0: not known */
    char *codec;                 /* this and the next: NULL: not told */
    char *filters, *warnings, *pairing;
} NotedInput;

typedef struct NotedModel {
    char *name;       /* the metric its scores are stored under */
    char *source;     /* the built-in's name or the file's path */
    unsigned members; /* of a collection; 0: a model on its own */
} NotedModel;

typedef struct NotedOption {
    char *name;
    char *value; /* NULL: it takes none */
} NotedOption;

typedef struct Notes {
    NotedInput ref, dist;
    NotedModel *models; /* in the order of their first use */
    size_t model_count, model_capacity;
    NotedOption *options; /* in the order they were told */
    size_t option_count, option_capacity;
    bool details;  /* JSON has all of this */
    bool places;   /* where features ran is told even if none left the CPU */
    char *partial; /* why pairs are missing; NULL: none are */
} Notes;

/* All return 0 or -ENOMEM, which leaves the notes as they were. An input may be of the smaller size
 * that NOTES_INPUT_SIZE_MIN says. */
#define NOTES_INPUT_SIZE_MIN offsetof(VmafReportInput, rate_num)
int notes_set_input(Notes *notes, bool is_ref, const VmafReportInput *input);
/* Does nothing for a model that is there already. */
int notes_add_model(Notes *notes, const char *name, const char *source, unsigned members);
int notes_add_option(Notes *notes, const char *name, const char *value);
int notes_set_partial(Notes *notes, const char *reason); /* NULL: none is missing */

void notes_clear(Notes *notes);

#endif
