/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Constants of a clip for ssimulacra2: checks options and shape, and lays out scales. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "feature/ssimulacra2/ssimulacra2.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The weights of red and blue in luma. */
static const struct {
    const char *name;
    double red, blue;
} matrices[] = {
    { "bt709", 0.2126, 0.0722 },
    { "bt601", 0.299, 0.114 },
    { "bt2020ncl", 0.2627, 0.0593 },
};

/* The coding of the samples of a picture. Samples of fewer bits were widened by a factor. */
typedef struct Samples {
    char matrix[16], range[16];
    unsigned bits;
} Samples;

static int fill_matrix(Ssimu2Matrix *matrix, const Samples *samples, unsigned bpc)
{
    const bool full = !strcmp(samples->range, "full"), gbr = !strcmp(samples->matrix, "gbr");
    const double step = (double)(1u << (bpc - 8));
    const double peak = (double)(((1u << samples->bits) - 1) << (bpc - samples->bits));
    const double unit = 8.0 * (full ? peak : 224.0 * step);
    size_t i = 0;
    while (!gbr && i < COUNT(matrices) && strcmp(matrices[i].name, samples->matrix) != 0)
        i++;
    if (i == COUNT(matrices)) {
        log_error("ssimulacra2: unknown matrix '%s': use bt709, bt601, bt2020ncl or gbr",
                  samples->matrix);
        return -EINVAL;
    }
    if (!full && strcmp(samples->range, "limited") != 0) {
        log_error("ssimulacra2: unknown range '%s': use limited or full", samples->range);
        return -EINVAL;
    }
    const double kr = matrices[i].red, kb = matrices[i].blue, kg = (1.0 - kr) - kb;
    const double red = 2.0 * (1.0 - kr), blue = 2.0 * (1.0 - kb);
    *matrix = (Ssimu2Matrix){
        .gbr = gbr,
        .black = full ? 0 : 16 << (bpc - 8),
        .centre = 8 << (bpc - 1),
        .luma = (float)(1.0 / (full ? peak : 219.0 * step)),
        .red_v = (float)(red / unit),
        .green_u = (float)(blue * kb / kg / unit),
        .green_v = (float)(red * kr / kg / unit),
        .blue_u = (float)(blue / unit),
    };
    return 0;
}

/* Reads MATRIX/RANGE or MATRIX/RANGE/BITS. Without tags the options `matrix` and `range` are
 * used. */
static int read_samples(Samples *samples, const Ssimu2Options *o, const char *tags, unsigned bpc)
{
    int end = 0;
    *samples = (Samples){ .bits = bpc };
    if (!*tags) {
        snprintf(samples->matrix, sizeof(samples->matrix), "%s", o->matrix);
        snprintf(samples->range, sizeof(samples->range), "%s", o->range);
        return 0;
    }
    const int count = sscanf(tags, "%15[^/]/%15[^/]%n/%2u%n", samples->matrix, samples->range, &end,
                             &samples->bits, &end);
    if (count < 2 || tags[end] || samples->bits < 8 || samples->bits > bpc) {
        log_error("ssimulacra2: the tags '%s' are not MATRIX/RANGE or MATRIX/RANGE/BITS, with 8 to "
                  "%u bits",
                  tags, bpc);
        return -EINVAL;
    }
    return 0;
}

static int find_matrix(Ssimu2Setup *setup, const Ssimu2Options *o, unsigned picture)
{
    const FrameShape *const shape = &setup->shape;
    Ssimu2Matrix *const matrix = &setup->matrix[picture];
    Samples samples;
    int err = read_samples(&samples, o, o->tags[picture], shape->bpc);
    if (!err)
        err = fill_matrix(matrix, &samples, shape->bpc);
    if (!err && matrix->gbr && shape->pix_fmt != VMAF_PIX_FMT_YUV444P) {
        log_error("ssimulacra2: the matrix gbr needs pictures of 4:4:4, whose planes are G, B, R");
        err = -EINVAL;
    }
    return err;
}

static int check_options(const Ssimu2Options *o)
{
    if (strcmp(o->transfer, "srgb") != 0) {
        log_error("ssimulacra2: the metric is not defined for the transfer '%s': convert the video "
                  "to SDR, or give transfer=srgb to score it as if it were",
                  o->transfer);
        return -EINVAL;
    }
    return 0;
}

static size_t round_up(size_t x, size_t step)
{
    return (x + step - 1) / step * step;
}

static void lay_out(Ssimu2Setup *setup)
{
    unsigned w = setup->shape.w[0], h = setup->shape.h[0];
    bool last = false;
    for (; setup->scales < SSIMU2_SCALES && !last; setup->scales++) {
        Ssimu2Scale *const scale = &setup->scale[setup->scales];
        *scale = (Ssimu2Scale){
            .w = w,
            .h = h,
            .across = (w + SSIMU2_BLOCK - 1) / SSIMU2_BLOCK,
            .down = (h + SSIMU2_BLOCK - 1) / SSIMU2_BLOCK,
            .pitch = round_up(w, SSIMU2_PAD) + SSIMU2_PAD,
            .first = setup->light,
        };
        if (setup->scales)
            setup->light += 6 * scale->pitch * h;
        last = w < SSIMU2_LEAST || h < SSIMU2_LEAST;
        w = (w + 1) / 2;
        h = (h + 1) / 2;
    }
    ssimu2_find_maps(setup);
    for (unsigned s = 0; s < setup->scales; s++) {
        for (unsigned c = 0; c < 3; c++) {
            Ssimu2Channel *const channel = &setup->scale[s].channel[c];
            const unsigned planes = (channel->ssim ? 2 : 0) + (channel->edges ? 4 : 0);
            channel->first = setup->blocks;
            setup->blocks += planes * ssimu2_block_count(&setup->scale[s]);
        }
    }
}

int ssimu2_setup_init(Ssimu2Setup *setup, const FrameShape *shape, const Ssimu2Options *options)
{
    *setup = (Ssimu2Setup){ .shape = *shape, .prune = options->prune };
    if (shape->w[0] < SSIMU2_LEAST || shape->h[0] < SSIMU2_LEAST) {
        log_error("ssimulacra2: pictures of %ux%u are too small: both sides must be at least %d",
                  shape->w[0], shape->h[0], SSIMU2_LEAST);
        return -EINVAL;
    }
    int err = check_options(options);
    for (unsigned i = 0; i < 2 && !err; i++)
        err = find_matrix(setup, options, i);
    if (!err)
        lay_out(setup);
    return err;
}
