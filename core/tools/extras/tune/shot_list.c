/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "shot_list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "input/shots.h"
#include "input/video.h"

/* ---- in the child ---- */

/* The time of a frame. Frames without times are counted. */
static double time_of(const Video *video, uint64_t offset, uint64_t index)
{
    const int64_t time = video_time(video, offset);
    const VideoTraits *const traits = &video->traits;
    if (time != VIDEO_NO_TIME)
        return (double)time * 1e-9;
    return traits->rate_num ? (double)index * traits->rate_den / traits->rate_num : 0.0;
}

static enum FrameStatus look_at_all(Video *video, const VmafPicture *pic)
{
    ShotLooker looker = { .count = 0 };
    ShotFinder finder = { .count = 0 };
    ShotFrame frame;
    ShotChange change;
    double now = 0.0, last = 0.0;
    uint64_t offset, first, frames = 0;
    enum FrameStatus status;
    while ((status = video_find(video, &offset)) == FRAME_WHOLE &&
           (status = video_read(video, offset, 1, pic)) == FRAME_WHOLE) {
        last = now;
        now = time_of(video, offset, frames++);
        if (frames == 1)
            printf("shot 0 %.9f\n", now);
        shot_frame_of_picture(&frame, pic);
        shot_look(&looker, &frame, &change);
        if (shot_finder_add(&finder, &change, &first))
            printf("shot %" PRIu64 " %.9f\n", first, last);
    }
    if (shot_finder_end(&finder, &first))
        printf("shot %" PRIu64 " %.9f\n", first, now);
    if (frames)
        printf("end %" PRIu64 " %.9f\n", frames, now + (frames > 1 ? now - last : 0.04));
    return status;
}

int shots_print_all(const char *path)
{
    Video *video;
    VmafPicture pic = { 0 };
    int err = video_open(&video, path, NULL);
    if (!err)
        err = vmaf_picture_alloc(&pic, video->format.pix_fmt, video->format.bitdepth,
                                 video->format.width, video->format.height);
    if (!err && look_at_all(video, &pic) == FRAME_ERROR)
        err = -EIO;
    if (pic.ref)
        vmaf_picture_unref(&pic);
    video_close(video);
    return err || fflush(stdout) ? 255 : 0;
}

/* ---- in the parent ---- */

typedef struct Reading {
    ShotList *list;
    size_t room;
    char line[128];
    size_t used;
    double end;
    bool failed;
    Tail tail;
} Reading;

static void add_shot(Reading *reading, uint64_t first, double time)
{
    ShotList *const list = reading->list;
    if (list->count == reading->room) {
        const size_t room = reading->room * 2 + 64;
        Shot *const grown = realloc(list->at, room * sizeof(*grown));
        if (!grown) {
            reading->failed = true;
            return;
        }
        list->at = grown;
        reading->room = room;
    }
    list->at[list->count++] = (Shot){ .first = first, .time = time };
}

static void take_line(Reading *reading)
{
    uint64_t number;
    double time;
    if (sscanf(reading->line, "shot %" SCNu64 " %lf", &number, &time) == 2) {
        add_shot(reading, number, time);
    } else if (sscanf(reading->line, "end %" SCNu64 " %lf", &number, &time) == 2) {
        reading->list->frames = number;
        reading->end = time;
    }
}

static void hear(void *arg, enum ChildStream stream, const char *bytes, size_t count)
{
    Reading *const reading = arg;
    if (stream == CHILD_ERR)
        tail_feed(&reading->tail, bytes, count);
    for (size_t i = 0; stream == CHILD_OUT && i < count; i++) {
        if (bytes[i] != '\n') {
            if (reading->used + 1 < sizeof(reading->line))
                reading->line[reading->used++] = bytes[i];
            continue;
        }
        reading->line[reading->used] = 0;
        reading->used = 0;
        take_line(reading);
    }
}

static void measure(ShotList *list, double end)
{
    for (size_t i = 0; i < list->count; i++) {
        const bool last = i + 1 == list->count;
        list->at[i].frames = (last ? list->frames : list->at[i + 1].first) - list->at[i].first;
        list->at[i].seconds = (last ? end : list->at[i + 1].time) - list->at[i].time;
    }
}

void shot_list_merge(ShotList *list, uint64_t least)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        Shot *const before = kept ? &list->at[kept - 1] : NULL;
        if (before && (list->at[i].frames < least || before->frames < least)) {
            before->frames += list->at[i].frames;
            before->seconds += list->at[i].seconds;
        } else {
            list->at[kept++] = list->at[i];
        }
    }
    list->count = kept;
}

int shot_list_find(ShotList *list, const Original *source, Workshop *shop, uint64_t least)
{
    *list = (ShotList){ .count = 0 };
    Reading *const reading = calloc(1, sizeof(*reading));
    if (!reading)
        return -ENOMEM;
    reading->list = list;
    ChildEnd end;
    const char *const argv[] = { "vmaf-tune", "--shots", source->argument, NULL };
    const ChildParams params = { .argv = argv,
                                 .program = shop->self,
                                 .sink = { CHILD_TO_US, CHILD_TO_US },
                                 .time_limit = shop->time_limit,
                                 .heard = hear,
                                 .arg = reading };
    int err = child_run(shop->children, &params, &end);
    if (!err && reading->failed)
        err = -ENOMEM;
    if (!err && (end.code || end.timed_out || !list->count || !list->frames)) {
        say("cannot find the shots of %s", source->path);
        tail_say(&reading->tail);
        err = -EIO;
    }
    if (!err) {
        measure(list, reading->end);
        shot_list_merge(list, least);
    }
    free(reading);
    return err;
}

void shot_list_free(ShotList *list)
{
    free(list->at);
    *list = (ShotList){ .count = 0 };
}
