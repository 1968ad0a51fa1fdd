/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PACKET_DISCARDED 4 /* AV_PKT_FLAG_DISCARD, as framecrc prints it */

/* The beginning of a command that reads the video of a file, and with `counts` prints its progress
 * on standard output. */
static Argv reading(const char *ffmpeg, const char *path, bool counts)
{
    Argv argv = { 0 };
    argv_add_all(&argv, (const char *const[]){ ffmpeg, "-nostdin", "-hide_banner", "-v", "error",
                                               "-nostats", NULL });
    if (counts)
        argv_add_all(&argv, (const char *const[]){ "-progress", "pipe:1", NULL });
    argv_add(&argv, "-i");
    argv_addf(&argv, "file:%s", path);
    argv_add_all(&argv, (const char *const[]){ "-map", "0:v:0", NULL });
    return argv;
}

Argv media_command(const char *ffmpeg, const char *path)
{
    Argv argv = reading(ffmpeg, path, false);
    argv_add_all(&argv, (const char *const[]){ "-c", "copy", "-f", "framecrc", "-", NULL });
    return argv;
}

Argv media_shape_command(const char *ffmpeg, const char *path)
{
    Argv argv = reading(ffmpeg, path, false);
    argv_add_all(&argv, (const char *const[]){ "-frames:v", "1", "-f", "framecrc", "-", NULL });
    return argv;
}

/* The raw format has one frame rate: give the frames times at which ffmpeg neither repeats nor
 * drops one. */
Argv media_key_command(const char *ffmpeg, const char *path, unsigned width, unsigned height)
{
    Argv argv = { 0 };
    argv_add_all(&argv, (const char *const[]){ ffmpeg, "-nostdin", "-hide_banner", "-v", "error",
                                               "-skip_frame", "nokey", "-i", NULL });
    argv_addf(&argv, "file:%s", path);
    argv_add_all(&argv, (const char *const[]){ "-map", "0:v:0", "-vf", NULL });
    argv_addf(&argv, "scale=%u:%u:flags=area,format=gray,settb=1/25,setpts=N", width, height);
    argv_add_all(&argv, (const char *const[]){ "-r", "25", "-f", "rawvideo", "-", NULL });
    return argv;
}

/* The null muxer takes every frame, whatever its time. */
Argv media_count_command(const char *ffmpeg, const char *path)
{
    Argv argv = reading(ffmpeg, path, true);
    argv_add_all(&argv, (const char *const[]){ "-f", "null", "-", NULL });
    return argv;
}

/* Two FNV-1a sums of 64 bits that start differently. */
static void digest_line(uint64_t digest[2], const char *line)
{
    for (unsigned i = 0; i < 2; i++) {
        uint64_t sum = digest[i] ? digest[i] : UINT64_C(0xcbf29ce484222325) ^ (i * 0x5bd1e995u);
        for (const char *c = line; *c; c++)
            sum = (sum ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
        digest[i] = (sum ^ '\n') * UINT64_C(0x100000001b3);
    }
}

static void list_packet(MediaReader *reader, double ticks, uint64_t bytes, bool key)
{
    Packets *const list = reader->packets;
    if (list->count == list->room) {
        const size_t room = list->room * 2 + 1024;
        Packet *const grown = list->failed ? NULL : realloc(list->at, room * sizeof(*grown));
        if (!grown) {
            list->failed = true;
            return;
        }
        list->at = grown;
        list->room = room;
    }
    const double tick =
        reader->base_den > 0 ? (double)reader->base_num / (double)reader->base_den : 0.0;
    list->at[list->count++] = (Packet){ ticks * tick, bytes, key };
}

/* The fields are stream, dts, pts, duration, size, checksum and more. */
static void take_packet(MediaReader *reader, const char *line)
{
    int64_t dts, pts, ticks;
    uint64_t size;
    if (sscanf(line, "0, %" SCNd64 ", %" SCNd64 ", %" SCNd64 ", %" SCNu64, &dts, &pts, &ticks,
               &size) != 4)
        return;
    reader->media.bytes += size;
    digest_line(reader->media.digest, line);
    const char *const flags = strstr(line, "F=0x");
    if (flags && strtoul(flags + strlen("F="), NULL, 16) & PACKET_DISCARDED)
        return;
    if (pts == INT64_MIN) {
        pts = dts;
        reader->untimed = true;
    }
    if (!reader->media.frames || pts < reader->first)
        reader->first = pts;
    if (!reader->media.frames || pts >= reader->last) {
        reader->last = pts;
        reader->last_ticks = ticks;
    }
    reader->media.frames++;
    if (reader->packets)
        list_packet(reader, (double)pts, size, !flags || strtoul(flags + 2, NULL, 16) & 1);
}

static void take_line(MediaReader *reader)
{
    const char *const line = reader->line;
    if (*line != '#')
        take_packet(reader, line);
    else if (sscanf(line, "#tb 0: %" SCNd64 "/%" SCNd64, &reader->base_num, &reader->base_den) != 2)
        sscanf(line, "#dimensions 0: %ux%u", &reader->media.width, &reader->media.height);
}

Argv media_decode_command(const char *ffmpeg, const char *path, const char *y4m)
{
    Argv argv = reading(ffmpeg, path, true);
    argv_add_all(&argv, (const char *const[]){ "-strict", "-1", "-f", "yuv4mpegpipe", "-y", NULL });
    argv_addf(&argv, "file:%s", y4m);
    return argv;
}

void media_feed(MediaReader *reader, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != '\n') {
            if (reader->used + 1 < sizeof(reader->line)) /* keep the start of it */
                reader->line[reader->used++] = bytes[i];
            continue;
        }
        reader->line[reader->used] = 0;
        take_line(reader);
        reader->used = 0;
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
    m->span = span * tick;
    m->timed = !reader->untimed;
    *media = *m;
    return m->seconds > 0.0;
}

void frame_count_feed(FrameCount *count, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != '\n') {
            if (count->used + 1 < sizeof(count->line))
                count->line[count->used++] = bytes[i];
            continue;
        }
        count->line[count->used] = 0;
        count->used = 0;
        const char *const word = strstr(count->line, "frame=");
        if (word && (word == count->line || word[-1] == ' '))
            count->frame = strtoull(word + strlen("frame="), NULL, 10);
    }
}

enum MediaDifference media_compare(const Media *source, const Media *encode, bool scaled)
{
    if (encode->frames != source->frames)
        return MEDIA_FRAMES;
    if (!scaled && (encode->width != source->width || encode->height != source->height))
        return MEDIA_SHAPE;
    if (!source->timed || !encode->timed || source->frames < 2)
        return MEDIA_SAME;
    /* Containers round times, and a frame may move by a part of its duration. */
    const double frame = source->span / (double)(source->frames - 1);
    return fabs(encode->span - source->span) > 1.5 * frame + 0.002 ? MEDIA_DURATION : MEDIA_SAME;
}

void media_difference_text(enum MediaDifference difference, const Media *source,
                           const Media *encode, char *text, size_t size)
{
    switch (difference) {
    case MEDIA_SAME:
        snprintf(text, size, "the encode is like its source");
        return;
    case MEDIA_FRAMES:
        snprintf(text, size,
                 "its encode has %" PRIu64 " frame%s, the source has %" PRIu64
                 "; only encodes of all frames can be compared",
                 encode->frames, encode->frames == 1 ? "" : "s", source->frames);
        return;
    case MEDIA_SHAPE:
        snprintf(text, size,
                 "its encode is %ux%u, the source is %ux%u; if the encoder scales on purpose, add "
                 "--allow-scaled",
                 encode->width, encode->height, source->width, source->height);
        return;
    case MEDIA_DURATION:
        snprintf(text, size,
                 "its encode spreads the frames over %.3f s, the source over %.3f s; the frame "
                 "rate has to stay the same",
                 encode->span, source->span);
    }
}
