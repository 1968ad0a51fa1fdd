/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/json_memory.h"
#include "common/message.h"
#include "encoder.h"

struct Lines {
    const char *path;
    FILE *file;
    bool lost;
    double drawn; /* when progress was last written */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int lines_open(Lines **out, const char *path)
{
    Lines *const lines = calloc(1, sizeof(*lines));
    *out = NULL;
    if (!lines)
        return -ENOMEM;
    lines->path = path;
    lines->file = strcmp(path, "-") ? fopen(path, "we") : stdout;
    if (!lines->file) {
        const int err = -errno;
        say("cannot write %s: %s", path, strerror(-err));
        free(lines);
        return err;
    }
    *out = lines;
    return 0;
}

static void lose(Lines *lines, int error)
{
    if (!lines->lost)
        say("cannot write %s: %s", lines->path, strerror(error));
    lines->lost = true;
}

int lines_close(Lines *lines)
{
    if (!lines)
        return 0;
    if (lines->file != stdout && fclose(lines->file))
        lose(lines, errno);
    const int err = lines->lost ? -EIO : 0;
    free(lines);
    return err;
}

void lines_event(Lines *lines, const char *event, json_t *object)
{
    if (lines && !lines->lost) {
        json_t *const whole = json_pack("{s:s}", "event", event);
        json_object_update(whole, object);
        char *const text = json_whole_text(whole, JSON_COMPACT);
        if (!text)
            lose(lines, ENOMEM);
        else if (fprintf(lines->file, "%s\n", text) < 0 || fflush(lines->file))
            lose(lines, errno);
        free(text);
        json_decref(whole);
    }
    json_decref(object);
}

void lines_progress(Lines *lines, const Job *jobs, size_t count)
{
    const double time = now();
    if (!lines || time < lines->drawn + 1.0)
        return;
    lines->drawn = time;
    lines_event(lines, "progress",
                json_pack("{s:s, s:f, s:f}", "encoder", jobs->encoder->label, "setting",
                          jobs->setting, "done", status_share(jobs, count)));
}
