/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Reads videos with one decoder and with several (libav_sections.c) and compares the samples, times
 * and positions of all frames, the end and the notes. Prints a line for each video: how many frames
 * it has, and whether it was "cut" to its end, not at all ("whole"), or for a while ("given up").
 *
 * usage: sections_check VIDEO... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/libav.h"
#include "input/reader.h"

enum { FRAMES_MAX = 4096 };

typedef struct Reading {
    unsigned count;
    struct {
        uint64_t samples, position;
        int64_t time;
    } frames[FRAMES_MAX];
    enum FrameStatus end;
    char notes[4096]; /* and what is wrong at the end */
    bool begun_cut, ended_cut;
} Reading;

static uint64_t hash(uint64_t sum, const void *data, size_t size)
{
    const uint8_t *const bytes = data;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3;
    return sum;
}

static uint64_t hash_frame(const Video *video, uint64_t position)
{
    Planes planes;
    uint64_t sum = 0xcbf29ce484222325;
    if (video->reader->planes(video, position, 7, &planes) != FRAME_WHOLE)
        return 0;
    for (unsigned p = 0; p < planes.count; p++)
        for (unsigned y = 0; y < planes.height[p]; y++)
            sum = hash(sum, (const uint8_t *)planes.data[p] + (ptrdiff_t)y * planes.stride[p],
                       planes.width[p] * (planes.bitdepth > 8 ? 2u : 1u));
    return sum;
}

static void read_frames(Reading *reading, Video *video, unsigned most)
{
    const Libav *const libav = video->state;
    uint64_t position;
    while (reading->count < most && (reading->end = video_find(video, &position)) == FRAME_WHOLE) {
        reading->frames[reading->count].samples = hash_frame(video, position);
        reading->frames[reading->count].position = position;
        reading->frames[reading->count].time = video_time(video, position);
        reading->begun_cut |= libav->sections != NULL;
        reading->count++;
    }
    reading->ended_cut = libav->sections != NULL;
}

static Reading *read_video(const char *path, unsigned decoders, size_t room, unsigned most)
{
    Reading *const reading = calloc(1, sizeof(*reading));
    Video *video;
    if (!reading || video_create(&video, path, NULL))
        exit(2);
    video->options = (VideoOptions){ .decoders = decoders, .decoders_room = room, .quiet = true };
    /* The frames made of damage differ with the number of threads, and from run to run. */
    video->options.threads = strstr(path, "broken") ? 1 : 2;
    if (video_begin(video) || video->reader != &libav_reader)
        exit(2);
    read_frames(reading, video, most);
    size_t at = (size_t)snprintf(reading->notes, sizeof(reading->notes), "%s|", video->cut);
    for (unsigned i = 0; i < video->note_count && at < sizeof(reading->notes); i++)
        at += (size_t)snprintf(reading->notes + at, sizeof(reading->notes) - at, "%s: %s|",
                               video->notes[i].kind, video->notes[i].text);
    video_close(video);
    return reading;
}

/* Says what differs. True if nothing does. */
static bool is_same(const char *path, unsigned decoders, const Reading *a, const Reading *b)
{
    for (unsigned i = 0; i < a->count && i < b->count; i++) {
        if (!memcmp(&a->frames[i], &b->frames[i], sizeof(a->frames[i])))
            continue;
        printf("%s: frame %u differs with %u decoders: %s\n", path, i, decoders,
               a->frames[i].samples != b->frames[i].samples ? "samples"
               : a->frames[i].time != b->frames[i].time     ? "time"
                                                            : "position");
        return false;
    }
    if (a->count == b->count && a->end == b->end && !strcmp(a->notes, b->notes))
        return true;
    printf("%s: %u frames, then %d (%s); with %u decoders %u frames, then %d (%s)\n", path,
           a->count, a->end, a->notes, decoders, b->count, b->end, b->notes);
    return false;
}

static bool check(const char *path)
{
    static const struct {
        unsigned decoders, most;
        size_t room;
    } ways[] = { { 2, FRAMES_MAX, 0 },
                 { 3, FRAMES_MAX, 1 << 20 },
                 { 8, FRAMES_MAX, 1 << 28 },
                 { 4, 50, 1 << 28 } };
    Reading *const plain = read_video(path, 1, 0, FRAMES_MAX);
    bool good = plain->count < FRAMES_MAX, cut = false, kept = true;
    if (plain->begun_cut)
        printf("%s: cut for one decoder\n", path);
    for (size_t i = 0; good && i < sizeof(ways) / sizeof(*ways); i++) {
        Reading *const several = read_video(path, ways[i].decoders, ways[i].room, ways[i].most);
        Reading *const whole =
            ways[i].most < FRAMES_MAX ? read_video(path, 1, 0, ways[i].most) : NULL;
        good = is_same(path, ways[i].decoders, whole ? whole : plain, several);
        cut |= several->begun_cut;
        kept &= several->ended_cut;
        free(several);
        free(whole);
    }
    printf("%s: %u frames, end %d, %s\n", path, plain->count, plain->end,
           !cut   ? "whole"
           : kept ? "cut"
                  : "given up");
    good &= !plain->begun_cut;
    free(plain);
    return good;
}

int main(int argc, char **argv)
{
    bool good = true;
    for (int i = 1; i < argc; i++)
        good &= check(argv[i]);
    return good ? 0 : 1;
}
