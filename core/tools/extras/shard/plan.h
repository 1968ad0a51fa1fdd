/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* How a pair is divided, and the folder its parts lie in. A file in the folder says what they are parts of, so
 * that parts of different videos, options, numbers or versions never come together. */
#ifndef SUBMIT_PLAN_H
#define SUBMIT_PLAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/argv.h"
#include "common/child.h"
#include "shard_options.h"

typedef struct Plan {
    const char *folder;
    unsigned count;
    const ShardOptions *options; /* what it is a plan of; NULL: whatever */
} Plan;

/* The plan's file is written, or the one that is there says the same. Says what is wrong: -EEXIST when
 * it says something else, or another negative errno. */
int plan_settle(const ShardOptions *options, Plan *plan);

/* The same, but nothing is written: -ENOENT when there is no file, and silence. */
int plan_check(const ShardOptions *options, Plan *plan);

/* The number of parts of the plan that lies in a folder; 0: none, or none that can be read. */
unsigned plan_count(const char *folder);

/* Removes the plan and its parts. Says what is wrong; negative errno. */
int plan_remove(const char *folder);

/* Where a part lies. free() it; NULL: no memory. */
char *plan_part(const Plan *plan, unsigned index);

/* Is it there, whole, and the one that belongs there? */
bool plan_has(const Plan *plan, unsigned index);

/* The parts that are missing as "0-3,7", for people and for sbatch; free() it; NULL: no memory. */
char *plan_missing(const Plan *plan, unsigned *count);

/* What an engine's jobs do: one part, or the merge of all. Each is the vmaf command in the end. */

enum { EXIT_MISSING = 2 }; /* parts are; other exit codes are those of command.h */

/* They give the program's exit code, and are the last that it does. */
int run_part(ShardOptions *options);
int run_merge(const ShardOptions *options);

/* The part that array variables of engines name. Says what is wrong: -EINVAL. */
int index_of_engine(unsigned count, unsigned *index);

/* A command of an engine: shown to the user first, then run, unless it is only to be shown. */

/* The words as a shell would take them, for reading and for pasting. free() it; NULL: no memory. */
char *step_text(const Argv *argv);

/* Prints the command and runs it. *answer is the first line that it writes, without its end; free() it; it may be
 * NULL if nobody wants it. With dry_run it is only printed, and the answer is a word in capitals that stands
 * for it. Says what is wrong; negative errno. */
int step_run(Children *children, const Argv *argv, bool dry_run, const char *stands_for,
             char **answer);

#endif
