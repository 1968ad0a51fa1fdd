/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "option.h"

static int set_scale(Options *options, const Arg *arg, const char *value)
{
    VideoAlign *const align = &options->align;
    const char *name;
    align->asked = true;
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
    return bad_value(arg, value, "bicubic, bilinear, lanczos, nearest, area, model or none");
}

static int set_range(Options *options, const Arg *arg, const char *value)
{
    options->align.match_range = !strcmp(value, "match");
    if (options->align.match_range || !strcmp(value, "keep"))
        return 0;
    return bad_value(arg, value, "keep or match");
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

/* Models of 4K were made for screens of that size, all others for 1080 rows. */
static bool is_for_4k(const Options *options)
{
    bool all = options->model_count > 0;
    for (size_t i = 0; i < options->model_count; i++)
        all = all && strstr(model_spec_label(&options->models[i]), "4k");
    return all;
}

VideoAlign options_align(const Options *options)
{
    VideoAlign align = options->align;
    if (options->scale_to_model) {
        align.box_width = is_for_4k(options) ? 3840 : 1920;
        align.box_height = is_for_4k(options) ? 2160 : 1080;
    }
    align.common_bitdepth = options->common_bitdepth;
    align.sdr_model = !options->no_prediction;
    return align;
}

const Arg align_options[] = {
    { .help =
          "Decoding, and where the videos differ (Y4M and raw video must not, unless --scale is given)" },
    { .name = "scale",
      .value = "HOW",
      .help = "bicubic (default), bilinear, lanczos, nearest or area:\n"
              "distorted video to the reference's size; model: both\n"
              "to fit 1920x1080, with 4K models 3840x2160; none:\n"
              "different sizes are an error",
      .newer = true,
      .set = set_scale,
      .complete = "bicubic|bilinear|lanczos|nearest|area|model|none" },
    { .name = "range",
      .value = "HOW",
      .help = "full against limited range: keep (default) compares\n"
              "samples as they are, match brings the distorted\n"
              "video's to the reference's range",
      .newer = true,
      .set = set_range,
      .complete = "keep|match" },
    { .name = "hwaccel",
      .value = "DEVICE",
      .help = "decode with vulkan, cuda or vaapi, or fail; auto:\n"
              "with one of them, if there is one; none (default)",
      .newer = true,
      .set = set_hwaccel,
      .complete = "vulkan|cuda|vaapi|auto|none" },
    { 0 },
};
