/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Messages and progress for the user, on standard error, and results. Any thread may call these
 * functions, except where noted. */
#ifndef TOOLS_MESSAGE_H
#define TOOLS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Call first in main, before any file is opened and any thread starts. A standard stream that our
 * parent closed is opened such that using it fails, so that no other file gets its number; and a
 * failing write (a reader that went away, a file-size limit) returns an error instead of killing
 * the process. */
void streams_prepare(void);

/* Prints one line; adds the newline. It starts on its own line even while the progress line is
 * shown. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Like say, for a line with terminal colours of our own. The caller masks the text that files or
 * strangers have chosen. */
void say_drawing(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Replaces everything in a text that would make a terminal do something, such as move the cursor or
 * change the order of letters, by question marks. Tabs stay. All other messages go through it; use
 * it for other text that files or strangers have chosen before you print it. Returns `text`. */
char *mask_controls(char *text);

/* Like say, for the results of the run. False: it could not be written. */
bool say_result(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints one line on standard output, at once. False, after a message: it could not be written. */
bool print_result(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Flushes and closes stdout. 0, or -EIO, after printing an error, if some output was lost. */
int finish_stdout(void);

/* While hushed, nothing is printed: for work that is repeated, whose messages were printed the
 * first time. */
void message_hush(bool hush);
/* The same for messages of the calling thread only. */
void message_hush_thread(bool hush);

/* True if stderr is a terminal. */
bool message_on_terminal(void);

/* A list of names for a message: "a, b, c". Cut short when the text is full. A zeroed list is
 * empty. */
typedef struct Names {
    char text[1024];
    size_t used;
    unsigned count;
} Names;

void names_add(Names *names, const char *name);

/* ---- progress ---- */

/* Values that are not known are left out. */
enum MeterKind {
    METER_NONE,
    METER_TERMINAL, /* one line, redrawn: percent, pairs, speed, time left, score */
    METER_LINES,    /* once a second: progress frame=N total=N fps=X score=X left=SECONDS */
};

typedef struct MeterConfig {
    enum MeterKind kind;
    uint64_t total; /* expected pairs; 0: unknown */
    /* Sets the mean score of the pairs done so far; false: not known yet. Called when it is shown.
     * NULL: never known. */
    bool (*score)(void *arg, double *mean);
    void *arg;
} MeterConfig;

/* The progress display of a run. One thread uses it. */
typedef struct Meter {
    MeterConfig config;
    uint64_t done;
    double start, drawn; /* seconds */
    uint64_t shown;      /* `done` when it was drawn last */
} Meter;

void meter_start(Meter *meter, const MeterConfig *config);
void meter_step(Meter *meter);   /* another pair is done */
void meter_finish(Meter *meter); /* shows the final state */

#endif
