/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The passes of cambi on a GPU. Each picture is prepared, filtered scale by scale, and each scale's
 * contrasts are mapped while the next one is filtered; then all maps are ranked and summed up. */
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
               "the parts of the table follow each other");

/* Groups that keep a large GPU busy with contrasts. */
enum { ENOUGH_GROUPS = 900, MIN_BAND = 16, MAX_BAND = 64 };

typedef struct Scale {
    GpuBuf words, map, bins;
    uint32_t w, h;
} Scale;

typedef struct Picture {
    unsigned number; /* 0: distorted, 1: reference */
    const CambiTarget *target;
    GpuBuf plane, prepared;
    Scale scale[CAMBI_SCALES];
} Picture;

typedef struct Planning {
    const CambiSetup *cambi;
    GpuPlan *plan;
    GpuBuf result, table;
    int high; /* highest code that can occur and count */
    unsigned code_count;
} Planning;

/* Under which settle finds the contrasts of a scale. */
static unsigned map_number(unsigned picture, unsigned scale)
{
    return picture * CAMBI_SCALES + scale;
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
                          .groups = { gpu_groups(cambi->src_w, samples),
                                      gpu_groups(cambi->src_h, CAMBI_RANGE_GROUP_H) },
                      });
}

/* Source positions of columns, then of rows. */
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
    pic->prepared = gpu_scratch(p->plan, (size_t)t->kept_w * t->kept_h * sizeof(uint32_t));
    gpu_pass(p->plan, &(GpuPass){
                          .kernel = gpu_by_depth(f, "cambi_prepare_8", "cambi_prepare_16"),
                          GPU_PASS_BUFFERS(pic->plane, from, pic->prepared),
                          GPU_PASS_PARAMS(&params),
                          .groups = { gpu_groups(t->kept_w, CAMBI_TILE_W),
                                      gpu_groups(t->kept_h, CAMBI_TILE_H) },
                      });
    return 0;
}

static void plan_mode(const Planning *p, Picture *pic, unsigned s)
{
    Scale *scale = &pic->scale[s];
    const Scale *last = s ? &pic->scale[s - 1] : NULL;
    scale->w = last ? (last->w + 1) / 2 : pic->target->kept_w;
    scale->h = last ? (last->h + 1) / 2 : pic->target->kept_h;
    scale->words = gpu_scratch(p->plan, (size_t)scale->w * scale->h * sizeof(uint32_t));
    const CambiModeParams params = {
        .in_width = last ? last->w : scale->w,
        .width = scale->w,
        .height = scale->h,
        .decimate = last != NULL,
        .low = p->cambi->low,
        .high = p->high,
    };
    gpu_pass(p->plan, &(GpuPass){
                          .kernel = "cambi_mode",
                          GPU_PASS_BUFFERS(last ? last->words : pic->prepared, scale->words),
                          GPU_PASS_PARAMS(&params),
                          .groups = { gpu_groups(scale->w, CAMBI_TILE_W),
                                      gpu_groups(scale->h, CAMBI_TILE_H) },
                      });
}

/* Rows that a group slides down: each first fills a window, yet there should be groups enough. */
static unsigned band_rows(unsigned h, unsigned strips)
{
    const unsigned rows = h * strips / ENOUGH_GROUPS;
    return rows < MIN_BAND ? MIN_BAND : rows > MAX_BAND ? MAX_BAND : rows;
}

/* For scales that the window reaches across, in pictures that are very wide or very high. */
static void plan_small_contrast(const Planning *p, const Picture *pic, unsigned s)
{
    const Scale *scale = &pic->scale[s];
    const CambiSmallParams params = {
        .width = scale->w,
        .height = scale->h,
        .radius = pic->target->window / 2,
        .low = p->cambi->low,
        .code_count = (int32_t)p->code_count,
        .steps = p->cambi->steps,
        .stored_width = pic->target->kept_w,
        .stored_height = pic->target->kept_h,
        .scale = s,
    };
    GpuBuf words[CAMBI_SCALES];
    for (unsigned i = 0; i < CAMBI_SCALES; i++)
        words[i] = pic->scale[i < s ? i : s].words;
    gpu_pass(p->plan, &(GpuPass){
                          .kernel = "cambi_contrast_small",
                          GPU_PASS_BUFFERS(words[0], words[1], words[2], words[3], words[4],
                                           p->table, scale->map),
                          GPU_PASS_PARAMS(&params),
                          .groups = { gpu_groups(scale->w, CAMBI_SMALL_W),
                                      gpu_groups(scale->h, CAMBI_SMALL_H) },
                      });
}

static void plan_contrast(const Planning *p, Picture *pic, unsigned s)
{
    Scale *scale = &pic->scale[s];
    scale->map = gpu_scratch(p->plan, (size_t)scale->w * scale->h * sizeof(uint32_t));
    gpu_keep(p->plan, scale->map, map_number(pic->number, s));
    if (scale->w < pic->target->window / 2 || scale->h < pic->target->window / 2) {
        plan_small_contrast(p, pic, s);
        return;
    }
    const unsigned fit = CAMBI_COUNTS / ((p->code_count + 1) / 2);
    const unsigned columns = fit < CAMBI_STRIP_W ? fit : CAMBI_STRIP_W;
    const unsigned strips = gpu_groups(scale->w, columns), rows = band_rows(scale->h, strips);
    const CambiContrastParams params = {
        .width = scale->w,
        .height = scale->h,
        .radius = pic->target->window / 2,
        .columns = columns,
        .rows = rows,
        .low = p->cambi->low,
        .code_count = (int32_t)p->code_count,
        .steps = p->cambi->steps,
    };
    gpu_pass(p->plan, &(GpuPass){
                          .kernel = "cambi_contrast",
                          GPU_PASS_BUFFERS(scale->words, p->table, scale->map),
                          GPU_PASS_PARAMS(&params),
                          .groups = { strips, gpu_groups(scale->h, rows) },
                      });
}

static void plan_rank(const Planning *p, Scale *scale, unsigned rank)
{
    if (rank == 0)
        scale->bins = gpu_scratch_zeroed(p->plan, CAMBI_RANKS * CAMBI_BINS * sizeof(uint32_t));
    const uint32_t count = scale->w * scale->h;
    const CambiRankParams params = {
        .count = count,
        .wanted = (uint32_t)cambi_pool_count(count, p->cambi->share),
        .rank = rank,
    };
    gpu_pass(p->plan, &(GpuPass){
                          .kernel = "cambi_rank",
                          GPU_PASS_BUFFERS(scale->map, scale->bins),
                          GPU_PASS_PARAMS(&params),
                          .groups = { gpu_groups(count, CAMBI_RANK_GROUP * CAMBI_RANK_EACH) },
                      });
}

/* Where the words of a scale begin in the result. */
static unsigned scale_words_at(unsigned picture, unsigned scale)
{
    return CAMBI_SCALES_AT + (picture * CAMBI_SCALES + scale) * CAMBI_SCALE_WORDS;
}

static void plan_sum(const Planning *p, const Picture *pic, unsigned s)
{
    const Scale *scale = &pic->scale[s];
    const uint32_t count = scale->w * scale->h;
    const CambiSumParams params = {
        .count = count,
        .wanted = (uint32_t)cambi_pool_count(count, p->cambi->share),
        .rank = CAMBI_RANKS,
        .first_word = scale_words_at(pic->number, s),
    };
    gpu_pass(p->plan, &(GpuPass){
                          .kernel = "cambi_sum",
                          GPU_PASS_BUFFERS(scale->map, scale->bins, p->result),
                          GPU_PASS_PARAMS(&params),
                          .groups = { gpu_groups(count, CAMBI_RANK_GROUP * CAMBI_RANK_EACH) },
                      });
}

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

/* Stage s maps scale s - 2 while it filters scale s - 1; before that pictures are prepared. */
static int plan_pictures(const Feature *f, const Planning *p, Picture *pics, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        plan_range(p, &pics[i]);
        const int err = plan_prepare(f, p, &pics[i]);
        if (err)
            return err;
    }
    gpu_next_stage(p->plan);
    for (unsigned s = 0; s <= CAMBI_SCALES; s++, gpu_next_stage(p->plan)) {
        for (unsigned i = 0; i < count; i++) {
            if (s < CAMBI_SCALES)
                plan_mode(p, &pics[i], s);
            if (s > 0)
                plan_contrast(p, &pics[i], s - 1);
        }
    }
    for (unsigned rank = 0; rank < CAMBI_RANKS; rank++, gpu_next_stage(p->plan))
        for (unsigned i = 0; i < count; i++)
            for (unsigned s = 0; s < CAMBI_SCALES; s++)
                plan_rank(p, &pics[i].scale[s], rank);
    for (unsigned i = 0; i < count; i++)
        for (unsigned s = 0; s < CAMBI_SCALES; s++)
            plan_sum(p, &pics[i], s);
    return 0;
}

static int plan_frame(const Feature *f, GpuPlan *plan)
{
    const CambiSetup *cambi = cambi_setup(f);
    const unsigned count = cambi->full_ref ? 2 : 1;
    const int top = cambi->bpc > 10 ? CAMBI_TOP_CODE : CAMBI_TOP_CODE - 1;
    Planning p = { .cambi = cambi, .plan = plan, .high = cambi->high < top ? cambi->high : top };
    if (cambi_wants_heatmaps(f))
        return gpu_refuse(plan, "heatmaps are made on the CPU only");
    if (p.high < cambi->low)
        return gpu_refuse(plan, "no sample can be bright enough to count with these options");
    p.code_count = (unsigned)(p.high - cambi->low + 1);
    p.result = gpu_result(plan, scale_words_at(2, 0) * sizeof(uint32_t), true);
    Picture pics[2];
    for (unsigned i = 0; i < count; i++) {
        pics[i] = (Picture){ .number = i,
                             .target = &cambi->target[i],
                             .plane = i ? gpu_ref(plan, 0) : gpu_dist(plan, 0) };
    }
    const int err = make_table(&p);
    return err ? err : plan_pictures(f, &p, pics, count);
}

/* A contrast in units of 2^-24. */
static uint64_t units_of(uint32_t bits)
{
    return bits ? (uint64_t)((bits & 0x7fffff) | 0x800000) << ((bits >> 23) - 126) : 0;
}

/* The mean of a scale: `words` has the sum of the contrasts above the k-th, their number, and the
 * k-th. -EAGAIN where the order of the CPU's additions shows. */
static int scale_score(const uint32_t *words, size_t n, double share, double *score)
{
    const size_t k = cambi_pool_count(n, share);
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
    return err;
}

/* The contrasts of a scale, added up in the CPU's order by its own code. */
static int pool_again(const CambiSetup *cambi, const GpuFrame *frame, unsigned number, size_t n,
                      double *score)
{
    float *map = mem_aligned_alloc((n + CAMBI_SLACK) * sizeof(*map));
    CambiRanks *ranks = cambi_ranks_create();
    int err = map && ranks ? gpu_fetch(frame, number, map, n * sizeof(*map)) : -ENOMEM;
    if (!err)
        *score = cambi_pool(&cambi->dsp, ranks, map, n, cambi->share);
    cambi_ranks_destroy(ranks);
    mem_aligned_free(map);
    return err;
}

static int settle(const Feature *f, const GpuFrame *frame, const void *readback, void *result)
{
    const CambiSetup *cambi = cambi_setup(f);
    CambiResult *r = result;
    int err = 0;
    for (unsigned i = 0; i < (cambi->full_ref ? 2u : 1u); i++) {
        size_t w = cambi->target[i].kept_w, h = cambi->target[i].kept_h;
        for (unsigned s = 0; !err && s < CAMBI_SCALES; s++, w = (w + 1) / 2, h = (h + 1) / 2)
            err = pool_again(cambi, frame, map_number(i, s), w * h, &r->scores[i][s]);
    }
    return err;
}

/* Exact but where the order of additions shows, which settle sees to. */
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
