/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The command line of vmaf-shard. */
#ifndef SHARD_OPTIONS_H
#define SHARD_OPTIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/args.h"
#include "common/argv.h"
#include "extras/tune/devices.h"

/* The options behind "--", which are for the vmaf command, sorted by their use: for scoring, for
 * choosing the device, and for the merged report. vmaf-shard refuses options that it sets itself.
 */

typedef struct VmafWords {
    Argv scoring, device, merge;
    json_t *settings;  /* the scoring options as parts record them: names and values; NULL: none */
    bool names_device; /* the user chose a device or a number of threads */
} VmafWords;

/* Sort the options. They are written in full, so the result does not depend on how the user
 * abbreviated them. Returns 0, -ENOMEM, or -EINVAL with the reason in `error`. */
int vmaf_words_divide(VmafWords *words, int argc, char **argv, char *error, size_t error_size);
void vmaf_words_free(VmafWords *words);

enum ShardAction { SHARD_SUBMIT, SHARD_PART, SHARD_MERGE, SHARD_STATUS, SHARD_HELP, SHARD_VERSION };

enum ShardEngine { ENGINE_LOCAL, ENGINE_SLURM, ENGINE_KUBERNETES, ENGINE_AWS_BATCH };

extern const Subcommand shard_commands[]; /* indexed by ShardAction; a NULL name ends it */

typedef struct ShardOptions {
    const char *reference, *distorted, *output;
    char *parts; /* folder of the parts */
    unsigned count;
    bool has_index;
    unsigned index;
    enum ShardEngine engine;
    bool dry_run, fresh;
    unsigned retries, at_once, gpus, cpus;
    unsigned minutes; /* time limit of each try; 0: none */
    double wait;      /* seconds to wait for missing parts */
    const char *name, *program, *gpu_resource;
    const char *partition, *memory;
    const char *image, *space, *claim, *mount, *manifests;
    const char *queue, *definition;
    Argv extra;      /* further words for sbatch, kubectl or aws */
    VmafWords words; /* options for the vmaf command */
    ScoringDevice *devices;
    size_t device_count;
    bool available; /* use the devices that work here; none is listed */
    bool allow_software;
    unsigned threads;
} ShardOptions;

/* Parse the command line. Prints errors and returns -EINVAL or -ENOMEM. Free the options in any
 * case. For SHARD_HELP, *command is the subcommand asked about, or NULL. */
int shard_options_parse(ShardOptions *options, int argc, char **argv, enum ShardAction *action,
                        const Subcommand **command);
void shard_options_free(ShardOptions *options);

void shard_print_help(const Subcommand *command, FILE *file);

#endif
