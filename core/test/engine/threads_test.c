/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A context and several threads: what its header lets any of them do while one drives it. To be run
 * under the sanitizers, too; figures are checked here. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "engine/context_struct.h"
#include "libvmaf/metadata.h"
#include "testing.h"

static VmafContext *open_context(unsigned threads)
{
    VmafContext *vmaf;
    assert_int_equal(0, vmaf_init(&vmaf, (VmafConfiguration){ .log_level = VMAF_LOG_LEVEL_NONE,
                                                              .n_threads = threads }));
    return vmaf;
}

/* ---- reports while scores come in ---- */

#define IMPORTED 3000

typedef struct Importer {
    VmafContext *vmaf;
    atomic_bool done;
    int err;
} Importer;

/* Names that come and columns that grow; a score of "second" never without its "first". */
static void *import_scores(void *arg)
{
    Importer *importer = arg;
    for (unsigned i = 0; i < IMPORTED && !importer->err; i++) {
        char name[32];
        snprintf(name, sizeof(name), "other %u", i % 500);
        importer->err = vmaf_import_feature_score(importer->vmaf, "first", i, i);
        if (!importer->err)
            importer->err = vmaf_import_feature_score(importer->vmaf, "second", i, i);
        if (!importer->err)
            importer->err = vmaf_import_feature_score(importer->vmaf, name, i, i);
    }
    atomic_store(&importer->done, true);
    return NULL;
}

/* Rows whose first score is missing while the second is there; how many rows there are. */
static unsigned torn_rows(const char *path, unsigned *rows)
{
    static char line[1 << 16];
    unsigned torn = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fgets(line, sizeof(line), file) || *rows == 0);
    for (*rows = 0; fgets(line, sizeof(line), file); ++*rows) {
        const char *const first = strchr(line, ',') + 1, *const second = strchr(first, ',') + 1;
        assert_non_null(strchr(second, '\n'));
        torn += *first == ',' && *second != ',';
    }
    fclose(file);
    return torn;
}

static void reports_are_of_one_instant(void **state)
{
    const char *const path = "threads_report.csv";
    Importer importer = { .vmaf = open_context(0) };
    pthread_t thread;
    bool done;
    unsigned rows = 0;
    assert_int_equal(0, pthread_create(&thread, NULL, import_scores, &importer));
    do {
        done = atomic_load(&importer.done);
        assert_int_equal(0, vmaf_write_output(importer.vmaf, path, VMAF_OUTPUT_FORMAT_CSV));
        assert_int_equal(0, torn_rows(path, &rows));
    } while (!done);
    pthread_join(thread, NULL);
    assert_int_equal(0, importer.err);
    assert_int_equal(IMPORTED, rows);
    assert_int_equal(0, vmaf_close(importer.vmaf));
    unlink(path);
}

/* ---- pools ---- */

typedef struct Fetcher {
    VmafContext *vmaf;
    atomic_bool *stop;
    int err;
    unsigned fetched, wrong;
} Fetcher;

static const unsigned widths[2] = { 64, 128 };

static void *fetch_pictures(void *arg)
{
    Fetcher *fetcher = arg;
    while (!atomic_load(fetcher->stop) && !fetcher->err) {
        VmafPicture pic;
        fetcher->err = vmaf_fetch_preallocated_picture(fetcher->vmaf, &pic);
        if (fetcher->err)
            break;
        fetcher->fetched++;
        fetcher->wrong += pic.w[0] != widths[0] && pic.w[0] != widths[1];
        memset(pic.data[0], 1, (size_t)pic.stride[0] * pic.h[0]);
        vmaf_picture_unref(&pic);
    }
    return NULL;
}

static void make_pool(VmafContext *vmaf, unsigned width, unsigned count)
{
    const VmafPictureConfiguration pool = { .pic_params = { width, 16, 8, VMAF_PIX_FMT_YUV420P },
                                            .pic_cnt = count };
    assert_int_equal(0, vmaf_preallocate_pictures(vmaf, pool));
}

/* Fewer pictures than threads: some of them wait for one when the pool goes. */
static void pools_are_replaced_under_way(void **state)
{
    enum { FETCHERS = 3 };
    VmafContext *vmaf = open_context(0);
    atomic_bool stop = false;
    Fetcher fetchers[FETCHERS];
    pthread_t threads[FETCHERS];
    make_pool(vmaf, widths[0], 1);
    for (unsigned i = 0; i < FETCHERS; i++) {
        fetchers[i] = (Fetcher){ .vmaf = vmaf, .stop = &stop };
        assert_int_equal(0, pthread_create(&threads[i], NULL, fetch_pictures, &fetchers[i]));
    }
    for (unsigned i = 1; i < 300; i++)
        make_pool(vmaf, widths[i % 2], 1 + i % 2);
    atomic_store(&stop, true);
    for (unsigned i = 0; i < FETCHERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(0, fetchers[i].err);
        assert_int_equal(0, fetchers[i].wrong);
    }
    assert_int_equal(0, vmaf_close(vmaf));
}

static unsigned threads_inside(VmafContext *vmaf)
{
    pthread_mutex_lock(&vmaf->callers.lock);
    const unsigned inside = vmaf->callers.inside;
    pthread_mutex_unlock(&vmaf->callers.lock);
    return inside;
}

/* All pictures are out, and stay out until after the end. */
static void a_context_closes_during_a_fetch(void **state)
{
    VmafContext *vmaf = open_context(0);
    atomic_bool stop = false;
    Fetcher fetcher = { .vmaf = vmaf, .stop = &stop };
    VmafPicture only;
    pthread_t thread;
    make_pool(vmaf, widths[0], 1);
    assert_int_equal(0, vmaf_fetch_preallocated_picture(vmaf, &only));
    assert_int_equal(0, pthread_create(&thread, NULL, fetch_pictures, &fetcher));
    while (!threads_inside(vmaf))
        usleep(1000);
    assert_int_equal(0, vmaf_close(vmaf));
    pthread_join(thread, NULL);
    assert_int_equal(-EINVAL, fetcher.err);
    assert_int_equal(0, fetcher.fetched);
    memset(only.data[0], 1, (size_t)only.stride[0] * only.h[0]);
    assert_int_equal(0, vmaf_picture_unref(&only));
}

/* ---- predictions ---- */

typedef struct Predictor {
    VmafContext *vmaf;
    VmafModel *model;
    double score;
    int err;
} Predictor;

static void *predict(void *arg)
{
    Predictor *p = arg;
    p->err = vmaf_score_at_index(p->vmaf, p->model, &p->score, 0);
    return NULL;
}

static void *import_prediction(void *arg)
{
    Predictor *p = arg;
    p->err = vmaf_import_feature_score(p->vmaf, "vmaf", -1, 0);
    return NULL;
}

/* A name belongs to the model or to imported scores, whichever is first. If the model is first, all
 * threads get the stored prediction, and the import is refused. Otherwise nobody gets a
 * prediction. */
static void predictions_agree_with_what_is_stored(void **state)
{
    enum { ASKERS = 3 };
    VmafModelConfig config = { .name = "vmaf" };
    VmafModel *model;
    assert_int_equal(0, vmaf_model_load(&model, &config, "vmaf_v0.6.1"));
    for (unsigned round = 0; round < 100; round++) {
        VmafContext *vmaf = open_context(0);
        for (unsigned i = 0; i < 6; i++) {
            static const char *const names[] = {
                "VMAF_integer_feature_adm2_score",       "VMAF_integer_feature_motion2_score",
                "VMAF_integer_feature_vif_scale0_score", "VMAF_integer_feature_vif_scale1_score",
                "VMAF_integer_feature_vif_scale2_score", "VMAF_integer_feature_vif_scale3_score"
            };
            assert_int_equal(0, vmaf_import_feature_score(vmaf, names[i], 0.9, 0));
        }
        Predictor p[ASKERS + 1];
        pthread_t threads[ASKERS + 1];
        for (unsigned n = 0; n <= ASKERS; n++) {
            const unsigned i = round % 2 ? ASKERS - n : n;
            p[i] = (Predictor){ .vmaf = vmaf, .model = model };
            assert_int_equal(0, pthread_create(&threads[i], NULL,
                                               i < ASKERS ? predict : import_prediction, &p[i]));
        }
        for (unsigned i = 0; i <= ASKERS; i++)
            pthread_join(threads[i], NULL);
        double stored;
        assert_int_equal(0, vmaf_feature_score_at_index(vmaf, "vmaf", &stored, 0));
        const bool imported = p[ASKERS].err == 0;
        assert_int_equal(imported ? 0 : -EINVAL, p[ASKERS].err);
        assert_int_equal(imported, stored == -1);
        for (unsigned i = 0; i < ASKERS; i++) {
            assert_int_equal(imported ? -EINVAL : 0, p[i].err);
            assert_true(imported || p[i].score == stored);
        }
        assert_int_equal(0, vmaf_close(vmaf));
    }
    vmaf_model_destroy(model);
}

TEST_MAIN(threads)
{
    log_set_level(VMAF_LOG_LEVEL_NONE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_are_of_one_instant),
        cmocka_unit_test(pools_are_replaced_under_way),
        cmocka_unit_test(a_context_closes_during_a_fetch),
        cmocka_unit_test(predictions_agree_with_what_is_stored),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
