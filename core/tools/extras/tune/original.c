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
    Argv argv = media_command(shop->ffmpeg, path);
    err = run(shop, &argv, look, &end);
    if (!err && (end.code || !media_finish(&look->reader, &source->media))) {
        say("cannot use %s: %s", path,
            end.timed_out ? "reading it exceeded the time limit" : "ffmpeg finds no video in it");
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
        say("cannot decode %s", source->path);
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

Argv media_command(const char *ffmpeg, const char *path)
{
    Argv argv = { 0 };
    argv_add_all(&argv, (const char *const[]){ ffmpeg, "-nostdin", "-hide_banner", "-v", "error",
                                               "-i", NULL });
    argv_addf(&argv, "file:%s", path);
    argv_add_all(
        &argv, (const char *const[]){ "-map", "0:v:0", "-c", "copy", "-f", "framecrc", "-", NULL });
    return argv;
}

/* The fields are stream, dts, pts, duration, size, checksum and more. */
static void take_packet(MediaReader *reader, const char *line)
{
    int64_t dts, pts, ticks;
    uint64_t size;
    if (sscanf(line, "0, %" SCNd64 ", %" SCNd64 ", %" SCNd64 ", %" SCNu64, &dts, &pts, &ticks,
               &size) != 4)
        return;
    if (pts == INT64_MIN)
        pts = dts;
    if (!reader->media.frames || pts < reader->first)
        reader->first = pts;
    if (!reader->media.frames || pts >= reader->last) {
        reader->last = pts;
        reader->last_ticks = ticks;
    }
    reader->media.frames++;
    reader->media.bytes += size;
}

static void take_line(MediaReader *reader)
{
    const char *const line = reader->line;
    if (*line != '#')
        take_packet(reader, line);
    else if (sscanf(line, "#tb 0: %" SCNd64 "/%" SCNd64, &reader->base_num, &reader->base_den) != 2)
        sscanf(line, "#dimensions 0: %ux%u", &reader->media.width, &reader->media.height);
}

void media_feed(MediaReader *reader, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != '\n') {
            if (reader->used + 1 < sizeof(reader->line))
                reader->line[reader->used++] = bytes[i];
            else
                reader->overlong = true;
            continue;
        }
        reader->line[reader->used] = 0;
        if (!reader->overlong)
            take_line(reader);
        reader->used = 0;
        reader->overlong = false;
    }
}

bool media_finish(MediaReader *reader, Media *media)
{
    Media *const m = &reader->media;
    if (!m->frames || !m->width || !m->height || reader->base_num <= 0 || reader->base_den <= 0)
        return false;
    const double tick = (double)reader->base_num / (double)reader->base_den;
    const double span = (double)reader->last - (double)reader->first;
    /* Add the duration of the last frame: its own, or the average of the others. */
    const double last = reader->last_ticks > 0 ? (double)reader->last_ticks
                        : m->frames > 1        ? span / (double)(m->frames - 1)
                                               : 0.0;
    m->seconds = (span + last) * tick;
    *media = *m;
    return m->seconds > 0.0;
}
