/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "job.h"
#include "common/message.h"

typedef struct Look {
    MediaReader reader;
    Tail tail;
} Look;

static void hear(void *arg, enum ChildStream stream, const char *bytes, size_t count)
{
    Look *const look = arg;
    if (stream == CHILD_OUT)
        media_feed(&look->reader, bytes, count);
    else
        tail_feed(&look->tail, bytes, count);
}

static int run(Workshop *shop, Argv *argv, Look *look, ChildEnd *end)
{
    const ChildParams params = { .argv = (const char *const *)argv->words,
                                 .sink = { CHILD_TO_US, CHILD_TO_US },
                                 .time_limit = shop->time_limit,
                                 .heard = hear,
                                 .arg = look };
    const int err = argv->failed ? -ENOMEM : child_run(shop->children, &params, end);
    if (err && err != -EINTR)
        say("%s could not be run: %s", shop->ffmpeg, strerror(-err));
    argv_free(argv);
    return err;
}

static int check_file(const char *path)
{
    struct stat info;
    if (stat(path, &info) || access(path, R_OK)) {
        const int err = -errno;
        say("cannot read %s: %s", path, strerror(-err));
        return err;
    }
    if (S_ISREG(info.st_mode))
        return 0;
    say("cannot use %s: it is read more than once, so it must be a file", path);
    return -EINVAL;
}

int original_open(Original *source, const char *path, Workshop *shop)
{
    *source = (Original){ .path = path };
    int err = check_file(path);
    if (err)
        return err;
    source->argument = path_as_argument(path);
    Look *const look = calloc(1, sizeof(*look));
    if (!source->argument || !look) {
        free(look);
        return -ENOMEM;
    }
    ChildEnd end;
    Argv argv = media_command(shop->ffmpeg, path);
    err = run(shop, &argv, look, &end);
    if (!err && (end.code || !media_finish(&look->reader, &source->media))) {
        say("cannot use %s: %s", path,
            end.timed_out ? "it takes too long to read" : "ffmpeg finds no video in it");
        tail_say(&look->tail);
        err = -EINVAL;
    }
    free(look);
    return err;
}

int original_decode(Original *source, Workshop *shop)
{
    if (source->y4m)
        return 0;
    char *const path = temp_file(shop->temp, "y4m");
    Look *const look = calloc(1, sizeof(*look));
    Argv argv = { 0 };
    ChildEnd end;
    argv_add_all(&argv, (const char *const[]){ shop->ffmpeg, "-nostdin", "-hide_banner", "-v",
                                               "error", "-y", "-i", NULL });
    argv_addf(&argv, "file:%s", source->argument);
    argv_add_all(&argv, (const char *const[]){ "-map", "0:v:0", "-strict", "-1", "-f",
                                               "yuv4mpegpipe", NULL });
    argv_addf(&argv, "file:%s", path ? path : "");
    argv.failed |= !path || !look;
    int err = run(shop, &argv, look, &end);
    if (!err && end.code) {
        say("%s could not be decoded", source->path);
        tail_say(&look->tail);
        err = -EIO;
    }
    free(look);
    if (!err) {
        source->y4m = path;
        return 0;
    }
    if (path)
        unlink(path);
    free(path);
    return err;
}

void original_close(Original *source)
{
    if (source->y4m)
        unlink(source->y4m);
    free(source->y4m);
    free(source->argument);
    *source = (Original){ .path = NULL };
}
