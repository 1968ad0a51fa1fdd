/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The command line of vmaf-shard. */
#ifndef SUBMIT_SHARD_OPTIONS_H
#define SUBMIT_SHARD_OPTIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/args.h"
#include "common/argv.h"
#include "extras/tune/place.h"

/* Options of the vmaf command that the user of vmaf-shard gives: some say what is scored, some where, some are for
 * the merge, and some are not the user's to give. */

typedef struct VmafWords {
    Argv score, place, merge;
    json_t *settings;  /* `score`, as parts tell of it: names and values; NULL: none */
    bool names_device; /* the places do, or a number of threads */
} VmafWords;

/* Options are written out in full: however they are typed, the words are the same. 0, -ENOMEM, or -EINVAL with
 * the reason in `error`. */
int vmaf_words_divide(VmafWords *words, int argc, char **argv, char *error, size_t error_size);
void vmaf_words_free(VmafWords *words);

enum ShardAction { SHARD_SUBMIT, SHARD_PART, SHARD_MERGE, SHARD_STATUS, SHARD_HELP, SHARD_VERSION };

enum ShardEngine { ENGINE_LOCAL, ENGINE_SLURM, ENGINE_KUBERNETES, ENGINE_AWS_BATCH };

extern const Subcommand shard_commands[]; /* by ShardAction; ends with a name of NULL */

typedef struct ShardOptions {
    const char *reference, *distorted, *output;
    char *parts; /* the folder */
    unsigned count;
    bool has_index;
    unsigned index;
    enum ShardEngine engine;
    bool dry_run, fresh;
    unsigned retries, at_once, gpus, cpus;
    unsigned minutes; /* that a try may take; 0: any */
    double wait;      /* seconds */
    const char *name, *program, *gpu_resource;
    const char *partition, *memory;
    const char *image, *space, *claim, *mount, *manifests;
    const char *queue, *definition;
    Argv extra;      /* for the engine's own command */
    VmafWords words; /* for the vmaf command */
    Place *places;
    size_t place_count;
    unsigned threads;
} ShardOptions;

/* Says what is wrong: -EINVAL or -ENOMEM. In any case there is something to free. For SHARD_HELP
 * *command is the one asked about, or NULL. */
int shard_options_parse(ShardOptions *options, int argc, char **argv, enum ShardAction *action,
                        const Subcommand **command);
void shard_options_free(ShardOptions *options);

void shard_print_help(const Subcommand *command, FILE *file);

#endif
