/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The vmaf command as a function, for the programs that run it again in child processes, and the
 * actions it can take. The actions run once in a process, in its first thread. Each prints what
 * went wrong and returns 0 or a negative errno. */
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H

#include "common/args.h"
#include "gpu.h"
#include "options.h"

/* Runs the command line and returns the exit code. Call it once, from the first thread, before any
 * other thread starts: it watches for signals. If a GPU does not come back, it ends the process
 * itself. */
int vmaf_command(int argc, char **argv);

/* From now on, the command prints scores even where it would not, because it writes a report and
 * standard error is no terminal: for programs that end with the scores. */
void vmaf_command_say_scores(void);

/* Returned by score_videos, score_list, stored_show and merge_parts when nothing failed: a score is
 * below --fail_under; or frames are missing, so that --fail_under cannot be met. */
#define SCORE_BELOW 1
#define SCORE_UNJUDGED 2

/* Scores the videos. `opening`: keeps the device for the next call; NULL: there is none. */
int score_videos(const Options *options, GpuOpening *opening);

/* --pairs: scores the pairs of videos that a list names, one after another. A pair that fails does
 * not keep the others from being scored. Returns the first error, or the worst outcome. */
int score_list(const Options *options);

/* --merge: makes one report from the parts of a video, equal to the report of a single run. */
int merge_parts(const Options *options);

/* --doctor: prints which backends and devices work on this machine, and how to repair those that do
 * not. Drivers are only opened in child processes: a driver that crashes or hangs is a finding. 0:
 * every backend that must work does. Those of --backend must; without it, the CPU and all backends
 * that see a GPU. -ENODEV: one of them does not. */
int doctor(const Options *options);

/* The word with which the doctor runs this program again, on Windows only, where no process can be
 * forked. The next argument is the job. */
#define DOCTOR_JOB "--doctor-job"
int doctor_job(const char *text);

#endif
