/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "dsp/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "feature/common/float_rows.h"
#include "feature/float_adm/float_adm.h"
#include "feature/float_vif/float_vif.h"

enum { MAX_TAPS = 65, MAX_WIDTH = 700 };

/* Widths around the sizes of vectors and of blocks of vectors. */
static int width_of(int round)
{
    return round < 140 ? round + 1 : (int)(check_random() % MAX_WIDTH) + 1;
}

static float random_float(float limit)
{
    return (float)check_random_signed(1 << 24) * (limit / (1 << 24));
}

/* A row that ends at an unreadable page, with `before` readable floats in front of it. */
static float *new_row(int n, int before, float limit)
{
    float *const row = check_edge_buffer((size_t)(n + before) * sizeof(float));
    for (int i = 0; i < n + before; i++)
        row[i] = random_float(limit);
    return row + before;
}

static float *new_output(int n)
{
    return check_edge_buffer((size_t)n * sizeof(float));
}

static void same(const char *what, int n, const float *got, const float *want)
{
    char text[64];
    snprintf(text, sizeof(text), "%s, width %d", what, n);
    check_same(text, got, want, sizeof(float), n);
}

/* ---- filters ---- */

typedef struct WeighArgs {
    const FloatDsp *dsp;
    float *out;
    const float *const *rows;
    const float *taps;
    unsigned count;
    int n;
} WeighArgs;

static void run_weigh(void *arg)
{
    const WeighArgs *a = arg;
    a->dsp->weigh(a->out, a->rows, a->taps, a->count, (size_t)a->n);
}

static void check_two_filters(const FloatDsp *fast, const FloatDsp *truth, const float *const *rows,
                              float taps[2][MAX_TAPS], int n)
{
    float *const got[2] = { new_output(n), new_output(n) };
    float *const want[2] = { new_output(n), new_output(n) };
    fast->weigh4x2(got[0], got[1], rows, taps[0], taps[1], (size_t)n);
    truth->weigh4x2(want[0], want[1], rows, taps[0], taps[1], (size_t)n);
    same("weigh4x2, first", n, got[0], want[0]);
    same("weigh4x2, second", n, got[1], want[1]);
}

static void check_weigh(const FloatDsp *fast, const FloatDsp *truth, int n, unsigned count)
{
    const float *rows[MAX_TAPS];
    float taps[2][MAX_TAPS];
    for (unsigned k = 0; k < count; k++) {
        rows[k] = new_row(n, 0, 128.0f);
        taps[0][k] = random_float(1.0f);
        taps[1][k] = random_float(1.0f);
    }
    float *const got = new_output(n), *const want = new_output(n);
    fast->weigh(got, rows, taps[0], count, (size_t)n);
    truth->weigh(want, rows, taps[0], count, (size_t)n);
    same("weigh", n, got, want);
    if (count == 4)
        check_two_filters(fast, truth, rows, taps, n);
}

static void check_group(const FloatDsp *fast, const FloatDsp *truth, int n, unsigned count)
{
    const float *rows[MAX_TAPS + FLOAT_GROUP - 1];
    float taps[MAX_TAPS];
    float *got[FLOAT_GROUP], *want[FLOAT_GROUP];
    for (unsigned k = 0; k < count; k++)
        taps[k] = random_float(1.0f);
    for (unsigned k = 0; k < count + FLOAT_GROUP - 1; k++)
        rows[k] = new_row(n, 0, 128.0f);
    for (unsigned i = 0; i < FLOAT_GROUP; i++) {
        got[i] = new_output(n);
        want[i] = new_output(n);
    }
    fast->weigh_group(got, rows, taps, count, (size_t)n);
    truth->weigh_group(want, rows, taps, count, (size_t)n);
    for (unsigned i = 0; i < FLOAT_GROUP; i++)
        same("weigh_group", n, got[i], want[i]);
}

static void check_loops(const FloatDsp *fast, const FloatDsp *truth, unsigned bpc, int n)
{
    const float *const a = new_row(2 * n, 0, 300.0f), *const b = new_row(n, 0, 300.0f);
    float *const got = new_output(n), *const want = new_output(n);
    float *const got_odd = new_output(n), *const want_odd = new_output(n);
    const size_t size = bpc > 8 ? 2 : 1;
    uint8_t *const samples = check_edge_buffer((size_t)n * size);
    for (size_t i = 0; i < (size_t)n * size; i++)
        samples[i] = (uint8_t)check_random();

    fast->load(got, samples, (size_t)n, bpc > 8 ? 0.25f : 1.0f, -128.0f);
    truth->load(want, samples, (size_t)n, bpc > 8 ? 0.25f : 1.0f, -128.0f);
    same("load", n, got, want);
    fast->multiply(got, a, b, (size_t)n);
    truth->multiply(want, a, b, (size_t)n);
    same("multiply", n, got, want);
    fast->subtract(got, a, b, (size_t)n);
    truth->subtract(want, a, b, (size_t)n);
    same("subtract", n, got, want);
    fast->distance(got, a, b, (size_t)n);
    truth->distance(want, a, b, (size_t)n);
    same("distance", n, got, want);
    fast->split(got, got_odd, a, (size_t)n);
    truth->split(want, want_odd, a, (size_t)n);
    same("split, even", n, got, want);
    same("split, odd", n, got_odd, want_odd);
}

/* Compares with sums made one row at a time. */
static void check_row_sums(const FloatDsp *fast, int n)
{
    enum { ROWS = 19 };
    const unsigned count = check_random() % ROWS + 1;
    const float *rows[ROWS];
    float got[ROWS], want[ROWS];
    for (unsigned k = 0; k < count; k++) {
        rows[k] = new_row(n, 0, 10.0f);
        want[k] = 0.0f;
        for (int i = 0; i < n; i++)
            want[k] += rows[k][i];
    }
    fast->row_sums(got, rows, count, (size_t)n);
    same("row sums", (int)count, got, want);
}

static void bench_weigh(const CheckSet *set, const FloatDsp *fast, const FloatDsp *truth)
{
    const float *rows[17];
    float taps[17];
    for (unsigned k = 0; k < 17; k++) {
        rows[k] = new_row(1920, 0, 128.0f);
        taps[k] = 1.0f / 17;
    }
    WeighArgs args = { truth, new_output(1920), rows, taps, 17, 1920 };
    check_bench(NULL, "float weigh 17", 1920, run_weigh, &args);
    args.dsp = fast;
    check_bench(set, "float weigh 17", 1920, run_weigh, &args);
    const float *const line = new_row(1920 + 16, 0, 128.0f);
    for (unsigned k = 0; k < 17; k++)
        rows[k] = line + k;
    check_bench(set, "float weigh 17 across", 1920, run_weigh, &args);
    check_release_all("float weigh");
}

void float_check(const CheckSet *set)
{
    for (unsigned bpc = 8; bpc <= 10; bpc += 2) {
        FloatDsp fast, truth;
        float_dsp_init(&fast, bpc, set->cpu);
        float_dsp_init(&truth, bpc, 0);
        for (int round = 0; round < 200; round++) {
            static const unsigned counts[] = { 1, 3, 4, 5, 9, 17, 65 };
            const int n = width_of(round);
            check_weigh(&fast, &truth, n, counts[(unsigned)round % 7]);
            check_release_all("float weigh");
            check_group(&fast, &truth, n, counts[(unsigned)round % 7]);
            check_release_all("float weigh_group");
            check_loops(&fast, &truth, bpc, n);
            check_row_sums(&fast, n);
            check_release_all("float rows");
        }
        bench_weigh(set, &fast, &truth);
    }
}

/* ---- float_vif ---- */

/* Fills filtered channels of plausible pixels, and of impossible, flat and extreme ones. */
static void fill_channels(float *rows[VIF_CHANNELS], int n)
{
    for (int i = 0; i < n; i++) {
        const float a = random_float(128.0f), b = random_float(128.0f);
        const float noise = check_random() % 3 ? fabsf(random_float(5000.0f)) : random_float(1e-9f);
        rows[VIF_REF][i] = a;
        rows[VIF_DIS][i] = b;
        rows[VIF_REF2][i] = a * a + noise;
        rows[VIF_DIS2][i] = b * b + fabsf(random_float(check_random() % 2 ? 5000.0f : 1e-9f));
        rows[VIF_REF_DIS][i] = a * b + random_float(noise + 1.0f);
    }
}

typedef struct InformationArgs {
    const FloatVifDsp *dsp;
    float *num, *den;
    float *const *rows;
    const FloatVifConstants *constants;
    int n;
} InformationArgs;

static void run_information(void *arg)
{
    const InformationArgs *a = arg;
    a->dsp->information(a->num, a->den, a->rows, a->constants, (size_t)a->n);
}

void float_vif_check(const CheckSet *set)
{
    static const double noises[] = { 2.0, 0.3, 0.0, 5.0 };
    FloatVifDsp fast, truth;
    float_vif_dsp_init(&fast, set->cpu);
    float_vif_dsp_init(&truth, 0);
    for (int round = 0; round < 300; round++) {
        const int n = width_of(round);
        const double noise = noises[round % 4];
        const float rounded = (float)noise;
        const FloatVifConstants constants = {
            .noise = noise,
            .noise_up = rounded < noise ? nextafterf(rounded, INFINITY) : rounded,
            .flat_weight = (float)(rounded * rounded / 65025.0),
            .gain_limit = round % 3 ? 100.0f : 1.0f,
        };
        float *rows[VIF_CHANNELS];
        for (int k = 0; k < VIF_CHANNELS; k++)
            rows[k] = new_row(n, 0, 1.0f);
        fill_channels(rows, n);
        InformationArgs got = { &fast, new_output(n), new_output(n), rows, &constants, n };
        InformationArgs want = { &truth, new_output(n), new_output(n), rows, &constants, n };
        run_information(&got);
        run_information(&want);
        same("float_vif num", n, got.num, want.num);
        same("float_vif den", n, got.den, want.den);
        if (round == 299) {
            check_bench(NULL, "float_vif information", n, run_information, &want);
            check_bench(set, "float_vif information", n, run_information, &got);
        }
        check_release_all("float_vif");
    }
}

/* ---- float_adm ---- */

typedef struct Bands {
    float *row[ADM_BANDS];
} Bands;

static Bands new_bands(int n, float limit)
{
    Bands bands;
    for (int b = 0; b < ADM_BANDS; b++)
        bands.row[b] = new_row(n, 0, limit);
    return bands;
}

/* Distorted detail that often points in the direction of the reference's. */
static Bands new_distorted(const Bands *ref, int n)
{
    Bands bands = new_bands(n, 200.0f);
    for (int i = 0; i < n; i++) {
        const float scale = random_float(2.0f);
        const bool alike = check_random() % 2;
        for (int b = 0; b < ADM_BANDS && alike; b++)
            bands.row[b][i] = ref->row[b][i] * scale + random_float(0.01f);
    }
    return bands;
}

typedef struct DecoupleArgs {
    const FloatAdmDsp *dsp;
    Bands restored, additive, own, ref, dis;
    double limit;
    int n;
} DecoupleArgs;

static void run_decouple(void *arg)
{
    static const float weight[ADM_BANDS] = { 0.0173815377f, 0.0173815377f, 0.005890687f };
    const DecoupleArgs *a = arg;
    a->dsp->decouple(a->restored.row, a->additive.row, a->own.row, (const float *const *)a->ref.row,
                     (const float *const *)a->dis.row, weight, a->limit, (size_t)a->n);
}

static void check_decouple(const CheckSet *set, const FloatAdmDsp *fast, const FloatAdmDsp *truth,
                           int n, bool bench)
{
    static const double limits[] = { 100.0, 1.0, 1.2 };
    const Bands ref = new_bands(n, 200.0f), dis = new_distorted(&ref, n);
    DecoupleArgs got = { fast,
                         new_bands(n, 0),
                         new_bands(n, 0),
                         new_bands(n, 0),
                         ref,
                         dis,
                         limits[check_random() % 3],
                         n };
    DecoupleArgs want = {
        truth, new_bands(n, 0), new_bands(n, 0), new_bands(n, 0), ref, dis, got.limit, n
    };
    run_decouple(&got);
    run_decouple(&want);
    for (int b = 0; b < ADM_BANDS; b++) {
        same("float_adm restored", n, got.restored.row[b], want.restored.row[b]);
        same("float_adm additive", n, got.additive.row[b], want.additive.row[b]);
        same("float_adm own", n, got.own.row[b], want.own.row[b]);
    }
    if (bench) {
        check_bench(NULL, "float_adm decouple", n, run_decouple, &want);
        check_bench(set, "float_adm decouple", n, run_decouple, &got);
    }
}

/* Checks each of the 2048 intervals of the reciprocal estimate, at several exponents. */
static void check_reciprocals(const FloatAdmDsp *fast, const FloatAdmDsp *truth)
{
    enum { INTERVALS = 2048 };
    for (int exponent = -20; exponent <= 12; exponent += 4) {
        const Bands ref = new_bands(INTERVALS, 0), dis = new_bands(INTERVALS, 0);
        for (int i = 0; i < INTERVALS; i++) {
            const float inside = (float)(check_random() % 4096) / 4096.0f;
            for (int b = 0; b < ADM_BANDS; b++) {
                const float size = ldexpf(1.0f + ((float)i + inside) / INTERVALS, exponent);
                ref.row[b][i] = check_random() % 2 ? size : -size;
                dis.row[b][i] = ref.row[b][i] * 0.7f;
            }
        }
        DecoupleArgs got = { fast,
                             new_bands(INTERVALS, 0),
                             new_bands(INTERVALS, 0),
                             new_bands(INTERVALS, 0),
                             ref,
                             dis,
                             1.0,
                             INTERVALS };
        DecoupleArgs want = { truth,
                              new_bands(INTERVALS, 0),
                              new_bands(INTERVALS, 0),
                              new_bands(INTERVALS, 0),
                              ref,
                              dis,
                              1.0,
                              INTERVALS };
        run_decouple(&got);
        run_decouple(&want);
        for (int b = 0; b < ADM_BANDS; b++)
            same("float_adm reciprocal", INTERVALS, got.restored.row[b], want.restored.row[b]);
        check_release_all("float_adm reciprocal");
    }
}

static void check_masking(const FloatAdmDsp *fast, const FloatAdmDsp *truth, int n)
{
    const float *spread[ADM_BANDS][3], *weighted[ADM_BANDS];
    for (int b = 0; b < ADM_BANDS; b++) {
        for (int k = 0; k < 3; k++)
            spread[b][k] = new_row(n + 1, 1, 3.0f);
        weighted[b] = new_row(n, 0, 3.0f);
    }
    float *const got = new_output(n), *const want = new_output(n), *const limit = new_output(n);
    fast->spread(got, weighted[0], (size_t)n);
    truth->spread(want, weighted[0], (size_t)n);
    same("float_adm spread", n, got, want);
    fast->threshold(got, spread, weighted, (size_t)n);
    truth->threshold(want, spread, weighted, (size_t)n);
    same("float_adm threshold", n, got, want);
    memcpy(limit, want, (size_t)n * sizeof(float));
    fast->excess_cubed(got, weighted[1], limit, (size_t)n);
    truth->excess_cubed(want, weighted[1], limit, (size_t)n);
    same("float_adm excess", n, got, want);
}

void float_adm_check(const CheckSet *set)
{
    FloatAdmDsp fast, truth;
    float_adm_dsp_init(&fast, set->cpu);
    float_adm_dsp_init(&truth, 0);
    for (int round = 0; round < 300; round++) {
        const int n = width_of(round);
        check_decouple(set, &fast, &truth, n, round == 299);
        check_release_all("float_adm decouple");
        check_masking(&fast, &truth, n);
        check_release_all("float_adm masking");
    }
    check_reciprocals(&fast, &truth);
}
