/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What runs the parts: this machine, or what has many of them. */
#ifndef SUBMIT_ENGINES_H
#define SUBMIT_ENGINES_H

#include "common/child.h"
#include "plan.h"
#include "shard_options.h"

/* All of an engine's work. */
typedef struct Submission {
    const ShardOptions *options;
    Plan plan;
    const char *self; /* this program, to be run again */
    Children *children;
} Submission;

/* They print what they do, and with dry_run do nothing. They say what is wrong; negative errno. */
int submit_local(Submission *submission);
int submit_slurm(Submission *submission);
int submit_kubernetes(Submission *submission);
int submit_aws_batch(Submission *submission);

/* `PROGRAM part …`, or `PROGRAM merge …`: what the engines run. Of parts, that one, after whose words those for vmaf
 * may go on; or the one that the engine's variables say. */
#define INDEX_OF_ENGINE (-1L)
void add_part_words(Argv *argv, const ShardOptions *options, const char *program, long index);
void add_merge_words(Argv *argv, const ShardOptions *options, const char *program, unsigned wait);

/* The files of deploy/, as they were when this program was built. */
extern const char made_slurm_parts[], made_slurm_merge[];
extern const char made_kubernetes_parts[], made_kubernetes_merge[], made_kubernetes_base[];
extern const char made_aws_parts[], made_aws_merge[];

#endif
