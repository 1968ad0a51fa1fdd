/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "option.h"

/* ---- numbers ---- */

/* Parses the decimal digits from `text` up to `stop`. */
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

/* ---- the array jobs of cluster schedulers ---- */

/* The environment variables in which a scheduler tells a process its number, the lowest number and
 * the number of processes. */
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
        return usage_error("--shard auto: %s is \"%s\", which is not a number", name, text);
    return usage_error("--shard auto: %s is not set", name);
}

static int read_scheduler(PartChoice *part, const Scheduler *from)
{
    uint64_t index, lowest = 0, count;
    if (!parse_variable(from->index, &index))
        return refuse_variable(from->index);
    /* Our own count assumes numbers from 0, also in a job that runs only some of them again. */
    const bool own = getenv(count_variable);
    if (!own && from->lowest && getenv(from->lowest) && !parse_variable(from->lowest, &lowest))
        return refuse_variable(from->lowest);
    const char *const counted = own || !from->count ? count_variable : from->count;
    if (!getenv(counted) && counted == count_variable)
        return usage_error("--shard auto: %s does not provide the number of parts: set %s",
                           from->engine, count_variable);
    if (!parse_variable(counted, &count))
        return refuse_variable(counted);
    if (index < lowest || index - lowest >= count)
        return usage_error(
            "--shard auto: %s is %u, outside the %u parts that %s gives, counted from %u",
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
        "--shard auto: this is not an array job of Slurm, Kubernetes, AWS Batch or PBS; use "
        "--shard I/N");
}

/* ---- the options ---- */

static int choose(Options *options, int kind)
{
    if (options->part.kind)
        return usage_error("a run measures one part: give --shard or --frames once");
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
        return usage_error("--shard %s: parts are counted from 0; the last of %u is %u/%u", value,
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
    { .help = "Parts of a video, for several processes or machines" },
    { .name = "shard",
      .value = "I/N",
      .help = "measure part I of N, counted from 0, and write a part\n"
              "file to -o; auto: take I and N from the array job of\n"
              "Slurm, Kubernetes, AWS Batch or PBS",
      .newer = true,
      .set = set_shard,
      .complete = "auto" },
    { .name = "frames",
      .value = "A-B",
      .help = "measure frames A to B, counted from 0, as a part",
      .newer = true,
      .set = set_frames },
    { .name = "from_start",
      .help = "find the frames of a part by reading the videos from\n"
              "their beginning: slow, but safe if frame times are uneven",
      .newer = true,
      .set = set_from_start },
    { .name = "merge",
      .help = "score nothing: merge the part files given as\n"
              "arguments; print, judge and write their scores",
      .newer = true,
      .set = set_merge },
    { 0 },
};
