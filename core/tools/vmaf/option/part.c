/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option.h"

/* ---- numbers ---- */

/* The digits at `text` up to `stop`. */
static bool parse_digits(const char *text, const char *stop, uint64_t *out)
{
    uint64_t value = 0;
    if (text == stop)
        return false;
    for (; text < stop; text++) {
        if (*text < '0' || *text > '9' || value > UINT_MAX)
            return false;
        value = value * 10 + (uint64_t)(*text - '0');
    }
    *out = value;
    return value < UINT_MAX;
}

static bool parse_variable(const char *name, uint64_t *out)
{
    const char *const text = getenv(name);
    return text && parse_digits(text, text + strlen(text), out);
}

/* ---- the array jobs of schedulers ---- */

/* Where a scheduler tells a process its number, the lowest of all numbers and how many there are. */
typedef struct Scheduler {
    const char *engine, *index, *lowest, *count;
} Scheduler;

static const Scheduler schedulers[] = {
    { "Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT" },
    { "AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", NULL, "AWS_BATCH_JOB_ARRAY_SIZE" },
    { "Kubernetes", "JOB_COMPLETION_INDEX", NULL, NULL },
    { "PBS", "PBS_ARRAY_INDEX", NULL, NULL },
    { "PBS", "PBS_ARRAYID", NULL, NULL },
};

static const char count_variable[] = "VMAF_SHARD_COUNT";

static int refuse_variable(const char *name)
{
    const char *const text = getenv(name);
    if (text)
        return usage_error("--shard auto: %s is \"%s\", which is no number", name, text);
    return usage_error("--shard auto: %s is not set", name);
}

static int read_scheduler(PartChoice *part, const Scheduler *from)
{
    uint64_t index, lowest = 0, count;
    if (!parse_variable(from->index, &index))
        return refuse_variable(from->index);
    /* Our own count is of numbers from 0, also for a job that runs some of them again. */
    const bool own = getenv(count_variable);
    if (!own && from->lowest && getenv(from->lowest) && !parse_variable(from->lowest, &lowest))
        return refuse_variable(from->lowest);
    const char *const counted = own || !from->count ? count_variable : from->count;
    if (!getenv(counted) && counted == count_variable)
        return usage_error("--shard auto: %s does not tell how many parts there are: set %s",
                           from->engine, count_variable);
    if (!parse_variable(counted, &count))
        return refuse_variable(counted);
    if (index < lowest || index - lowest >= count)
        return usage_error(
            "--shard auto: %s is %u, beyond the %u parts that %s tells of, which count "
            "from %u",
            from->index, (unsigned)index, (unsigned)count, counted, (unsigned)lowest);
    part->index = (unsigned)(index - lowest);
    part->count = (unsigned)count;
    return 0;
}

static int find_scheduler(PartChoice *part)
{
    for (size_t i = 0; i < sizeof(schedulers) / sizeof(*schedulers); i++)
        if (getenv(schedulers[i].index))
            return read_scheduler(part, &schedulers[i]);
    return usage_error(
        "--shard auto: no array job of Slurm, Kubernetes, AWS Batch or PBS tells its "
        "number here; give --shard I/N");
}

/* ---- the options ---- */

static int choose(Options *options, int kind)
{
    if (options->part.kind)
        return usage_error("a run has one part: --shard or --frames, once");
    options->part.kind = kind;
    return 0;
}

static int set_shard(Options *options, const Arg *arg, const char *value)
{
    PartChoice *const part = &options->part;
    const int err = choose(options, PART_SHARD);
    if (err || !strcmp(value, "auto"))
        return err ? err : find_scheduler(part);
    const char *const slash = strchr(value, '/');
    uint64_t index, count;
    if (!slash || !parse_digits(value, slash, &index) ||
        !parse_digits(slash + 1, value + strlen(value), &count) || !count)
        return bad_value(arg, value, "I/N, as in 0/4, or auto");
    if (index >= count)
        return usage_error("--shard %s: parts count from 0, so that the last of %u is %u/%u", value,
                           (unsigned)count, (unsigned)count - 1, (unsigned)count);
    part->index = (unsigned)index;
    part->count = (unsigned)count;
    return 0;
}

static int set_frames(Options *options, const Arg *arg, const char *value)
{
    PartChoice *const part = &options->part;
    const char *const hyphen = strchr(value, '-');
    const int err = choose(options, PART_FRAMES);
    if (err)
        return err;
    if (!hyphen || !parse_digits(value, hyphen, &part->first) ||
        !parse_digits(hyphen + 1, value + strlen(value), &part->last) || part->last < part->first)
        return bad_value(arg, value, "A-B, the first and the last frame, counted from 0");
    return 0;
}

static int set_from_start(Options *options, const Arg *arg, const char *value)
{
    options->part.from_start = true;
    return 0;
}

static int set_merge(Options *options, const Arg *arg, const char *value)
{
    options->merge = true;
    return 0;
}

const Arg part_options[] = {
    { .help = "Parts, for many processes or machines" },
    { .name = "shard",
      .value = "I/N",
      .help = "measure part I of N, counted from 0, and write a part\n"
              "file to -o; auto: as the array job of Slurm,\n"
              "Kubernetes, AWS Batch or PBS says",
      .newer = true,
      .set = set_shard,
      .complete = "auto" },
    { .name = "frames",
      .value = "A-B",
      .help = "the same for frames A to B, counted from 0",
      .newer = true,
      .set = set_frames },
    { .name = "from_start",
      .help = "parts look for their frames from the beginning of the\n"
              "videos: slow, but sure when frame times are uneven",
      .newer = true,
      .set = set_from_start },
    { .name = "merge",
      .help = "score nothing: what is printed, judged and written\n"
              "comes from all parts of a video, given as words",
      .newer = true,
      .set = set_merge },
    { 0 },
};
