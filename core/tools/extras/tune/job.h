/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A job is one encode of one source: it is encoded, measured and scored. Several are under way at once, each
 * step as a child process: as many encodes as allowed, and in each place one scoring. */
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

/* What all jobs share. */
typedef struct Workshop {
    Children *children;
    TempFolder *temp;
    const char *ffmpeg;
    const char *self; /* this program: it is run as the vmaf command */
    Place *places;
    size_t place_count;
    unsigned encodes; /* at once */
    Argv score_words; /* for the vmaf command: --model, --feature, … */
    const char *metric;
    Pooling pooling;
    double time_limit; /* of each step; 0: none */
    bool quiet;
} Workshop;

typedef struct Original {
    const char *path;
    char *argument; /* the same, such that no program takes it for an option */
    char *y4m;      /* decoded, where somebody wants it so; NULL: not yet */
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
    /* What is to be done. */
    Original *source;
    Encoder *encoder;
    double setting;
    char *output; /* where the encode stays; NULL: nowhere. Belongs to who made the job */
    bool whole;   /* with the sound */
    /* How it goes. */
    enum JobState state;
    Child *child;
    Argv argv;
    Place *place;
    char *file, *report;
    double since; /* the step under way began */
    uint64_t frame;
    char line[128]; /* of progress */
    size_t line_used;
    Tail tail;
    MediaReader reader;
    /* What came of it. */
    Media media;
    double bitrate; /* kbit/s of the video */
    double encode_seconds, score_seconds;
    double *scores; /* of each frame */
    size_t score_count;
    double score;          /* pooled */
    const char *scored_in; /* label of the place */
    json_t *stored;        /* all of it, if an earlier run found it */
} Job;

/* Looks into a source. Says what is wrong; negative errno, -EINTR when a signal came. */
int original_open(Original *source, const char *path, Workshop *shop);
/* Makes its Y4M, if it is not there. */
int original_decode(Original *source, Workshop *shop);
void original_close(Original *source);

/* Called when a job has come a step further, and now and then: `job` is then NULL. What is not 0 stops all. */
typedef int JobChanged(void *arg, Job *job);

/* Does all jobs. Those that fail say why, and the others of their encoder are left out. 0, -EINTR when a signal
 * came, or another negative errno when nothing can go on. */
int jobs_run(Workshop *shop, Job *jobs, size_t count, JobChanged *changed, void *arg);
void job_free(Job *job);

/* "exit code 1" or "signal 11" or "it took too long". */
void end_print(const ChildEnd *end, char *text, size_t size);

#endif
