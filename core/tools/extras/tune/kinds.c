/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "kinds.h"

#include <stddef.h>
#include <string.h>

/* A name without a '*' stands before the patterns that match it, because the first match counts. */
static const EncoderKind kinds[] = {
    { "libx264*", "crf", 0, 51, 0, .passes = TWO_PASS_RATE },
    { "libx265", "crf", 0, 51, 0, .passes = TWO_PASS_RATE },
    { "libsvtav1", "crf", 1, 70, 0.25, .passes = TWO_PASS_NONE },
    { "libaom-av1", "crf", 0, 63, 1, .passes = TWO_PASS_QUALITY, .beside = { "-b:v", "0" } },
    { "librav1e", "qp", 0, 255, 1, .passes = TWO_PASS_NONE },
    { "libvpx-vp9", "crf", 0, 63, 1, .passes = TWO_PASS_QUALITY, .beside = { "-b:v", "0" } },
    { "libvpx", "crf", 4, 63, 1, .passes = TWO_PASS_QUALITY, .beside = { "-b:v", "100M" } },
    { "libvvenc", "qp", 0, 63, 1, .passes = TWO_PASS_NONE },
    { "*_nvenc", "cq", 1, 51, 0, .beside = { "-rc", "vbr", "-b:v", "0" } },
    { "*_qsv", "global_quality", 1, 51, 1, .passes = TWO_PASS_NONE },
    { "h264_vaapi", "qp", 1, 51, 1, .device = "vaapi", .beside = { "-rc_mode", "CQP" } },
    { "hevc_vaapi", "qp", 1, 51, 1, .device = "vaapi", .beside = { "-rc_mode", "CQP" } },
    { "vp8_vaapi", "global_quality", 1, 127, 1, .device = "vaapi",
      .beside = { "-rc_mode", "CQP" } },
    { "vp9_vaapi", "global_quality", 1, 255, 1, .device = "vaapi",
      .beside = { "-rc_mode", "CQP" } },
    { "av1_vaapi", "global_quality", 1, 255, 1, .device = "vaapi",
      .beside = { "-rc_mode", "CQP" } },
    { "av1_vulkan", "qp", 1, 255, 1, .device = "vulkan", .beside = { "-rc_mode", "cqp" } },
    { "*_vulkan", "qp", 1, 51, 1, .device = "vulkan", .beside = { "-rc_mode", "cqp" } },
    { "h264_amf", "qp_i", 0, 51, 1, .beside = { "-rc", "cqp" }, .also = { "qp_p", "qp_b" } },
    { "hevc_amf", "qp_i", 0, 51, 1, .beside = { "-rc", "cqp" }, .also = { "qp_p" } },
    { "av1_amf", "qp_i", 0, 255, 1, .beside = { "-rc", "cqp" }, .also = { "qp_p" } },
    { "*_videotoolbox", "q:v", 1, 100, 1, .high_is_better = true },
    { "mpeg4", "q:v", 1, 31, 0, .passes = TWO_PASS_RATE },
    { "mpeg2video", "q:v", 1, 31, 0, .passes = TWO_PASS_RATE },
    { "libxvid", "q:v", 1, 31, 0, .passes = TWO_PASS_RATE },
    { "mjpeg", "q:v", 2, 31, 0, .passes = TWO_PASS_NONE },
};

static bool name_fits(const char *pattern, const char *name)
{
    const size_t length = strlen(pattern), given = strlen(name);
    if (*pattern == '*')
        return given > length - 1 && !strcmp(name + given - (length - 1), pattern + 1);
    if (pattern[length - 1] == '*')
        return !strncmp(name, pattern, length - 1);
    return !strcmp(name, pattern);
}

const EncoderKind *encoder_kind_find(const char *codec)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (name_fits(kinds[i].name, codec))
            return &kinds[i];
    return NULL;
}
