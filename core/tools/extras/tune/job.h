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
#include "report/pooling.h"

/* The size and duration of a video stream, read from `ffmpeg -c copy -f framecrc`, which prints a
 * line for each packet. The byte count is that of the video stream alone, and nothing is decoded.
 */

typedef struct Media {
    unsigned width, height;
    uint64_t frames, bytes;
    double seconds;
} Media;

typedef struct MediaReader {
    char line[256];
    size_t used;
    bool overlong;
    int64_t base_num, base_den; /* one tick in seconds, as a fraction */
    int64_t first, last, last_ticks;
    Media media;
} MediaReader;

/* The command whose output media_feed reads. The caller frees it. */
Argv media_command(const char *ffmpeg, const char *path);

void media_feed(MediaReader *reader, const char *bytes, size_t count);
/* Call after the last bytes. False: the file has no video. */
bool media_finish(MediaReader *reader, Media *media);

/* State shared by all jobs. The pointers belong to the caller. */
typedef struct Workshop {
    Children *children;
    TempFolder *temp;
    const char *ffmpeg;
    const char *self; /* path of this program, which runs itself as the vmaf command */
    ScoringDevice *devices;
    size_t device_count;
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
    ScoringDevice *device;
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
    const char *scored_on; /* label of the device */
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

/* Describe how a process ended: "exit code 1", "signal 11" or "time limit exceeded". */
void end_print(const ChildEnd *end, char *text, size_t size);

/* A progress display on stderr when it is a terminal: a heading and one line for each running job,
 * drawn below all other output. */

/* `what` is the heading, such as "film.mkv". It must stay valid. */
void status_start(bool quiet, const char *what);
void status_draw(const Job *jobs, size_t count);
/* Erase the display. Call it before printing anything else, and at the end. */
void status_hide(void);

#endif
