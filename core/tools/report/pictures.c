/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/pictures.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/argv.h"
#include "common/message.h"
#include "report/page.h"

/* The smallest width of a picture, however many there are. */
#define WIDTH_MIN 160

typedef struct Reading {
    const StoredReport *report;
    const size_t *frames;
    unsigned order[64]; /* indices into `frames`, in the order of the video */
    unsigned count;
    size_t share;           /* the bytes that one picture may take */
    unsigned width, height; /* size of the pictures */
    bool settled;           /* the size is final: all pictures have the same, to be comparable */
    char *why;
    size_t why_size;
} Reading;

static void give_reason(const Reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void give_reason(const Reading *reading, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(reading->why, reading->why_size, format, list);
    va_end(list);
}

/* Finds a video at its path, or relative to the folder of the report. The caller frees the
 * result. NULL: not found, and the reason is set. */
static char *find_video(const Reading *reading, const char *path)
{
    const char *const report = reading->report->path, *const slash = path_separator(report);
    struct stat info;
    char *found = NULL;
    const bool there = !stat(path, &info);
    const int reason = errno;
    if (there) {
        found = strdup(path);
    } else if (*path != '/' && slash) {
        const size_t size = (size_t)(slash - report) + strlen(path) + 2;
        found = malloc(size);
        if (found)
            snprintf(found, size, "%.*s/%s", (int)(slash - report), report, path);
    }
    if (found && !stat(found, &info) && S_ISREG(info.st_mode))
        return found;
    if (there)
        give_reason(reading, "%s cannot be read a second time", path);
    else
        give_reason(reading, "%s: %s", path, strerror(reason));
    free(found);
    return NULL;
}

static enum VmafPixelFormat pixel_format(const char *name)
{
    static const struct {
        const char *name;
        enum VmafPixelFormat format;
    } formats[] = { { "420", VMAF_PIX_FMT_YUV420P },
                    { "422", VMAF_PIX_FMT_YUV422P },
                    { "444", VMAF_PIX_FMT_YUV444P },
                    { "400", VMAF_PIX_FMT_YUV400P } };
    for (size_t i = 0; name && i < sizeof(formats) / sizeof(*formats); i++)
        if (!strcmp(name, formats[i].name))
            return formats[i].format;
    return VMAF_PIX_FMT_UNKNOWN;
}

/* Opens a video as the run did. NULL if that fails or the format has changed; the reason is set. */
static Video *open_video(const Reading *reading, const StoredInput *input, const char *path)
{
    const VideoFormat raw = { input->width, input->height, input->bitdepth,
                              pixel_format(input->pixel_format) };
    const bool is_raw = input->kind && !strcmp(input->kind, "raw");
    Video *video = NULL;
    if (is_raw && (!raw.width || !raw.height || !raw.bitdepth || !raw.pix_fmt)) {
        give_reason(reading, "the report does not say what %s holds", input->path);
        return NULL;
    }
    int err = video_create(&video, path, is_raw ? &raw : NULL);
    if (!err) {
        video->options.local = true; /* a report is not to be trusted */
        if (input->filters)
            video_options_of_notes(&video->options, input->filters);
        err = video_begin(video);
    }
    if (err) {
        video_close(video);
        give_reason(reading, "%s could not be opened again", input->path);
        return NULL;
    }
    if (video->native.width == input->width && video->native.height == input->height &&
        video->native.bitdepth == input->bitdepth)
        return video;
    give_reason(reading, "%s has changed since it was scored", input->path);
    video_close(video);
    return NULL;
}

static RgbCoding coding_of(const Video *video)
{
    const char *const matrix = video->traits.matrix;
    const bool large = video->format.width >= 1280 || video->format.height > 576;
    const bool named = matrix && (strstr(matrix, "709") || strstr(matrix, "2020"));
    const bool older = matrix && (strstr(matrix, "170m") || strstr(matrix, "470"));
    return (RgbCoding){ .bt709 = named || (large && !older),
                        .full = video->traits.range == RANGE_FULL };
}

static void set_width(Reading *reading, unsigned width, const Video *video)
{
    reading->width = width;
    reading->height =
        (unsigned)fmax((double)video->format.height * width / video->format.width + 0.5, 1.0);
}

/* Encodes a picture. If the first one takes too many bytes, it is made smaller, and so are all
 * others. */
static int encode(Reading *reading, const Video *video, const VmafPicture *pic, Png *png)
{
    const RgbCoding coding = coding_of(video);
    for (;;) {
        Rgb rgb;
        int err = rgb_make(&rgb, pic, reading->width, reading->height, &coding);
        if (err)
            return err;
        err = png_make(png, &rgb);
        rgb_clear(&rgb);
        if (png->size <= reading->share || reading->width <= WIDTH_MIN)
            reading->settled = true;
        if (err || reading->settled)
            return err;
        const double factor = sqrt((double)reading->share / (double)png->size);
        const unsigned smaller = (unsigned)(reading->width * fmin(factor, 0.95));
        png_clear(png);
        const unsigned width = smaller > WIDTH_MIN ? smaller : WIDTH_MIN;
        reading->height =
            (unsigned)fmax((double)reading->height * width / reading->width + 0.5, 1.0);
        reading->width = width;
    }
}

/* Reads frame `target` of the file. */
static int read_frame(Reading *reading, Video *video, const StoredInput *input, uint64_t *position,
                      uint64_t target, Png *png)
{
    uint64_t offset;
    VmafPicture pic;
    enum FrameStatus status = target < *position || target - *position > UINT32_MAX
                                  ? FRAME_NONE
                                  : video_skip(video, (unsigned)(target - *position));
    if (status == FRAME_WHOLE)
        status = video_find(video, &offset);
    if (status != FRAME_WHOLE) {
        give_reason(reading, "%s ends before frame %" PRIu64, input->path, target);
        return -ENODATA;
    }
    const VideoFormat *const f = &video->format;
    if (vmaf_picture_alloc(&pic, f->pix_fmt, f->bitdepth, f->width, f->height)) {
        give_reason(reading, "not enough memory for frames of %s", input->path);
        return -ENODATA;
    }
    status = video_read(video, offset, 7, &pic);
    *position = target + 1;
    int err = 0;
    if (status == FRAME_WHOLE) {
        err = encode(reading, video, &pic, png);
    } else {
        give_reason(reading, "frame %" PRIu64 " of %s could not be read", target, input->path);
        err = -ENODATA;
    }
    vmaf_picture_unref(&pic);
    return err;
}

/* Copies a picture of a frame that belongs to several pairs. */
static int copy_picture(Png *to, const Png *from)
{
    to->data = malloc(from->size);
    if (!to->data)
        return -ENOMEM;
    memcpy(to->data, from->data, from->size);
    to->size = from->size;
    return 0;
}

static int read_video(Reading *reading, enum Side side, Png (*pictures)[SIDES])
{
    const StoredInput *const input = &reading->report->input[side];
    char *const path = find_video(reading, input->path);
    if (!path)
        return -ENODATA;
    Video *const video = open_video(reading, input, path);
    if (!video) {
        free(path);
        return -ENODATA;
    }
    if (!reading->width) /* both videos get the reference's size */
        set_width(reading,
                  video->format.width < PICTURES_WIDTH_MAX ? video->format.width
                                                           : PICTURES_WIDTH_MAX,
                  video);
    uint64_t position = 0;
    int err = 0;
    for (unsigned i = 0; !err && i < reading->count; i++) {
        const unsigned at = reading->order[i];
        const uint64_t number = stored_frame(reading->report, side, reading->frames[at]);
        const unsigned before = i ? reading->order[i - 1] : 0;
        if (i && number == stored_frame(reading->report, side, reading->frames[before]))
            err = copy_picture(&pictures[at][side], &pictures[before][side]);
        else
            err = read_frame(reading, video, input, &position, number, &pictures[at][side]);
    }
    video_close(video);
    free(path);
    return err;
}

static void sort_frames(Reading *reading)
{
    for (unsigned i = 0; i < reading->count; i++) {
        unsigned j = i;
        for (; j && reading->frames[reading->order[j - 1]] > reading->frames[i]; j--)
            reading->order[j] = reading->order[j - 1];
        reading->order[j] = i;
    }
}

/* True if frames were left out or repeated, and the report, which an earlier version wrote, does
 * not say which. */
static bool was_retimed(const StoredReport *report)
{
    const char *const how = report->input[SIDE_DIST].pairing;
    if (report->times || report->in_file[SIDE_DIST])
        return false;
    return how && (strstr(how, "repeated") || strstr(how, "left out") || !strncmp(how, "at ", 3));
}

/* True if no picture can be made; the reason is set. */
static bool is_hopeless(const Reading *reading)
{
    for (unsigned side = 0; side < SIDES; side++) {
        const char *const path = reading->report->input[side].path;
        if (!png_can())
            give_reason(reading, "this program was built without libpng");
        else if (!path)
            give_reason(reading, "the report does not name its videos");
        else if (!strcmp(path, "-"))
            give_reason(reading, "a video came through standard input");
        else
            continue;
        return true;
    }
    if (was_retimed(reading->report))
        give_reason(reading, "frames were paired %s", reading->report->input[SIDE_DIST].pairing);
    return *reading->why;
}

/* The number of frames that can have pictures: at least one. */
static unsigned frames_within(size_t room, unsigned count)
{
    const size_t most = room / SIDES / PICTURE_SHARE_MIN;
    return most >= count ? count : most ? (unsigned)most : 1;
}

/* Removes the last pairs until the others take no more than `room` bytes. */
static void drop_beyond(Png (*pictures)[SIDES], unsigned count, size_t room)
{
    size_t used = 0;
    for (unsigned i = 0; i < count; i++) {
        used += pictures[i][SIDE_REF].size + pictures[i][SIDE_DIST].size;
        for (unsigned side = 0; side < SIDES && used > room; side++)
            png_clear(&pictures[i][side]);
    }
}

int pictures_read(const StoredReport *report, const size_t *frames, unsigned count, size_t room,
                  Png (*pictures)[SIDES], char *why, size_t size)
{
    const unsigned shown = frames_within(room, count < 64 ? count : 64);
    Reading reading = { .report = report,
                        .frames = frames,
                        .count = shown,
                        .share = room / (shown ? shown : 1) / SIDES,
                        .why = why,
                        .why_size = size };
    memset(pictures, 0, count * sizeof(*pictures));
    *why = 0;
    if (is_hopeless(&reading))
        return 0;
    sort_frames(&reading);
    message_hush(true); /* warnings about the videos were logged when they were scored */
    int err = read_video(&reading, SIDE_REF, pictures);
    if (!err)
        err = read_video(&reading, SIDE_DIST, pictures);
    message_hush(false);
    drop_beyond(pictures, count, room);
    return err == -ENOMEM ? err : 0;
}

/* ---- worst frames ---- */

/* The frames of a second that are assumed if times are unknown. */
#define USUAL_RATE 25.0

/* The time between two frames in seconds. */
static double distance(const StoredReport *report, size_t i, size_t j)
{
    const double apart = stored_time(report, i) - stored_time(report, j);
    return isfinite(apart)
               ? fabs(apart)
               : fabs((double)report->numbers[i] - (double)report->numbers[j]) / USUAL_RATE;
}

static bool is_taken(const StoredReport *report, const size_t *frames, unsigned count, size_t i,
                     double apart)
{
    for (unsigned n = 0; n < count; n++)
        if (i == frames[n] || distance(report, i, frames[n]) < apart)
            return true;
    return false;
}

/* Finds the lowest score at least `apart` seconds away from all frames taken; false: none is
 * left. */
static bool find_next(const StoredReport *report, const StoredMetric *metric, const size_t *frames,
                      unsigned count, double apart, size_t *next)
{
    double lowest = INFINITY;
    for (size_t i = 0; i < report->frame_count; i++) {
        if (!(metric->values[i] < lowest) || is_taken(report, frames, count, i, apart))
            continue;
        lowest = metric->values[i];
        *next = i;
    }
    return lowest < INFINITY;
}

unsigned worst_frames(const StoredReport *report, const StoredMetric *metric, bool fill,
                      size_t frames[WORST_MAX])
{
    double apart = 1.0 - 1e-6; /* times are rounded */
    unsigned count = 0;
    while (count < WORST_MAX) {
        if (find_next(report, metric, frames, count, apart, &frames[count]))
            count++;
        else if (fill && apart > 0.0) /* no second is left: take any other frame */
            apart = 0.0;
        else
            break;
    }
    /* Sort by score, because the second pass may have found lower ones. */
    for (unsigned i = 1; i < count; i++) {
        for (unsigned j = i; j && metric->values[frames[j]] < metric->values[frames[j - 1]]; j--) {
            const size_t swap = frames[j];
            frames[j] = frames[j - 1];
            frames[j - 1] = swap;
        }
    }
    return count;
}
