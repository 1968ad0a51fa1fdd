/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* psnr_hvs: PSNR over 8x8 transform blocks. Errors are weighted by contrast sensitivity, and
 * reduced by the part that a block's texture hides. */
#include <errno.h>
#include <string.h>

#include "engine/feature.h"
#include "engine/map.h"
#include "base/decimal.h"
#include "base/log.h"
#include "base/mem.h"
#include "feature/psnr_hvs/psnr_hvs.h"
#include "feature/psnr_hvs/psnr_hvs_tile.h"
#include "gpu/feature_gpu.h"

/* Up to this depth the products of the transform fit 32 bits. */
#define MAX_BPC 12

/* Ratio of masking to sensitivity. */
#define MASK_RATIO 0.3885746225901003

/* Weights of the planes' errors in the combined score. */
#define LUMA_SHARE 0.8
#define CHROMA_SHARE 0.1

enum { OUT_Y, OUT_CB, OUT_CR, OUT_ALL };

/* Contrast sensitivity by frequency, for Y, Cb and Cr. The tables are symmetric, so each row starts
 * at the diagonal. */
/* clang-format off */
static const float sensitivity[3][HVS_SIDE * (HVS_SIDE + 1) / 2] = {
    {
        1.6193873005f, 2.2901594831f, 2.08509755623f, 1.48366094411f, 1.00227514334f,
        0.678296995242f, 0.466224900598f, 0.3265091542f,
        1.94321815382f, 2.04793073064f, 1.68731108984f, 1.2305666963f, 0.868920337363f,
        0.61280991668f, 0.436405793551f,
        1.34329019223f, 1.09205635862f, 0.875748795257f, 0.670882927016f, 0.501731932449f,
        0.372504254596f,
        0.772819797575f, 0.605636379554f, 0.48309405692f, 0.380429446972f, 0.295774038565f,
        0.448996256676f, 0.352889268808f, 0.283006984131f, 0.226951348204f,
        0.27032073436f, 0.215017739696f, 0.17408067321f,
        0.168869545842f, 0.136153931001f,
        0.109083846276f,
    },
    {
        1.91113096927f, 2.46074210438f, 1.18284184739f, 1.14982565193f, 1.05017074788f,
        0.898018824055f, 0.74725392039f, 0.615105596242f,
        1.58529308355f, 1.21363250036f, 1.38190029285f, 1.33100189972f, 1.17428548929f,
        0.996404342439f, 0.830890433625f,
        0.978712413627f, 1.02624506078f, 1.03145147362f, 0.960060382087f, 0.849823426169f,
        0.731221236837f,
        0.861317501629f, 0.801821139099f, 0.751437590932f, 0.685398513368f, 0.608694761374f,
        0.676555426187f, 0.605503172737f, 0.55002013668f, 0.495804539034f,
        0.514674450957f, 0.454353482512f, 0.407050308965f,
        0.389234902883f, 0.342353999733f,
        0.295530605237f,
    },
    {
        2.03871978502f, 2.62502345193f, 1.26180942886f, 1.11019789803f, 1.01397751469f,
        0.867069376285f, 0.721500455585f, 0.593906509971f,
        1.69112867013f, 1.17180569821f, 1.3342742857f, 1.28513006198f, 1.13381474809f,
        0.962064122248f, 0.802254508198f,
        0.944981930573f, 0.990876405848f, 0.995903384143f, 0.926972725286f, 0.820534991409f,
        0.706020324706f,
        0.831632933426f, 0.77418706195f, 0.725539939514f, 0.661776842059f, 0.587716619023f,
        0.653238524286f, 0.584635025748f, 0.531064164893f, 0.478717061273f,
        0.496936637883f, 0.438694579826f, 0.393021669543f,
        0.375820256136f, 0.330555063063f,
        0.285345396658f,
    },
};
/* clang-format on */

/* The error of each plane: one chain of single-precision additions through all blocks and
 * coefficients in raster order. The rounding errors of that order are part of the score. */
typedef struct HvsResult {
    float error[3];
} HvsResult;

/* Number of blocks along a side. Samples behind the last complete block are ignored. */
static unsigned hvs_block_count(unsigned side)
{
    return side < HVS_SIDE ? 0 : (side - HVS_SIDE) / HVS_STEP + 1;
}

typedef struct HvsState {
    HvsDsp dsp;
    HvsTables tables[3];
} HvsState;

static void fill_tables(HvsTables *t, const float *upper)
{
    for (unsigned r = 0; r < HVS_SIDE; r++) {
        for (unsigned c = r; c < HVS_SIDE; c++, upper++) {
            const double mask = (double)*upper * MASK_RATIO;
            t->csf[r * HVS_SIDE + c] = t->csf[c * HVS_SIDE + r] = *upper;
            t->mask[r * HVS_SIDE + c] = t->mask[c * HVS_SIDE + r] = (float)(mask * mask);
        }
    }
}

static int hvs_init(Feature *f)
{
    if (f->shape.pix_fmt == VMAF_PIX_FMT_YUV400P) {
        log_error("%s: pictures without chroma are not supported", f->def->name);
        return -EINVAL;
    }
    if (f->shape.bpc > MAX_BPC) {
        log_error("%s: invalid bitdepth (%u), bpc must be less than or equal to %d", f->def->name,
                  f->shape.bpc, MAX_BPC);
        return -EINVAL;
    }
    HvsState *s = f->state = mem_alloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    hvs_dsp_init(&s->dsp, f->shape.bpc, f->cpu);
    for (unsigned p = 0; p < 3; p++)
        fill_tables(&s->tables[p], sensitivity[p]);
    return 0;
}

static const HvsTables *hvs_tables(const Feature *f, unsigned plane)
{
    return &((const HvsState *)f->state)->tables[plane];
}

static int hvs_scratch_create(const Feature *f, void **scratch)
{
    *scratch = mem_aligned_alloc(sizeof(HvsTerms));
    return *scratch ? 0 : -ENOMEM;
}

static unsigned lowest_bit(uint32_t bits)
{
    return (unsigned)__builtin_ctz(bits);
}

/* Adds the terms of `count` blocks to the error. Adding zeros changes nothing, so only the terms
 * marked as seen are added. */
static float add_terms(float error, const HvsTerms *terms, unsigned count)
{
    for (unsigned b = 0; b < count; b++) {
        for (unsigned half = 0; half < 2; half++) {
            const float(*term)[HVS_BATCH] = terms->term + 32 * half;
            for (uint32_t bits = terms->seen[half][b]; bits; bits &= bits - 1)
                error += term[lowest_bit(bits)][b];
        }
    }
    return error;
}

/* Puts the terms of `count` blocks into the cells of a map, from block (x, y) on. The others are
 * 0. */
static void keep_terms(const MapLayer *map, unsigned x, unsigned y, const HvsTerms *terms,
                       unsigned count)
{
    for (unsigned b = 0; b < count; b++) {
        VmafPartValue *const cell = map_cell(map, x + b, y);
        for (unsigned k = 0; k < HVS_COEFS; k++)
            if (terms->seen[k / 32][b] >> k % 32 & 1)
                cell[k].real = terms->term[k][b];
    }
}

/* Puts the terms of plane p into a map; without a map, returns their sum. */
static float plane_error(const HvsState *s, HvsTerms *terms, const FramePair *pair, unsigned p,
                         const MapLayer *map)
{
    const VmafPicture *ref = pair->ref, *dist = pair->dist;
    const unsigned across = hvs_block_count(ref->w[p]), down = hvs_block_count(ref->h[p]);
    const ptrdiff_t sample = ref->bpc > 8 ? 2 : 1;
    float error = 0.0f;
    for (unsigned y = 0; y < down; y++) {
        for (unsigned x = 0; x < across; x += HVS_BATCH) {
            const ptrdiff_t row = (ptrdiff_t)y * HVS_STEP;
            const ptrdiff_t column = (ptrdiff_t)x * HVS_STEP * sample;
            const HvsBlocks blocks = {
                .ref = (const char *)ref->data[p] + row * ref->stride[p] + column,
                .dist = (const char *)dist->data[p] + row * dist->stride[p] + column,
                .ref_stride = ref->stride[p],
                .dist_stride = dist->stride[p],
                .count = across - x < HVS_BATCH ? across - x : HVS_BATCH,
            };
            s->dsp.blocks(terms, &blocks, &s->tables[p]);
            if (map)
                keep_terms(map, x, y, terms, blocks.count);
            else
                error = add_terms(error, terms, blocks.count);
        }
    }
    return error;
}

static int hvs_measure(const Feature *f, void *scratch, const FramePair *pair, void *result,
                       Team *team)
{
    HvsResult *r = result;
    for (unsigned p = 0; p < 3; p++)
        r->error[p] = plane_error(f->state, scratch, pair, p, NULL);
    return 0;
}

static double to_db(double error)
{
    return 10.0 * (-1.0 * decimal_log(error));
}

static int hvs_report(Feature *f, const FrameId *id, const void *result)
{
    const HvsResult *r = result;
    const float peak = (float)((1u << f->shape.bpc) - 1);
    double error[3];
    int err = 0;
    for (unsigned p = 0; p < 3; p++) {
        const uint64_t blocks =
            (uint64_t)hvs_block_count(f->shape.w[p]) * hvs_block_count(f->shape.h[p]);
        error[p] = r->error[p] / (float)(HVS_COEFS * blocks) / (peak * peak); /* single precision */
        err |= feature_emit(f, OUT_Y + p, id->index, to_db(error[p]));
    }
    const double all = error[0] * LUMA_SHARE + CHROMA_SHARE * (error[1] + error[2]);
    err |= feature_emit(f, OUT_ALL, id->index, to_db(all));
    return err ? -EINVAL : 0;
}

/* ---- maps: a layer for each plane; its cells are blocks, their terms coefficients ---- */

static unsigned map_layers(const Feature *f, MapLayer *layers)
{
    for (unsigned p = 0; p < 3; p++)
        layers[p] = (MapLayer){
            .output = OUT_Y + p,
            .w = hvs_block_count(f->shape.w[p]),
            .h = hvs_block_count(f->shape.h[p]),
            .terms = HVS_COEFS,
            .step_x = HVS_STEP * plane_step_x(&f->shape, p),
            .step_y = HVS_STEP * plane_step_y(&f->shape, p),
            .best = 50.0,
            .worst = 20.0,
            .unit = "dB",
        };
    return 3;
}

static int map_measure(const Feature *f, void *scratch, const FramePair *pair, MapLayer *layers)
{
    for (unsigned p = 0; p < 3; p++)
        plane_error(f->state, scratch, pair, p, &layers[p]);
    return 0;
}

/* Adds in the order of add_terms. Terms that it leaves out are 0. */
static int map_sum(const Feature *f, const MapLayer *layers, void *result)
{
    HvsResult *const r = result;
    for (unsigned p = 0; p < 3; p++) {
        const size_t count = (size_t)layers[p].w * layers[p].h * HVS_COEFS;
        for (size_t i = 0; i < count; i++)
            r->error[p] += (float)layers[p].cells[i].real;
    }
    return 0;
}

static double map_value(const Feature *f, unsigned layer, const double *terms, double cells)
{
    const double peak = (double)((1u << f->shape.bpc) - 1);
    double error = 0.0;
    for (unsigned k = 0; k < HVS_COEFS; k++)
        error += terms[k];
    return to_db(error / (HVS_COEFS * cells) / (peak * peak));
}

static const FeatureMap hvs_map = {
    .layers = map_layers,
    .measure = map_measure,
    .sum = map_sum,
    .value = map_value,
    .real = UINT64_MAX,
};

/* ---- the GPU ----
 *
 * All planes are handled at the same time: first all blocks, then for each plane the chain of
 * additions. The chain is prepared in chunks, which one workgroup puts together. */

GPU_PARAMS(HvsBlocksParams, HVS_BLOCKS_PARAMS);
GPU_PARAMS(HvsChainParams, HVS_CHAIN_PARAMS);

_Static_assert(offsetof(HvsTables, mask) == HVS_MASKS * sizeof(float),
               "the kernel finds the masks there");
_Static_assert(HVS_PIECE *HVS_PIECES == HVS_COEFS && HVS_CHUNK == HVS_CHUNK_BLOCKS * HVS_PIECES &&
                   HVS_CHUNK_BLOCKS % HVS_BLOCKS_W == 0,
               "a chunk has whole pieces and the terms of whole workgroups");

enum { PLANES = 3 };

typedef struct Planes {
    uint32_t blocks[PLANES], chunks[PLANES]; /* the same for both chroma planes */
    uint32_t all_blocks, all_chunks;
} Planes;

static Planes planes_of(const FrameShape *shape)
{
    Planes planes = { 0 };
    for (unsigned p = 0; p < PLANES; p++) {
        planes.blocks[p] = hvs_block_count(shape->w[p]) * hvs_block_count(shape->h[p]);
        planes.chunks[p] = gpu_workgroups(planes.blocks[p], HVS_CHUNK_BLOCKS);
        planes.all_blocks += planes.blocks[p];
        planes.all_chunks += planes.chunks[p];
    }
    return planes;
}

static void plan_blocks(const Feature *f, GpuPlan *plan, const Planes *planes, GpuBuf terms,
                        GpuBuf totals)
{
    uint32_t first_block = 0, first_chunk = 0;
    for (unsigned p = 0; p < PLANES; p++) {
        const HvsTables *tables = hvs_tables(f, p);
        const HvsBlocksParams params = {
            .stride = gpu_plane_stride(plan, p),
            .across = hvs_block_count(f->shape.w[p]),
            .blocks = planes->blocks[p],
            .first_block = first_block,
            .first_total = first_chunk * (HVS_CHUNK_BLOCKS / HVS_BLOCKS_W),
        };
        first_block += planes->blocks[p];
        first_chunk += planes->chunks[p];
        if (!params.blocks)
            continue;
        gpu_pass(plan,
                 &(GpuPass){
                     .kernel = gpu_by_depth(f, "hvs_blocks_8", "hvs_blocks_16"),
                     GPU_PASS_BUFFERS(gpu_ref(plan, p), gpu_dist(plan, p),
                                      gpu_table(plan, tables, sizeof(*tables)), terms, totals),
                     GPU_PASS_PARAMS(&params),
                     .workgroups = { gpu_workgroups(params.blocks, HVS_BLOCKS_W) },
                 });
    }
    gpu_next_stage(plan);
}

static int hvs_plan(const Feature *f, GpuPlan *plan)
{
    const Planes planes = planes_of(&f->shape);
    const GpuBuf result = gpu_result(plan, PLANES * sizeof(float), !planes.blocks[0]);
    if (!planes.blocks[0]) /* the picture is smaller than a block: all errors are 0 */
        return 0;
    const size_t totals_size =
        (size_t)planes.all_chunks * (HVS_CHUNK_BLOCKS / HVS_BLOCKS_W) * sizeof(float);
    const GpuBuf terms = gpu_scratch(plan, (size_t)planes.all_blocks * HVS_COEFS * sizeof(float));
    const GpuBuf totals = gpu_scratch(plan, totals_size);
    const GpuBuf runs =
        gpu_scratch(plan, (size_t)planes.all_chunks * HVS_RUN_WORDS * sizeof(uint32_t));
    const HvsChainParams params = {
        .luma_blocks = planes.blocks[0],
        .chroma_blocks = planes.blocks[1],
    };
    plan_blocks(f, plan, &planes, terms, totals);
    gpu_pass(plan, &(GpuPass){
                       .kernel = "hvs_runs",
                       GPU_PASS_BUFFERS(terms, totals, runs),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { planes.chunks[0], PLANES },
                   });
    gpu_next_stage(plan);
    gpu_pass(plan, &(GpuPass){
                       .kernel = "hvs_sum",
                       GPU_PASS_BUFFERS(terms, runs, result),
                       GPU_PASS_PARAMS(&params),
                       .workgroups = { PLANES },
                   });
    return 0;
}

static int hvs_collect(const Feature *f, const void *readback, void *result)
{
    memcpy(result, readback, sizeof(HvsResult));
    return 0;
}

static const FeatureGpu psnr_hvs_gpu = { .plan = hvs_plan, .collect = hvs_collect };

/* ---- the definition ---- */

static const FeatureOutput hvs_outputs[] = {
    [OUT_Y] = { .name = "psnr_hvs_y", .help = "PSNR-HVS of the luma plane in dB" },
    [OUT_CB] = { .name = "psnr_hvs_cb", .help = "PSNR-HVS of the Cb plane in dB" },
    [OUT_CR] = { .name = "psnr_hvs_cr", .help = "PSNR-HVS of the Cr plane in dB" },
    [OUT_ALL] = { .name = "psnr_hvs", .help = "PSNR-HVS of all planes in dB" },
    { .name = NULL },
};

static const ResultField fields[] = {
    RESULT_FIELD(HvsResult, error, FIELD_FLOAT),
    { 0 },
};

const FeatureDef feature_psnr_hvs = {
    .name = "psnr_hvs",
    .summary = "PSNR weighted by contrast sensitivity and masking",
    .outputs = hvs_outputs,
    .flags = FEATURE_CHROMA,
    .result_size = sizeof(HvsResult),
    .fields = fields,
    .init = hvs_init,
    .close = feature_free_state,
    .scratch_create = hvs_scratch_create,
    .scratch_destroy = mem_aligned_free,
    .measure = hvs_measure,
    .report = hvs_report,
    .gpu = &psnr_hvs_gpu,
    .map = &hvs_map,
};
