/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Engines run the parts: this machine itself, or a system that schedules jobs on many machines. */
#ifndef SHARD_ENGINES_H
#define SHARD_ENGINES_H

#include "common/child.h"
#include "split.h"
#include "shard_options.h"

/* Everything that an engine needs. All pointers belong to the caller. */
typedef struct Submission {
    const ShardOptions *options;
    Split split;
    const char *self; /* path of this program, which engines run again */
    Children *children;
} Submission;

/* Score all missing parts and merge them, or submit jobs that do. Each prints its progress and its
 * errors, and returns a negative errno on failure. With dry_run it only prints the commands. */
int shard_local(Submission *submission);
int shard_slurm(Submission *submission);
int shard_kubernetes(Submission *submission);
int shard_aws_batch(Submission *submission);

/* Append the command `PROGRAM part …` or `PROGRAM merge …`, which engines run. add_part_words takes
 * the index of one part, or INDEX_OF_ENGINE if the engine's environment variables give it. With an
 * index, the caller may append more options for vmaf. */
#define INDEX_OF_ENGINE (-1L)
void add_part_words(Argv *argv, const ShardOptions *options, const char *program, long index);
void add_merge_words(Argv *argv, const ShardOptions *options, const char *program, unsigned wait);

/* The files of deploy/, embedded when this program was built. */
extern const char made_slurm_parts[], made_slurm_merge[];
extern const char made_kubernetes_parts[], made_kubernetes_merge[], made_kubernetes_base[];
extern const char made_aws_parts[], made_aws_merge[];

#endif
