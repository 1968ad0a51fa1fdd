/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "trial.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/message.h"
#include "scored.h"

enum { WIDTH = 400, HEIGHT = 320, FRAMES = 2 }; /* large enough for all models */

#define TRIAL_TIME 600 /* seconds; the first run of a driver may compile for long */

/* The distorted clip has noise: some metrics are infinite for equal pictures. */
static int write_clip(const char *path, bool distorted)
{
    FILE *const file = fopen(path, "we");
    if (!file)
        return -errno;
    fprintf(file, "YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420\n", WIDTH, HEIGHT);
    for (unsigned frame = 0; frame < FRAMES; frame++) {
        fputs("FRAME\n", file);
        for (unsigned i = 0; i < WIDTH * HEIGHT * 3 / 2; i++)
            fputc((int)(((i % WIDTH * 3 + i / WIDTH * 5 + frame * 7) & 255) ^
                        (distorted ? i * 7 / 5 % 4 : 0)),
                  file);
    }
    const int failed = ferror(file);
    return fclose(file) || failed ? -EIO : 0;
}

int trial_create(Trial *trial, TempFolder *temp)
{
    trial->clip = temp_file(temp, "y4m");
    trial->worse = temp_file(temp, "y4m");
    trial->report = temp_file(temp, "json");
    if (!trial->clip || !trial->worse || !trial->report)
        return -ENOMEM;
    int err = write_clip(trial->clip, false);
    if (!err)
        err = write_clip(trial->worse, true);
    if (err)
        say("cannot write %s: %s", trial->clip, strerror(-err));
    return err;
}

void trial_free(Trial *trial)
{
    if (trial->clip)
        unlink(trial->clip);
    if (trial->worse)
        unlink(trial->worse);
    free(trial->clip);
    free(trial->worse);
    free(trial->report);
    *trial = (Trial){ .self = NULL };
}

static void hear(void *arg, enum ChildStream stream, const char *bytes, size_t count)
{
    tail_feed(arg, bytes, count);
}

/* The reason is the last line that the command wrote, without its advice: that is about other
 * options than ours. */
static void take_reason(const Tail *tail, const ChildEnd *end, char *why, size_t size)
{
    const size_t lines = tail->next + (tail->used > 0);
    const char *const last = lines ? tail->lines[(lines - 1) % TAIL_LINES] : "";
    const char *const advice = strstr(last, "; leave out --backend");
    const char *const cause = strstr(last, "backend cannot run here: ");
    const char *const from = cause ? strchr(cause, ':') + 2 : last;
    if (end->timed_out)
        snprintf(why, size, "it did not finish in %d s", TRIAL_TIME);
    else if (end->signal)
        snprintf(why, size, "the process ended by signal %d", end->signal);
    else if (!*last)
        snprintf(why, size, "exit code %d", end->code);
    else
        snprintf(why, size, "%.*s", advice ? (int)(advice - from) : (int)strlen(from), from);
}

static int check_report(const Trial *trial, const ScoringDevice *device, char *why, size_t size)
{
    Scored scored;
    if (!trial->metrics)
        return 0;
    const int err = scored_read(&scored, trial->report, trial->metrics, device->label, why, size);
    if (!err)
        scored_free(&scored);
    return err == -EINVAL ? -ENODEV : err;
}

/* Warns of a device that turned out to be software, whoever allowed it, and of features that the
 * CPU measures beside a GPU. Remembers the hardware. */
static void tell_place(const Trial *trial, ScoringDevice *device)
{
    char names[512];
    json_t *const place = scored_place(trial->report, device->label);
    const char *const name = json_string_value(json_object_get(place, "device"));
    if (json_is_true(json_object_get(place, "software")))
        say("warning: %s is %s, a software device: a CPU computes the scores in place of a GPU",
            device->label, name ? name : "unknown");
    if (place_beside(place, names, sizeof(names)))
        say("warning: beside %s these run on the CPU, because they have no GPU code: %s",
            device->label, names);
    free(device->hardware);
    device->hardware = name ? strdup(name) : NULL;
    json_decref(place);
}

/* "auto" is the device on which the trial ran, from now on: each scoring would look for one anew,
 * and take the CPU without a word once the GPU is gone. */
static int settle_auto(const Trial *trial, ScoringDevice *device)
{
    if (strcmp(device->backend, "auto") != 0)
        return 0;
    json_t *const place = scored_place(trial->report, device->label);
    const char *const found = json_string_value(json_object_get(place, "backend"));
    char *const backend = strdup(found ? found : "cpu");
    json_decref(place);
    if (!backend)
        return -ENOMEM;
    free(device->backend);
    device->backend = backend;
    if (!scoring_device_is_gpu(device))
        say("warning: %s found no GPU, so the CPU scores", device->label);
    return 0;
}

/* Scores the trial on a device. `tried`: the device to warn of, and to settle if it is "auto";
 * NULL: neither. */
static int run(const Trial *trial, const ScoringDevice *device, ScoringDevice *tried, char *why,
               size_t size)
{
    Argv argv = { 0 };
    Tail tail = { .next = 0 };
    ChildEnd end;
    argv_add_all(&argv,
                 (const char *const[]){ "vmaf", "--vmaf", "-r", trial->clip, "-d", trial->worse,
                                        "--json", "-o", trial->report, "--quiet", NULL });
    scoring_device_add_options(device, &argv);
    if (trial->words && trial->words->count)
        argv_add_all(&argv, (const char *const *)trial->words->words);
    const ChildParams params = { .argv = (const char *const *)argv.words,
                                 .program = trial->self,
                                 .sink = { CHILD_NOWHERE, CHILD_TO_US },
                                 .time_limit = TRIAL_TIME,
                                 .heard = hear,
                                 .arg = &tail };
    int err = argv.failed ? -ENOMEM : child_run(trial->children, &params, &end);
    argv_free(&argv);
    if (err)
        return err;
    if (end.code || end.timed_out) {
        take_reason(&tail, &end, why, size);
        err = -ENODEV;
    } else {
        err = check_report(trial, device, why, size);
        if (!err && tried)
            tell_place(trial, tried);
        if (!err && tried)
            err = settle_auto(trial, tried);
    }
    unlink(trial->report);
    return err;
}

int trial_run(const Trial *trial, const ScoringDevice *device, char *why, size_t size)
{
    return run(trial, device, NULL, why, size);
}

static void say_dead(const ScoringDevice *devices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (devices[i].dead)
            say("  %s: %s", devices[i].label, devices[i].why);
}

/* One device was named, or several of which some do not work. */
static int refuse(const ScoringDevice *devices, size_t count, size_t dead)
{
    if (count > 1) {
        say("%zu of the %zu devices of --backends cannot score, so nothing was started; leave them "
            "out, or use --backends available",
            dead, count);
        say_dead(devices, count);
    } else if (scoring_device_is_gpu(devices)) {
        say("cannot score on %s, so nothing was started: %s; choose another device with "
            "--backends, or use --backends available",
            devices->label, devices->why);
    } else {
        say("cannot score, so nothing was started: %s", devices->why);
    }
    return -ENODEV;
}

/* Remove the devices that do not work, and print which ones are used. */
static int keep_working(ScoringDevice *devices, size_t *count, size_t dead)
{
    Names names = { .used = 0 };
    size_t kept = 0;
    if (dead == *count)
        return refuse(devices, *count, dead);
    for (size_t i = 0; i < *count; i++)
        if (!devices[i].dead)
            names_add(&names, devices[i].label);
    say("scoring on %s%s", names.text, dead ? "; not on" : "");
    say_dead(devices, *count);
    for (size_t i = 0; i < *count; i++) {
        if (devices[i].dead)
            scoring_device_free(&devices[i]);
        else
            devices[kept++] = devices[i];
    }
    *count = kept;
    return 0;
}

int trial_run_all(const Trial *trial, ScoringDevice *devices, size_t *count, bool available)
{
    size_t dead = 0;
    for (size_t i = 0; i < *count; i++) {
        ScoringDevice *const device = &devices[i];
        const int err = run(trial, device, device, device->why, sizeof(device->why));
        if (err && err != -ENODEV)
            return err;
        device->dead = err != 0;
        dead += device->dead;
    }
    if (available)
        return keep_working(devices, count, dead);
    return dead ? refuse(devices, *count, dead) : 0;
}
