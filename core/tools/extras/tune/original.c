/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "job.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/message.h"

typedef struct Look {
    MediaReader reader;
    FrameCount count;
    Tail tail;
} Look;

static void hear(void *arg, enum ChildStream stream, const char *bytes, size_t count)
{
    Look *const look = arg;
    if (stream == CHILD_OUT) {
        media_feed(&look->reader, bytes, count);
        frame_count_feed(&look->count, bytes, count);
    } else {
        tail_feed(&look->tail, bytes, count);
    }
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
        say("cannot run %s: %s", shop->ffmpeg, strerror(-err));
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
    say("cannot use %s: not a regular file, and vmaf-tune reads it more than once", path);
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
    look->reader.packets = &source->packets;
    Argv argv = media_command(shop->ffmpeg, path);
    err = run(shop, &argv, look, &end);
    if (!err && source->packets.failed)
        err = -ENOMEM;
    if (!err && (end.code || !media_finish(&look->reader, &source->media))) {
        say("cannot use %s: %s", path,
            end.timed_out ? "reading it exceeded the time limit" : "ffmpeg finds no video in it");
        tail_say(&look->tail);
        err = -EINVAL;
    }
    free(look);
    return err;
}

/* Run a command on the source and take its output. Prints why it failed, with `what` it could not
 * do. */
static int look_again(Original *source, Workshop *shop, Argv argv, const char *what, Look *look)
{
    ChildEnd end;
    *look = (Look){ .count = { .used = 0 } };
    const int err = run(shop, &argv, look, &end);
    if (err || !end.code)
        return err;
    say("cannot %s %s", what, source->path);
    tail_say(&look->tail);
    return -EIO;
}

int original_count(Original *source, Workshop *shop)
{
    if (source->counted)
        return 0;
    Look *const look = malloc(sizeof(*look));
    const int err =
        look ? look_again(source, shop, media_count_command(shop->ffmpeg, source->argument),
                          "decode", look)
             : -ENOMEM;
    if (!err) {
        source->media.frames = look->count.frame;
        source->counted = true;
    }
    free(look);
    return err;
}

int original_shape(Original *source, Workshop *shop)
{
    if (source->shaped)
        return 0;
    Look *const look = malloc(sizeof(*look));
    Media shown;
    const int err =
        look ? look_again(source, shop, media_shape_command(shop->ffmpeg, source->argument),
                          "decode", look)
             : -ENOMEM;
    if (!err && media_finish(&look->reader, &shown)) {
        source->media.width = shown.width;
        source->media.height = shown.height;
    }
    source->shaped = !err;
    free(look);
    return err;
}

/* Y4M has one frame rate, and ffmpeg repeats or drops frames to keep it. */
static int check_y4m(Original *source, Workshop *shop, uint64_t frames)
{
    int err = 0;
    if (frames != source->media.frames)
        err = original_count(source, shop);
    if (err || frames == source->media.frames)
        return err;
    say("cannot decode %s to Y4M, which has one frame rate: its %" PRIu64 " frames became %" PRIu64
        "; bring the source to one frame rate first (ffmpeg -i SOURCE -vf fps=30 …)",
        source->path, source->media.frames, frames);
    return -EIO;
}

int original_decode(Original *source, Workshop *shop)
{
    if (source->y4m)
        return 0;
    char *const path = temp_file(shop->temp, "y4m");
    Look *const look = malloc(sizeof(*look));
    Argv argv = media_decode_command(shop->ffmpeg, source->argument, path ? path : "");
    argv.failed |= !path || !look;
    int err = -ENOMEM;
    if (look)
        err = look_again(source, shop, argv, "decode", look);
    else
        argv_free(&argv);
    if (!err)
        err = check_y4m(source, shop, look->count.frame);
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
    free(source->packets.at);
    *source = (Original){ .path = NULL };
}
