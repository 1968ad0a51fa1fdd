/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "option.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int set_reference(Options *options, const Arg *arg, const char *value)
{
    if (options->reference)
        return usage_error("two reference videos are given: %s, %s", options->reference, value);
    options->reference = value;
    return 0;
}

static int set_distorted(Options *options, const Arg *arg, const char *value)
{
    return words_add(&options->distorted, value);
}

static int set_pairs(Options *options, const Arg *arg, const char *value)
{
    (void)arg;
    if (options->pairs)
        return usage_error("two lists of pairs are given: %s, %s", options->pairs, value);
    options->pairs = value;
    return 0;
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

static int set_follow(Options *options, const Arg *arg, const char *value)
{
    Length length;
    if (!parse_length(value, &length) || length.in_frames || length.time <= 0)
        return bad_value(arg, value, "a time (10s, 500ms)");
    options->follow = length.time;
    return 0;
}

const Arg video_options[] = {
    { .help = "Videos (any that FFmpeg reads, or raw planes; '-' is standard input)" },
    { .letter = 'r',
      .name = "reference",
      .value = "PATH",
      .help = "reference video; -r may be omitted if it comes first",
      .set = set_reference,
      .complete = "file" },
    { .letter = 'd',
      .name = "distorted",
      .value = "PATH",
      .help = "distorted video; -d may be omitted after the reference.\n"
              "May be repeated: the reference is read only once",
      .set = set_distorted,
      .complete = "file" },
    { .name = "pairs",
      .value = "LIST",
      .help = "score many pairs, one after another, on a device that\n"
              "is opened once: each line of LIST ('-': of standard\n"
              "input) is REFERENCE<TAB>DISTORTED[<TAB>REPORT]",
      .newer = true,
      .set = set_pairs,
      .complete = "file" },
    { .name = "local_only",
      .help = "for untrusted videos: open only the files named here,\n"
              "no network address and no file that they refer to",
      .newer = true,
      .set = set_local_only },
    { .name = "follow",
      .value = "TIME",
      .help =
          "read files that are still being written: at the end\nof a file, wait up to TIME (10s) for more of it",
      .newer = true,
      .set = set_follow },
    { .help = "Raw video (give all four; both videos are then raw)" },
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

static int set_scale(Options *options, const Arg *arg, const char *value)
{
    VideoAlign *const align = &options->align;
    const char *name;
    align->asked = true;
    if (!strcmp(value, "stretch")) {
        align->stretch = true;
        return 0;
    }
    align->refuse = !strcmp(value, "none");
    options->scale_to_model = !strcmp(value, "model");
    if (align->refuse || options->scale_to_model)
        return 0;
    for (unsigned i = 0; (name = video_scale_name((enum VideoScale)i)); i++) {
        if (!strcmp(name, value)) {
            align->scale = (enum VideoScale)i;
            return 0;
        }
    }
    return bad_value(arg, value,
                     "bicubic, bilinear, lanczos, nearest, area, model, stretch or none");
}

/* Parses W:H:X:Y. */
static bool parse_crop(const char *value, VideoCrop *crop)
{
    unsigned *const numbers[] = { &crop->width, &crop->height, &crop->x, &crop->y };
    for (unsigned i = 0; i < 4; i++) {
        char *end;
        errno = 0;
        const unsigned long number = strtoul(value, &end, 10);
        if (!isdigit((unsigned char)*value) || errno || number > INT32_MAX ||
            *end != (i < 3 ? ':' : '\0'))
            return false;
        *numbers[i] = (unsigned)number;
        value = end + 1;
    }
    return crop->width && crop->height;
}

static int crop_side(Options *options, const Arg *arg, const char *value, enum Side side)
{
    options->crop[side] = (VideoCrop){ 0 };
    options->crop_bars[side] = !strcmp(value, "auto");
    if (options->crop_bars[side] || parse_crop(value, &options->crop[side]))
        return 0;
    return bad_value(arg, value, "auto, or W:H:X:Y (width, height, left, top)");
}

static int set_crop_ref(Options *options, const Arg *arg, const char *value)
{
    return crop_side(options, arg, value, SIDE_REF);
}

static int set_crop_dist(Options *options, const Arg *arg, const char *value)
{
    return crop_side(options, arg, value, SIDE_DIST);
}

static int set_crop(Options *options, const Arg *arg, const char *value)
{
    const int err = set_crop_ref(options, arg, value);
    return err ? err : set_crop_dist(options, arg, value);
}

static int set_range(Options *options, const Arg *arg, const char *value)
{
    options->align.match_range = !strcmp(value, "match");
    if (options->align.match_range || !strcmp(value, "keep"))
        return 0;
    return bad_value(arg, value, "keep or match");
}

static int set_film_grain(Options *options, const Arg *arg, const char *value)
{
    options->no_grain = !strcmp(value, "off");
    return options->no_grain || !strcmp(value, "on") ? 0 : bad_value(arg, value, "on or off");
}

static int set_deinterlace(Options *options, const Arg *arg, const char *value)
{
    (void)arg;
    (void)value;
    options->deinterlace = true;
    return 0;
}

static int set_hwaccel(Options *options, const Arg *arg, const char *value)
{
    static const char *const names[] = { "none", "auto", "vulkan", "cuda", "vaapi" };
    options->hwaccel = value;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (!strcmp(names[i], value))
            return 0;
    return bad_value(arg, value, "vulkan, cuda, vaapi, auto or none");
}

static int set_decoders(Options *options, const Arg *arg, const char *value)
{
    options->decoders = 0;
    if (!strcmp(value, "auto"))
        return 0;
    const int err = parse_number(arg, value, &options->decoders);
    if (!err && (options->decoders < 1 || options->decoders > DECODERS_MAX))
        return bad_value(arg, value, "auto or a number from 1 to 64");
    return err;
}

/* True if all models are for screens of 2160 rows; all others are for 1080. */
static bool is_for_4k(const Options *options, const Video *ref)
{
    bool all = options->model_count > 0;
    for (size_t i = 0; i < options->model_count; i++) {
        const ModelSpec *const spec = &options->models[i];
        const char *const name = model_spec_label(spec);
        all =
            all && (model_spec_is_auto(spec)
                        ? choice_is_for_4k(options->display, ref->format.width, ref->format.height)
                        : strstr(name, "4k") || strstr(name, "_2160"));
    }
    return all;
}

VideoAlign options_align(const Options *options, const Video *ref)
{
    VideoAlign align = options->align;
    if (options->scale_to_model) {
        const bool is_4k = is_for_4k(options, ref);
        align.box_width = is_4k ? 3840 : 1920;
        align.box_height = is_4k ? 2160 : 1080;
    }
    align.common_bitdepth = options->common_bitdepth;
    align.sdr_model = !options->no_prediction;
    align.deepen = options_choose_model(options) || options->enc_width || options->enc_bitdepth;
    return align;
}

const Arg align_options[] = {
    { .help =
          "Decoding, and videos that differ (Y4M and raw videos may differ only if --scale is given)" },
    { .name = "scale",
      .value = "HOW",
      .help = "how to scale the distorted video to the reference's\n"
              "size: bicubic (default), bilinear, lanczos, nearest or\n"
              "area; model: scale both to fit 1920x1080, or 3840x2160\n"
              "for 4K models; none: do not scale, fail if the sizes\n"
              "differ; stretch: scale even if the aspect ratios differ,\n"
              "which otherwise is an error",
      .newer = true,
      .set = set_scale,
      .complete = "bicubic|bilinear|lanczos|nearest|area|model|none|stretch" },
    { .name = "crop",
      .value = "RECT",
      .help = "score only a rectangle of the frames of all videos:\n"
              "W:H:X:Y (width, height, left, top), or auto: the\n"
              "picture without its black bars, which are found by\n"
              "looking at frames from the whole file",
      .newer = true,
      .set = set_crop,
      .complete = "auto" },
    { .name = "crop_ref",
      .value = "RECT",
      .help = "like --crop, for the reference only",
      .newer = true,
      .set = set_crop_ref,
      .complete = "auto" },
    { .name = "crop_dist",
      .value = "RECT",
      .help = "like --crop, for the distorted videos only",
      .newer = true,
      .set = set_crop_dist,
      .complete = "auto" },
    { .name = "range",
      .value = "HOW",
      .help = "if one video has full range and the other limited\n"
              "range: keep (default) compares samples as they are;\n"
              "match converts the distorted video to the reference's\n"
              "range",
      .newer = true,
      .set = set_range,
      .complete = "keep|match" },
    { .name = "deinterlace",
      .help = "score only the first field of interlaced frames, with\n"
              "the lines of the second interpolated from it; without\n"
              "this option both fields are scored as one frame",
      .newer = true,
      .set = set_deinterlace },
    { .name = "film_grain",
      .value = "HOW",
      .help = "for streams (AV1 and others) whose film grain the\n"
              "decoder adds: on (default) scores frames with it, as\n"
              "viewers see them; off scores them without it",
      .newer = true,
      .set = set_film_grain,
      .complete = "on|off" },
    { .name = "hwaccel",
      .value = "DEVICE",
      .help = "decode with vulkan, cuda or vaapi, or fail; auto: use\n"
              "one of them if it is faster than the CPU; none (default):\n"
              "decode on the CPU",
      .newer = true,
      .set = set_hwaccel,
      .complete = "vulkan|cuda|vaapi|auto|none" },
    { .name = "decoders",
      .value = "N",
      .help = "decode each video with up to N decoders at once, if its\n"
              "file can be cut into pieces for them; auto (default):\n"
              "as many as make it faster; scores do not depend on N",
      .newer = true,
      .set = set_decoders,
      .complete = "auto|1|2|4|8" },
    { 0 },
};
