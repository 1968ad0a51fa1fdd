/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "dsp/check.h"

#include <stdio.h>
#include <string.h>

#include "feature/motion/motion_frame.h"

/* Both versions: the truth, then the one under test. */
typedef struct Case {
    const CheckSet *set;
    unsigned bpc;
    MotionDsp dsp[2];
} Case;

static unsigned sample(unsigned temper, unsigned top, unsigned i)
{
    switch (temper) {
    case 0:
        return check_random() % (top + 1);
    case 1:
        return check_random() & 1 ? top : 0;
    case 2:
        return top;
    case 3:
        return 0;
    default:
        return (top / 3 + i + check_random() % (top / 64 + 1)) % (top + 1);
    }
}

/* Samples that end where nothing may be read. */
static void *new_samples(const Case *c, unsigned count)
{
    const size_t size = c->bpc > 8 ? 2 : 1;
    const unsigned temper = check_random() % 5;
    uint8_t *const samples = check_edge_buffer(count * size);
    for (unsigned i = 0; i < count; i++) {
        const uint16_t v = (uint16_t)sample(temper, (1u << c->bpc) - 1, i);
        memcpy(samples + i * size, &v, size);
    }
    return samples;
}

/* Pairs are laid out as each version likes; columns and sums must be equal. */
static void check_strip(const Case *c, int n)
{
    const int all = n + 2 * MOTION_REACH, first = MOTION_MARGIN - MOTION_REACH;
    uint32_t *pairs[2][MOTION_PAIRS];
    int16_t *columns[2];
    uint64_t sad[2];
    for (int i = 0; i < MOTION_PAIRS; i++) {
        const void *const earlier[2] = { new_samples(c, (unsigned)all),
                                         new_samples(c, (unsigned)all) };
        const void *const current[2] = { new_samples(c, (unsigned)all),
                                         new_samples(c, (unsigned)all) };
        for (int k = 0; k < 2; k++) {
            pairs[k][i] = check_buffer(MOTION_PAIR_WORDS * sizeof(uint32_t));
            c->dsp[k].join(pairs[k][i], earlier, current, all);
        }
    }
    for (int k = 0; k < 2; k++) {
        columns[k] = check_buffer(2 * MOTION_ROW_WORDS * sizeof(int16_t));
        c->dsp[k].blur_columns(columns[k] + first, (const uint32_t *const *)pairs[k], all,
                               (int)c->bpc);
    }
    for (int channel = 0; channel < 4; channel++)
        check_same("motion blur_columns", columns[1] + channel * MOTION_PITCH + first,
                   columns[0] + channel * MOTION_PITCH + first, sizeof(int16_t), all);
    for (int row = 0; row < 2; row++) {
        for (int k = 0; k < 2; k++)
            sad[k] = c->dsp[k].blur_row(columns[k] + row * MOTION_ROW_WORDS + MOTION_MARGIN, n);
        if (sad[0] != sad[1])
            check_fail("motion %s: blur_row, %u bits, %d columns", c->set->name, c->bpc, n);
    }
    check_release_all("motion strip");
}

static void check_frame(const Case *c, unsigned w, unsigned h)
{
    const ptrdiff_t stride = (ptrdiff_t)(w * (c->bpc > 8 ? 2 : 1)), strides[2] = { stride, stride };
    const void *const planes[2] = { new_samples(c, w * h), new_samples(c, w * h) };
    uint64_t sad[2];
    for (int k = 0; k < 2; k++) {
        const MotionSetup setup = { .w = w, .h = h, .bpc = c->bpc, .dsp = c->dsp[k] };
        MotionFrame *frame;
        if (motion_frame_create(&frame, &setup)) {
            check_fail("motion: out of memory");
            return;
        }
        sad[k] = motion_frame_measure(frame, &setup, planes, strides, NULL);
        motion_frame_destroy(frame);
    }
    if (sad[0] != sad[1])
        check_fail("motion %s: frame of %ux%u, %u bits", c->set->name, w, h, c->bpc);
    check_release_all("motion frame");
}

typedef struct Bench {
    MotionSetup setup;
    MotionFrame *frame;
    const void *planes[2];
    ptrdiff_t strides[2];
} Bench;

static void run_frame(void *arg)
{
    Bench *b = arg;
    motion_frame_measure(b->frame, &b->setup, b->planes, b->strides, NULL);
}

static void bench_frame(const Case *c, int fast)
{
    enum { W = 480, H = 96 };
    const ptrdiff_t stride = W * (c->bpc > 8 ? 2 : 1);
    Bench b = {
        .setup = { .w = W, .h = H, .bpc = c->bpc, .dsp = c->dsp[fast] },
        .planes = { new_samples(c, W * H), new_samples(c, W * H) },
        .strides = { stride, stride },
    };
    if (!motion_frame_create(&b.frame, &b.setup)) {
        char name[64];
        snprintf(name, sizeof(name), "motion frame (%u)", c->bpc);
        check_bench(fast ? c->set : NULL, name, W * H, run_frame, &b);
    }
    motion_frame_destroy(b.frame);
    check_release_all("motion bench");
}

static void check_depth(const CheckSet *set, unsigned bpc)
{
    static const unsigned frames[][2] = { { 3, 3 },   { 4, 3 },   { 5, 7 },   { 17, 4 },
                                          { 33, 18 }, { 513, 9 }, { 545, 12 } };
    Case c = { .set = set, .bpc = bpc };
    motion_dsp_init(&c.dsp[0], bpc, 0);
    motion_dsp_init(&c.dsp[1], bpc, set->cpu);
    for (int n = 1; n <= MOTION_STRIP; n += n < 130 ? 1 : 19)
        check_strip(&c, n);
    for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
        check_frame(&c, frames[i][0], frames[i][1]);
    for (int fast = 0; fast < 2; fast++)
        bench_frame(&c, fast);
}

void motion_check(const CheckSet *set)
{
    static const unsigned depths[] = { 8, 9, 10, 12, 15, 16 };
    for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++)
        check_depth(set, depths[i]);
}
