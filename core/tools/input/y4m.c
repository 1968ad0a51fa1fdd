/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "y4m.h"

static const char magic[] = "YUV4MPEG";

/* How a C tag says what the planes hold. Chroma siting plays no part in scoring. */
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

static bool parse_colour(Y4mHeader *header, const char *tag, size_t length)
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

static int parse_tag(Y4mHeader *header, const char *tag, size_t length, char *error, size_t size)
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
    default: /* frame rate, pixel shape, comments: no part in scoring */
        break;
    }
    if (!why)
        return 0;
    snprintf(error, size, "%s (tag \"%.*s\")", why, length < 80 ? (int)length : 80, tag);
    return -EINVAL;
}

int y4m_parse_header(Y4mHeader *header, const char *line, size_t length, char *error, size_t size)
{
    *header = (Y4mHeader){ .pix_fmt = VMAF_PIX_FMT_YUV420P, .bitdepth = 8 };
    const size_t start = sizeof(magic) - 1;
    if (length < start + 1 || memcmp(line, magic, start)) {
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

size_t y4m_line_length(const unsigned char *data, size_t size)
{
    const unsigned char *const newline = memchr(data, '\n', size);
    return newline ? (size_t)(newline - data) + 1 : 0;
}
