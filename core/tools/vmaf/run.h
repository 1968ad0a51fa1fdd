/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A scoring run: the videos of one command line. Each distorted video has a Rating; ratings that
 * can share one reading of the reference form a VideoGroup; groups run one after another. All
 * functions are for the main thread. Unless stated otherwise, they return 0, or print what went
 * wrong and return a negative errno. */
#ifndef TOOLS_RUN_H
#define TOOLS_RUN_H

#include <stdint.h>

#include "gpu.h"
#include "hint.h"
#include "input/video.h"
#include "libvmaf/libvmaf.h"
#include "lines.h"
#include "options.h"
#include "report/stored.h"
#include "scores.h"
#include "sync.h"
#include "vmaf/part/part.h"
#include "warnings.h"

/* ---- one distorted video ---- */

/* Frame counts of a video, for reports. */
typedef struct VideoSpan {
    uint64_t skipped; /* frames before the first one that is scored */
    uint64_t frames;  /* frames of the whole video, as its file states; 0: unknown */
    uint64_t found;   /* frames that were found in the file, with those skipped */
    bool ended;       /* these are all that it has */
    uint64_t bytes;   /* size of the file; 0: unknown */
} VideoSpan;

/* One distorted video and its results, with a context of its own. */
typedef struct Rating {
    size_t number; /* index among the distorted videos */
    Video *video, *ref;
    VideoSpan span[SIDES];
    char *output; /* path of the report; NULL: none */
    VmafContext *vmaf;
    Models *models;
    ScoredPair pair;      /* size and depths by which the models were chosen */
    SummaryRow row;       /* for the table of several videos, once the rating is finished */
    StoredReport *report; /* for --html and --heatmap, once the rating is finished */
    unsigned pairs;       /* scored so far */
    PairFrames *frames;   /* frames of each pair; in a part, of each of its own pairs */
    size_t frame_count, frame_capacity;
    bool cut;               /* this video or the reference ended within a frame, or too early */
    bool stopped;           /* a signal came before the last pair */
    bool below;             /* a score is below --fail_under */
    bool unjudged;          /* pairs are missing, so --fail_under cannot pass */
    char incomplete[256];   /* why pairs are missing; empty: none are */
    int err;                /* why there is no result; 0: none */
    char pairing[160];      /* how frames were paired, for the report */
    Warnings warnings;      /* on this pair of videos */
    const Warnings *of_run; /* on the run as a whole */
    Lines *lines;           /* for --lines: gets the scores; NULL: no --lines */
    PartRun *part;          /* for --shard and --frames: the pairs to measure; NULL: all */
} Rating;

/* Finds out what is known of the videos before they are aligned, and loads the models. `ref`: the
 * reference, opened, perhaps by another group. */
int rating_choose_models(Rating *rating, const Options *options, const Video *ref,
                         Warnings *of_run);

/* How this rating's videos are aligned, after rating_choose_models. */
VideoAlign rating_align(const Rating *rating, const Options *options, const Video *ref);

/* The planes of the videos that are read, once the models are in use; bit p: plane p. All of them
 * for a conversion of colours. */
unsigned rating_planes(const Rating *rating);

/* Tells the context the colours of both videos, and notes for the report what is converted; if it
 * is the `first` rating of its group, for the reference, too. */
int rating_tell_colours(Rating *rating, const Options *options, bool first);

/* Creates the context. The first rating of a group gets `threads` worker threads, the others share
 * those of `first`. */
int rating_create_context(Rating *rating, const Options *options, unsigned threads,
                          const Rating *first);

/* Waits for the last scores of the pairs that were read. Also an error if no result may be made of
 * them. */
int rating_end(const Rating *rating, const Options *options);

/* Warns if the pictures would match better at another offset than that of `dist`. */
void rating_tell_offset(Rating *rating, OffsetHint *hint, const SyncVideo *dist);

/* After rating_end: computes model scores, prints them and writes the report, or writes the part
 * file. */
int rating_finish(Rating *rating, const Options *options);

/* Notes the frames of the next pair. 0 or -ENOMEM. */
int rating_add_frames(Rating *rating, const PairFrames *frames);

void rating_destroy(Rating *rating);

/* ---- distorted videos that share one reading of the reference ---- */

/* State that all groups of a run share; score.c owns it. */
typedef struct GroupShare {
    const Options *options;
    bool begun; /* the first group has tried to open the GPU */
    GpuOpening *opening;
    Gpu *gpu;          /* NULL: the CPU */
    Lines *lines;      /* NULL: no --lines */
    Warnings warnings; /* on the run as a whole */
} GroupShare;

/* Distorted videos that need the reference's frames in the same format. */
typedef struct VideoGroup {
    GroupShare *share;
    unsigned count;   /* ratings */
    Video **videos;   /* the reference, then one for each rating */
    Rating **ratings; /* in the order of the command line */
    SyncSchedule schedule;
    uint64_t expected_pairs; /* pairs of each rating; 0: unknown */
    bool kept;               /* frames stay on the device that decodes and scores them */
    unsigned ahead;          /* frames to read ahead of each video */
} VideoGroup;

/* Decides how the videos are brought to one format and how frames are paired. Fails for videos that
 * cannot be compared. */
int group_prepare(VideoGroup *group);
/* Reads and scores the videos, without finishing the results. A rating that fails gets its `err`,
 * and the others go on. Returns a negative errno only if nothing could be scored. */
int group_score(VideoGroup *group);
void group_clear(VideoGroup *group);

/* Reads the group's videos to their ends and gives the contexts their pairs; part of group_score. A
 * rating that fails gets its `err`, and the others go on. Returns a negative errno only if nothing
 * could be read. */
int group_feed(VideoGroup *group);

/* ---- reports ---- */

bool output_is_stdout(const char *path);

/* Sets *path to the path of the report on distorted video number `video` (from 0); NULL: no report.
 * If one name serves several videos, their numbers, from 1, go before its extension. The caller
 * frees the path. 0 or -ENOMEM. */
int output_path(char **path, const Options *options, size_t video);

/* Checks before hours of scoring that the report can be written at `path` and would replace none of
 * the `count` videos. */
int output_check(const char *path, Video *const *videos, unsigned count);

/* The path of an output in the way that is the same for all paths of one file, also if it does not
 * exist yet. The caller frees it. NULL: there is no memory. */
char *output_identity(const char *path);

/* Checks that these outputs are all different files. 0, -ENOMEM, or -EINVAL after a message. */
int outputs_check_distinct(const char *const *paths, size_t count);

/* Writes the report in the format that the options or the path's extension choose. */
int output_write(VmafContext *vmaf, const Options *options, const char *path);

/* ---- the machine ---- */

/* The number of CPUs that this process may use, by its affinity and its control group's quota. */
unsigned cpus_allowed(void);

/* The free memory in bytes; UINT64_MAX: unknown. */
uint64_t memory_free(void);

/* Default number of worker threads for pairs of `pair_bytes`: one for each allowed CPU, but since
 * each thread keeps a pair, only as many as fit into a quarter of the free memory. 0: the caller's
 * thread does all work. */
unsigned threads_by_default(size_t pair_bytes);

/* The CPUs that a control group's "QUOTA PERIOD" allows, rounded up; 0: no limit ("max", or
 * nonsense). For tests. */
unsigned cpus_of_quota(const char *text);

#endif
