/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The extractors and models of a run, and their scores: gathered over all frames, pooled, printed
 * and compared with --fail_under. For the main thread. Functions that return int return 0, or print
 * what went wrong and return a negative errno. */
#ifndef TOOLS_SCORES_H
#define TOOLS_SCORES_H

#include <stdbool.h>

#include "input/video.h"
#include "libvmaf/libvmaf.h"
#include "libvmaf/report.h"
#include "choice.h"
#include "options.h"
#include "report/shot_scores.h"
#include "report/summary.h"
#include "warnings.h"

/* ---- printing ---- */

/* Writes the score into `text` in the form that --precision asks for. Returns `text`. */
const char *score_text(char text[64], const Options *options, double score);

/* Where scores are printed, and the video that is named before each, where a run has several. */
typedef struct ScoreOwner {
    const char *path;      /* "" if there is one video */
    const char *separator; /* printed after the path; "" if there is one video */
    bool on_stdout;        /* false: on standard error */
} ScoreOwner;

/* Prints one line for each pooling method of --pool. */
int score_say(const Options *options, const ScoreOwner *owner, const char *name,
              const VmafStatistics *figures);

/* True if the program asked for scores on its standard error in any case. */
bool scores_wanted(void);

/* The i-th pooling method to print; NULL after the last one. */
const Pooling *score_pooling(const Options *options, unsigned i);
/* Prints one score, `text`, in a line that names it; pooling NULL: it is of the whole clip. -EIO if
 * it could not be printed and no report file was asked for. */
int score_print(const Options *options, const ScoreOwner *owner, const char *name,
                const Pooling *pooling, const char *text);

/* True, after printing a line, if --fail_under was given but frames are missing. incomplete: why;
 * empty or NULL: none are. --allow_partial accepts that. */
bool score_limit_misses_frames(const Options *options, const ScoreOwner *owner,
                               const char *incomplete);

/* ---- the scores of all frames ---- */

typedef struct Gathered {
    double *scores; /* scores of frames 0, step, 2 * step, … */
    size_t count;
    VmafStatistics figures;
} Gathered;

/* Sets *score to the score of a frame; 0 or a negative errno. */
typedef int (*ScoreAsker)(void *arg, unsigned frame, double *score);

/* Calls `ask` for every `step`th of `frames` frames (at least one). On success the caller calls
 * gathered_clear. Prints nothing. */
int gather_scores(Gathered *out, unsigned frames, unsigned step, ScoreAsker ask, void *arg);
void gathered_clear(Gathered *gathered);

/* True if the scores reach the limit: their figure, or that of each shot. If not, prints a line. */
bool gathered_pass(const Gathered *gathered, const ScoreLimit *limit, const ShotSpans *shots,
                   const char *owner, const char *name);

/* gather_scores of a metric, for every frame that --subsample leaves. */
int gather_metric(Gathered *out, const Options *options, VmafContext *vmaf, const char *metric,
                  unsigned frames);

/* Where the figures of metrics come from in a run that does not keep the scores of all frames.
 * `find` is given the stored name; false: the metric has no scores. */
typedef struct FigureSource {
    bool (*find)(void *arg, const char *metric, VmafStatistics *figures);
    void *arg;
} FigureSource;

/* ---- extractors ---- */

/* The frame rate of two videos, in whole frames per second rounded down: that of --fps, else that
 * of the distorted video, else that of the reference; 0 if it is unknown. */
unsigned extractors_rate(const Options *options, const VideoTraits *ref, const VideoTraits *dist);

/* Facts about the videos that extractors are told in options that --feature leaves out. */
typedef struct ExtractorFacts {
    unsigned rate; /* for `fps`; 0: unknown */
    /* For `ref_tags` and `dist_tags`; NULL: they are not told. Aligned videos. */
    const Video *videos[SIDES];
    bool
        colours_converted; /* a model converted the colours: pictures are not what their tags say */
} ExtractorFacts;

/* Checks the --feature options and registers their extractors, in their order, with the facts that
 * each has an option for. Adds a warning where a fact had to be assumed. */
int extractors_use(const Options *options, const ExtractorFacts *facts, Warnings *warnings,
                   VmafContext *vmaf);

/* True if every extractor of the run is told what the samples of each video are. */
bool extractors_take_tags(const Options *options);

/* Prints the pooled scores over frames 0 to frames - 1 of every metric that --feature asked for,
 * and the figures that extractors gave for the whole clip. */
int extractors_score(const Options *options, VmafContext *vmaf, unsigned frames,
                     const ScoreOwner *owner);

/* Bit p is set if an extractor registered with the context, by an option or a model, may read plane
 * p. */
unsigned extractors_planes(const VmafContext *vmaf);

/* ---- models ---- */

typedef struct Models Models;

/* The pair of videos that models are loaded for, and where their warnings go. */
typedef struct ModelUse {
    const ScoredPair *pair;
    const char *path; /* path of the distorted video, if messages must name it; else NULL */
    Warnings *of_run, *of_pair;
} ModelUse;

/* Loads the models of the options, in their order, and prints how they were chosen and set up. */
int models_create(Models **models, const Options *options, const ModelUse *use);
/* True if a model measures banding, as those of v1 do: it wants samples of 10 bits. */
bool models_see_banding(const Models *models);
/* True if pictures are converted to certain colours: *target is the first model's target. */
bool models_convert(const Models *models, VmafPictureConvertTarget *target);
/* Tells the report how the models were chosen and set up. */
int models_report(const Models *models, VmafContext *vmaf);
/* Registers the features of all models with a context. Several contexts may use the same models. */
int models_use(const Models *models, VmafContext *vmaf);
void models_destroy(Models *models); /* NULL is fine */

/* The name under which the scores of model number `i` are stored, and its collection (NULL: none).
 * NULL after the last model. */
const char *models_metric(const Models *models, size_t i, VmafModelCollection **collection);

/* Sets *mean to the first model's mean score over the frames scored so far; false: none yet. For
 * the progress display: does not wait for frames. Always pass the same context. */
bool models_mean_so_far(Models *models, const Options *options, VmafContext *vmaf, double *mean);

/* Scores frames 0 to frames - 1. Prints a line for each model, then for each collection, unless
 * `owner` is NULL. */
int models_score(const Models *models, const Options *options, VmafContext *vmaf, unsigned frames,
                 const ScoreOwner *owner);

/* After models_score, or with `figures`: compares the scores with --fail_under. Prints a line for
 * each score that is too low, and sets *below if there is one. shots: those of the run, for limits
 * of each shot. */
int models_judge(const Models *models, const Options *options, VmafContext *vmaf, unsigned frames,
                 const FigureSource *figures, const ShotSpans *shots, const ScoreOwner *owner,
                 bool *below);

/* After models_score: prints the shots in which the first model's scores are lowest. */
int models_say_shots(const Models *models, const Options *options, VmafContext *vmaf,
                     unsigned frames, const ShotSpans *shots, const char *owner);

/* The frames of a video, for its summary. */
typedef struct SummaryUse {
    unsigned frames;
    const double *times;    /* times of the frames, in seconds; NaN: unknown */
    const char *incomplete; /* why frames are missing; empty: none are */
    const char *video;      /* its path */
    SummaryRow *row;        /* to keep the summary in; NULL: print it */
} SummaryUse;

/* After models_score: prints or keeps a summary of the first model's scores, for people at a
 * terminal. */
int models_summarise(const Models *models, const Options *options, VmafContext *vmaf,
                     const SummaryUse *use);

#endif
