/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "option.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- the common test conditions of AOM and of Netflix ---- */

#define PRESET_MODELS 2
#define PRESET_FEATURES 6

typedef struct Preset {
    const char *version;
    const char *models[PRESET_MODELS];     /* as for --model; NULL ends the list */
    const char *features[PRESET_FEATURES]; /* as for --feature; NULL ends the list */
    bool common_bitdepth;                  /* the videos may differ in depth */
} Preset;

#define MODELS                                                                                     \
    {                                                                                              \
        "version=vmaf_v0.6.1:name=vmaf", "version=vmaf_v0.6.1neg:name=vmaf_neg"                    \
    }
#define MODELS_4K                                                                                  \
    {                                                                                              \
        "version=vmaf_4k_v0.6.1:name=vmaf", "version=vmaf_4k_v0.6.1neg:name=vmaf_neg"              \
    }
#define PSNR "psnr=reduced_hbd_peak=true:enable_apsnr=true:min_sse=0.5"
#define SSIM "float_ssim=enable_db=true:clip_db=true"
#define SSIM_SCALED "float_ssim=scale=1:enable_db=true:clip_db=true"
#define MS_SSIM "float_ms_ssim=enable_db=true:clip_db=true"

static const Preset aom_ctc[] = {
    { "v1.0", MODELS, { PSNR, "ciede", SSIM, MS_SSIM, "psnr_hvs" }, false },
    { "v2.0", MODELS, { PSNR, "ciede", SSIM, MS_SSIM, "psnr_hvs" }, false },
    { "v3.0", MODELS, { PSNR, "ciede", SSIM, MS_SSIM, "psnr_hvs", "cambi" }, false },
    { "v4.0", MODELS, { PSNR, "ciede", SSIM, MS_SSIM, "psnr_hvs", "cambi" }, false },
    { "v5.0", MODELS, { PSNR, "ciede", SSIM, MS_SSIM, "psnr_hvs", "cambi" }, false },
    { "v6.0", MODELS, { PSNR, "ciede", SSIM, MS_SSIM, "psnr_hvs", "cambi" }, true },
    { "v7.0", MODELS, { PSNR, "ciede", SSIM_SCALED, MS_SSIM, "psnr_hvs", "cambi" }, true },
    { 0 },
};

static const Preset nflx_ctc[] = {
    { "v1.0", MODELS_4K, { "psnr=enable_chroma=true:enable_apsnr=true", SSIM, "cambi" }, false },
    { 0 },
};

/* The preset of a version; NULL: there is none. */
static const Preset *find_preset(const Preset *preset, const char *version)
{
    for (; preset->version; preset++)
        if (!strcmp(preset->version, version))
            return preset;
    return NULL;
}

/* ---- the options ---- */

enum { SIDE_MAX = 65535 }; /* longest side of an encode */

int option_add_model(Options *options, const char *text)
{
    ModelSpec *const grown = realloc(options->models, (options->model_count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    options->models = grown;
    char error[512];
    const int err = model_spec_parse(&grown[options->model_count], text, error, sizeof(error));
    if (!err)
        options->model_count++;
    return err == -EINVAL ? usage_error("%s", error) : err;
}

static int add_feature(Options *options, const char *text)
{
    FeatureSpec *const grown =
        realloc(options->features, (options->feature_count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    options->features = grown;
    char error[512];
    const int err = feature_spec_parse(&grown[options->feature_count], text, error, sizeof(error));
    if (!err)
        options->feature_count++;
    return err == -EINVAL ? usage_error("%s", error) : err;
}

static int add_preset(Options *options, const Preset *preset)
{
    int err = 0;
    for (unsigned i = 0; !err && i < PRESET_MODELS && preset->models[i]; i++)
        err = option_add_model(options, preset->models[i]);
    for (unsigned i = 0; !err && i < PRESET_FEATURES && preset->features[i]; i++)
        err = add_feature(options, preset->features[i]);
    options->common_bitdepth |= preset->common_bitdepth;
    return err;
}

static int set_model(Options *options, const Arg *arg, const char *value)
{
    return option_add_model(options, value);
}

static int set_display(Options *options, const Arg *arg, const char *value)
{
    return display_find(value, &options->display) ? 0
                                                  : bad_value(arg, value, "hd, phone, 4k or 4k_tv");
}

static int set_enc_size(Options *options, const Arg *arg, const char *value)
{
    char *end;
    const unsigned long width = strtoul(value, &end, 10);
    const char *const second = end + 1;
    const bool begun =
        isdigit((unsigned char)*value) && *end == 'x' && isdigit((unsigned char)*second);
    const unsigned long height = begun ? strtoul(second, &end, 10) : 0;
    if (!begun || *end || !width || !height || width > SIDE_MAX || height > SIDE_MAX)
        return bad_value(arg, value, "WxH, such as 1280x720");
    options->enc_width = (unsigned)width;
    options->enc_height = (unsigned)height;
    return 0;
}

static int set_enc_bitdepth(Options *options, const Arg *arg, const char *value)
{
    const int err = parse_number(arg, value, &options->enc_bitdepth);
    if (!err && (options->enc_bitdepth < 6 || options->enc_bitdepth > 16))
        return bad_value(arg, value, "a bit depth (6 to 16)");
    return err;
}

static int set_feature(Options *options, const Arg *arg, const char *value)
{
    return add_feature(options, value);
}

static int set_aom_ctc(Options *options, const Arg *arg, const char *version)
{
    if (!strcmp(version, "proposed"))
        return usage_error("`--aom_ctc proposed` is deprecated.");
    const Preset *const preset = find_preset(aom_ctc, version);
    if (!preset)
        return usage_error("bad aom_ctc version \"%s\"; use v1.0 to v7.0", version);
    return add_preset(options, preset);
}

static int set_nflx_ctc(Options *options, const Arg *arg, const char *version)
{
    const Preset *const preset = find_preset(nflx_ctc, version);
    if (!preset)
        return usage_error("bad nflx_ctc version \"%s\"; use v1.0", version);
    return add_preset(options, preset);
}

static int set_no_prediction(Options *options, const Arg *arg, const char *value)
{
    options->no_prediction = true;
    return 0;
}

static int set_shots(Options *options, const Arg *arg, const char *value)
{
    options->shots = true;
    return 0;
}

const Arg compute_options[] = {
    { .help = "What to compute" },
    { .letter = 'm',
      .name = "model",
      .value = "SPEC",
      .help = "built-in model NAME or FILE, also version=NAME or\n"
              "path=FILE, followed by any of :name=METRIC\n"
              ":disable_clip :enable_transform\n"
              ":EXTRACTOR.OPTION=VALUE; may be repeated\n"
              "(default: vmaf_v0.6.1). auto: the v1 model that is made\n"
              "for this size and frame rate",
      .set = set_model,
      .complete = "model" },
    { .name = "display",
      .value = "SCREEN",
      .help = "the screen for which --model auto chooses a model: hd,\n"
              "phone, 4k, 4k_tv (a television seen from 3 heights;\n"
              "scores up to 110); default: hd or 4k, by the video's size",
      .newer = true,
      .set = set_display,
      .complete = "hd|phone|4k|4k_tv" },
    { .name = "enc_size",
      .value = "WxH",
      .help = "for v1 models: the size of the encode that raw or Y4M\n"
              "video was decoded from (default: as the file states)",
      .newer = true,
      .set = set_enc_size },
    { .name = "enc_bitdepth",
      .value = "N",
      .help = "for v1 models: the bit depth of that encode",
      .newer = true,
      .set = set_enc_bitdepth },
    { .name = "feature",
      .value = "SPEC",
      .help =
          "also compute a feature: EXTRACTOR or\nEXTRACTOR=OPTION=VALUE:OPTION=VALUE…; may be repeated",
      .set = set_feature,
      .complete = "feature" },
    { .name = "aom_ctc",
      .value = "VERSION",
      .help = "compute the models and features of the AOM common test\nconditions, v1.0 to v7.0",
      .set = set_aom_ctc,
      .complete = "v1.0|v2.0|v3.0|v4.0|v5.0|v6.0|v7.0" },
    { .name = "nflx_ctc",
      .value = "VERSION",
      .help = "compute the models and features of the Netflix common\ntest conditions, v1.0",
      .set = set_nflx_ctc,
      .complete = "v1.0" },
    { .letter = 'n',
      .name = "no_prediction",
      .help = "compute only features, no model scores",
      .set = set_no_prediction },
    { .name = "shots",
      .help = "find the cuts of the reference and report the figures\n"
              "of each shot, too",
      .newer = true,
      .set = set_shots },
    { 0 },
};
