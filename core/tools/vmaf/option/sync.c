/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "option.h"

static int set_frame_cnt(Options *options, const Arg *arg, const char *value)
{
    return parse_number(arg, value, &options->frame_limit);
}

static int set_skip_ref(Options *options, const Arg *arg, const char *value)
{
    return parse_number(arg, value, &options->skip[SIDE_REF]);
}

static int set_skip_dist(Options *options, const Arg *arg, const char *value)
{
    return parse_number(arg, value, &options->skip[SIDE_DIST]);
}

static int set_subsample(Options *options, const Arg *arg, const char *value)
{
    return parse_number(arg, value, &options->subsample);
}

#define SECONDS_MAX 1e7 /* months */
#define FRAMES_MAX INT32_MAX

bool parse_length(const char *value, Length *length)
{
    char *end;
    errno = 0;
    const long long frames = strtoll(value, &end, 10);
    *length = (Length){ .given = true, .in_frames = true, .frames = frames };
    if (end != value && !*end)
        return !errno && frames >= -FRAMES_MAX && frames <= FRAMES_MAX;
    const double number = strtod(value, &end);
    const double unit = !strcmp(end, "s") ? 1 : !strcmp(end, "ms") ? 1e-3 : 0;
    length->in_frames = false;
    if (end == value || unit == 0 || !isfinite(number) || fabs(number * unit) > SECONDS_MAX)
        return false;
    length->time = (int64_t)llround(number * unit * 1e9);
    return true;
}

static int set_offset(Options *options, const Arg *arg, const char *value)
{
    return parse_length(value, &options->offset) ? 0 : bad_value(arg, value, A_LENGTH);
}

static int set_duration(Options *options, const Arg *arg, const char *value)
{
    const Length *const length = &options->duration;
    if (parse_length(value, &options->duration) &&
        (length->in_frames ? length->frames : length->time) > 0)
        return 0;
    return bad_value(arg, value, A_LENGTH);
}

/* Parses a frame rate. 23.976, 29.97 and similar rates stand for N * 1000/1001. */
static bool parse_rate(const char *value, unsigned *num, unsigned *den)
{
    char *end;
    const double rate = strtod(value, &end);
    *den = 1;
    if (end == value || !(rate >= 0.01) || rate > 1e5)
        return false;
    if (*end == '/' || *end == ':') {
        const char *const below = end + 1;
        const unsigned long over = strtoul(below, &end, 10);
        *num = (unsigned)rate;
        *den = (unsigned)over;
        return *num == rate && end != below && !*end && over >= 1 && over <= 100000;
    }
    const double whole = ceil(rate);
    if (rate != whole && fabs(rate - whole * 1000 / 1001) < 0.005) {
        *num = (unsigned)whole * 1000;
        *den = 1001;
    } else {
        *den = rate == whole ? 1 : 1000;
        *num = (unsigned)lround(rate * *den);
    }
    return !*end;
}

static int set_fps(Options *options, const Arg *arg, const char *value)
{
    if (parse_rate(value, &options->fps_num, &options->fps_den))
        return 0;
    return bad_value(arg, value, "frames a second (25, 29.97, 30000/1001)");
}

static int set_sync(Options *options, const Arg *arg, const char *value)
{
    static const struct {
        const char *name;
        enum Sync sync;
    } ways[] = { { "nearest", SYNC_NEAREST }, { "index", SYNC_INDEX }, { "auto", SYNC_AUTO } };
    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
        if (!strcmp(value, ways[i].name)) {
            options->sync = ways[i].sync;
            return 0;
        }
    }
    return bad_value(arg, value, "nearest, index or auto");
}

const Arg sync_options[] = {
    { .help = "Which frames are compared" },
    { .name = "subsample", .value = "N", .help = "score every Nth frame", .set = set_subsample },
    { .name = "frame_cnt",
      .value = "N",
      .help = "stop after N pairs of frames",
      .set = set_frame_cnt },
    { .name = "frame_skip_ref",
      .value = "N",
      .help = "drop the first N reference frames",
      .set = set_skip_ref },
    { .name = "frame_skip_dist",
      .value = "N",
      .help = "drop the first N distorted frames",
      .set = set_skip_dist },
    { .name = "sync",
      .value = "HOW",
      .help = "nearest: compare each reference frame with the\n"
              "distorted one nearest in time, also if frame rates\n"
              "differ; index: compare frames of the same number; auto:\n"
              "find the offset at which the pictures match best\n"
              "(default: by time if all files have times, else by\n"
              "number)",
      .newer = true,
      .set = set_sync,
      .complete = "nearest|index|auto" },
    { .name = "offset",
      .value = "N|Ts",
      .help = "the reference begins N frames or T seconds into\n"
              "the distorted video; negative: the distorted video\n"
              "begins within the reference",
      .newer = true,
      .set = set_offset },
    { .name = "duration",
      .value = "N|Ts",
      .help = "stop after N pairs of frames or T seconds",
      .newer = true,
      .set = set_duration },
    { .name = "fps",
      .value = "RATE",
      .help = "compare frames at this rate: at each step the nearest\n"
              "frame of every video",
      .newer = true,
      .set = set_fps },
    { 0 },
};
