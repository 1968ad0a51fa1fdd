/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* This machine as an engine: one process per device, which takes the next missing part when it is
 * free. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engines.h"
#include "common/interrupt.h"
#include "common/message.h"
#include "split.h"
#include "common/child.h"

/* Stop using a device after this many failures in a row, if other devices work. */
#define FAILURES_OF_A_DEVICE 2

enum PartState { PART_WAITS, PART_RUNS, PART_DONE, PART_FAILED };

typedef struct LocalPart {
    enum PartState state;
    unsigned failures;
    unsigned *failures_on; /* one for each device */
} LocalPart;

/* The process that uses a device, and its record. */
typedef struct Worker {
    Child *child; /* NULL: idle */
    unsigned part;
    Tail tail;
    unsigned done, failures; /* failures since the last success */
    bool left_out;
} Worker;

typedef struct Local {
    Submission *s;
    ScoringDevice *devices;
    size_t device_count;
    Worker *workers;
    LocalPart *parts;
    unsigned *failures; /* for each part, one count per device */
    unsigned left, failed;
} Local;

static void hear(void *arg, enum ChildStream stream, const char *bytes, size_t count)
{
    Worker *const worker = arg;
    tail_feed(&worker->tail, bytes, count);
}

/* A part that failed on one device is tried on other devices first. */
static bool may_run(const Local *local, const LocalPart *part, size_t device)
{
    if (part->state != PART_WAITS || local->workers[device].left_out)
        return false;
    if (!part->failures_on[device])
        return true;
    for (size_t i = 0; i < local->device_count; i++)
        if (!part->failures_on[i] && !local->workers[i].left_out)
            return false;
    return true;
}

/* Choose the next part for a device. False: none. */
static bool pick(const Local *local, size_t device, unsigned *index)
{
    for (unsigned i = 0; i < local->s->split.count; i++) {
        if (may_run(local, &local->parts[i], device)) {
            *index = i;
            return true;
        }
    }
    return false;
}

static void add_words(const Local *local, Argv *argv, size_t device, unsigned index)
{
    const ScoringDevice *const at = &local->devices[device];
    add_part_words(argv, local->s->options, "vmaf-shard", (long)index);
    /* Reports list the options. Where the defaults already select this device, add no options, so
     * that the report equals that of a plain run. */
    if (strcmp(at->backend, "cpu") || local->device_count > 1 || local->s->options->threads ||
        getenv("VMAF_BACKEND"))
        scoring_device_add_options(at, argv);
}

static int start(Local *local, size_t device, unsigned index)
{
    Submission *const s = local->s;
    Worker *const worker = &local->workers[device];
    Argv argv = { 0 };
    worker->part = index;
    worker->tail = (Tail){ .next = 0 };
    add_words(local, &argv, device, index);
    const ChildParams params = { .argv = (const char *const *)argv.words,
                                 .program = s->self,
                                 .sink = { CHILD_TO_US, CHILD_TO_US },
                                 .time_limit = 60.0 * s->options->minutes,
                                 .heard = hear,
                                 .arg = worker };
    const int err = argv.failed ? -ENOMEM : child_start(s->children, &params, &worker->child);
    argv_free(&argv);
    if (err)
        say("cannot start part %u: %s", index, strerror(-err));
    else
        local->parts[index].state = PART_RUNS;
    return err;
}

/* Is the hardware idle? Entries for the same hardware share a lock and take turns. */
static bool is_free(const Local *local, size_t device)
{
    for (size_t i = 0; i < local->device_count; i++)
        if (local->workers[i].child && local->devices[i].lock == local->devices[device].lock)
            return false;
    return true;
}

static int start_all(Local *local)
{
    int err = 0;
    unsigned index;
    for (size_t i = 0; !err && i < local->device_count; i++)
        if (is_free(local, i) && pick(local, i, &index))
            err = start(local, i, index);
    return err;
}

/* Stop using a device. Its failures no longer count against the parts. */
static void leave_out(Local *local, size_t device)
{
    local->workers[device].left_out = true;
    say("no longer using %s: parts fail there but not on other devices",
        local->devices[device].label);
    for (unsigned i = 0; i < local->s->split.count; i++) {
        LocalPart *const part = &local->parts[i];
        if (!part->failures_on[device])
            continue;
        part->failures -= part->failures_on[device];
        part->failures_on[device] = 0;
        if (part->state == PART_FAILED) {
            part->state = PART_WAITS;
            local->failed--;
            local->left++;
        }
    }
}

static void leave_out_broken(Local *local)
{
    for (size_t i = 0; i < local->device_count; i++) {
        const Worker *const worker = &local->workers[i];
        bool elsewhere = false;
        for (size_t k = 0; k < local->device_count; k++)
            elsewhere |= k != i && local->workers[k].done && !local->workers[k].left_out;
        if (!worker->left_out && elsewhere && worker->failures >= FAILURES_OF_A_DEVICE)
            leave_out(local, i);
    }
}

static void judge(Local *local, size_t device, const ChildEnd *end)
{
    const ShardOptions *const options = local->s->options;
    Worker *const worker = &local->workers[device];
    LocalPart *const part = &local->parts[worker->part];
    const char *const label = local->devices[device].label;
    if (!end->code && split_has(&local->s->split, worker->part, NULL)) {
        part->state = PART_DONE;
        worker->done++;
        worker->failures = 0;
        local->left--;
        say("part %u: done on %s, %u left", worker->part, label, local->left);
        return;
    }
    worker->failures++;
    part->failures++;
    part->failures_on[device]++;
    /* exit code 1: wrong command line, which a retry cannot fix */
    const bool again = part->failures <= options->retries && end->code != 1;
    if (end->timed_out)
        say("part %u: stopped on %s after %u minutes%s", worker->part, label, options->minutes,
            again ? "; trying again" : "");
    else if (end->signal)
        say("part %u: ended by signal %d on %s%s", worker->part, end->signal, label,
            again ? "; trying again" : "");
    else
        say("part %u: failed with exit code %d on %s%s", worker->part, end->code, label,
            again ? "; trying again" : "");
    tail_say(&worker->tail);
    part->state = again ? PART_WAITS : PART_FAILED;
    if (!again) {
        local->left--;
        local->failed++;
    }
}

static void collect(Local *local)
{
    for (size_t i = 0; i < local->device_count; i++) {
        Worker *const worker = &local->workers[i];
        ChildEnd end;
        if (!worker->child || !child_ended(worker->child, &end))
            continue;
        child_destroy(worker->child);
        worker->child = NULL;
        if (!interrupt_signal())
            judge(local, i, &end);
    }
    leave_out_broken(local);
}

/* Ask all processes to end and wait for that, so that none writes a part afterwards. */
static void stop_all(Local *local)
{
    bool any = true;
    for (size_t i = 0; i < local->device_count; i++)
        if (local->workers[i].child)
            child_stop(local->workers[i].child);
    while (any && !children_wait(local->s->children, NULL, 0, 100)) {
        collect(local);
        any = false;
        for (size_t i = 0; i < local->device_count; i++)
            any |= local->workers[i].child != NULL;
    }
}

static int run_all(Local *local)
{
    int err = 0;
    while (!err && local->left && !interrupt_signal()) {
        err = start_all(local);
        if (!err)
            err = children_wait(local->s->children, NULL, 0, -1);
        collect(local);
    }
    stop_all(local);
    if (interrupt_signal())
        return -EINTR;
    if (!err && local->failed) {
        say("%u of %u parts failed; run the same command to retry them", local->failed,
            local->s->split.count);
        err = -EIO;
    }
    return err;
}

static int merge(Submission *s)
{
    Argv argv = { 0 };
    add_merge_words(&argv, s->options, "vmaf-shard", 0);
    const ChildParams params = { .argv = (const char *const *)argv.words,
                                 .program = s->self,
                                 .sink = { CHILD_INHERITED, CHILD_INHERITED } };
    ChildEnd end;
    int err = argv.failed ? -ENOMEM : child_run(s->children, &params, &end);
    argv_free(&argv);
    /* The merge printed why. Exit code 2: a score is below the limit that the user set. */
    if (!err && (end.signal || end.code))
        err = end.code == 2 ? -ERANGE : -EIO;
    return err;
}

static int show(const Local *local)
{
    const ShardOptions *const options = local->s->options;
    int err = 0;
    for (size_t i = 0; !err && i < local->device_count; i++) {
        Argv argv = { 0 };
        add_words(local, &argv, i, 0);
        char *const text = argv.failed ? NULL : argv_shell_text(&argv);
        if (text)
            printf("# on %s, for each part it takes:\n%s\n", local->devices[i].label, text);
        else
            err = -ENOMEM;
        free(text);
        argv_free(&argv);
    }
    if (!err) {
        Argv argv = { 0 };
        add_merge_words(&argv, options, "vmaf-shard", 0);
        char *const text = argv.failed ? NULL : argv_shell_text(&argv);
        if (text)
            printf("%s\n", text);
        else
            err = -ENOMEM;
        free(text);
        argv_free(&argv);
    }
    return err;
}

static void find_parts(Local *local)
{
    Names places = { .used = 0 };
    for (unsigned i = 0; i < local->s->split.count; i++) {
        const bool there = split_has(&local->s->split, i, &places);
        local->parts[i] = (LocalPart){ .state = there ? PART_DONE : PART_WAITS,
                                       .failures_on = local->failures + i * local->device_count };
        local->left += !there;
    }
    split_say_left(&local->s->split, local->left, local->device_count, &places);
}

int shard_local(Submission *s)
{
    const ShardOptions *const options = s->options;
    Local local = { .s = s, .devices = options->devices, .device_count = options->device_count };
    local.workers = calloc(local.device_count, sizeof(*local.workers));
    local.parts = calloc(s->split.count, sizeof(*local.parts));
    local.failures = calloc(s->split.count * local.device_count, sizeof(*local.failures));
    int err = local.workers && local.parts && local.failures ? 0 : -ENOMEM;
    if (!err) {
        find_parts(&local);
        err = options->dry_run ? show(&local) : run_all(&local);
    }
    if (!err && !options->dry_run)
        err = merge(s);
    free(local.workers);
    free(local.parts);
    free(local.failures);
    return err;
}
