/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A split: how a pair of videos is cut into parts, and the folder that holds them. A file in the
 * folder records what the parts belong to, so that parts of different videos, options, counts or
 * versions never mix. Several processes may use one folder at the same time. */
#ifndef SHARD_SPLIT_H
#define SHARD_SPLIT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/argv.h"
#include "common/child.h"
#include "common/message.h"
#include "shard_options.h"

typedef struct Split {
    const char *folder;
    unsigned count;
    const ShardOptions *options; /* options that the parts belong to; NULL: do not check that */
} Split;

/* Create the folder and its file, or check that the existing file says the same. Prints errors;
 * -EEXIST if the file says something else, or another negative errno. */
int split_prepare(const ShardOptions *options, Split *split);

/* Only check the existing file. Returns -ENOENT, without a message, if there is none. */
int split_check(const ShardOptions *options, Split *split);

/* The number of parts recorded in a folder. 0: the folder has no readable record. */
unsigned split_count(const char *folder);

/* Remove the record and the parts. Prints errors and returns a negative errno. */
int split_remove(const char *folder);

/* The path of a part. free() it. NULL: no memory. */
char *split_part_path(const Split *split, unsigned index);

/* Does the part exist, complete, and does it belong to this split? Adds where it was measured to
 * `places` (NULL: nowhere). */
bool split_has(const Split *split, unsigned index, Names *places);

/* List the missing parts, such as "0-3,7", in the form that sbatch takes. free() it. NULL: no
 * memory. `places` as for split_has, for the others. */
char *split_missing(const Split *split, unsigned *count, Names *places);

/* Print how many parts are left, and where those that exist were measured: a device that was asked
 * for measures only the rest. `devices`: on how many; 0: unknown. */
void split_say_left(const Split *split, unsigned left, size_t devices, const Names *places);

/* The work of jobs: `part` scores one part, `merge` merges all of them. Both call the vmaf command
 * in this process. */

enum { EXIT_MISSING = 2 }; /* parts are missing; command.h has the other exit codes */

/* Return the exit code of the program, which should end then. */
int run_part(ShardOptions *options);
int run_merge(const ShardOptions *options);

/* Read the part's index from the variables that engines set for array jobs. Prints errors; -EINVAL.
 */
int index_of_engine(unsigned count, unsigned *index);

/* Commands of an engine, such as sbatch: printed for the user, then run. */

/* Print the command and run it. *answer is the first line of its output; free() it. Pass NULL if it
 * is not needed. With dry_run, only print the command and answer with the placeholder `stands_for`.
 * Prints errors and returns a negative errno. */
int step_run(Children *children, const Argv *argv, bool dry_run, const char *stands_for,
             char **answer);

#endif
