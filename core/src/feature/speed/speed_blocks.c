/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/speed/speed_blocks.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "feature/speed/speed_covariance.h"

/* log2(2 pi e): entropy of a Gaussian of unit variance, twice */
static const double gauss_entropy = 0x1.06073a671183dp+2;

/* What is known of a plane's blocks. */
typedef struct Blocks {
    bool singular;
    float *entropy, *variance;
} Blocks;

struct SpeedBlocks {
    const SpeedSetup *setup;
    SpeedCovariance *covariance;
    size_t block_pitch;
    float *samples, *solved, *work; /* blocks as columns */
    Blocks blocks[2];
};

static int allocate(SpeedBlocks *s)
{
    const SpeedSetup *setup = s->setup;
    const size_t n = (size_t)setup->blocks_x * setup->blocks_y;
    s->block_pitch = (n + 15) / 16 * 16;
    s->samples = mem_array(SPEED_BLOCK * s->block_pitch, sizeof(float));
    s->solved = mem_array(SPEED_BLOCK * s->block_pitch, sizeof(float));
    s->work = mem_array(SPEED_BLOCK * s->block_pitch, sizeof(float));
    for (unsigned i = 0; i < 2; i++) {
        s->blocks[i].entropy = mem_array(n, sizeof(float));
        s->blocks[i].variance = mem_array(n, sizeof(float));
        if (!s->blocks[i].entropy || !s->blocks[i].variance)
            return -ENOMEM;
    }
    if (!s->samples || !s->solved || !s->work)
        return -ENOMEM;
    return speed_covariance_create(&s->covariance, setup);
}

int speed_blocks_create(SpeedBlocks **out, const SpeedSetup *setup)
{
    *out = NULL;
    SpeedBlocks *s = mem_zalloc(sizeof(*s));
    if (!s)
        return -ENOMEM;
    s->setup = setup;
    const int err = allocate(s);
    if (err) {
        speed_blocks_destroy(s);
        return err;
    }
    *out = s;
    return 0;
}

void speed_blocks_destroy(SpeedBlocks *s)
{
    if (!s)
        return;
    speed_covariance_destroy(s->covariance);
    mem_free(s->samples);
    mem_free(s->solved);
    mem_free(s->work);
    for (unsigned i = 0; i < 2; i++) {
        mem_free(s->blocks[i].entropy);
        mem_free(s->blocks[i].variance);
    }
    mem_free(s);
}

/* Blocks as columns: row a holds their a-th samples. */
static void gather_blocks(SpeedBlocks *s, const float *plane)
{
    const size_t pitch = s->setup->small_w;
    const unsigned nx = s->setup->blocks_x, ny = s->setup->blocks_y;
    for (unsigned a = 0; a < SPEED_BLOCK; a++) {
        float *out = s->samples + a * s->block_pitch;
        for (unsigned by = 0; by < ny; by++) {
            const float *row = plane + (SPEED_EDGE * by + a / SPEED_EDGE) * pitch;
            for (unsigned bx = 0; bx < nx; bx++)
                *out++ = row[SPEED_EDGE * bx + a % SPEED_EDGE];
        }
    }
}

static bool any_tiny(const float values[SPEED_BLOCK])
{
    for (unsigned i = 0; i < SPEED_BLOCK; i++) {
        if (values[i] < SPEED_EPSILON)
            return true;
    }
    return false;
}

static void block_statistics(const SpeedBlocks *s, const float eigenvalues[SPEED_BLOCK],
                             Blocks *blocks)
{
    const size_t n = (size_t)s->setup->blocks_x * s->setup->blocks_y;
    for (size_t i = 0; i < n; i++) {
        float variance = 0.0f, entropy = 0.0f;
        for (unsigned a = 0; a < SPEED_BLOCK; a++) {
            const size_t at = a * s->block_pitch + i;
            variance += s->solved[at] * s->samples[at] / (float)SPEED_BLOCK;
        }
        for (unsigned a = 0; a < SPEED_BLOCK; a++) {
            const float value = eigenvalues[a] < 0.0f ? 0.0f : eigenvalues[a];
            const float spread = value * variance + s->setup->sigma;
            entropy = (float)(entropy + (log2(spread) + gauss_entropy));
        }
        blocks->variance[i] = variance;
        blocks->entropy[i] = entropy;
    }
}

static void analyse(SpeedBlocks *s, const float *plane, Blocks *blocks)
{
    SpeedMatrix c;
    float eigenvalues[SPEED_BLOCK];
    speed_covariance(s->covariance, plane, c);
    gather_blocks(s, plane);
    if (!speed_eigenvalues(c, eigenvalues))
        log_warning("%s: the eigenvalues did not settle", s->setup->feature);
    const size_t n = (size_t)s->setup->blocks_x * s->setup->blocks_y;
    blocks->singular =
        any_tiny(eigenvalues) || !speed_solve(c, s->samples, s->solved, s->work, s->block_pitch, n);
    if (blocks->singular)
        memset(s->solved, 0, SPEED_BLOCK * s->block_pitch * sizeof(float));
    block_statistics(s, eigenvalues, blocks);
}

/* What the entropies of a block are weighted by: of the reference, and of the distorted plane. */
static void weights(int mode, float r, float d, double *ref, double *dist)
{
    const double one_r = 1.0f + r, one_d = 1.0f + d;
    const double half = 1.0 + (r + d) / 2.0;
    *ref = one_r;
    switch (mode) {
    case 1:
        *dist = one_r;
        break;
    case 2:
        *ref = *dist = one_d;
        break;
    case 3:
        *ref = *dist = half;
        break;
    case 4:
        *dist = half;
        break;
    case 5:
        *dist = 1.0 + (0.75 * r + 0.25 * d);
        break;
    case 6:
        *dist = 1.0 + (0.25 * r + 0.75 * d);
        break;
    default:
        *dist = one_d;
    }
}

SpeedScore speed_blocks_score(SpeedBlocks *s, const float *ref, const float *dist)
{
    const SpeedSetup *setup = s->setup;
    const Blocks *r = &s->blocks[0], *d = &s->blocks[1];
    analyse(s, ref, &s->blocks[0]);
    analyse(s, dist, &s->blocks[1]);
    if (r->singular != d->singular)
        return (SpeedScore){ 0.0f, true };
    const size_t n = (size_t)setup->blocks_x * setup->blocks_y;
    float total = 0.0f;
    for (size_t i = 0; i < n; i++) {
        if (r->entropy[i] < setup->entropy_floor && d->entropy[i] < setup->entropy_floor)
            continue;
        double ref_weight, dist_weight;
        weights(setup->weight_mode, r->variance[i], d->variance[i], &ref_weight, &dist_weight);
        const float a = (float)(r->entropy[i] * log2(ref_weight));
        const float b = (float)(d->entropy[i] * log2(dist_weight));
        total += fabsf(a - b);
    }
    return (SpeedScore){ total / (float)n, r->singular };
}
