/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
