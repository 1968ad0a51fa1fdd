/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The command line, parsed and checked. Strings point into argv. For the main thread. */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "input/video.h"
#include "libvmaf/libvmaf.h"
#include "report/pooling.h"
#include "choice.h"
#include "spec.h"

/* The things that a command line can ask for. */
enum Action {
    ACTION_SCORE,
    ACTION_PAIRS,
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

/* Words of the command line, in order. */
typedef struct Words {
    const char **at;
    size_t count;
} Words;

/* A length of video, in frames or as a time. */
typedef struct Length {
    bool given, in_frames;
    int64_t frames;
    int64_t time; /* ns */
} Length;

/* How frames are paired. */
enum Sync {
    SYNC_DEFAULT, /* pair by time if all files have times; the rates must be equal */
    SYNC_NEAREST, /* pair by time, whatever the rates */
    SYNC_INDEX,   /* pair by number */
    SYNC_AUTO     /* like SYNC_DEFAULT, from the offset at which the pictures match best */
};

/* The pairs of frames that a run measures for a part file. */
typedef struct PartChoice {
    enum { PART_WHOLE, PART_SHARD, PART_FRAMES } kind;
    unsigned index, count; /* PART_SHARD: index counts from 0 */
    uint64_t first, last;  /* PART_FRAMES */
    bool from_start;       /* read the videos from their beginning */
} PartChoice;

/* The frames whose maps --heatmap writes to files; neither: the worst frames. */
enum { HEATMAP_RANGES = 64 };
typedef struct HeatmapRange {
    unsigned first, last;
} HeatmapRange;
typedef struct HeatmapFrames {
    bool given, all;
    unsigned count;
    HeatmapRange range[HEATMAP_RANGES];
} HeatmapFrames;

/* The model of a run that names none. */
#define DEFAULT_MODEL "vmaf_v0.6.1"

/* Limits to how often these options may be given. */
enum { POOLINGS_MAX = 16, SCORE_LIMITS_MAX = 8 };

/* The most decoders of one video. */
enum { DECODERS_MAX = 64 };

typedef struct Options {
    enum Action action;

    const char *reference;
    Words distorted;
    const char *pairs; /* the list that names the pairs of videos; NULL: none */
    Words words;       /* arguments that are not options; options_parse turns them into videos */
    unsigned skip[SIDES];
    unsigned frame_limit; /* 0: all */
    enum Sync sync;
    Length offset;             /* where the reference begins in the distorted video; negative:
                                * where the distorted video begins in the reference */
    Length duration;           /* how much to score */
    unsigned fps_num, fps_den; /* bring all videos to this rate; 0: as they are */

    bool raw; /* the videos are raw; else the files say what they hold */
    unsigned width, height, bitdepth;
    enum VmafPixelFormat pix_fmt;
    int64_t follow;       /* ns to wait for files to grow at their ends; 0: do not */
    bool local_only;      /* open no other file or network address that a video refers to */
    bool common_bitdepth; /* widen the shallower input */
    VideoAlign align;     /* only what the options say; see options_align */
    bool scale_to_model;
    VideoCrop crop[SIDES]; /* a width of 0: no rectangle is given */
    bool crop_bars[SIDES]; /* find the rectangle that black bars leave */
    const char *hwaccel;
    bool no_grain; /* decode without film grain */
    bool deinterlace;
    unsigned decoders;           /* decoders of each video at once; 0: as many as help */
    VmafColor color[SIDES];      /* the colours that are given */
    unsigned color_given[SIDES]; /* bit i: part i (enum ColourPart) is given */

    ModelSpec *models;
    size_t model_count;
    FeatureSpec *features;
    size_t feature_count;
    bool no_prediction;
    bool shots;           /* find the shots and report the figures of each */
    enum Display display; /* for --model auto */
    /* Size and depth of the encodes that the distorted videos were decoded from; 0: as their
     * files say. */
    unsigned enc_width, enc_height, enc_bitdepth;

    Words outputs;                /* paths of reports; see output_path. "-": standard output */
    enum VmafOutputFormat format; /* NONE: by the output's extension; see options_format */
    char score_format[8];         /* printf format; empty: the default rule */
    bool to_stdout;               /* a format was given without -o: outputs has "-" */
    const char *html;             /* path of the page; NULL: none */
    const char *heatmap_folder;   /* for pictures of maps; NULL: none */
    bool heatmap_html;            /* draw maps over the page's worst frames */
    HeatmapFrames heatmap_frames; /* frames of which the folder gets maps */
    bool stored;                  /* --report: the words are JSON reports; nothing is scored. With
                                     --doctor: devices are surveyed */
    bool catalogue;               /* one page about many reports, with a row for each */
    bool watch;                   /* write it again whenever reports change */
    const char *baseline;         /* PATH to compare them with; NULL: nothing */
    const char *save_baseline;    /* where it stores the scores for that; NULL: nowhere */
    double max_drop;              /* points; a title that drops by more is worse; 0: not given */
    PartChoice part;
    bool merge; /* the words are part files to merge */
    Pooling poolings[POOLINGS_MAX];
    unsigned pooling_count; /* 0: the mean */
    ScoreLimit score_limits[SCORE_LIMITS_MAX];
    unsigned score_limit_count;
    bool allow_partial; /* judge videos of which frames are missing */
    bool quiet;
    bool progress; /* print lines for programs to read */
    bool lines;    /* write lines of JSON to standard output while scoring */
    Length window; /* for --lines: pairs whose scores are pooled together */

    bool threads_given; /* false: the machine and the videos decide */
    unsigned threads, subsample;
    uint64_t cpumask, gpumask;
    const char *backend;        /* a GPU backend, or "auto"; NULL: the CPU */
    bool only_cpu;              /* --backend cpu was given */
    const char *backend_word;   /* the value of --backend; NULL: not given */
    const char *device_backend; /* NAME of --NAME_device; NULL: not given */
    bool by_environment;        /* VMAF_BACKEND chose the backend */
    bool by_extractor;     /* an extractor's name chose the backend: others may run on the CPU */
    unsigned backends_off; /* bit i: never use vmaf_backend_name(i) */
    const char *device;    /* number, name, UUID or PCI address; NULL: any */
    bool allow_software;
    const char
        *doctor_backends; /* the value of --backend, which may be a list for --doctor; NULL: none */
    Words require;        /* for --doctor: "hardware", pieces of names, UUIDs, PCI addresses */

    GivenOption *given; /* all options, in order */
    size_t given_count;
} Options;

/* Parses and checks the command line and sets *action; other fields are complete only for the
 * action that uses them. 0; -EINVAL after printing a usage error; or -ENOMEM. Call options_destroy
 * in all cases. */
int options_parse(Options *options, int argc, char **argv, enum Action *action);
void options_destroy(Options *options);
int words_add(Words *words, const char *word); /* 0 or -ENOMEM */

/* The fields of a line of --pairs. */
enum { PAIR_REFERENCE, PAIR_DISTORTED, PAIR_REPORT, PAIR_FIELDS };

/* Makes the options for one pair of --pairs, as if a command line named it. `fields` must outlive
 * them; the report may be NULL. They share the rest with `all`: call options_leave_pair in all
 * cases, and not options_destroy. 0; -EINVAL after a message; or -ENOMEM. */
int options_of_pair(Options *pair, const Options *all, const char *const fields[PAIR_FIELDS]);
void options_leave_pair(Options *pair);

/* True if messages must say which distorted video they are about. */
bool options_name_videos(const Options *options);

/* The format of a report at this path: the one asked for, else the one that its extension names,
 * else XML. */
enum VmafOutputFormat options_format(const Options *options, const char *path);

/* True if an extractor writes pictures (heatmaps) during the run. */
bool options_want_heatmaps(const Options *options);

/* True if a model is `auto`. */
bool options_choose_model(const Options *options);

/* How the videos are brought to one size, depth and range. `ref`: the reference, opened. */
VideoAlign options_align(const Options *options, const Video *ref);

void options_print_help(FILE *file);

#endif
