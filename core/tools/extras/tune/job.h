/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A job is one encode of one source: vmaf-tune encodes it, measures its bitrate and scores it.
 * Several jobs run at once, each step as a child process: up to `encodes` encodes, and one scoring
 * per device. All functions must be called from the main thread. */
#ifndef TUNE_JOB_H
#define TUNE_JOB_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/argv.h"
#include "common/child.h"
#include "common/temp.h"
#include "encoder.h"
#include "devices.h"
#include "media.h"
#include "scored.h"
#include "targets.h"
#include "trial.h"
#include "report/pooling.h"

typedef struct Cache Cache;

/* State shared by all jobs. The pointers belong to the caller. */
typedef struct Workshop {
    Children *children;
    TempFolder *temp;
    const char *ffmpeg;
    const char *self; /* path of this program, which runs itself as the vmaf command */
    ScoringDevice *devices;
    size_t device_count;
    ScoringDevice last_resort; /* the CPU; see devices.h */
    Recalled recalled;         /* scores of earlier runs; see devices.h */
    unsigned encodes;          /* encodes that run at once */
    Argv score_words;          /* options for the vmaf command: --model, --feature, … */
    Trial trial;               /* for devices that may be broken */
    Metrics metrics;           /* the scored metrics; tables show the first one */
    Pooling pooling;           /* pooling of the first one */
    double time_limit;         /* seconds for each step; 0: no limit */
    Cache *cache;              /* cache of encodes and reports; NULL: none */
    bool allow_scaled;         /* encodes may have another size than their source */
    bool quiet;
} Workshop;

typedef struct Original {
    const char *path;
    char *argument; /* the path in a form that no program mistakes for an option */
    char *y4m;      /* path of the decoded video; NULL: not decoded yet */
    Media media;
    Packets packets;
    bool counted, shaped; /* `media` has the frames that decoding counted; the shape it showed */
} Original;

enum JobState {
    JOB_WAITING,
    JOB_FIRST_PASS,
    JOB_ENCODING,
    JOB_MEASURING,
    JOB_COUNTING, /* decoding the encode to count its frames */
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
    char *output;       /* keep the encode here; NULL: delete it. Owned by the creator of the job */
    bool whole;         /* encode for keeping, with audio */
    bool part;          /* see Encode */
    bool lists_packets; /* list the packets of the encode */
    bool made;          /* `output` holds the encode already: only measure and score it */
    const char *zones;  /* see Encode */
    /* State while the job runs. */
    enum JobState state;
    Child *child;
    Argv argv;
    ScoringDevice *device; /* that scores it now; NULL: none */
    char *file, *report, *pass_log;
    double since;                  /* start of the current step */
    FrameCount count;              /* frames of the current step */
    bool counted;                  /* media.frames is the number of frames that can be decoded */
    bool kept_encode, kept_report; /* taken from the cache */
    bool cache_asked;              /* for the report */
    const ScoringDevice *refused;  /* scoring failed there, although the device works */
    Tail tail;
    MediaReader reader;
    /* Results. */
    Media media;
    Packets packets;
    double bitrate; /* bit rate of the video, in kbit/s */
    double encode_seconds, score_seconds;
    Series series[METRIC_MAX]; /* the frames' scores, for each metric of the workshop */
    const char *metric;        /* the first of them */
    double score;              /* score of the first metric, pooled over the frames */
    json_t *place;             /* where it was scored */
    json_t *models;            /* that scored it; NULL: the result is from a journal */
    json_t *warnings; /* warnings of scoring: an array of objects with "code", "input" and "text" */
    char *failure;    /* why the job failed; NULL: it did not */
    json_t *stored;   /* the result as an earlier run saved it; NULL: computed now */
} Job;

/* Read the size, length and other properties of a source. Prints errors. Returns 0 or a negative
 * errno; -EINTR after a signal. Call original_close in any case. */
int original_open(Original *source, const char *path, Workshop *shop);
/* Decode the source to Y4M, unless that has been done. Prints errors and returns a negative errno.
 */
int original_decode(Original *source, Workshop *shop);
/* Decode the source once to count its frames, and to see its width and height as it is shown:
 * files may hold packets that are not frames, and turned or cropped pictures. Print errors and
 * return a negative errno. */
int original_count(Original *source, Workshop *shop);
int original_shape(Original *source, Workshop *shop);
void original_close(Original *source);

/* Called after each step of a job, and regularly with `job` NULL. A nonzero result stops all jobs.
 */
typedef int JobChanged(void *arg, Job *job);

/* Run all jobs. A job that fails prints why, and the remaining jobs of its encoder are skipped.
 * Returns 0, -EINTR after a signal, or another negative errno if nothing can continue. */
int jobs_run(Workshop *shop, Job *jobs, size_t count, JobChanged *changed, void *arg);
void job_free(Job *job);

/* The time since the job's current step began. */
double job_step_seconds(const Job *job);

/* Describe how a process ended: "exit code 1", "signal 11" or "time limit exceeded". */
void end_print(const ChildEnd *end, char *text, size_t size);

/* A progress display on stderr when it is a terminal: a heading and one line for each running job,
 * drawn below all other output. */

/* `what` is the heading, such as "film.mkv". It must stay valid. */
void status_start(bool quiet, const char *what);
void status_draw(const Job *jobs, size_t count);
/* The share of all jobs that is done, from 0 to 1. */
double status_share(const Job *jobs, size_t count);
/* Erase the display. Call it before printing anything else, and at the end. */
void status_hide(void);
/* Erase the display, and leave its first line there: how much is done. */
void status_finish(const Job *jobs, size_t count);

#endif
