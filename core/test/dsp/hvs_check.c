/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "dsp/check.h"

#include <stdio.h>
#include <string.h>

#include "feature/psnr_hvs/psnr_hvs.h"

typedef struct Case {
    HvsDsp dsp;
    HvsBlocks blocks;
    const HvsTables *tables;
    HvsTerms *out;
} Case;

static unsigned sample(unsigned temper, unsigned top, unsigned x, unsigned y)
{
    switch (temper) {
    case 0:
        return top / 2; /* flat */
    case 1:
        return check_random() & 1 ? top : 0;
    case 2:
        return (x / 4 + y / 4) & 1 ? top : 0;
    case 3:
        return (x * 3 + y * 5 + check_random() % 4) & top;
    default:
        return check_random() & top;
    }
}

static const void *new_plane(unsigned bpc, unsigned w)
{
    const size_t size = bpc > 8 ? 2 : 1;
    const unsigned temper = check_random() % 5;
    uint8_t *const plane = check_edge_buffer(HVS_SIDE * w * size);
    for (unsigned i = 0; i < HVS_SIDE * w; i++) {
        const uint16_t v = (uint16_t)sample(temper, (1u << bpc) - 1, i % w, i / w);
        memcpy(plane + i * size, &v, size);
    }
    return plane;
}

static HvsBlocks new_blocks(unsigned bpc, unsigned count)
{
    const unsigned w = count * HVS_STEP + 1;
    const ptrdiff_t stride = (ptrdiff_t)w * (bpc > 8 ? 2 : 1);
    HvsBlocks blocks = {
        .ref = new_plane(bpc, w),
        .ref_stride = stride,
        .dist_stride = stride,
        .count = count,
    };
    blocks.dist = check_random() % 8 ? new_plane(bpc, w) : blocks.ref;
    return blocks;
}

static const HvsTables *new_tables(void)
{
    HvsTables *const t = check_buffer(sizeof(*t));
    for (unsigned k = 0; k < HVS_COEFS; k++) {
        t->csf[k] = 0.1f + (float)(check_random() & 0xffff) / 32768.0f;
        t->mask[k] = t->csf[k] * t->csf[k] * 0.15f;
    }
    return t;
}

static void check_blocks(const CheckSet *set, const HvsDsp dsp[2], unsigned bpc, unsigned count)
{
    const HvsTables *tables = new_tables();
    const HvsBlocks blocks = new_blocks(bpc, count);
    HvsTerms *const out[2] = { check_buffer(sizeof(HvsTerms)), check_buffer(sizeof(HvsTerms)) };
    for (unsigned i = 0; i < 2; i++)
        dsp[i].blocks(out[i], &blocks, tables);
    for (unsigned k = 0; k < HVS_COEFS; k++)
        check_same("psnr_hvs term", out[1]->term[k], out[0]->term[k], sizeof(float), (int)count);
    for (unsigned i = 0; i < 2; i++)
        check_same("psnr_hvs seen", out[1]->seen[i], out[0]->seen[i], sizeof(uint32_t), (int)count);
    check_release_all(set->name);
}

static void run_blocks(void *arg)
{
    const Case *c = arg;
    c->dsp.blocks(c->out, &c->blocks, c->tables);
}

static void bench(const CheckSet *set, const HvsDsp dsp[2], unsigned bpc)
{
    for (unsigned i = 0; i < 2; i++) {
        Case c = { dsp[i], new_blocks(bpc, HVS_BATCH), new_tables(),
                   check_buffer(sizeof(HvsTerms)) };
        char name[64];
        snprintf(name, sizeof(name), "psnr_hvs block (%u)", bpc);
        check_bench(i ? set : NULL, name, HVS_BATCH, run_blocks, &c);
        check_release_all("psnr_hvs bench");
    }
}

void hvs_check(const CheckSet *set)
{
    static const unsigned depths[] = { 8, 10, 12 };
    for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
        HvsDsp dsp[2];
        hvs_dsp_init(&dsp[0], depths[i], 0);
        hvs_dsp_init(&dsp[1], depths[i], set->cpu);
        for (unsigned round = 0; round < 20; round++)
            for (unsigned count = 1; count <= HVS_BATCH; count++)
                check_blocks(set, dsp, depths[i], count);
        bench(set, dsp, depths[i]);
    }
}
