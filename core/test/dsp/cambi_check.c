/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "dsp/check.h"

#include <stdio.h>
#include <string.h>

#include "feature/cambi/cambi.h"

enum { MAX_WIDTH = 700 };

typedef struct Case {
    const CheckSet *set;
    CambiDsp fast, truth;
    int n;
} Case;

static void same(const Case *c, const char *what, const void *got, const void *want, size_t item)
{
    char text[64];
    snprintf(text, sizeof(text), "cambi %s, width %d", what, c->n);
    check_same(text, got, want, item, c->n);
}

/* Rows with the spare elements that the row functions may use. */
static uint16_t *words(const Case *c)
{
    return check_buffer(((size_t)c->n + CAMBI_SLACK) * sizeof(uint16_t));
}

static uint8_t *bytes(const Case *c)
{
    return check_buffer((size_t)c->n + CAMBI_SLACK);
}

/* Codes in runs, as in flat areas, or all different. */
static uint16_t *codes(const Case *c, unsigned top)
{
    uint16_t *const row = words(c);
    const unsigned longest = check_random() % 40 + 1;
    for (int i = 0; i < c->n;) {
        const uint16_t code = (uint16_t)(check_random() % (top + 1));
        for (unsigned k = check_random() % longest + 1; k > 0 && i < c->n; k--)
            row[i++] = code;
    }
    return row;
}

static void check_prepare(const Case *c)
{
    const size_t n = (size_t)c->n;
    uint16_t *const a = codes(c, 1024), *const b = codes(c, 1024), *const raw = codes(c, 0xffff);
    uint16_t *const got = words(c), *const want = words(c);
    uint8_t *const got_8 = bytes(c), *const want_8 = bytes(c);
    c->fast.widen_8(got, (const uint8_t *)raw, n);
    c->truth.widen_8(want, (const uint8_t *)raw, n);
    same(c, "widen", got, want, sizeof(*got));
    for (unsigned bpc = 9; bpc <= 16; bpc++) {
        c->fast.narrow_16(got, raw, n, bpc);
        c->truth.narrow_16(want, raw, n, bpc);
        same(c, "narrow", got, want, sizeof(*got));
    }
    c->fast.smooth(got, a, b, n);
    c->truth.smooth(want, a, b, n);
    same(c, "smooth", got, want, sizeof(*got));
    memcpy(b, a, n / 2 * sizeof(*b));
    c->fast.flat(got_8, a, b, n);
    c->truth.flat(want_8, a, b, n);
    same(c, "flat", got_8, want_8, 1);
}

static void check_mask(const Case *c)
{
    const size_t n = (size_t)c->n;
    uint8_t *const got = bytes(c), *const want = bytes(c), *const enter = bytes(c);
    uint8_t *const leave = bytes(c);
    uint8_t *const got_sums = (uint8_t *)check_buffer(n + 3 * CAMBI_SLACK) + CAMBI_SLACK;
    uint8_t *const want_sums = (uint8_t *)check_buffer(n + 3 * CAMBI_SLACK) + CAMBI_SLACK;
    for (size_t i = 0; i < n; i++) {
        got_sums[i] = want_sums[i] = (uint8_t)(check_random() % 7);
        enter[i] = check_random() & 1;
        leave[i] = got_sums[i] ? check_random() & 1 : 0;
    }
    c->fast.slide(got_sums, enter, leave, n);
    c->truth.slide(want_sums, enter, leave, n);
    same(c, "slide", got_sums, want_sums, 1);
    c->fast.mask(got, got_sums, 20 + check_random() % 8, n);
    c->truth.mask(want, want_sums, 0, 0);
    for (unsigned needed = 7; needed < 30; needed++) {
        c->fast.mask(got, got_sums, needed, n);
        c->truth.mask(want, want_sums, needed, n);
        same(c, "mask", got, want, 1);
    }
}

static void check_scales(const Case *c)
{
    const size_t n = (size_t)c->n;
    uint16_t *const a = codes(c, 5), *const b = codes(c, 5), *const d = codes(c, 5);
    uint16_t *const got = words(c), *const want = words(c);
    c->fast.mode3(got, a, b, d, n);
    c->truth.mode3(want, a, b, d, n);
    same(c, "mode3", got, want, sizeof(*got));
    /* in place, as for decimating planes */
    memcpy(got, a, n * sizeof(*got));
    memcpy(want, a, n * sizeof(*want));
    c->fast.keep_even_16(got, got, (n + 1) / 2);
    c->truth.keep_even_16(want, want, (n + 1) / 2);
    same(c, "keep even 16", got, want, sizeof(*got));
    c->fast.keep_even_8((uint8_t *)got, (uint8_t *)got, (n + 1) / 2);
    c->truth.keep_even_8((uint8_t *)want, (uint8_t *)want, (n + 1) / 2);
    same(c, "keep even 8", got, want, 1);
}

static void check_codes(const Case *c)
{
    const size_t n = (size_t)c->n;
    uint16_t *const a = codes(c, 30), *const b = words(c), *const got = words(c);
    uint16_t *const want = words(c), *const got_2 = words(c), *const want_2 = words(c);
    uint8_t *const mask = bytes(c);
    for (size_t i = 0; i < n; i++) {
        mask[i] = check_random() % 4 != 0;
        b[i] = check_random() % 3 ? a[i] : (uint16_t)(check_random() % 30);
    }
    c->fast.masked(got, a, mask, 5, 18, n);
    c->truth.masked(want, a, mask, 5, 18, n);
    same(c, "masked", got, want, sizeof(*got));
    c->fast.masked(got_2, b, mask, 5, 18, n);
    c->truth.masked(want_2, b, mask, 5, 18, n);
    c->fast.cancel(got, got_2, n);
    c->truth.cancel(want, want_2, n);
    same(c, "cancel", got, want, sizeof(*got));
    same(c, "cancel, other", got_2, want_2, sizeof(*got));

    uint16_t *const got_runs = words(c), *const want_runs = words(c);
    const unsigned count = c->truth.runs(want_runs, want, n);
    if (c->fast.runs(got_runs, want, n) != count)
        check_fail("cambi runs, width %d: wrong number of runs", c->n);
    else
        check_same("cambi runs", got_runs, want_runs, sizeof(*got_runs), (int)count + 1);
}

typedef struct ContrastArgs {
    const CambiDsp *dsp;
    float *out;
    CambiRun run;
    int n;
} ContrastArgs;

static void run_contrast(void *arg)
{
    const ContrastArgs *a = arg;
    a->dsp->contrast(a->out, &a->run, (size_t)a->n);
}

static void check_counts(const Case *c, bool bench)
{
    enum { STEPS = 4, SIDE = CAMBI_MAX_WINDOW * CAMBI_MAX_WINDOW };
    static float reciprocal[SIDE + 1];
    for (int i = 1; i <= SIDE; i++)
        reciprocal[i] = (float)(65536 / i) / 65536.0f; /* sums of contrasts stay exact */
    const size_t n = (size_t)c->n, pitch = n + CAMBI_SLACK;
    uint16_t *const counts = check_buffer((2 * STEPS + 1) * pitch * sizeof(uint16_t));
    for (size_t i = 0; i < (2 * STEPS + 1) * pitch; i++)
        counts[i] = (uint16_t)(check_random() % 3 ? check_random() % (SIDE / 2) : 0);
    const CambiRun run = { counts + STEPS * pitch, (ptrdiff_t)pitch, check_random() % STEPS + 1,
                           STEPS, reciprocal };
    ContrastArgs got = { &c->fast, check_edge_buffer(n * sizeof(float)), run, c->n };
    ContrastArgs want = { &c->truth, check_edge_buffer(n * sizeof(float)), run, c->n };
    run_contrast(&got);
    run_contrast(&want);
    same(c, "contrast", got.out, want.out, sizeof(float));
    if (bench) {
        check_bench(NULL, "cambi contrast", c->n, run_contrast, &want);
        check_bench(c->set, "cambi contrast", c->n, run_contrast, &got);
    }

    size_t got_count, want_count;
    const double sum = c->truth.sum_above(want.out, n, 1.5f, &want_count);
    if (c->fast.sum_above(want.out, n, 1.5f, &got_count) != sum || got_count != want_count)
        check_fail("cambi sum above, width %d", c->n);

    uint16_t *const a = words(c), *const b = words(c), *const by = words(c);
    for (size_t i = 0; i < n; i++) {
        a[i] = b[i] = (uint16_t)(check_random() % SIDE);
        by[i] = (uint16_t)(check_random() % CAMBI_MAX_WINDOW);
    }
    c->fast.add(a, by, n);
    c->truth.add(b, by, n);
    same(c, "add", a, b, sizeof(*a));
    c->fast.subtract(a, by, n);
    c->truth.subtract(b, by, n);
    same(c, "subtract", a, b, sizeof(*a));
}

void cambi_check(const CheckSet *set)
{
    Case c = { .set = set };
    cambi_dsp_init(&c.fast, set->cpu);
    cambi_dsp_init(&c.truth, 0);
    for (int round = 0; round < 300; round++) {
        c.n = round < 140 ? round + 1 : (int)(check_random() % MAX_WIDTH) + 1;
        check_prepare(&c);
        check_mask(&c);
        check_release_all("cambi rows");
        check_scales(&c);
        check_codes(&c);
        check_release_all("cambi codes");
        check_counts(&c, round == 299);
        check_release_all("cambi counts");
    }
}
