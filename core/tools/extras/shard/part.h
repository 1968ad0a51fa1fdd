/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What an engine's jobs do: one part, or the merge of all. Each is the vmaf command in the end. */
#ifndef SUBMIT_PART_H
#define SUBMIT_PART_H

#include "shard_options.h"

enum { EXIT_MISSING = 2 }; /* parts are; other exit codes are those of command.h */

/* They give the program's exit code, and are the last that it does. */
int run_part(ShardOptions *options);
int run_merge(const ShardOptions *options);

/* The part that array variables of engines name. Says what is wrong: -EINVAL. */
int index_of_engine(unsigned count, unsigned *index);

#endif
