/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Notes of a context for its reports: the videos, the models, the settings of the program. Zeroed
 * notes are empty. They own copies of all texts. */
#ifndef ENGINE_NOTES_H
#define ENGINE_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libvmaf/report.h"

typedef struct NotedInput {
    char *path; /* NULL: nothing is known of this video */
    char *kind; /* how it was read: "y4m", "raw", …; NULL: not given */
    unsigned width, height, bitdepth;
    enum VmafPixelFormat pix_fmt;
    uint64_t skipped;            /* frames before the first one read */
    unsigned rate_num, rate_den; /* 0: not known */
    uint64_t frames;             /* frames of the whole video; 0: not known */
    uint64_t bytes, bit_rate;    /* size of the file; bit rate of the video in it; 0: not known */
    uint64_t frames_found;       /* 0: not known */
    bool ended;                  /* the video has no frames after those */
    char *codec;                 /* NULL, here and in the next members: not given */
    char *filters, *warnings, *pairing;
} NotedInput;

typedef struct NotedModel {
    char *name;       /* the metric its scores are stored under */
    char *source;     /* the built-in's name or the file's path */
    unsigned members; /* members of a collection; 0: a single model */
    char *note;       /* how the program chose it; NULL: not said */
} NotedModel;

typedef struct NotedOption {
    char *name;
    char *value; /* NULL: it takes no value */
} NotedOption;

typedef struct NotedWarning {
    enum VmafReportSide side;
    char *code, *text;
} NotedWarning;

/* A pair of frames. */
typedef struct NotedFrame {
    bool known;
    double time; /* NaN: not known */
    uint64_t ref, dist;
    bool shot; /* a shot begins with it */
} NotedFrame;

typedef struct Notes {
    NotedInput ref, dist;
    NotedFrame *frames; /* indexed by the number of the pair */
    size_t frame_capacity;
    NotedWarning *warnings; /* in the order they were added */
    size_t warning_count, warning_capacity;
    NotedModel *models; /* in the order of their first use */
    size_t model_count, model_capacity;
    NotedOption *options; /* in the order they were added */
    size_t option_count, option_capacity;
    bool details;  /* print all of this in JSON */
    bool places;   /* list where features ran even if all ran on the CPU */
    char *partial; /* why pairs are missing, for all formats; NULL: none are */
    bool complete_known;
    char *incomplete; /* with complete_known: why frames are missing; NULL: none are */
} Notes;

/* All return 0 or -ENOMEM, which leaves the notes unchanged. The struct of an input may have only
 * NOTES_INPUT_SIZE_MIN or NOTES_INPUT_SIZE_2 bytes, from programs built against older headers. */
#define NOTES_INPUT_SIZE_MIN offsetof(VmafReportInput, rate_num)
#define NOTES_INPUT_SIZE_2 offsetof(VmafReportInput, bytes)
int notes_set_input(Notes *notes, bool is_ref, const VmafReportInput *input);
/* Does nothing for a model that is noted already. */
int notes_add_model(Notes *notes, const char *name, const char *source, unsigned members);
/* Sets the note of all models of this name. -ENOENT: there is none. */
int notes_set_model_note(Notes *notes, const char *name, const char *note);
int notes_add_option(Notes *notes, const char *name, const char *value);
/* Does nothing for a warning that is noted already. */
int notes_add_warning(Notes *notes, const char *code, enum VmafReportSide side, const char *text);
/* The struct of a frame may have only NOTES_FRAME_SIZE_MIN bytes. */
#define NOTES_FRAME_SIZE_MIN offsetof(VmafReportFrame, shot)
int notes_set_frame(Notes *notes, unsigned index, const VmafReportFrame *frame);
int notes_set_partial(Notes *notes, const char *reason);  /* NULL: no pair is missing */
int notes_set_complete(Notes *notes, const char *reason); /* NULL: no frame is missing */

void notes_clear(Notes *notes);

#endif
