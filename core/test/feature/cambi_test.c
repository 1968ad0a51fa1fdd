/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* cambi: visibility limits, the contrast map and the mean of the largest contrasts against their
 * definitions, and scores of banded pictures. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "feature/cambi/cambi.h"
#include "feature/scoring.h"
#include "testing.h"

static void limits_of_visible_steps(void **state)
{
    static const struct {
        double threshold;
        enum CambiEotf eotf;
        int limit[8];
    } rows[] = {
        { 0.005, CAMBI_BT1886, { 532, 1023, 1023, 1023, 1023, 1023, 1023, 1023 } },
        { 0.019, CAMBI_BT1886, { 178, 305, 432, 559, 686, 813, 1023, 1023 } },
        { 0.1, CAMBI_BT1886, { 76, 101, 125, 150, 175, 199, 224, 249 } },
        { 0.5, CAMBI_BT1886, { 0, 0, 68, 73, 79, 84, 89, 95 } },
        { 0.019, CAMBI_PQ, { 233, 1023, 1023, 1023, 1023, 1023, 1023, 1023 } },
        { 0.1, CAMBI_PQ, { 84, 111, 143, 182, 228, 284, 355, 453 } },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (unsigned d = 1; d <= 8; d++)
            assert_int_equal(cambi_step_limit(d, rows[i].threshold, rows[i].eotf),
                             rows[i].limit[d - 1]);
    }
}

static void dark_codes(void **state)
{
    static const struct {
        double luminance;
        int bt1886, pq;
    } rows[] = { { 0, 0, 0 },     { 0.01, 65, 83 }, { 0.06, 78, 108 }, { 0.5, 114, 167 },
                 { 2, 162, 229 }, { 10, 268, 327 }, { 60, 507, 465 },  { 300, 940, 609 } };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(cambi_dark_code(rows[i].luminance, CAMBI_BT1886), rows[i].bt1886);
        assert_int_equal(cambi_dark_code(rows[i].luminance, CAMBI_PQ), rows[i].pq);
    }
}

/* ---- the contrast map ---- */

static uint32_t next_random(void)
{
    static uint32_t s = 12345;
    s = s * 1664525u + 1013904223u;
    return s >> 8;
}

static unsigned count_near(const CambiPlane *p, int x, int y, int r, int code)
{
    unsigned count = 0;
    for (int i = y - r; i <= y + r; i++) {
        for (int j = x - r; j <= x + r; j++) {
            if (i < 0 || j < 0 || i >= (int)p->h || j >= (int)p->w)
                continue;
            const size_t at = (size_t)i * p->pitch + (size_t)j;
            count += p->mask[at] && p->code[at] == code;
        }
    }
    return count;
}

static float contrast_by_definition(const CambiSetup *setup, const CambiPlane *p, int x, int y,
                                    int r)
{
    const size_t at = (size_t)y * p->pitch + (size_t)x;
    if (!p->mask[at])
        return 0.0f;
    const int code = p->code[at];
    const unsigned own = count_near(p, x, y, r, code);
    float best = 0.0f;
    for (unsigned d = setup->first_step[code]; d <= setup->steps; d++) {
        const unsigned above = count_near(p, x, y, r, code + (int)d);
        const unsigned below = count_near(p, x, y, r, code - (int)d);
        const unsigned other = above > below ? above : below;
        const float value =
            (float)(int)(cambi_step_weight[d] * own * other) * setup->reciprocal[own + other];
        best = value > best ? value : best;
    }
    return best;
}

static void fill_plane(CambiPlane *p, unsigned from, unsigned span)
{
    for (size_t y = 0; y < p->h; y++) {
        for (size_t x = 0; x < p->w;) {
            const uint16_t code = (uint16_t)(from + next_random() % span);
            const uint8_t mask = next_random() % 5 != 0;
            for (unsigned run = next_random() % 23 + 1; run > 0 && x < p->w; run--, x++) {
                p->code[y * p->pitch + x] = code;
                p->mask[y * p->pitch + x] = mask;
            }
        }
    }
}

static void contrast_matches_its_definition(void **state)
{
    CambiSetup *setup = calloc(1, sizeof(*setup));
    assert_non_null(setup);
    setup->steps = 4;
    setup->low = 100;
    setup->high = 130;
    for (int code = 0; code <= CAMBI_TOP_CODE; code++)
        setup->first_step[code] = (uint8_t)(code >= 104 && code <= 126 ? 1 + code % 4 : 5);
    for (int i = 1; i <= CAMBI_MAX_WINDOW * CAMBI_MAX_WINDOW; i++)
        setup->reciprocal[i] = 1.0f / (float)i;
    cambi_dsp_init(&setup->dsp, cpu_flags(0));

    static const struct {
        unsigned w, h, window;
    } shapes[] = { { 90, 40, 7 }, { 33, 70, 33 }, { 64, 33, 65 }, { 32, 32, 1 }, { 200, 12, 17 } };
    for (size_t i = 0; i < COUNT(shapes); i++) {
        CambiPlane plane = { .w = shapes[i].w,
                             .h = shapes[i].h,
                             .stored_w = shapes[i].w,
                             .stored_h = shapes[i].h,
                             .pitch = shapes[i].w + CAMBI_SLACK };
        setup->target[0] = setup->target[1] = (CambiTarget){ .kept_w = plane.w, .kept_h = plane.h };
        plane.code = calloc(plane.pitch * plane.h, sizeof(*plane.code));
        plane.mask = calloc(plane.pitch * plane.h, 1);
        float *map = calloc((size_t)plane.w * plane.h, sizeof(*map));
        CambiCounters *counters;
        assert_true(plane.code && plane.mask && map);
        assert_int_equal(cambi_counters_create(&counters, setup), 0);
        fill_plane(&plane, 98, 36);
        cambi_contrast(counters, setup, &plane, shapes[i].window, map);
        for (unsigned y = 0; y < plane.h; y++) {
            for (unsigned x = 0; x < plane.w; x++) {
                const float want = contrast_by_definition(setup, &plane, (int)x, (int)y,
                                                          (int)shapes[i].window / 2);
                assert_true(map[(size_t)y * plane.w + x] == want);
            }
        }
        cambi_counters_destroy(counters);
        free(plane.code);
        free(plane.mask);
        free(map);
    }
    free(setup);
}

/* ---- the mean of the largest contrasts ---- */

static int descending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

static void mean_takes_the_largest(void **state)
{
    enum { N = 5000 };
    static float map[N], sorted[N];
    CambiDsp dsp;
    cambi_dsp_init(&dsp, 0);
    CambiRanks *ranks = cambi_ranks_create();
    assert_non_null(ranks);
    for (unsigned round = 0; round < 30; round++) {
        for (unsigned i = 0; i < N; i++)
            map[i] =
                next_random() % 100 < 3 * round ? 0.5f + (float)(next_random() % 90000) / 256 : 0;
        memcpy(sorted, map, sizeof(map));
        qsort(sorted, N, sizeof(*sorted), descending);
        const double share = round % 5 == 4 ? 1.0 : 0.15 * (round % 5 + 1);
        const size_t k = (size_t)(share * N);
        double sum = 0.0;
        for (size_t i = 0; i < k; i++)
            sum += sorted[i];
        assert_true(cambi_top_mean(&dsp, ranks, map, N, share) == sum / (double)k);
    }
    cambi_ranks_destroy(ranks);
}

/* Above 2^29 a double cannot hold every sum of multiples of 2^-24, so the order of the reference
 * matters. */
static void large_sums_are_added_in_order(void **state)
{
    enum { N = 600000 };
    float *map = malloc(N * sizeof(*map));
    CambiDsp dsp;
    cambi_dsp_init(&dsp, 0);
    CambiRanks *ranks = cambi_ranks_create();
    assert_true(map && ranks);
    double in_order = 0.0;
    for (unsigned i = 0; i < N; i++) {
        map[i] = i % 2 ? 2000.0f : 0.5f + 0x1p-24f;
        in_order += map[i];
    }
    assert_true(cambi_top_mean(&dsp, ranks, map, N, 1.0) == in_order / N);
    free(map);
    cambi_ranks_destroy(ranks);
}

/* ---- whole pictures ---- */

/* A slow ramp in steps, with a dark and a bright end and noise in one corner. */
static unsigned bpc_of_bands = 10;

static unsigned bands(unsigned p, unsigned x, unsigned y)
{
    const unsigned shift = bpc_of_bands > 10 ? bpc_of_bands - 10 : 0,
                   down = 10 - (bpc_of_bands - shift);
    if (p > 0)
        return 1u << (bpc_of_bands - 1);
    if (x < 40 && y < 60)
        return (x * 2654435761u ^ y * 2246822519u) * 3266489917u >> 22 >> down << shift;
    return (70 + (3 * x + 2 * y) / 25 + (y > 120 ? 2 : 0)) >> down << shift;
}

static unsigned smoother(unsigned p, unsigned x, unsigned y)
{
    return p > 0 ? bands(p, x, y) : bands(p, x, y) ^ ((x ^ y) & 1);
}

static double banding(const char *options, unsigned bpc, unsigned w, unsigned h, const char *metric)
{
    bpc_of_bands = bpc;
    VmafPicture ref = scoring_picture(VMAF_PIX_FMT_YUV420P, bpc, w, h, smoother);
    VmafPicture dist = scoring_picture(VMAF_PIX_FMT_YUV420P, bpc, w, h, bands);
    return score_of("cambi", options, ref, dist, metric);
}

static void known_scores(void **state)
{
    static const struct {
        const char *options;
        unsigned bpc;
        const char *metric;
        double score;
    } rows[] = {
        { NULL, 10, "Cambi_feature_cambi_score", 6.3685028904847947 },
        { "full_ref=true", 10, "cambi_source", 0 },
        { "full_ref=true", 10, "cambi_full_reference", 6.3685028904847947 },
        { NULL, 8, "Cambi_feature_cambi_score", 11.419941741703422 },
        { NULL, 12, "Cambi_feature_cambi_score", 6.3685028904847947 },
        { NULL, 16, "Cambi_feature_cambi_score", 6.3685028904847947 },
        { "cambi_high_res_speedup=1080:cambi_vis_lum_threshold=0.06:cambi_max_val=17", 10,
          "cambi_hrs_1080_cmxv_17_vlt_0.06", 6.3685028904847947 },
        { "max_log_contrast=0", 10, "cambi_mlc_0", 5.5069658909317809 },
        { "max_log_contrast=5", 10, "cambi_mlc_5", 6.4493731718192189 },
        { "window_size=127:topk=0.2", 10, "cambi_topk_0.2_ws_127", 7.3123347741852385 },
        { "enc_width=250:enc_height=180", 10, "cambi_ench_180_encw_250", 7.0643786847026213 },
        { "enc_width=250:enc_height=144", 10, "cambi_ench_144_encw_250", 7.1205442833369785 },
        { "enc_bitdepth=8", 10, "cambi_encbd_8", 6.3683976855971469 },
        { "cambi_eotf=pq:tvi_threshold=0.1", 10, "cambi_ceot_pq_tvit_0.1", 2.5339240771296869 },
        { "cambi_vis_lum_threshold=0.5", 10, "cambi_vlt_0.5", 1.4098552026443998 },
        { "src_width=480:src_height=270:full_ref=true", 10, "cambi_source", 0 },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_true(banding(rows[i].options, rows[i].bpc, 301, 217, rows[i].metric) ==
                    rows[i].score);
    /* large enough to be halved */
    assert_true(banding("cambi_high_res_speedup=1080:cambi_vis_lum_threshold=0.06", 10, 1920, 1080,
                        "cambi_hrs_1080_vlt_0.06") == 5.4666483619177422);
}

static void heatmaps_are_written(void **state)
{
    char folder[] = "/tmp/cambi_test_XXXXXX", path[128], options[128];
    assert_non_null(mkdtemp(folder));
    snprintf(options, sizeof(options), "heatmaps_path=%s/maps", folder);
    banding(options, 10, 301, 217, "Cambi_feature_cambi_score");
    unsigned w = 301, h = 217;
    for (unsigned s = 0; s < 5; s++, w = (w + 1) / 2, h = (h + 1) / 2) {
        snprintf(path, sizeof(path), "%s/maps/cambi_heatmap_scale_%u_%ux%u_16b.gray", folder, s, w,
                 h);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        fseek(file, 0, SEEK_END);
        assert_int_equal(ftell(file), w * h * 2);
        fclose(file);
        remove(path);
    }
    snprintf(path, sizeof(path), "%s/maps", folder);
    remove(path);
    remove(folder);
}

static int verdict(const char *options, unsigned w, unsigned h)
{
    Scoring *s;
    bpc_of_bands = 10;
    const int err =
        scoring_open(&s, "cambi", options, scoring_picture(VMAF_PIX_FMT_YUV400P, 10, w, h, bands),
                     scoring_picture(VMAF_PIX_FMT_YUV400P, 10, w, h, bands));
    scoring_close(s);
    return err;
}

static void refusals(void **state)
{
    assert_int_equal(verdict(NULL, 215, 215), -EINVAL);
    assert_int_equal(verdict(NULL, 216, 1), 0);
    assert_int_equal(verdict(NULL, 1, 216), 0);
    assert_int_equal(verdict("eotf=hlg", 300, 300), -EINVAL);
    assert_int_equal(verdict("window_size=127", 4000, 200), -EINVAL);
    assert_int_equal(verdict("enc_width=200:enc_height=200", 300, 300), -EINVAL);
    /* An encode may have 144 columns or rows, as long as one side has 216. */
    assert_int_equal(verdict("enc_width=256:enc_height=144", 300, 300), 0);
    assert_int_equal(verdict("enc_width=144:enc_height=256", 300, 300), 0);
    assert_int_equal(verdict("enc_width=144:enc_height=144", 300, 300), -EINVAL);
    assert_int_equal(verdict("src_width=400:src_height=200", 352, 288), -EINVAL);
    assert_int_equal(verdict("heatmaps_path=/dev/null/maps", 300, 300), -EINVAL);
}

static unsigned too_large(unsigned p, unsigned x, unsigned y)
{
    return x == 299 && y == 219 ? 1024 : 500;
}

static void samples_beyond_the_depth_are_refused(void **state)
{
    Scoring *s;
    VmafPicture ref = scoring_picture(VMAF_PIX_FMT_YUV400P, 10, 300, 220, bands);
    VmafPicture dist = scoring_picture(VMAF_PIX_FMT_YUV400P, 10, 300, 220, too_large);
    assert_int_equal(scoring_open(&s, "cambi", NULL, ref, dist), -ERANGE);
    scoring_close(s);
}

TEST_MAIN(cambi)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_of_visible_steps),
        cmocka_unit_test(dark_codes),
        cmocka_unit_test(contrast_matches_its_definition),
        cmocka_unit_test(mean_takes_the_largest),
        cmocka_unit_test(large_sums_are_added_in_order),
        cmocka_unit_test(known_scores),
        cmocka_unit_test(heatmaps_are_written),
        cmocka_unit_test(refusals),
        cmocka_unit_test(samples_beyond_the_depth_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
