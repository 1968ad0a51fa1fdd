/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Slurm: an array job for the parts, and a merge job that depends on all of them. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "engines.h"
#include "common/message.h"
#include "split.h"
#include "common/temp.h"

/* Write the job script beside the parts: sbatch needs a file, and it serves as a record. */
static int write_script(const char *path, const char *text)
{
    Draft draft;
    int err = draft_open(&draft, path);
    if (err)
        return err;
    fputs(text, draft.file);
    return draft_close(&draft);
}

/* Add --output. sbatch expands patterns in the path, so write each '%' as "%%". */
static void add_log(Argv *argv, const char *folder, const char *name)
{
    char *const word = malloc(strlen("--output=/") + 2 * strlen(folder) + strlen(name) + 1);
    if (word) {
        char *at = stpcpy(word, "--output=");
        for (; *folder; folder++) {
            if (*folder == '%')
                *at++ = '%';
            *at++ = *folder;
        }
        *at++ = '/';
        strcpy(at, name);
    }
    argv_take(argv, word);
}

static void add_common(Argv *argv, const ShardOptions *options, const char *kind)
{
    argv_add_all(argv, (const char *const[]){ "sbatch", "--parsable", NULL });
    argv_addf(argv, "--job-name=%s-%s", options->name ? options->name : "vmaf", kind);
    if (options->partition)
        argv_addf(argv, "--partition=%s", options->partition);
    for (size_t i = 0; i < options->extra.count; i++)
        argv_add(argv, options->extra.words[i]);
}

static void add_array(Argv *argv, const ShardOptions *options, const char *missing)
{
    if (options->at_once)
        argv_addf(argv, "--array=%s%%%u", missing, options->at_once);
    else
        argv_addf(argv, "--array=%s", missing);
    add_log(argv, options->parts, "part-%a.log");
    if (options->gpus)
        argv_addf(argv, "--gpus-per-task=%u", options->gpus);
    if (options->cpus)
        argv_addf(argv, "--cpus-per-task=%u", options->cpus);
    if (options->memory)
        argv_addf(argv, "--mem=%s", options->memory);
    if (options->minutes)
        argv_addf(argv, "--time=%u", options->minutes);
}

/* Check the job's number. sbatch may append the cluster's name behind a ';'. */
static int check_job(char *answer)
{
    answer[strcspn(answer, ";")] = 0;
    if (isdigit((unsigned char)*answer) && strspn(answer, "0123456789") == strlen(answer))
        return 0;
    say("sbatch printed no job number, but \"%s\"", answer);
    return -EIO;
}

static int submit_parts(Submission *s, const char *program, const char *missing, char **job)
{
    const ShardOptions *const options = s->options;
    Argv argv = { 0 };
    char *const script = text_print("%s/parts.sbatch", options->parts);
    add_common(&argv, options, "parts");
    add_array(&argv, options, missing);
    argv_add(&argv, script ? script : "");
    argv_addf(&argv, "%u", options->retries);
    add_part_words(&argv, options, program, INDEX_OF_ENGINE);
    int err = script ? 0 : -ENOMEM;
    if (!err && !options->dry_run)
        err = write_script(script, made_slurm_parts);
    if (!err)
        err = step_run(s->children, &argv, options->dry_run, "PARTS", job);
    if (!err && !options->dry_run)
        err = check_job(*job);
    argv_free(&argv);
    free(script);
    return err;
}

static int submit_merge(Submission *s, const char *program, const char *job)
{
    const ShardOptions *const options = s->options;
    Argv argv = { 0 };
    char *answer = NULL, *const script = text_print("%s/merge.sbatch", options->parts);
    add_common(&argv, options, "merge");
    if (job) {
        argv_addf(&argv, "--dependency=afterok:%s", job);
        argv_add(&argv, "--kill-on-invalid-dep=yes");
    }
    add_log(&argv, options->parts, "merge.log");
    argv_add(&argv, script ? script : "");
    add_merge_words(&argv, options, program, 0);
    int err = script ? 0 : -ENOMEM;
    if (!err && !options->dry_run)
        err = write_script(script, made_slurm_merge);
    if (!err)
        err = step_run(s->children, &argv, options->dry_run, "MERGE", &answer);
    if (!err && !options->dry_run)
        err = check_job(answer);
    if (!err && !options->dry_run)
        say("job %s writes %s when all parts are done", answer, options->output);
    free(answer);
    argv_free(&argv);
    free(script);
    return err;
}

/* The path of this program on the nodes, which see the same files. free() it. */
static char *program_path(const Submission *s)
{
    if (s->options->program)
        return strdup(s->options->program);
    return realpath(s->self, NULL);
}

int shard_slurm(Submission *s)
{
    const ShardOptions *const options = s->options;
    unsigned count;
    Names places = { .used = 0 };
    char *job = NULL, *const program = program_path(s),
         *const missing = split_missing(&s->split, &count, &places);
    int err = program && missing ? 0 : -ENOMEM;
    if (!err && count)
        split_say_left(&s->split, count, 0, &places);
    else if (!err)
        say("all %u parts are done, measured on %s", options->count, places.text);
    if (!err && options->dry_run)
        printf("# %s/parts.sbatch\n%s\n# %s/merge.sbatch\n%s\n", options->parts, made_slurm_parts,
               options->parts, made_slurm_merge);
    if (!err && count)
        err = submit_parts(s, program, missing, &job);
    if (!err && job && !options->dry_run)
        say("job %s scores them; `vmaf-shard status %s` shows the progress", job, options->parts);
    if (!err && options->output)
        err = submit_merge(s, program, job);
    free(job);
    free(program);
    free(missing);
    return err;
}
