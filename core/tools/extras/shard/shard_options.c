/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "shard_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "split.h"
#include "vmaf/option/option.h"

enum {
    ARG_ENGINE,
    ARG_REFERENCE,
    ARG_DISTORTED,
    ARG_COUNT,
    ARG_OUTPUT,
    ARG_PARTS,
    ARG_DRY_RUN,
    ARG_FRESH,
    ARG_RETRIES,
    ARG_AT_ONCE,
    ARG_GPUS,
    ARG_CPUS,
    ARG_NAME,
    ARG_PROGRAM,
    ARG_EXTRA,
    ARG_BACKENDS,
    ARG_SOFTWARE,
    ARG_THREADS,
    ARG_PARTITION,
    ARG_TIME,
    ARG_MEMORY,
    ARG_IMAGE,
    ARG_NAMESPACE,
    ARG_CLAIM,
    ARG_MOUNT,
    ARG_GPU_RESOURCE,
    ARG_MANIFESTS,
    ARG_QUEUE,
    ARG_DEFINITION,
    ARG_INDEX,
    ARG_WAIT,
    ARG_HELP,
};

#define ROW(row_id, row_name, row_value, row_help, row_complete)                                   \
    {                                                                                              \
        .id = row_id, .name = row_name, .value = row_value, .help = row_help,                      \
        .complete = row_complete                                                                   \
    }

/* Options that several subcommands share. */
#define PAIR_ROWS                                                                                  \
    { .help = "The pair" },                                                                        \
        { .id = ARG_REFERENCE,                                                                     \
          .letter = 'r',                                                                           \
          .name = "reference",                                                                     \
          .value = "PATH",                                                                         \
          .help = "reference video",                                                               \
          .complete = "file" },                                                                    \
        { .id = ARG_DISTORTED,                                                                     \
          .letter = 'd',                                                                           \
          .name = "distorted",                                                                     \
          .value = "PATH",                                                                         \
          .help = "distorted video",                                                               \
          .complete = "file" },                                                                    \
        { .id = ARG_COUNT,                                                                         \
          .letter = 'n',                                                                           \
          .name = "count",                                                                         \
          .value = "N",                                                                            \
          .help = "number of parts" },                                                             \
        ROW(ARG_PARTS, "parts", "FOLDER",                                                          \
            "folder of the parts (default: the report's path with\n.parts, or vmaf.parts)",        \
            "folder")
#define OUTPUT_ROW                                                                                 \
    {                                                                                              \
        .id = ARG_OUTPUT, .letter = 'o', .name = "output", .value = "PATH",                        \
        .help = "the report, identical to that of a single run; the\n"                             \
                "scores are printed in any case",                                                  \
        .complete = "file"                                                                         \
    }
#define HELP_ROW ROW(ARG_HELP, "help", NULL, "print this text", NULL)

static const Arg submit_options[] = {
    PAIR_ROWS,
    OUTPUT_ROW,
    { .help = "How to run" },
    ROW(ARG_ENGINE, "engine", "NAME", "local (default), slurm, kubernetes or aws-batch",
        "local|slurm|kubernetes|aws-batch"),
    ROW(ARG_DRY_RUN, "dry-run", NULL, "print what would be done, and do nothing", NULL),
    ROW(ARG_FRESH, "fresh", NULL, "remove existing parts and start over", NULL),
    ROW(ARG_RETRIES, "retries", "N", "retries for a part that fails (default: 2)", NULL),
    ROW(ARG_TIME, "time", "MINUTES", "time limit for each try of a part", NULL),
    { .help = "On this machine" },
    ROW(ARG_BACKENDS, "backends", "LIST",
        "devices to use, one process each: cpu, vulkan:0,\n"
        "cuda:1, …; all must work here; available: those that\n"
        "do (default: VMAF_BACKEND, else every GPU, and cpu)",
        "backend"),
    { .id = ARG_SOFTWARE,
      .name = "allow-software",
      .help = "devices may be software: a CPU that emulates a GPU" },
    ROW(ARG_THREADS, "threads", "N",
        "threads, divided among the devices (default: one\nper processor)", NULL),
    { .help = "On the other engines" },
    ROW(ARG_NAME, "name", "NAME", "name of the jobs (default: vmaf)", NULL),
    ROW(ARG_GPUS, "gpus-per-task", "N", "GPUs for each part (default: 0)", NULL),
    ROW(ARG_CPUS, "cpus-per-task", "N", "CPUs for each part", NULL),
    ROW(ARG_MEMORY, "memory", "SIZE", "memory for each part, in the engine's notation", NULL),
    ROW(ARG_AT_ONCE, "at-once", "N",
        "maximum number of parts that run at once (not for\naws-batch)", NULL),
    ROW(ARG_PROGRAM, "program", "PATH",
        "path of vmaf-shard on the engine's machines (default:\nvmaf-shard; slurm: this program)",
        "file"),
    ROW(ARG_EXTRA, "extra", "WORD",
        "pass this word to sbatch, kubectl or aws:\n--extra=--qos=low; may be repeated", NULL),
    { .help = "Slurm" },
    ROW(ARG_PARTITION, "partition", "NAME", "the partition", NULL),
    { .help = "Kubernetes" },
    ROW(ARG_IMAGE, "image", "IMAGE", "container image that contains vmaf-shard", NULL),
    ROW(ARG_NAMESPACE, "namespace", "NAME", "the namespace", NULL),
    ROW(ARG_CLAIM, "claim", "NAME", "the volume claim with videos and parts (default:\nvmaf)",
        NULL),
    ROW(ARG_MOUNT, "mount", "PATH", "where it is mounted (default: /data)", NULL),
    ROW(ARG_GPU_RESOURCE, "gpu-resource", "NAME",
        "resource name of a GPU (default: nvidia.com/gpu)",
        "nvidia.com/gpu|amd.com/gpu|gpu.intel.com/i915"),
    ROW(ARG_MANIFESTS, "manifests", "FOLDER", "write the manifests to this folder and keep them",
        "folder"),
    { .help = "AWS Batch" },
    ROW(ARG_QUEUE, "job-queue", "NAME", "the job queue", NULL),
    ROW(ARG_DEFINITION, "job-definition", "NAME", "the job definition (default: vmaf)", NULL),
    { .help = "Other" },
    HELP_ROW,
    { 0 },
};

static const Arg part_command_options[] = {
    PAIR_ROWS,
    ROW(ARG_INDEX, "index", "I",
        "number of the part, from 0 (default: from the array\n"
        "variables of Slurm, Kubernetes, AWS Batch or PBS)",
        NULL),
    HELP_ROW,
    { 0 },
};

static const Arg merge_options[] = {
    PAIR_ROWS,
    OUTPUT_ROW,
    ROW(ARG_WAIT, "wait", "SECONDS", "how long to wait for missing parts (default: 0)", NULL),
    HELP_ROW,
    { 0 },
};

static const Arg status_options[] = {
    { .help = "The parts" },
    ROW(ARG_PARTS, "parts", "FOLDER", "folder of the parts; --parts may be omitted", "folder"),
    HELP_ROW,
    { 0 },
};

const Subcommand shard_commands[] = {
    [SHARD_SUBMIT] = { "submit", "-r REFERENCE -d DISTORTED [OPTION]... [-- VMAF_OPTION...]",
                       "Score the missing parts of a pair, and merge all parts.", submit_options },
    [SHARD_PART] = { "part", "-r REFERENCE -d DISTORTED -n N [OPTION]... [-- VMAF_OPTION...]",
                     "Score one part if it is missing; engines run this for each part.",
                     part_command_options },
    [SHARD_MERGE] = { "merge",
                      "-r REFERENCE -d DISTORTED -n N [-o REPORT] [OPTION]... [-- VMAF_OPTION...]",
                      "Merge all parts and print the scores; engines run this last.",
                      merge_options },
    [SHARD_STATUS] = { "status", "FOLDER", "Show which parts are done.", status_options },
    [SHARD_HELP] = { .name = NULL },
};

void shard_print_help(const Subcommand *command, FILE *file)
{
    if (command) {
        fprintf(file, "Usage: vmaf-shard %s %s\n%s\n", command->name, command->words,
                command->summary);
        args_print_help(command->options, file);
        return;
    }
    fputs("Usage: vmaf-shard COMMAND ...\n"
          "Score long videos in parts, on this machine or on many; the report equals that of a "
          "single run.\n\n"
          "Commands:\n",
          file);
    for (command = shard_commands; command->name; command++)
        fprintf(file, "  %-8s %s\n", command->name, command->summary);
    fputs("\n`vmaf-shard COMMAND --help` describes a command; `vmaf-shard --version` prints the "
          "version.\n",
          file);
}

static int parse_engine(ShardOptions *options, const char *value)
{
    static const char *const names[] = { "local", "slurm", "kubernetes", "aws-batch" };
    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (!strcmp(value, names[i])) {
            options->engine = i;
            return 0;
        }
    }
    return wrong("--engine takes local, slurm, kubernetes or aws-batch, not \"%s\"", value);
}

/* Kubernetes is the strictest about names, so its rule is used for all engines. */
static int check_name(const Arg *arg, const char *value)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    const size_t length = strlen(value);
    for (size_t i = 0; i < length; i++)
        if (!strchr(letters, value[i]) && (value[i] != '-' || i == 0 || i + 1 == length))
            return wrong("--%s takes lower-case letters, digits, and '-' between them, not \"%s\"",
                         arg->name, value);
    return length >= 1 && length <= 50 ? 0 : wrong("--%s takes 1 to 50 characters", arg->name);
}

static int set_text(const char **device, const char *value)
{
    *device = value;
    return 0;
}

static int apply_scheduling(ShardOptions *options, const Arg *arg, const char *value)
{
    switch (arg->id) {
    case ARG_GPUS:
        return take_count(arg, value, 0, 64, &options->gpus);
    case ARG_CPUS:
        return take_count(arg, value, 1, 4096, &options->cpus);
    case ARG_AT_ONCE:
        return take_count(arg, value, 1, 1000000, &options->at_once);
    case ARG_NAME:
        return check_name(arg, value) ? -EINVAL : set_text(&options->name, value);
    case ARG_PROGRAM:
        return set_text(&options->program, value);
    case ARG_EXTRA:
        argv_add(&options->extra, value);
        return options->extra.failed ? -ENOMEM : 0;
    case ARG_PARTITION:
        return set_text(&options->partition, value);
    case ARG_MEMORY:
        return set_text(&options->memory, value);
    case ARG_IMAGE:
        return set_text(&options->image, value);
    case ARG_NAMESPACE:
        return set_text(&options->space, value);
    case ARG_CLAIM:
        return set_text(&options->claim, value);
    case ARG_MOUNT:
        return set_text(&options->mount, value);
    case ARG_GPU_RESOURCE:
        return set_text(&options->gpu_resource, value);
    case ARG_MANIFESTS:
        return set_text(&options->manifests, value);
    case ARG_QUEUE:
        return set_text(&options->queue, value);
    case ARG_DEFINITION:
        return set_text(&options->definition, value);
    }
    return -EINVAL;
}

static int set_parts(ShardOptions *options, const char *value)
{
    free(options->parts);
    options->parts = strdup(value);
    return options->parts ? 0 : -ENOMEM;
}

static int apply(ShardOptions *options, const Arg *arg, const char *value)
{
    char error[512];
    int err;
    switch (arg->id) {
    case ARG_REFERENCE:
        return set_text(&options->reference, value);
    case ARG_DISTORTED:
        return options->distorted ? wrong("one distorted video at a time")
                                  : set_text(&options->distorted, value);
    case ARG_COUNT:
        return take_count(arg, value, 1, 100000, &options->count);
    case ARG_OUTPUT:
        return set_text(&options->output, value);
    case ARG_PARTS:
        return set_parts(options, value);
    case ARG_ENGINE:
        return parse_engine(options, value);
    case ARG_DRY_RUN:
        options->dry_run = true;
        return 0;
    case ARG_FRESH:
        options->fresh = true;
        return 0;
    case ARG_RETRIES:
        return take_count(arg, value, 0, 10, &options->retries);
    case ARG_TIME:
        return take_count(arg, value, 1, 100000, &options->minutes);
    case ARG_INDEX:
        options->has_index = true;
        return take_count(arg, value, 0, 100000, &options->index);
    case ARG_WAIT:
        return take_number(arg, value, 0, 1e9, &options->wait);
    case ARG_THREADS:
        return take_count(arg, value, 1, 1024, &options->threads);
    case ARG_SOFTWARE:
        options->allow_software = true;
        return 0;
    case ARG_BACKENDS:
        scoring_devices_free(options->devices, options->device_count);
        options->devices = NULL;
        options->device_count = 0;
        options->available = !strcmp(value, "available");
        if (options->available)
            return 0;
        err = scoring_devices_parse(&options->devices, &options->device_count, value, error,
                                    sizeof(error));
        return err == -EINVAL ? wrong("%s", error) : err;
    }
    return apply_scheduling(options, arg, value);
}

/* Scan our options, before "--". A word that is not an option is the folder for `status`. */
static int walk(ShardOptions *options, const Subcommand *command, int argc, char **argv, bool *help)
{
    ArgScanner scanner;
    const Arg *arg;
    const char *value;
    int got, err = 0;
    args_start(&scanner, command->options, argc, argv);
    while (!err && (got = args_next(&scanner, &arg, &value))) {
        if (got < 0)
            return wrong("%s", scanner.error);
        if (arg && arg->id == ARG_HELP) {
            *help = true;
            return 0;
        }
        if (!arg && command == &shard_commands[SHARD_STATUS] && !options->parts)
            err = set_parts(options, value);
        else if (!arg)
            err = wrong("unexpected \"%s\"; write options for vmaf after \"--\"", value);
        else
            err = apply(options, arg, value);
    }
    return err;
}

/* The GPU backend that the environment asks for; NULL: none. */
static const char *environment_backend(void)
{
    const char *const variable = getenv("VMAF_BACKEND");
    return variable && *variable && strcmp(variable, "cpu") != 0 ? variable : NULL;
}

/* Refuse options that the chosen engine does not use. */
static int check_engine(const ShardOptions *options)
{
    const bool local = options->engine == ENGINE_LOCAL;
    const bool slurm = options->engine == ENGINE_SLURM;
    const bool kubernetes = options->engine == ENGINE_KUBERNETES;
    const bool aws = options->engine == ENGINE_AWS_BATCH;
    if (local && (options->gpus || options->cpus || options->at_once || options->memory ||
                  options->extra.count || options->program || options->name))
        return wrong(
            "--gpus-per-task, --cpus-per-task, --at-once, --memory, --extra, --program and --name "
            "are not for --engine local");
    if (!local &&
        (options->devices || options->available || options->allow_software || options->threads))
        return wrong(
            "--backends, --allow-software and --threads are for --engine local; for other engines, write options "
            "for vmaf after "
            "\"--\"");
    if (!slurm && options->partition)
        return wrong("--partition is for --engine slurm");
    if (!kubernetes && (options->image || options->space || options->claim || options->mount ||
                        options->gpu_resource || options->manifests))
        return wrong("--image, --namespace, --claim, --mount, --gpu-resource and --manifests are "
                     "for --engine kubernetes");
    if (!aws && (options->queue || options->definition))
        return wrong("--job-queue and --job-definition are for --engine aws-batch");
    if (kubernetes && !options->image)
        return wrong("--engine kubernetes needs --image, an image that contains vmaf-shard");
    if (aws && !options->queue)
        return wrong("--engine aws-batch needs --job-queue");
    if (aws && options->at_once)
        return wrong("aws-batch takes no --at-once; its compute environment limits how many jobs "
                     "run at once");
    if ((kubernetes || aws) && options->fresh)
        return wrong(
            "--fresh cannot reach the volume of another machine: remove the folder there, or "
            "choose another with --parts");
    if ((kubernetes || aws) && environment_backend() && !options->words.names_device)
        return wrong("VMAF_BACKEND=%s does not reach the machines of this engine: write --backend "
                     "after \"--\", or unset it",
                     environment_backend());
    if (local && options->words.names_device)
        return wrong("choose devices for --engine local with --backends, not after \"--\"");
    return 0;
}

static int check(const ShardOptions *options, enum ShardAction action)
{
    if (action == SHARD_STATUS)
        return options->parts ? 0 : wrong("status needs the FOLDER of the parts");
    if (!options->reference || !options->distorted)
        return wrong("%s needs a reference (-r) and a distorted video (-d)",
                     shard_commands[action].name);
    if (!strcmp(options->reference, "-") || !strcmp(options->distorted, "-"))
        return wrong("cannot split a video from standard input; give a file");
    if (options->output && !strcmp(options->output, "-") && action == SHARD_SUBMIT)
        return wrong("the report needs a path, not standard output");
    if (!options->count && (action != SHARD_SUBMIT || options->engine != ENGINE_LOCAL))
        return wrong("no number of parts given; use -n");
    if (options->has_index && options->index >= options->count)
        return wrong("--index takes 0 to %u, not %u", options->count - 1, options->index);
    return action == SHARD_SUBMIT ? check_engine(options) : 0;
}

static int add_parts_folder(ShardOptions *options)
{
    if (!options->parts)
        options->parts =
            options->output ? text_print("%s.parts", options->output) : strdup("vmaf.parts");
    return options->parts ? 0 : -ENOMEM;
}

/* Parse the options for vmaf, behind "--". */
static int parse_words(ShardOptions *options, enum ShardAction action, int argc, char **argv)
{
    char error[512];
    const int err = vmaf_words_divide(&options->words, argc, argv, error, sizeof(error));
    if (err == -EINVAL)
        return wrong("%s", error);
    if (!err && argc && action == SHARD_STATUS)
        return wrong("status takes no options of vmaf");
    /* Slurm's jobs get the environment of their submitter: its VMAF_BACKEND asks for more than
     * "auto", which takes the CPU where there is no GPU. */
    if (!err && options->gpus && !options->words.names_device && !environment_backend())
        argv_add_all(&options->words.device, (const char *const[]){ "--backend", "auto", NULL });
    return options->words.device.failed ? -ENOMEM : err;
}

int shard_options_parse(ShardOptions *options, int argc, char **argv, enum ShardAction *action,
                        const Subcommand **command)
{
    *options = (ShardOptions){ .retries = 2 };
    *command = NULL;
    unsigned found;
    int err = subcommand_find("vmaf-shard", shard_commands, argc > 1 ? argv[1] : "", &found);
    *action = found;
    if (err || found >= SHARD_HELP)
        return err;
    *command = &shard_commands[found];
    int own = 1;
    while (own < argc && strcmp(argv[own], "--"))
        own++;
    const int rest = own < argc ? own + 1 : argc;
    bool help = false;
    err = walk(options, *command, own - 1, argv + 1, &help);
    if (help)
        *action = SHARD_HELP;
    if (err || help)
        return err;
    err = parse_words(options, *action, argc - rest, argv + rest);
    if (!err)
        err = check(options, *action);
    return err ? err : add_parts_folder(options);
}

void shard_options_free(ShardOptions *options)
{
    scoring_devices_free(options->devices, options->device_count);
    argv_free(&options->extra);
    vmaf_words_free(&options->words);
    free(options->parts);
    *options = (ShardOptions){ .reference = NULL };
}

static bool is_among(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (!strcmp(name, *names))
            return true;
    return false;
}

static bool is_listed(const char *name, const Arg *group)
{
    for (; group->name || group->help; group++)
        if (group->name && !strcmp(name, group->name))
            return true;
    return false;
}

/* Options that vmaf-shard sets itself, and options that do something else than scoring. */
static bool is_taken(const char *name)
{
    static const char *const own[] = { "reference", "distorted", "output",   "shard", "merge",
                                       "frames",    "report",    "progress", NULL };
    return is_among(name, own) || is_listed(name, about_options);
}

static bool says_where(const char *name)
{
    static const char *const names[] = { "backend", "device", "threads", "gpumask", NULL };
    const size_t length = strlen(name);
    return is_among(name, names) || (length > 7 && !strcmp(name + length - 7, "_device"));
}

static void add(Argv *argv, const Arg *arg, const char *value)
{
    argv_addf(argv, "--%s", arg->name);
    if (arg->value)
        argv_add(argv, value);
}

static Argv *list_for(VmafWords *words, const char *name)
{
    static const Arg *const what[] = { video_options, align_options,   colour_options,
                                       sync_options,  compute_options, part_options };
    if (is_listed(name, output_options))
        return &words->merge;
    for (unsigned i = 0; i < sizeof(what) / sizeof(*what); i++)
        if (is_listed(name, what[i]))
            return &words->scoring;
    return &words->device; /* the remaining options choose the device; each backend adds its own */
}

/* Record a scoring option in the form that parts use. */
static void add_setting(VmafWords *words, const Arg *arg, const char *value)
{
    if (is_listed(arg->name, part_options))
        return;
    if (!words->settings)
        words->settings = json_array();
    json_t *const pair = json_pack("[s s?]", arg->name, arg->value ? value : NULL);
    words->scoring.failed |= json_array_append_new(words->settings, pair) != 0;
}

int vmaf_words_divide(VmafWords *words, int argc, char **argv, char *error, size_t error_size)
{
    ArgScanner scanner;
    const Arg *arg;
    const char *value;
    int got;
    /* The scanner skips the first word, which is usually a program name. */
    args_start(&scanner, option_table(), argc + 1, argv - 1);
    while ((got = args_next(&scanner, &arg, &value)) > 0) {
        if (!arg) {
            snprintf(error, error_size,
                     "\"%s\" is not an option of vmaf; give videos with -r and -d", value);
            return -EINVAL;
        }
        if (is_taken(arg->name)) {
            snprintf(error, error_size,
                     "--%s cannot be used here: vmaf-shard sets it itself, or it does not score",
                     arg->name);
            return -EINVAL;
        }
        words->names_device |= says_where(arg->name);
        Argv *const list = list_for(words, arg->name);
        add(list, arg, value);
        if (list == &words->scoring)
            add_setting(words, arg, value);
    }
    if (got < 0) {
        snprintf(error, error_size, "after \"--\": %s", scanner.error);
        return -EINVAL;
    }
    return words->scoring.failed || words->device.failed || words->merge.failed ? -ENOMEM : 0;
}

void vmaf_words_free(VmafWords *words)
{
    argv_free(&words->scoring);
    argv_free(&words->device);
    argv_free(&words->merge);
    json_decref(words->settings);
}
