/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A job is one encode of one source: vmaf-tune encodes it, measures its bitrate and scores it.
 * Several jobs run at once, each step as a child process: up to `encodes` encodes, and one scoring
 * per device. All functions must be called from the main thread. */
#ifndef TUNE_JOB_H
#define TUNE_JOB_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/child.h"
#include "encoder.h"
#include "media.h"
#include "place.h"
#include "report/pooling.h"
#include "common/temp.h"

/* State shared by all jobs. The pointers belong to the caller. */
typedef struct Workshop {
    Children *children;
    TempFolder *temp;
    const char *ffmpeg;
    const char *self; /* path of this program, which runs itself as the vmaf command */
    Place *places;
    size_t place_count;
    unsigned encodes; /* encodes that run at once */
    Argv score_words; /* options for the vmaf command: --model, --feature, … */
    const char *metric;
    Pooling pooling;
    double time_limit; /* seconds for each step; 0: no limit */
    bool quiet;
} Workshop;

typedef struct Original {
    const char *path;
    char *argument; /* the path in a form that no program mistakes for an option */
    char *y4m;      /* path of the decoded video; NULL: not decoded yet */
    Media media;
} Original;

enum JobState {
    JOB_WAITING,
    JOB_ENCODING,
    JOB_MEASURING,
    JOB_MEASURED,
    JOB_SCORING,
    JOB_DONE,
    JOB_FAILED,
    JOB_LEFT_OUT
};

typedef struct Job {
    /* Set by the caller. */
    Original *source;
    Encoder *encoder;
    double setting;
    char *output; /* keep the encode here; NULL: delete it. Owned by the creator of the job */
    bool whole;   /* encode for keeping, with audio */
    /* State while the job runs. */
    enum JobState state;
    Child *child;
    Argv argv;
    Place *place;
    char *file, *report;
    double since; /* start of the current step */
    uint64_t frame;
    char line[128]; /* partial line of progress output */
    size_t line_used;
    Tail tail;
    MediaReader reader;
    /* Results. */
    Media media;
    double bitrate; /* of the video, in kbit/s */
    double encode_seconds, score_seconds;
    double *scores; /* one per scored frame */
    size_t score_count;
    double score;          /* pooled over the frames */
    const char *scored_in; /* label of the device */
    json_t *stored;        /* the result as an earlier run saved it; NULL: computed now */
} Job;

/* Read the size, length and other properties of a source. Prints errors. Returns 0 or a negative
 * errno; -EINTR after a signal. Call original_close in any case. */
int original_open(Original *source, const char *path, Workshop *shop);
/* Decode the source to Y4M, unless that has been done. Prints errors and returns a negative errno.
 */
int original_decode(Original *source, Workshop *shop);
void original_close(Original *source);

/* Called after each step of a job, and regularly with `job` NULL. A nonzero result stops all jobs.
 */
typedef int JobChanged(void *arg, Job *job);

/* Run all jobs. A job that fails prints why, and the remaining jobs of its encoder are skipped.
 * Returns 0, -EINTR after a signal, or another negative errno if nothing can continue. */
int jobs_run(Workshop *shop, Job *jobs, size_t count, JobChanged *changed, void *arg);
void job_free(Job *job);

/* Describe how a process ended: "exit code 1", "signal 11" or "it took too long". */
void end_print(const ChildEnd *end, char *text, size_t size);

#endif
