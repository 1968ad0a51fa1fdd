/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* YUV4MPEG2: a header line, then frames, each after a line of its own. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "input/reader.h"
#include "common/message.h"

/* Lines are read up to this length, newline included. */
#define LINE_SIZE 4096
_Static_assert(LINE_SIZE <= SOURCE_PEEK_MAX, "a line must fit what can be looked at");

static const char file_magic[] = "YUV4MPEG"; /* the format's version follows */
static const char frame_magic[] = "FRAME";

typedef struct Header {
    unsigned width, height, bitdepth;
    enum VmafPixelFormat pix_fmt;
    VideoTraits traits;
    bool alpha;           /* a fourth plane, as large as the first, follows the others */
    bool other_version;   /* the format has another version: it is read as version 2 */
    bool interlace_known; /* false: taken as progressive */
} Header;

/* The values of the C tag. Chroma siting does not affect scores. */
static const struct {
    const char *tag;
    enum VmafPixelFormat pix_fmt;
    unsigned bitdepth;
    bool alpha;
} colours[] = {
    { "420", VMAF_PIX_FMT_YUV420P, 8, false },      { "420jpeg", VMAF_PIX_FMT_YUV420P, 8, false },
    { "420mpeg2", VMAF_PIX_FMT_YUV420P, 8, false }, { "420paldv", VMAF_PIX_FMT_YUV420P, 8, false },
    { "420p10", VMAF_PIX_FMT_YUV420P, 10, false },  { "420p12", VMAF_PIX_FMT_YUV420P, 12, false },
    { "420p16", VMAF_PIX_FMT_YUV420P, 16, false },  { "422", VMAF_PIX_FMT_YUV422P, 8, false },
    { "422p10", VMAF_PIX_FMT_YUV422P, 10, false },  { "422p12", VMAF_PIX_FMT_YUV422P, 12, false },
    { "422p16", VMAF_PIX_FMT_YUV422P, 16, false },  { "444", VMAF_PIX_FMT_YUV444P, 8, false },
    { "444alpha", VMAF_PIX_FMT_YUV444P, 8, true },  { "444p10", VMAF_PIX_FMT_YUV444P, 10, false },
    { "444p12", VMAF_PIX_FMT_YUV444P, 12, false },  { "444p16", VMAF_PIX_FMT_YUV444P, 16, false },
    { "mono", VMAF_PIX_FMT_YUV400P, 8, false },     { "mono10", VMAF_PIX_FMT_YUV400P, 10, false },
    { "mono12", VMAF_PIX_FMT_YUV400P, 12, false },  { "mono16", VMAF_PIX_FMT_YUV400P, 16, false },
};

static bool parse_colour(Header *header, const char *tag, size_t length)
{
    for (size_t i = 0; i < sizeof(colours) / sizeof(*colours); i++) {
        if (strlen(colours[i].tag) != length || memcmp(colours[i].tag, tag, length))
            continue;
        header->pix_fmt = colours[i].pix_fmt;
        header->bitdepth = colours[i].bitdepth;
        header->alpha = colours[i].alpha;
        return true;
    }
    return false;
}

static bool parse_size(unsigned *out, const char *text, size_t length)
{
    unsigned value = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || value > 99999999)
            return false;
        value = value * 10 + (unsigned)(text[i] - '0');
    }
    *out = value;
    return value > 0;
}

/* Parses `30000:1001`. An invalid ratio is ignored, because scoring does not need one. */
static void parse_ratio(unsigned *over, unsigned *under, const char *text, size_t length)
{
    const char *const colon = memchr(text, ':', length);
    unsigned num, den;
    if (colon && parse_size(&num, text, (size_t)(colon - text)) &&
        parse_size(&den, colon + 1, length - (size_t)(colon + 1 - text))) {
        *over = num;
        *under = den;
    }
}

static int parse_tag(Header *header, const char *tag, size_t length, char *error, size_t size)
{
    const char *why = NULL;
    switch (tag[0]) {
    case 'W':
        if (!parse_size(&header->width, tag + 1, length - 1))
            why = "bad width";
        break;
    case 'H':
        if (!parse_size(&header->height, tag + 1, length - 1))
            why = "bad height";
        break;
    case 'C':
        if (!parse_colour(header, tag + 1, length - 1))
            why = length == 4 && !memcmp(tag, "C411", 4) ? "4:1:1 video is not supported"
                                                         : "this sampling is not supported";
        break;
    case 'I':
        header->interlace_known = length == 2 && tag[1] == 'p';
        if (!header->interlace_known && !(length == 2 && tag[1] == '?'))
            why = "only progressive video can be scored";
        break;
    case 'F':
        parse_ratio(&header->traits.rate_num, &header->traits.rate_den, tag + 1, length - 1);
        break;
    case 'X': /* a comment, of which one has a known meaning */
        if (length == 16 && !memcmp(tag, "XCOLORRANGE=FULL", length))
            header->traits.range = RANGE_FULL;
        if (length == 19 && !memcmp(tag, "XCOLORRANGE=LIMITED", length))
            header->traits.range = RANGE_LIMITED;
        break;
    case 'A':
        parse_ratio(&header->traits.aspect_num, &header->traits.aspect_den, tag + 1, length - 1);
        break;
    default:
        break;
    }
    if (!why)
        return 0;
    snprintf(error, size, "%s (tag \"%.*s\")", why, length < 80 ? (int)length : 80, tag);
    return -EINVAL;
}

/* Parses `line` (no newline, any bytes). -EINVAL with the reason in `error`. */
static int parse_header(Header *header, const char *line, size_t length, char *error, size_t size)
{
    *header = (Header){ .pix_fmt = VMAF_PIX_FMT_YUV420P, .bitdepth = 8 };
    const size_t start = sizeof(file_magic) - 1;
    if (length < start + 1 || memcmp(line, file_magic, start)) {
        snprintf(error, size, "it is not a Y4M file; raw video needs -w, -h, -p and -b");
        return -EINVAL;
    }
    header->other_version = line[start] != '2';
    const char *const end = line + length;
    for (const char *tag = line + start + 1; tag < end;) {
        const char *const space = memchr(tag, ' ', (size_t)(end - tag));
        const char *const stop = space ? space : end;
        const int err = stop > tag ? parse_tag(header, tag, (size_t)(stop - tag), error, size) : 0;
        if (err)
            return err;
        tag = stop + 1;
    }
    if (header->width && header->height)
        return 0;
    snprintf(error, size, "its Y4M header has no %s tag (%s)", header->width ? "height" : "width",
             header->width ? "H" : "W");
    return -EINVAL;
}

/* Bytes up to and with the newline, or 0 when there is none. */
static size_t line_length(const uint8_t *data, size_t size)
{
    const uint8_t *const newline = memchr(data, '\n', size);
    return newline ? (size_t)(newline - data) + 1 : 0;
}

static bool y4m_probe(const uint8_t *start, size_t size)
{
    static const char magic[] = "YUV4MPEG2";
    return size >= sizeof(magic) - 1 && !memcmp(start, magic, sizeof(magic) - 1);
}

static int read_header(Video *video, Header *header, size_t *line)
{
    const uint8_t *data;
    size_t size;
    int err = source_peek_line(video->source, LINE_SIZE, &data, &size);
    if (err)
        return video_read_error(video, err);
    if (!size) {
        say("%s: the file is empty", video->path);
        return -EINVAL;
    }
    *line = line_length(data, size);
    char error[256];
    err = parse_header(header, (const char *)data, *line ? *line - 1 : size, error, sizeof(error));
    if (!err && !*line) {
        snprintf(error, sizeof(error), "its Y4M header does not end");
        err = -EINVAL;
    }
    if (err)
        say("%s: %s", video->path, error);
    return err;
}

static int y4m_open(Video *video)
{
    Header header = { 0 };
    size_t line = 0;
    int err = read_header(video, &header, &line);
    if (err)
        return err;
    if (header.other_version)
        video_note(video, "y4m_version", false, "incorrect Y4M version; YUV4MPEG2 is assumed.");
    if (!header.interlace_known)
        video_note(video, "interlacing_unknown", false,
                   "interlacing unknown; assuming progressive scan.");
    video->format = (VideoFormat){ header.width, header.height, header.bitdepth, header.pix_fmt };
    video->traits = header.traits;
    err = source_skip(video->source, line);
    return err ? video_read_error(video, err) : planar_open(video, header.alpha);
}

/* Skips `FRAME`, its parameters and the newline. */
static enum FrameStatus pass_frame_header(Video *video)
{
    size_t line = 0;
    for (size_t want = 128; !line; want = LINE_SIZE) {
        const uint8_t *data;
        size_t size;
        const int err = source_peek_line(video->source, want, &data, &size);
        if (err) {
            video_read_error(video, err);
            return FRAME_ERROR;
        }
        if (!size)
            return FRAME_NONE;
        line = line_length(data, size);
        const bool starts =
            size >= sizeof(frame_magic) - 1 && !memcmp(data, frame_magic, sizeof(frame_magic) - 1);
        if (!starts || (!line && (size < want || want == LINE_SIZE)))
            return FRAME_CUT;
    }
    return source_skip(video->source, line) ? FRAME_ERROR : FRAME_WHOLE;
}

static enum FrameStatus y4m_find(Video *video, uint64_t *offset)
{
    const enum FrameStatus status = pass_frame_header(video);
    return status == FRAME_WHOLE ? planar_find(video, offset) : status;
}

/* Sets *line to the length of the FRAME line at an offset; 0: there is none. */
static int line_at(Video *video, uint64_t offset, size_t *line)
{
    const uint64_t here = video->source->offset;
    const uint8_t *data;
    size_t size;
    video->source->offset = offset;
    const int err = source_peek_line(video->source, 128, &data, &size);
    video->source->offset = here;
    *line = !err && size >= sizeof(frame_magic) - 1 &&
                    !memcmp(data, frame_magic, sizeof(frame_magic) - 1)
                ? line_length(data, size)
                : 0;
    return err;
}

/* Jumps to a frame if all frames seem as long as the first one: both the wanted frame and the
 * one before it must begin where that length predicts. Otherwise stays at the beginning. */
static enum FrameStatus y4m_leap(Video *video, uint64_t frame, uint64_t *next)
{
    const uint64_t begin = video->source->offset;
    size_t first, before, wanted;
    *next = 0;
    int err = line_at(video, begin, &first);
    const uint64_t step = first + planar_frame_size(video);
    if (err || !first || frame > (video->source->size - begin) / step)
        return err ? FRAME_ERROR : FRAME_WHOLE;
    err = line_at(video, begin + (frame - 1) * step, &before);
    if (!err)
        err = line_at(video, begin + frame * step, &wanted);
    if (err) {
        video_read_error(video, err);
        return FRAME_ERROR;
    }
    const bool at_end = begin + frame * step == video->source->size;
    if (before == first && (wanted == first || at_end)) {
        source_skip(video->source, frame * step);
        *next = frame;
    }
    return FRAME_WHOLE;
}

static uint64_t y4m_frames_left(const Video *video)
{
    return planar_frames_left(video, sizeof("FRAME\n") - 1);
}

const VideoReader y4m_reader = {
    .name = "y4m",
    .title = "Y4M",
    .probe = y4m_probe,
    .open = y4m_open,
    .close = planar_close,
    .find = y4m_find,
    .read = planar_read,
    .frames_left = y4m_frames_left,
    .leap = y4m_leap,
};
