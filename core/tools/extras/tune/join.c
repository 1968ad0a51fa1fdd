/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "join.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/message.h"

/* Write a path as FFmpeg's lists want it. A quote inside is written outside of the quotes. */
static void put_path(FILE *file, const char *path)
{
    char *const whole = realpath(path, NULL);
    fputs("file 'file:", file);
    for (const char *c = whole ? whole : path; *c; c++)
        if (*c == '\'')
            fputs("'\\''", file);
        else
            fputc(*c, file);
    fputs("'\n", file);
    free(whole);
}

/* Containers round times. The list says how long each part lasts, so that errors do not add up. */
static int write_list(const char *path, const ShotList *shots, char *const *parts)
{
    FILE *const file = fopen(path, "we");
    if (!file)
        return -errno;
    fputs("ffconcat version 1.0\n", file);
    for (size_t i = 0; i < shots->count; i++) {
        put_path(file, parts[i]);
        fprintf(file, "duration %.6f\n", shots->at[i].seconds);
    }
    const int failed = ferror(file);
    return fclose(file) || failed ? -EIO : 0;
}

static void hear(void *tail, enum ChildStream stream, const char *bytes, size_t count)
{
    tail_feed(tail, bytes, count);
}

int join_parts(Workshop *shop, const Original *source, const ShotList *shots, char *const *parts,
               const char *output)
{
    char *const list = temp_file(shop->temp, "list");
    Argv argv = { 0 };
    Tail tail = { .next = 0 };
    ChildEnd end;
    int err = list ? write_list(list, shots, parts) : -ENOMEM;
    if (err && list)
        say("cannot write %s: %s", list, strerror(-err));
    argv_add_all(&argv,
                 (const char *const[]){ shop->ffmpeg, "-nostdin", "-hide_banner", "-v", "error",
                                        "-y", "-f", "concat", "-safe", "0", "-i", NULL });
    argv_addf(&argv, "file:%s", list ? list : "");
    argv_add(&argv, "-i");
    argv_addf(&argv, "file:%s", source->argument);
    argv_add_all(&argv, (const char *const[]){ "-map", "0:v:0", "-map", "1:a?", "-c", "copy",
                                               "-strict", "experimental", NULL });
    argv_addf(&argv, "file:%s", output);
    const ChildParams params = { .argv = (const char *const *)argv.words,
                                 .sink = { CHILD_NOWHERE, CHILD_TO_US },
                                 .time_limit = shop->time_limit,
                                 .heard = hear,
                                 .arg = &tail };
    if (!err)
        err = argv.failed ? -ENOMEM : child_run(shop->children, &params, &end);
    if (!err && (end.code || end.timed_out)) {
        say("cannot join the encodes of %zu shots", shots->count);
        tail_say(&tail);
        err = -EIO;
    }
    argv_free(&argv);
    if (list)
        unlink(list);
    free(list);
    return err;
}
