/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stddef.h>
#include <string.h>

#include "preset.h"

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

static const Preset *find(const Preset *preset, const char *version)
{
    for (; preset->version; preset++)
        if (!strcmp(preset->version, version))
            return preset;
    return NULL;
}

const Preset *preset_aom_ctc(const char *version)
{
    return find(aom_ctc, version);
}

const Preset *preset_nflx_ctc(const char *version)
{
    return find(nflx_ctc, version);
}
