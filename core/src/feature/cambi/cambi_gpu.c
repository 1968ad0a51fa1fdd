/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* cambi on the GPU. Each picture is prepared and filtered scale by scale; then the contrasts of all
 * scales are computed, ranked and summed up together. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "feature/cambi/cambi.h"
#include "feature/cambi/cambi_tile.h"
#include "gpu/feature_gpu.h"

GPU_PARAMS(CambiRangeParams, CAMBI_RANGE_PARAMS);
GPU_PARAMS(CambiPrepareParams, CAMBI_PREPARE_PARAMS);
GPU_PARAMS(CambiModeParams, CAMBI_MODE_PARAMS);
GPU_PARAMS(CambiContrastParams, CAMBI_CONTRAST_PARAMS);
GPU_PARAMS(CambiSmallParams, CAMBI_SMALL_PARAMS);
GPU_PARAMS(CambiRankParams, CAMBI_RANK_PARAMS);
GPU_PARAMS(CambiSumParams, CAMBI_SUM_PARAMS);

_Static_assert(CAMBI_MAX_WINDOW == 2 * CAMBI_MAX_RADIUS + 1, "the largest window fits the kernel");
_Static_assert(CAMBI_FIRST_STEP == CAMBI_MAX_WINDOW * CAMBI_MAX_WINDOW + 1 &&
                   CAMBI_WEIGHT == CAMBI_FIRST_STEP + CAMBI_TOP_CODE + 1,
               "the sections of the table follow each other");

typedef struct Scale {
    uint32_t w, h;
    uint32_t first, first_tile; /* number of samples and tiles of the scales before it */
} Scale;

typedef struct Picture {
    unsigned number; /* 0: distorted, 1: reference */
    const CambiTarget *target;
    GpuBuf plane;
    GpuBuf words; /* the prepared samples, then the filtered samples of each scale */
    GpuBuf tiles; /* a mask for each tile of each scale: the kinds of codes that count there */
    GpuBuf map, bins;
    Scale scale[CAMBI_SCALES];
    uint32_t samples, tile_count; /* totals of all scales */
} Picture;

typedef struct Planning {
    const CambiSetup *cambi;
    GpuPlan *plan;
    GpuBuf result, table;
    int high; /* highest code that can occur and count */
    unsigned code_count;
} Planning;

static unsigned tile_count(const Scale *scale)
{
    return gpu_workgroups(scale->w, CAMBI_TILE_W) * gpu_workgroups(scale->h, CAMBI_TILE_H);
}

/* Computes where the scales of a picture are stored. */
static void lay_out(Picture *pic)
{
    uint32_t w = pic->target->kept_w, h = pic->target->kept_h;
    pic->samples = pic->tile_count = 0;
    for (unsigned s = 0; s < CAMBI_SCALES; s++, w = (w + 1) / 2, h = (h + 1) / 2) {
        pic->scale[s] =
            (Scale){ .w = w, .h = h, .first = pic->samples, .first_tile = pic->tile_count };
        pic->samples += w * h;
        pic->tile_count += tile_count(&pic->scale[s]);
    }
}

static void plan_range(const Planning *p, const Picture *pic)
{
    const CambiSetup *cambi = p->cambi;
    const CambiRangeParams params = {
        .width = cambi->src_w,
        .height = cambi->src_h,
        .stride = gpu_plane_stride(p->plan, 0),
        .bpc = cambi->bpc,
        .picture = pic->number,
    };
    if (cambi->bpc == 8 || cambi->bpc == 16)
        return;
    const unsigned samples = CAMBI_RANGE_GROUP_W * 2; /* two to a word: deeper than 8 bits */
    gpu_pass(p->plan, &(GpuPass){
                          .kernel = "cambi_range",
                          GPU_PASS_BUFFERS(pic->plane, p->result),
                          GPU_PASS_PARAMS(&params),
                          .workgroups = { gpu_workgroups(cambi->src_w, samples),
                                          gpu_workgroups(cambi->src_h, CAMBI_RANGE_GROUP_H) },
                      });
}

/* Makes the table of source positions: of columns, then of rows. */
static int positions_table(const Planning *p, const CambiTarget *t, GpuBuf *buf)
{
    const unsigned count = t->from_x ? t->w + t->h : 1;
    uint32_t *from = mem_array(count, sizeof(*from));
    if (!from)
        return -ENOMEM;
    if (t->from_x) {
        memcpy(from, t->from_x, t->w * sizeof(*from));
        memcpy(from + t->w, t->from_y, t->h * sizeof(*from));
    }
    *buf = gpu_table(p->plan, from, count * sizeof(*from));
    mem_free(from);
    return 0;
}

static int plan_prepare(const Feature *f, const Planning *p, Picture *pic)
{
    const CambiSetup *cambi = p->cambi;
    const CambiTarget *t = pic->target;
    const CambiPrepareParams params = {
        .stride = gpu_plane_stride(p->plan, 0),
        .bpc = cambi->bpc,
        .width = t->w,
        .height = t->h,
        .resampled = t->from_x != NULL,
        .smoothed = cambi->smooth,
        .halve = cambi->halve,
        .needed = t->flat_needed,
    };
    GpuBuf from;
    const int err = positions_table(p, t, &from);
    if (err)
        return err;
    gpu_pass(p->plan,
             &(GpuPass){
                 .kernel = gpu_by_depth(f, "cambi_prepare_8", "cambi_prepare_16"),
                 GPU_PASS_BUFFERS(pic->plane, from, pic->words),
                 GPU_PASS_PARAMS(&params),
                 .workgroups = { gpu_workgroups(t->w, 4 * CAMBI_PREPARE_W),
                                 gpu_workgroups(t->h, CAMBI_PREPARE_H * CAMBI_PREPARE_ROWS) },
             });
    return 0;
}

static void plan_mode(const Planning *p, const Picture *pic, unsigned s)
{
    const Scale *scale = &pic->scale[s], *last = s ? scale - 1 : scale;
    const uint32_t filtered = pic->scale[0].w * pic->scale[0].h; /* where filtered words begin */
    const CambiModeParams params = {
        .in_width = last->w,
        .width = scale->w,
        .height = scale->h,
        .decimate = s > 0,
        .low = p->cambi->low,
        .high = p->high,
        .first_in = s ? filtered + last->first : 0,
        .first_out = filtered + scale->first,
        .first_tile = scale->first_tile,
    };
    gpu_pass(p->plan, &(GpuPass){
                          .kernel = "cambi_mode",
                          GPU_PASS_BUFFERS(pic->words, pic->tiles),
                          GPU_PASS_PARAMS(&params),
                          .workgroups = { gpu_workgroups(scale->w, CAMBI_TILE_W),
                                          gpu_workgroups(scale->h, CAMBI_TILE_H) },
                      });
}

/* Plans the contrasts of a scale that is smaller than the radius of the window. Only very wide or
 * very high pictures have one. */
static void plan_small_contrast(const Planning *p, const Picture *pic,
                                const CambiContrastParams *large, unsigned s)
{
    const CambiSmallParams params = {
        .width = large->width,
        .height = large->height,
        .first_word = large->first_word,
        .radius = large->radius,
        .low = large->low,
        .code_count = large->code_count,
        .steps = large->steps,
        .scale = s,
    };
    gpu_pass(p->plan, &(GpuPass){
                          .kernel = "cambi_contrast_small",
                          GPU_PASS_BUFFERS(pic->words, p->table, pic->map),
                          GPU_PASS_PARAMS(&params),
                          .workgroups = { gpu_workgroups(pic->scale[s].w, CAMBI_SMALL_W),
                                          gpu_workgroups(pic->scale[s].h, CAMBI_SMALL_H) },
                      });
}

static void plan_contrast(const Planning *p, const Picture *pic)
{
    const Scale *scale = pic->scale;
    const CambiContrastParams params = {
        .width = scale[0].w,
        .height = scale[0].h,
        .first_word = scale[0].w * scale[0].h,
        .radius = pic->target->window / 2,
        .low = p->cambi->low,
        .code_count = (int32_t)p->code_count,
        .steps = p->cambi->steps,
    };
    unsigned tiles = 0;
    for (unsigned s = 0; s < CAMBI_SCALES; s++) {
        if (scale[s].w < params.radius || scale[s].h < params.radius)
            plan_small_contrast(p, pic, &params, s);
        else
            tiles += tile_count(&scale[s]);
    }
    if (tiles)
        gpu_pass(p->plan, &(GpuPass){
                              .kernel = "cambi_contrast",
                              GPU_PASS_BUFFERS(pic->words, pic->tiles, p->table, pic->map),
                              GPU_PASS_PARAMS(&params),
                              .workgroups = { tiles },
                          });
}

/* The number of contrasts of a scale that count. */
static uint32_t wanted(const Planning *p, const Scale *scale)
{
    return (uint32_t)cambi_top_count((size_t)scale->w * scale->h, p->cambi->share);
}

static CambiRankParams rank_params(const Planning *p, const Picture *pic, unsigned rank)
{
    return (CambiRankParams){
        .width = pic->scale[0].w,
        .height = pic->scale[0].h,
        .rank = rank,
        .wanted0 = wanted(p, &pic->scale[0]),
        .wanted1 = wanted(p, &pic->scale[1]),
        .wanted2 = wanted(p, &pic->scale[2]),
        .wanted3 = wanted(p, &pic->scale[3]),
        .wanted4 = wanted(p, &pic->scale[4]),
    };
}

static unsigned rank_workgroups(const Picture *pic)
{
    return gpu_workgroups(pic->scale[0].w * pic->scale[0].h, CAMBI_RANK_GROUP * CAMBI_RANK_EACH);
}

static void plan_rank(const Planning *p, const Picture *pic, unsigned rank)
{
    const CambiRankParams params = rank_params(p, pic, rank);
    gpu_pass(p->plan, &(GpuPass){
                          .kernel = "cambi_rank",
                          GPU_PASS_BUFFERS(pic->map, pic->bins),
                          GPU_PASS_PARAMS(&params),
                          .workgroups = { rank_workgroups(pic), CAMBI_SCALES },
                      });
}

/* The first word of a scale in the result. */
static unsigned scale_words_at(unsigned picture, unsigned scale)
{
    return CAMBI_SCALES_AT + (picture * CAMBI_SCALES + scale) * CAMBI_SCALE_WORDS;
}

static void plan_sum(const Planning *p, const Picture *pic)
{
    const CambiRankParams ranks = rank_params(p, pic, CAMBI_RANKS);
    const CambiSumParams params = {
        .width = ranks.width,
        .height = ranks.height,
        .rank = ranks.rank,
        .wanted0 = ranks.wanted0,
        .wanted1 = ranks.wanted1,
        .wanted2 = ranks.wanted2,
        .wanted3 = ranks.wanted3,
        .wanted4 = ranks.wanted4,
        .first_result = scale_words_at(pic->number, 0),
    };
    gpu_pass(p->plan, &(GpuPass){
                          .kernel = "cambi_sum",
                          GPU_PASS_BUFFERS(pic->map, pic->bins, p->result),
                          GPU_PASS_PARAMS(&params),
                          .workgroups = { rank_workgroups(pic), CAMBI_SCALES },
                      });
}

/* Makes the table of constants that the kernels need. */
static int make_table(Planning *p)
{
    const unsigned count = CAMBI_WEIGHT + CAMBI_MAX_STEPS + 1;
    uint32_t *table = mem_array(count, sizeof(*table));
    if (!table)
        return -ENOMEM;
    memcpy(table, p->cambi->reciprocal, sizeof(p->cambi->reciprocal));
    for (unsigned code = 0; code <= CAMBI_TOP_CODE; code++)
        table[CAMBI_FIRST_STEP + code] = p->cambi->first_step[code];
    for (unsigned step = 0; step <= CAMBI_MAX_STEPS; step++)
        table[CAMBI_WEIGHT + step] = cambi_step_weight[step];
    p->table = gpu_table(p->plan, table, count * sizeof(*table));
    mem_free(table);
    return 0;
}

static void make_buffers(const Planning *p, Picture *pic)
{
    lay_out(pic);
    const size_t prepared = (size_t)pic->scale[0].w * pic->scale[0].h;
    pic->words = gpu_scratch(p->plan, (prepared + pic->samples) * sizeof(uint32_t));
    pic->tiles = gpu_scratch(p->plan, pic->tile_count * sizeof(uint32_t));
    pic->map = gpu_scratch(p->plan, pic->samples * sizeof(uint32_t));
    pic->bins = gpu_scratch_zeroed(p->plan, (size_t)CAMBI_SCALES * CAMBI_RANKS * CAMBI_BINS *
                                                sizeof(uint32_t));
    gpu_keep(p->plan, pic->map, pic->number);
}

static int plan_pictures(const Feature *f, const Planning *p, Picture *pics, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        make_buffers(p, &pics[i]);
        const int err = plan_prepare(f, p, &pics[i]);
        if (err)
            return err;
    }
    gpu_next_stage(p->plan);
    for (unsigned s = 0; s < CAMBI_SCALES; s++, gpu_next_stage(p->plan))
        for (unsigned i = 0; i < count; i++)
            plan_mode(p, &pics[i], s);
    for (unsigned i = 0; i < count; i++)
        plan_contrast(p, &pics[i]);
    gpu_next_stage(p->plan);
    for (unsigned rank = 0; rank < CAMBI_RANKS; rank++, gpu_next_stage(p->plan))
        for (unsigned i = 0; i < count; i++)
            plan_rank(p, &pics[i], rank);
    for (unsigned i = 0; i < count; i++)
        plan_sum(p, &pics[i]);
    return 0;
}

static int highest_code(const CambiSetup *cambi)
{
    const int top = cambi->bpc > 10 ? CAMBI_TOP_CODE : CAMBI_TOP_CODE - 1;
    return cambi->high < top ? cambi->high : top;
}

/* False if the options are such that no sample is bright enough; then all contrasts are 0. */
static bool any_counts(const CambiSetup *cambi)
{
    return highest_code(cambi) >= cambi->low;
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const CambiSetup *cambi = cambi_setup(f);
    const unsigned count = cambi->full_ref ? 2 : 1;
    Planning p = { .cambi = cambi, .plan = plan, .high = highest_code(cambi) };
    p.code_count = (unsigned)(p.high - cambi->low + 1);
    p.result = gpu_result(plan, scale_words_at(2, 0) * sizeof(uint32_t), true);
    Picture pics[2];
    for (unsigned i = 0; i < count; i++) {
        pics[i] = (Picture){ .number = i,
                             .target = &cambi->target[i],
                             .plane = i ? gpu_ref(plan, 0) : gpu_dist(plan, 0) };
    }
    for (unsigned i = 0; i < count; i++)
        plan_range(&p, &pics[i]);
    if (!any_counts(cambi))
        return 0;
    const int err = make_table(&p);
    return err ? err : plan_pictures(f, &p, pics, count);
}

/* A contrast in units of 2^-24. */
static uint64_t units_of(uint32_t bits)
{
    return bits ? (uint64_t)((bits & 0x7fffff) | 0x800000) << ((bits >> 23) - 126) : 0;
}

/* Computes the mean of the largest contrasts of a scale. `words` has the sum of the contrasts above
 * the k-th largest, their number, and the k-th. Returns -EAGAIN if the result depends on the order
 * of the CPU's additions. */
static int scale_score(const uint32_t *words, size_t n, double share, double *score)
{
    const size_t k = cambi_top_count(n, share);
    const uint64_t larger = gpu_read_u64(words + CAMBI_SUM);
    const uint64_t units = larger + (k - words[CAMBI_LARGER]) * units_of(words[CAMBI_NEXT]);
    const double sum = ldexp((double)units, -24);
    *score = sum / (double)k;
    return sum < CAMBI_EXACT_BELOW ? 0 : -EAGAIN;
}

static int collect(const Feature *f, const void *readback, void *result)
{
    const CambiSetup *cambi = cambi_setup(f);
    const uint32_t *words = readback;
    CambiResult *r = result;
    int err = 0;
    if (words[0] || words[1])
        return cambi_range_error(cambi);
    for (unsigned i = 0; i < (cambi->full_ref ? 2u : 1u); i++) {
        size_t w = cambi->target[i].kept_w, h = cambi->target[i].kept_h;
        for (unsigned s = 0; s < CAMBI_SCALES; s++, w = (w + 1) / 2, h = (h + 1) / 2) {
            const uint32_t *scale = words + scale_words_at(i, s);
            const int doubt = scale_score(scale, w * h, cambi->share, &r->scores[i][s]);
            err = err ? err : doubt;
        }
    }
    return cambi_heatmaps(f) ? -EAGAIN : err;
}

/* Fetches the contrasts of a picture. Writes heat maps if they are wanted, and computes the scores
 * that depend on the order of additions with the CPU's own code. With heat maps every frame gets
 * here, and most of them have no score to compute. */
static int look_closer(const Feature *f, const GpuFrame *frame, unsigned number,
                       const uint32_t *words, double scores[CAMBI_SCALES])
{
    const CambiSetup *cambi = cambi_setup(f);
    CambiHeatmaps *const heatmaps = cambi_heatmaps(f);
    Picture pic = { .target = &cambi->target[number] };
    lay_out(&pic);
    const size_t largest = (size_t)pic.scale[0].w * pic.scale[0].h;
    float *all = mem_zalloc(pic.samples * sizeof(*all));
    float *map = mem_aligned_alloc((largest + CAMBI_SLACK) * sizeof(*map));
    CambiRanks *ranks = cambi_ranks_create();
    int err = all && map && ranks ? 0 : -ENOMEM;
    if (!err && any_counts(cambi))
        err = gpu_fetch(frame, number, all, pic.samples * sizeof(*all));
    for (unsigned s = 0; !err && s < CAMBI_SCALES; s++) {
        const unsigned w = pic.scale[s].w, h = pic.scale[s].h;
        const size_t n = (size_t)w * h;
        memcpy(map, all + pic.scale[s].first, n * sizeof(*map));
        if (heatmaps && number == 0)
            err = cambi_heatmaps_write(heatmaps, s, gpu_frame_position(frame), map, w, h);
        double score;
        if (!heatmaps ||
            scale_score(words + scale_words_at(number, s), n, cambi->share, &score) == -EAGAIN)
            scores[s] = cambi_top_mean(&cambi->dsp, ranks, map, n, cambi->share);
    }
    cambi_ranks_destroy(ranks);
    mem_aligned_free(map);
    mem_free(all);
    return err;
}

static int settle(const Feature *f, const GpuFrame *frame, const void *readback, void *result)
{
    const CambiSetup *cambi = cambi_setup(f);
    const uint32_t *words = readback;
    CambiResult *r = result;
    int err = 0;
    for (unsigned i = 0; !err && i < (cambi->full_ref ? 2u : 1u); i++)
        err = look_closer(f, frame, i, words, r->scores[i]);
    return err;
}

/* Results are equal, except for sums that depend on the order of additions; these are left to
 * settle(). */
static bool same(const Feature *f, const void *a, const void *b)
{
    const CambiSetup *cambi = cambi_setup(f);
    const CambiResult *x = a, *y = b;
    for (unsigned i = 0; i < (cambi->full_ref ? 2u : 1u); i++) {
        size_t n = (size_t)cambi->target[i].kept_w * cambi->target[i].kept_h;
        for (unsigned s = 0; s < CAMBI_SCALES; s++) {
            const double sum = x->scores[i][s] * (double)n;
            const double slack = sum < CAMBI_EXACT_BELOW ? 0.0 : 1e-10 * x->scores[i][s];
            if (fabs(x->scores[i][s] - y->scores[i][s]) > slack)
                return false;
        }
    }
    return true;
}

const FeatureGpu cambi_gpu = {
    .plan = plan_frame, .collect = collect, .settle = settle, .same = same
};
