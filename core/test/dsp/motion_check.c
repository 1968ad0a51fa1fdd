/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "dsp/check.h"

#include <stdio.h>
#include <string.h>

#include "dsp/whole.h"
#include "feature/motion/motion.h"
#include "widths.h"

/* Both versions: the scalar one, then the one under test. */
typedef struct Case {
    const CheckSet *set;
    unsigned bpc;
    bool whole; /* check the scalar code, too */
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

/* Samples that end at an unreadable page. */
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

/* Compares columns and sums. Pairs are not compared: each version has its own layout. */
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

/* ---- frames ---- */

enum { TRUTH, FAST };

static WholeFrame new_frame(const Case *c, int w, int h)
{
    const unsigned count = (unsigned)(w * h);
    return (WholeFrame){
        .w = w, .h = h, .bpc = c->bpc, .planes = { new_samples(c, count), new_samples(c, count) }
    };
}

static uint64_t measure(const Case *c, const WholeFrame *f, int version, Team *team)
{
    MotionSetup setup = {
        .w = (unsigned)f->w, .h = (unsigned)f->h, .bpc = f->bpc, .dsp = c->dsp[version]
    };
    const ptrdiff_t stride = f->w * (f->bpc > 8 ? 2 : 1), strides[2] = { stride, stride };
    void *frame;
    if (motion_frame_create(&(Feature){ .state = &setup }, &frame)) {
        check_fail("motion: out of memory");
        return 0;
    }
    const uint64_t sad = motion_frame_measure(frame, &setup, f->planes, strides, team);
    motion_frame_destroy(frame);
    return sad;
}

static void compare_frame(const Case *c, const WholeFrame *f, const char *what, uint64_t got,
                          uint64_t want)
{
    if (got != want)
        check_fail("motion %s: frame of %dx%d, %u bits, %s", c->set->name, f->w, f->h, f->bpc,
                   what);
}

static void check_frame(const Case *c, int w, int h)
{
    const WholeFrame frame = new_frame(c, w, h);
    const uint64_t truth = measure(c, &frame, TRUTH, NULL);
    compare_frame(c, &frame, "against scalar code", measure(c, &frame, FAST, NULL), truth);
    if (c->whole)
        compare_frame(c, &frame, "scalar code against the whole", truth, whole_motion(&frame));
    check_release_all("motion frame");
}

/* Checks frames large enough for threads to share them. */
static void check_shared(const Case *c, int w)
{
    const WholeFrame frame = new_frame(c, w, MOTION_SHARED_PIXELS / w + 1);
    const uint64_t truth = measure(c, &frame, TRUTH, NULL);
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        Team *team;
        if (team_create(&team, threads)) {
            check_fail("motion: no threads");
            break;
        }
        /* A team of one thread takes the path without a team. */
        for (int version = threads > 1 ? TRUTH : FAST; version <= FAST; version++)
            compare_frame(c, &frame, threads > 1 ? "shared" : "by one thread",
                          measure(c, &frame, version, team), truth);
        team_destroy(team);
    }
    check_release_all("motion shared frame");
}

/* Checks widths around those where the frame routine behaves differently. */
static void check_widths(const Case *c)
{
    const int narrow = narrow_width(MOTION_STRIP, MOTION_STRIP_STEP);
    const int widths[] = { MOTION_STRIP - 1,     MOTION_STRIP,
                           MOTION_STRIP + 1,     MOTION_STRIP + MOTION_REACH,
                           2 * MOTION_STRIP + 1, 2 * MOTION_STRIP + 37,
                           narrow - 1,           narrow,
                           narrow + 1,           narrow + MOTION_REACH };
    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
        check_frame(c, widths[i], 5 + (int)i);
}

typedef struct Bench {
    MotionSetup setup;
    void *frame;
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
    if (!motion_frame_create(&(Feature){ .state = &b.setup }, &b.frame)) {
        char name[64];
        snprintf(name, sizeof(name), "motion frame (%u)", c->bpc);
        check_bench(fast ? c->set : NULL, name, W * H, run_frame, &b);
    }
    motion_frame_destroy(b.frame);
    check_release_all("motion bench");
}

static void check_depth(const CheckSet *set, unsigned bpc, bool whole)
{
    static const int frames[][2] = { { 3, 3 }, { 4, 3 }, { 5, 7 }, { 17, 4 }, { 33, 18 } };
    Case c = { .set = set, .bpc = bpc, .whole = whole };
    motion_dsp_init(&c.dsp[0], bpc, 0);
    motion_dsp_init(&c.dsp[1], bpc, set->cpu);
    for (int n = 1; n <= MOTION_STRIP; n += n < 130 ? 1 : 19)
        check_strip(&c, n);
    for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++)
        check_frame(&c, frames[i][0], frames[i][1]);
    check_widths(&c);
    if ((bpc == 8 || bpc == 10) && !check_short()) {
        check_shared(&c, narrow_width(MOTION_STRIP, MOTION_STRIP_STEP));
        check_shared(&c, 2 * MOTION_STRIP + 37);
    }
    for (int fast = 0; fast < 2; fast++)
        bench_frame(&c, fast);
}

void motion_check(const CheckSet *set)
{
    static bool whole_done; /* once is enough for all instruction sets */
    static const unsigned depths[] = { 8, 9, 10, 12, 15, 16 };
    for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++)
        check_depth(set, depths[i], !whole_done && !check_short());
    whole_done = true;
}
