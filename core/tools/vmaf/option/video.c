/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "option.h"

static int set_reference(Options *options, const Arg *arg, const char *value)
{
    if (options->reference)
        return usage_error("the reference video is given twice: %s, %s", options->reference, value);
    options->reference = value;
    return 0;
}

static int set_distorted(Options *options, const Arg *arg, const char *value)
{
    return words_add(&options->distorted, value);
}

static int set_width(Options *options, const Arg *arg, const char *value)
{
    options->raw = true;
    return parse_number(arg, value, &options->width);
}

static int set_height(Options *options, const Arg *arg, const char *value)
{
    options->raw = true;
    return parse_number(arg, value, &options->height);
}

static int set_pixel_format(Options *options, const Arg *arg, const char *value)
{
    static const struct {
        const char *text;
        enum VmafPixelFormat format;
    } formats[] = {
        { "420", VMAF_PIX_FMT_YUV420P },
        { "422", VMAF_PIX_FMT_YUV422P },
        { "444", VMAF_PIX_FMT_YUV444P },
        { "400", VMAF_PIX_FMT_YUV400P },
    };
    options->raw = true;
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        if (!strcmp(value, formats[i].text)) {
            options->pix_fmt = formats[i].format;
            return 0;
        }
    }
    return bad_value(arg, value, "a valid pixel format (420/422/444/400)");
}

static int set_bitdepth(Options *options, const Arg *arg, const char *value)
{
    unsigned *const depth = &options->bitdepth;
    options->raw = true;
    const int err = parse_number(arg, value, depth);
    if (!err && *depth != 8 && *depth != 10 && *depth != 12 && *depth != 16)
        return bad_value(arg, value, "a valid bitdepth (8/10/12/16)");
    return err;
}

static int set_local_only(Options *options, const Arg *arg, const char *value)
{
    options->local_only = true;
    return 0;
}

const Arg video_options[] = {
    { .help = "Videos (any that FFmpeg reads, or raw planes; '-' is standard input)" },
    { .letter = 'r',
      .name = "reference",
      .value = "PATH",
      .help = "reference video; or the first word that is no option",
      .set = set_reference,
      .complete = "file" },
    { .letter = 'd',
      .name = "distorted",
      .value = "PATH",
      .help = "distorted video; or each word after the first. May\n"
              "be repeated: the reference is read once for all",
      .set = set_distorted,
      .complete = "file" },
    { .name = "local_only",
      .help =
          "open the named files and nothing else: no network,\nno files that they name; for videos of strangers",
      .newer = true,
      .set = set_local_only },
    { .help = "Raw video (all four make both videos raw)" },
    { .letter = 'w', .name = "width", .value = "N", .help = "width in samples", .set = set_width },
    { .letter = 'h',
      .name = "height",
      .value = "N",
      .help = "height in samples",
      .set = set_height },
    { .letter = 'p',
      .name = "pixel_format",
      .value = "FORMAT",
      .help = "420, 422, 444 or 400",
      .set = set_pixel_format,
      .complete = "420|422|444|400" },
    { .letter = 'b',
      .name = "bitdepth",
      .value = "N",
      .help = "8, 10, 12 or 16",
      .set = set_bitdepth,
      .complete = "8|10|12|16" },
    { 0 },
};
