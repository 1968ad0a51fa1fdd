/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "feature/common/plane.h"
#include "feature/common/resample.h"
#include "feature/common/resample_tile.h"

static const double pi = 3.14159265358979323846;

/* For each output position, `taps` source positions and as many weights (bilinear uses only the
 * first). */
typedef struct Axis {
    unsigned size;
    unsigned *at;
    float *weight;
} Axis;

struct Resampler {
    enum ResampleMethod method;
    unsigned taps;
    Axis x, y;
};

static const struct {
    const char *name;
    unsigned taps;
    int first; /* offset of the first tap from the position, rounded down */
} methods[] = {
    [RESAMPLE_NEAREST] = { "nearest", 1, 0 },
    [RESAMPLE_BILINEAR] = { "bilinear", 2, 0 },
    [RESAMPLE_BICUBIC] = { "bicubic", 4, -1 },
    [RESAMPLE_LANCZOS4] = { "lanczos4", 9, -4 },
};

int resample_method(const char *name)
{
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        if (!strcmp(name, methods[i].name))
            return (int)i;
    }
    return -EINVAL;
}

static float cubic_weight(float t)
{
    const float a = -0.75f;
    t = fabsf(t);
    if (t < 1.0f)
        return ((a + 2.0f) * t - (a + 3.0f)) * t * t + 1.0f;
    if (t < 2.0f)
        return (((t - 5.0f) * t + 8.0f) * t - 4.0f) * a;
    return 0.0f;
}

static float lanczos_weight(float t)
{
    const double x = t;
    if (x == 0.0)
        return 1.0f;
    if (!(x > -4.0 && x < 4.0))
        return 0.0f;
    return (float)(4.0 * sin(pi * x) * sin(pi * x / 4.0) / (pi * pi * x * x));
}

/* Reflects a position at the borders. In a plane too small for that, the position is clamped. */
static unsigned fold(int i, int n)
{
    i = mirror_index(i, n);
    return (unsigned)(i < 0 ? 0 : i < n ? i : n - 1);
}

/* Fills the entries of output position `i`. */
static void fill_position(Axis *axis, enum ResampleMethod method, unsigned i, unsigned src,
                          float ratio)
{
    const unsigned taps = methods[method].taps;
    unsigned *at = axis->at + (size_t)i * taps;
    float *weight = axis->weight + (size_t)i * taps;
    if (method == RESAMPLE_NEAREST) {
        at[0] = fold((int)((float)i * ratio), (int)src);
        return;
    }
    const float p = (float)((i + 0.5) * ratio - 0.5);
    const int base = (int)floorf(p);
    if (method == RESAMPLE_BILINEAR) {
        at[0] = fold(base, (int)src);
        at[1] = fold((int)ceilf(p), (int)src);
        /* Relative to the reflected position, so it is outside 0…1 at the top and left border. */
        weight[0] = p - (float)at[0];
        return;
    }
    const float fraction = p - (float)base;
    for (unsigned k = 0; k < taps; k++) {
        const int offset = methods[method].first + (int)k;
        const float t = (float)offset - fraction;
        at[k] = fold(base + offset, (int)src);
        weight[k] = method == RESAMPLE_BICUBIC ? cubic_weight(t) : lanczos_weight(t);
    }
}

static int axis_init(Axis *axis, enum ResampleMethod method, unsigned src, unsigned dst)
{
    const size_t count = (size_t)dst * methods[method].taps;
    axis->size = dst;
    axis->at = mem_array(count, sizeof(*axis->at));
    axis->weight = mem_array(count, sizeof(*axis->weight));
    if (!axis->at || !axis->weight)
        return -ENOMEM;
    const float ratio = (float)src / (float)dst;
    for (unsigned i = 0; i < dst; i++)
        fill_position(axis, method, i, src, ratio);
    return 0;
}

int resampler_create(Resampler **out, enum ResampleMethod method, unsigned src_w, unsigned src_h,
                     unsigned dst_w, unsigned dst_h)
{
    assert(src_w > 0 && src_h > 0 && dst_w > 0 && dst_h > 0);
    *out = NULL;
    Resampler *rs = mem_zalloc(sizeof(*rs));
    if (!rs)
        return -ENOMEM;
    rs->method = method;
    rs->taps = methods[method].taps;
    int err = axis_init(&rs->x, method, src_w, dst_w);
    if (!err)
        err = axis_init(&rs->y, method, src_h, dst_h);
    if (err) {
        resampler_destroy(rs);
        return err;
    }
    *out = rs;
    return 0;
}

void resampler_destroy(Resampler *rs)
{
    if (!rs)
        return;
    mem_free(rs->x.at);
    mem_free(rs->x.weight);
    mem_free(rs->y.at);
    mem_free(rs->y.weight);
    mem_free(rs);
}

enum ResampleMethod resampler_method(const Resampler *rs)
{
    return rs->method;
}

unsigned resampler_width(const Resampler *rs)
{
    return rs->x.size;
}

unsigned resampler_height(const Resampler *rs)
{
    return rs->y.size;
}

unsigned resampler_rows(const Resampler *rs, unsigned y, unsigned *rows)
{
    assert(y < rs->y.size && rs->taps <= RESAMPLE_MAX_TAPS);
    for (unsigned k = 0; k < rs->taps; k++)
        rows[k] = rs->y.at[(size_t)y * rs->taps + k];
    return rs->taps;
}

static void get_taps(const Axis *axis, unsigned taps, unsigned i, ResampleTaps *out)
{
    assert(i < axis->size);
    out->count = taps;
    for (unsigned k = 0; k < taps; k++) {
        out->at[k] = axis->at[(size_t)i * taps + k];
        out->weight[k] = axis->weight[(size_t)i * taps + k];
    }
}

void resampler_column_taps(const Resampler *rs, unsigned x, ResampleTaps *out)
{
    get_taps(&rs->x, rs->taps, x, out);
}

void resampler_row_taps(const Resampler *rs, unsigned y, ResampleTaps *out)
{
    get_taps(&rs->y, rs->taps, y, out);
}

static void bilinear_row(const Resampler *rs, float *out, float dy, const float *const *rows)
{
    const float ey = 1.0f - dy;
    for (unsigned x = 0; x < rs->x.size; x++) {
        const unsigned x1 = rs->x.at[2 * x], x2 = rs->x.at[2 * x + 1];
        const float dx = rs->x.weight[2 * x], ex = 1.0f - dx;
        float value = (ey * ex) * rows[0][x1];
        value += (ey * dx) * rows[0][x2];
        value += (dy * ex) * rows[1][x1];
        value += (dy * dx) * rows[1][x2];
        out[x] = value;
    }
}

static void kernel_row(const Resampler *rs, float *out, const float *wy, const float *const *rows)
{
    const unsigned taps = rs->taps;
    for (unsigned x = 0; x < rs->x.size; x++) {
        const unsigned *at = rs->x.at + (size_t)x * taps;
        const float *wx = rs->x.weight + (size_t)x * taps;
        float value = 0.0f, total = 0.0f;
        for (unsigned j = 0; j < taps; j++) {
            for (unsigned i = 0; i < taps; i++) {
                const float weight = wx[i] * wy[j];
                total += weight;
                value += rows[j][at[i]] * weight;
            }
        }
        out[x] = rs->method == RESAMPLE_LANCZOS4 ? value / total : value;
    }
}

void resampler_row(const Resampler *rs, float *out, unsigned y, const float *const *rows)
{
    assert(y < rs->y.size);
    const float *weight = rs->y.weight + (size_t)y * rs->taps;
    switch (rs->method) {
    case RESAMPLE_NEAREST:
        for (unsigned x = 0; x < rs->x.size; x++)
            out[x] = rows[0][rs->x.at[x]];
        break;
    case RESAMPLE_BILINEAR:
        bilinear_row(rs, out, weight[0], rows);
        break;
    default:
        kernel_row(rs, out, weight, rows);
    }
}

/* ---- on a GPU ---- */

/* Makes the table of source positions and weights: all columns, then all rows. */
static int plan_positions(GpuPlan *plan, const Resampler *resampler, ResampleGpu *out)
{
    const unsigned w = resampler_width(resampler), h = resampler_height(resampler);
    ResampleTaps from;
    resampler_column_taps(resampler, 0, &from);
    out->taps = from.count;
    const size_t words = ((size_t)w + h) * from.count * 2;
    uint32_t *const table = mem_array(words, sizeof(*table));
    if (!table)
        return -ENOMEM;
    uint32_t *entry = table;
    for (unsigned i = 0; i < w + h; i++) {
        if (i < w)
            resampler_column_taps(resampler, i, &from);
        else
            resampler_row_taps(resampler, i - w, &from);
        for (unsigned k = 0; k < from.count; k++, entry += 2) {
            entry[0] = from.at[k];
            memcpy(&entry[1], &from.weight[k], sizeof(float));
        }
    }
    out->positions = gpu_table(plan, table, words * sizeof(*table));
    mem_free(table);
    return 0;
}

int resample_plan(GpuPlan *plan, const Resampler *resampler, ResampleGpu *out)
{
    static const uint32_t ways[] = {
        [RESAMPLE_NEAREST] = RESAMPLE_WAY_NEAREST,
        [RESAMPLE_BILINEAR] = RESAMPLE_WAY_BILINEAR,
        [RESAMPLE_BICUBIC] = RESAMPLE_WAY_WEIGHED,
        [RESAMPLE_LANCZOS4] = RESAMPLE_WAY_NORMALISED,
    };
    if (resampler) {
        out->way = ways[resampler_method(resampler)];
        return plan_positions(plan, resampler, out);
    }
    static const uint32_t unused;
    *out = (ResampleGpu){ .positions = gpu_table(plan, &unused, sizeof(unused)),
                          .way = RESAMPLE_WAY_NONE };
    return 0;
}
