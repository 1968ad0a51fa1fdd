/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The command line, parsed and checked. */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "input/video.h"
#include "libvmaf/libvmaf.h"
#include "report/pooling.h"
#include "spec.h"

/* What to do instead of scoring. */
enum Action {
    ACTION_SCORE,
    ACTION_HELP,
    ACTION_VERSION,
    ACTION_LIST_DEVICES,
    ACTION_LIST_MODELS,
    ACTION_LIST_FEATURES,
    ACTION_REPORT,
    ACTION_MERGE,
    ACTION_DOCTOR
};

/* One option as typed. */
typedef struct GivenOption {
    const char *name;  /* the long one */
    const char *value; /* NULL: it takes none */
} GivenOption;

/* Words of the command line, in their order. */
typedef struct Words {
    const char **at;
    size_t count;
} Words;

/* A piece of video: so many frames, or so much time. */
typedef struct Length {
    bool given, in_frames;
    int64_t frames;
    int64_t time; /* ns */
} Length;

/* How frames find their partners. */
enum Sync {
    SYNC_DEFAULT, /* by time where the files have times, and rates are the same */
    SYNC_NEAREST, /* by time, whatever the rates */
    SYNC_INDEX,   /* by number */
    SYNC_AUTO     /* as the default, from the offset on that fits best */
};

/* The pairs of frames that a run measures, for a part file. */
typedef struct PartChoice {
    enum { PART_WHOLE, PART_SHARD, PART_FRAMES } kind;
    unsigned index, count; /* PART_SHARD: from 0 */
    uint64_t first, last;  /* PART_FRAMES */
    bool from_start;       /* videos are read from their beginning */
} PartChoice;

/* More of them at once help nobody. */
enum { POOLS_MAX = 16, SCORE_LIMITS_MAX = 8 };

typedef struct Options {
    enum Action action;

    const char *reference;
    Words distorted;
    Words words; /* that are no options, as given: options_parse makes them paths */
    unsigned skip[SIDES];
    unsigned frame_limit; /* 0: all */
    enum Sync sync;
    Length offset; /* what a distorted video has before the partner of the reference's first frame;
                      * negative: the other way round */
    Length duration;           /* of what is scored */
    unsigned fps_num, fps_den; /* bring all videos to this rate; 0: as they are */

    bool raw; /* else the files say what they hold */
    unsigned width, height, bitdepth;
    enum VmafPixelFormat pix_fmt;
    bool local_only;      /* a video may not make us open anything else */
    bool common_bitdepth; /* widen the shallower input */
    VideoAlign align;     /* as far as it was asked for; see options_align */
    bool scale_to_model;
    const char *hwaccel;

    ModelSpec *models;
    size_t model_count;
    FeatureSpec *features;
    size_t feature_count;
    bool no_prediction;

    Words outputs;                /* "-": standard output; output_path says whose they are */
    enum VmafOutputFormat format; /* NONE: what the name of the output says; see options_format */
    char score_format[8];         /* empty: the default rule */
    const char *html;             /* NULL: no page */
    bool stored; /* the words are JSON reports, from earlier runs: nothing is scored */
    PartChoice part;
    bool merge; /* the words are part files: their report is made */
    Pooling pools[POOLS_MAX];
    unsigned pool_count; /* 0: the mean */
    ScoreLimit score_limits[SCORE_LIMITS_MAX];
    unsigned score_limit_count;
    bool quiet;
    bool progress; /* lines for programs to read */

    bool threads_given; /* else as many as suit the machine and the videos */
    unsigned threads, subsample;
    uint64_t cpumask, gpumask;
    const char *backend; /* a GPU backend, "auto" for the best there is; NULL: the CPU */
    bool only_cpu;       /* asked for by name */
    bool
        by_extractor; /* the backend is what an extractor asks for: the others need not run there */
    unsigned backends_off; /* bit i: never use vmaf_backend_name(i) */
    const char *device;    /* its number, name, UUID or PCI address; NULL: any */
    bool allow_software;
    const char *doctor_backends; /* --backend as given: --doctor takes a list; NULL: not given */

    GivenOption *given; /* all of them, in their order */
    size_t given_count;
} Options;

/* 0, with *action set: only ACTION_SCORE wants the rest. -EINVAL after a usage error, which it has
 * printed. -ENOMEM. Call options_destroy in any case. */
int options_parse(Options *options, int argc, char **argv, enum Action *action);
void options_destroy(Options *options);
int words_add(Words *words, const char *word); /* 0 or -ENOMEM */

/* The format of a report with this name: the one asked for, else the one its extension names, else
 * XML. */
enum VmafOutputFormat options_format(const Options *options, const char *path);

/* Does an extractor write pictures as it goes along? */
bool options_want_heatmaps(const Options *options);

/* How the videos are to be brought together. */
VideoAlign options_align(const Options *options);

void options_print_help(FILE *file);

#endif
