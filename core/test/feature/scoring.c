/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/scoring.h"

#include <stdlib.h>
#include <string.h>

#include "testing.h"

struct Scoring {
    VmafContext *vmaf;
};

unsigned scoring_get(const VmafPicture *pic, unsigned p, unsigned x, unsigned y)
{
    const char *row = (const char *)pic->data[p] + (ptrdiff_t)y * pic->stride[p];
    return pic->bpc > 8 ? ((const uint16_t *)row)[x] : ((const uint8_t *)row)[x];
}

void scoring_set(VmafPicture *pic, unsigned p, unsigned x, unsigned y, unsigned value)
{
    char *row = (char *)pic->data[p] + (ptrdiff_t)y * pic->stride[p];
    if (pic->bpc > 8)
        ((uint16_t *)row)[x] = (uint16_t)value;
    else
        ((uint8_t *)row)[x] = (uint8_t)value;
}

VmafPicture scoring_picture(enum VmafPixelFormat format, unsigned bpc, unsigned w, unsigned h,
                            SampleOf *value)
{
    VmafPicture pic;
    assert_int_equal(vmaf_picture_alloc(&pic, format, bpc, w, h), 0);
    for (unsigned p = 0; p < (format == VMAF_PIX_FMT_YUV400P ? 1u : 3u); p++)
        for (unsigned y = 0; y < pic.h[p]; y++)
            for (unsigned x = 0; x < pic.w[p]; x++)
                scoring_set(&pic, p, x, y, value(p, x, y));
    return pic;
}

static VmafFeatureDictionary *parse(const char *options)
{
    VmafFeatureDictionary *dict = NULL;
    char text[256] = "";
    strncat(text, options, sizeof(text) - 1);
    for (char *key = strtok(text, ":"); key; key = strtok(NULL, ":")) {
        char *value = strchr(key, '=');
        assert_non_null(value);
        *value++ = '\0';
        assert_int_equal(vmaf_feature_dictionary_set(&dict, key, value), 0);
    }
    return dict;
}

int scoring_open(Scoring **out, const char *feature, const char *options, VmafPicture ref,
                 VmafPicture dist)
{
    Scoring *s = *out = calloc(1, sizeof(*s));
    assert_non_null(s);
    const VmafConfiguration cfg = { .log_level = VMAF_LOG_LEVEL_NONE };
    assert_int_equal(vmaf_init(&s->vmaf, cfg), 0);
    assert_int_equal(vmaf_use_feature(s->vmaf, feature, options ? parse(options) : NULL), 0);
    const int err = vmaf_read_pictures(s->vmaf, &ref, &dist, 0);
    if (err) {
        vmaf_picture_unref(&ref);
        vmaf_picture_unref(&dist);
        return err;
    }
    return vmaf_read_pictures(s->vmaf, NULL, NULL, 0);
}

bool scoring_has(const Scoring *s, const char *metric)
{
    double score;
    return !vmaf_feature_score_at_index(s->vmaf, metric, &score, 0);
}

double scoring_score(const Scoring *s, const char *metric)
{
    double score;
    assert_int_equal(vmaf_feature_score_at_index(s->vmaf, metric, &score, 0), 0);
    return score;
}

void scoring_close(Scoring *s)
{
    vmaf_close(s->vmaf);
    free(s);
}

double score_of(const char *feature, const char *options, VmafPicture ref, VmafPicture dist,
                const char *metric)
{
    Scoring *s;
    assert_int_equal(scoring_open(&s, feature, options, ref, dist), 0);
    const double score = scoring_score(s, metric);
    scoring_close(s);
    return score;
}
