/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "choice.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the model ---- */

static const struct {
    enum Display display;
    const char *name;
    const char *suffix;    /* suffix of the model's name */
    unsigned chroma_least; /* the shortest edge of a plane that speed_chroma takes */
} displays[] = {
    { DISPLAY_HD, "hd", "3d0h", 80 },
    { DISPLAY_PHONE, "phone", "5d0h", 133 },
    { DISPLAY_4K, "4k", "1d5h_2160", 80 },
    { DISPLAY_4K_TV, "4k_tv", "3d0h_2160", 159 },
};

enum { LUMA_LEAST = 216 }; /* cambi wants one edge of this length */

bool display_find(const char *name, enum Display *display)
{
    for (size_t i = 0; i < sizeof(displays) / sizeof(*displays); i++) {
        if (strcmp(name, displays[i].name) != 0)
            continue;
        *display = displays[i].display;
        return true;
    }
    return false;
}

bool choice_is_for_4k(enum Display display, unsigned width, unsigned height)
{
    const uint64_t samples = (uint64_t)width * height;
    return display == DISPLAY_4K || display == DISPLAY_4K_TV ||
           (display == DISPLAY_DERIVED && samples > (uint64_t)2560 * 1440);
}

/* The shorter edge of the chroma planes. */
static unsigned chroma_edge(const VideoFormat *format)
{
    const bool is_444 = format->pix_fmt == VMAF_PIX_FMT_YUV444P;
    const unsigned width = is_444 ? format->width : format->width / 2;
    const unsigned height =
        format->pix_fmt == VMAF_PIX_FMT_YUV420P ? format->height / 2 : format->height;
    return width < height ? width : height;
}

static bool is_high_rate(const ScoredPair *pair)
{
    return pair->rate_den && pair->rate_num >= 47 * (uint64_t)pair->rate_den;
}

/* Writes the size and the rate. */
static void describe(AutoChoice *choice, enum Display display, const ScoredPair *pair)
{
    char rate[48] = "rate unknown";
    if (pair->rate_num && pair->rate_den)
        snprintf(rate, sizeof(rate), "%.5g fps", (double)pair->rate_num / pair->rate_den);
    snprintf(choice->reason, sizeof(choice->reason), "%ux%u, %s%s", pair->scored.width,
             pair->scored.height, rate, display == DISPLAY_4K_TV ? ", scores from 0 to 110" : "");
}

static void choose_old(AutoChoice *choice, const ScoredPair *pair, bool for_4k, const char *why)
{
    snprintf(choice->version, sizeof(choice->version), "vmaf%s_v0.6.1", for_4k ? "_4k" : "");
    snprintf(choice->reason, sizeof(choice->reason), "%ux%u, %s", pair->scored.width,
             pair->scored.height, why);
}

bool choice_auto(AutoChoice *choice, enum Display display, const ScoredPair *pair)
{
    const VideoFormat *const scored = &pair->scored;
    const bool large = choice_is_for_4k(display, scored->width, scored->height);
    *choice = (AutoChoice){ .version = "" };
    if (pair->hdr)
        return false;
    if (scored->pix_fmt == VMAF_PIX_FMT_YUV400P) {
        choose_old(choice, pair, large && display != DISPLAY_4K_TV,
                   "4:0:0: models of v1 need chroma");
        return true;
    }
    if (display == DISPLAY_DERIVED)
        display = large ? DISPLAY_4K : DISPLAY_HD;
    size_t row = 0;
    while (displays[row].display != display)
        row++;
    if (chroma_edge(scored) < displays[row].chroma_least ||
        (scored->width < LUMA_LEAST && scored->height < LUMA_LEAST)) {
        choose_old(choice, pair, false, "too small for the models of v1");
        return true;
    }
    snprintf(choice->version, sizeof(choice->version), "vmaf_v1.0.16_%s%s",
             is_high_rate(pair) ? "hfr_" : "", displays[row].suffix);
    describe(choice, display, pair);
    const unsigned rows = scored->width < scored->height ? scored->width : scored->height;
    choice->other_display = display == DISPLAY_HD && abs((int)rows - 1080) > 108;
    choice->fast = pair->rate_den && pair->rate_num > 60 * (uint64_t)pair->rate_den;
    return true;
}

/* ---- the encode ---- */

/* The sizes that cambi takes. */
enum { ENC_LEAST = 144, SRC_WIDTH_LEAST = 320, SRC_HEIGHT_LEAST = 200 };

static bool has_own(const ModelSpec *spec, const char *begin)
{
    for (size_t i = 0; i < spec->overload_count; i++) {
        const OptionSpec *const own = &spec->overloads[i];
        if (!strcmp(own->extractor, "cambi") && !strncmp(own->key, begin, strlen(begin)))
            return true;
    }
    return false;
}

/* Raises a size that cambi refuses to the smallest one of the same shape that it takes. */
static void raise(EncodeChoice *choice, unsigned width, unsigned height)
{
    const unsigned longer = width > height ? width : height;
    unsigned num = 1, den = 1; /* the factor: num / den */
    const struct {
        unsigned wanted, side;
    } limits[] = { { ENC_LEAST, width }, { ENC_LEAST, height }, { LUMA_LEAST, longer } };
    for (unsigned i = 0; i < 3; i++) {
        if ((uint64_t)limits[i].wanted * den <= (uint64_t)limits[i].side * num)
            continue;
        num = limits[i].wanted;
        den = limits[i].side;
    }
    choice->enc_width = (unsigned)(((uint64_t)width * num + den - 1) / den);
    choice->enc_height = (unsigned)(((uint64_t)height * num + den - 1) / den);
    choice->raised = num != den;
}

/* True if cambi's window would be too large for the scored pictures, because the encode is too
 * small for its half-size mode. */
static bool needs_source(const VideoFormat *scored, const EncodeChoice *choice)
{
    return 65 * (scored->width + scored->height) / 375 >> 4 > 65 &&
           (uint64_t)choice->enc_width * choice->enc_height < (uint64_t)1920 * 1080;
}

static unsigned at_least(unsigned value, unsigned least)
{
    return value < least ? least : value;
}

static void choose_size(EncodeChoice *choice, const ScoredPair *pair, const ModelSpec *spec)
{
    const VideoFormat *const scored = &pair->scored;
    if (pair->width == scored->width && pair->height == scored->height)
        return;
    if (pair->width > scored->width || pair->height > scored->height) {
        choice->refused = pair->told_size;
        return;
    }
    raise(choice, pair->width, pair->height);
    if (choice->enc_width > scored->width || choice->enc_height > scored->height) {
        *choice = (EncodeChoice){ .enc_width = 0 }; /* cambi would ignore it */
        return;
    }
    if (needs_source(scored, choice) && !has_own(spec, "src_")) {
        choice->src_width = at_least(choice->enc_width, SRC_WIDTH_LEAST);
        choice->src_height = at_least(choice->enc_height, SRC_HEIGHT_LEAST);
    }
}

EncodeChoice choice_encode(const ScoredPair *pair, const ModelSpec *spec)
{
    EncodeChoice choice = { .enc_width = 0 };
    const bool own = has_own(spec, "enc_"); /* then only what the user told is passed */
    const bool own_size = has_own(spec, "enc_width") || has_own(spec, "enc_height");
    if (pair->width && pair->height && (pair->told_size ? !own_size : !own))
        choose_size(&choice, pair, spec);
    if (pair->bitdepth && (pair->told_bitdepth ? !has_own(spec, "enc_bitdepth") : !own)) {
        if (pair->bitdepth < 10)
            choice.enc_bitdepth = pair->bitdepth;
        else if (pair->scored.bitdepth < 10)
            choice.enc_bitdepth = 10;
    }
    return choice;
}

bool choice_option(const EncodeChoice *choice, unsigned i, const char **key, unsigned *value)
{
    const struct {
        const char *key;
        unsigned value;
    } options[] = { { "enc_width", choice->enc_width },
                    { "enc_height", choice->enc_height },
                    { "enc_bitdepth", choice->enc_bitdepth },
                    { "src_width", choice->src_width },
                    { "src_height", choice->src_height } };
    for (size_t n = 0; n < sizeof(options) / sizeof(*options); n++) {
        if (!options[n].value || i--)
            continue;
        *key = options[n].key;
        *value = options[n].value;
        return true;
    }
    return false;
}

const char *choice_text(const EncodeChoice *choice, char *text, size_t size)
{
    const char *key;
    unsigned value;
    size_t used = 0;
    *text = '\0';
    for (unsigned i = 0; choice_option(choice, i, &key, &value) && used < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s=%u", i ? ":" : "cambi.", key, value);
    return text;
}
