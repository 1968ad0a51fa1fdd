/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Facts in reports besides scores, and the public API that sets them. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/context.h"
#include "output/report.h"
#include "testing.h"

static const VmafReportInput input = {
    .size = sizeof(input),
    .path = "clip.y4m",
    .kind = "y4m",
    .w = 64,
    .h = 48,
    .bpc = 10,
    .pix_fmt = VMAF_PIX_FMT_YUV422P,
    .skipped = 7,
};

static VmafContext *open_context(void)
{
    VmafContext *vmaf;
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ 0 }), 0);
    return vmaf;
}

static void a_report_knows_its_inputs(void **state)
{
    VmafContext *const vmaf = open_context();
    Report report;
    assert_int_equal(report_fill(&report, vmaf), 0);
    assert_null(report.notes->ref.path);
    char path[] = "mine.yuv";
    assert_int_equal(vmaf_report_input(vmaf, 0, &input), 0);
    assert_int_equal(vmaf_report_input(vmaf, 1, &input), 0);
    assert_int_equal(
        vmaf_report_input(vmaf, 1, &(VmafReportInput){ .size = sizeof(input), .path = path }), 0);
    path[0] = 'x';
    assert_int_equal(report_fill(&report, vmaf), 0);
    const NotedInput *const dist = &report.notes->dist, *const ref = &report.notes->ref;
    assert_string_equal(dist->path, "clip.y4m");
    assert_string_equal(dist->kind, "y4m");
    assert_int_equal(dist->width, 64);
    assert_int_equal(dist->height, 48);
    assert_int_equal(dist->bitdepth, 10);
    assert_int_equal(dist->pix_fmt, VMAF_PIX_FMT_YUV422P);
    assert_int_equal(dist->skipped, 7);
    assert_string_equal(ref->path, "mine.yuv"); /* the last word, and a copy of it */
    assert_null(ref->kind);
    assert_int_equal(ref->skipped, 0);
    vmaf_close(vmaf);
}

static void a_report_knows_its_models(void **state)
{
    VmafContext *const vmaf = open_context();
    VmafModel *model, *first;
    VmafModelCollection *collection;
    VmafModelConfig config = { .name = "plain" }, many = { .name = "many" };
    assert_int_equal(vmaf_model_load(&model, &config, "vmaf_v0.6.1"), 0);
    assert_int_equal(vmaf_model_collection_load(&first, &collection, &many, "vmaf_b_v0.6.3"), 0);
    assert_int_equal(vmaf_report_model(vmaf, "plain", "too early"), -ENOENT);
    for (unsigned i = 0; i < 2; i++) { /* the second time changes nothing */
        assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
        assert_int_equal(vmaf_use_features_from_model(vmaf, first), 0);
        assert_int_equal(vmaf_use_features_from_model_collection(vmaf, collection), 0);
    }
    assert_int_equal(vmaf_report_model(vmaf, "many", "first"), 0);
    assert_int_equal(vmaf_report_model(vmaf, "many", "second"), 0);
    vmaf_model_destroy(model);
    vmaf_model_destroy(first);
    vmaf_model_collection_destroy(collection);

    static const NotedModel expected[] = {
        { "plain", "vmaf_v0.6.1", 0, NULL },
        { "many", "vmaf_b_v0.6.3", 0, "second" },
        { "many", "vmaf_b_v0.6.3", 20, "second" },
    };
    Report report;
    assert_int_equal(report_fill(&report, vmaf), 0);
    mem_free(report.features);
    assert_int_equal(report.notes->model_count, COUNT(expected));
    for (unsigned i = 0; i < COUNT(expected); i++) {
        assert_string_equal(report.notes->models[i].name, expected[i].name);
        assert_string_equal(report.notes->models[i].source, expected[i].source);
        assert_int_equal(report.notes->models[i].members, expected[i].members);
        if (expected[i].note)
            assert_string_equal(report.notes->models[i].note, expected[i].note);
        else
            assert_null(report.notes->models[i].note);
    }
    vmaf_close(vmaf);
}

static void a_report_knows_options(void **state)
{
    VmafContext *const vmaf = open_context();
    VmafFeatureDictionary *dict = NULL;
    assert_int_equal(vmaf_report_option(vmaf, "model", "a"), 0);
    assert_int_equal(vmaf_report_option(vmaf, "quiet", NULL), 0);
    assert_int_equal(vmaf_report_option(vmaf, "model", "b"), 0);
    assert_int_equal(vmaf_feature_dictionary_set(&dict, "enable_apsnr", "true"), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", dict), 0);
    assert_int_equal(vmaf_use_feature(vmaf, "vif", NULL), 0);
    Report report;
    assert_int_equal(report_fill(&report, vmaf), 0);
    assert_int_equal(report.notes->option_count, 3);
    assert_string_equal(report.notes->options[0].name, "model");
    assert_string_equal(report.notes->options[0].value, "a");
    assert_string_equal(report.notes->options[1].name, "quiet");
    assert_null(report.notes->options[1].value);
    assert_string_equal(report.notes->options[2].value, "b");
    assert_int_equal(report.feature_count, 2);
    assert_string_equal(dict_get(report.features[0].options, "enable_apsnr"), "true");
    assert_null(report.features[1].options);
    mem_free(report.features);
    vmaf_close(vmaf);
}

static void a_report_knows_warnings_once(void **state)
{
    VmafContext *const vmaf = open_context();
    char code[] = "hdr";
    assert_int_equal(vmaf_report_warning(vmaf, code, VMAF_REPORT_REFERENCE, "one"), 0);
    code[0] = 'x';
    assert_int_equal(vmaf_report_warning(vmaf, "hdr", VMAF_REPORT_REFERENCE, "one"), 0);
    assert_int_equal(vmaf_report_warning(vmaf, "hdr", VMAF_REPORT_DISTORTED, "one"), 0);
    assert_int_equal(vmaf_report_warning(vmaf, "hdr", VMAF_REPORT_REFERENCE, "two"), 0);
    assert_int_equal(vmaf_report_warning(vmaf, "sdr", VMAF_REPORT_REFERENCE, "one"), 0);
    Report report;
    assert_int_equal(report_fill(&report, vmaf), 0);
    assert_int_equal(report.notes->warning_count, 4);
    assert_string_equal(report.notes->warnings[0].code, "hdr");
    assert_int_equal(report.notes->warnings[1].side, VMAF_REPORT_DISTORTED);
    assert_string_equal(report.notes->warnings[2].text, "two");
    static const char *const bad[] = { "", "Hdr", "h-d", "h d", "2nd", "_a", "h\n" };
    for (unsigned i = 0; i < COUNT(bad); i++)
        assert_int_equal(vmaf_report_warning(vmaf, bad[i], VMAF_REPORT_RUN, "text"), -EINVAL);
    assert_int_equal(vmaf_report_warning(NULL, "a", VMAF_REPORT_RUN, "text"), -EINVAL);
    assert_int_equal(vmaf_report_warning(vmaf, NULL, VMAF_REPORT_RUN, "text"), -EINVAL);
    assert_int_equal(vmaf_report_warning(vmaf, "a", VMAF_REPORT_RUN, NULL), -EINVAL);
    assert_int_equal(vmaf_report_warning(vmaf, "a", (enum VmafReportSide)3, "text"), -EINVAL);
    assert_int_equal(report.notes->warning_count, 4);
    vmaf_close(vmaf);
}

static void a_report_knows_its_frames(void **state)
{
    VmafContext *const vmaf = open_context();
    VmafReportFrame frame = { .size = sizeof(frame), .time = 0.5, .ref = 7, .dist = 9 };
    assert_int_equal(vmaf_report_frame(vmaf, 5, &frame), 0);
    frame.time = 0.25;
    assert_int_equal(vmaf_report_frame(vmaf, 1, &frame), 0);
    frame.time = 0.75; /* replaces the first */
    assert_int_equal(vmaf_report_frame(vmaf, 5, &frame), 0);
    Report report;
    assert_int_equal(report_fill(&report, vmaf), 0);
    assert_true(report.notes->frames[1].known && !report.notes->frames[2].known);
    assert_true(report.notes->frames[5].time == 0.75);
    assert_int_equal(report.notes->frames[5].ref, 7);
    assert_int_equal(report.notes->frames[5].dist, 9);
    frame.shot = 1;
    assert_int_equal(vmaf_report_frame(vmaf, 6, &frame), 0);
    frame.size = NOTES_FRAME_SIZE_MIN; /* an older program's, without `shot` */
    assert_int_equal(vmaf_report_frame(vmaf, 7, &frame), 0);
    assert_true(report.notes->frames[6].shot && !report.notes->frames[7].shot);
    frame.size--;
    assert_int_equal(vmaf_report_frame(vmaf, 6, &frame), -EINVAL);
    assert_int_equal(vmaf_report_frame(vmaf, 6, NULL), -EINVAL);
    frame.size = sizeof(frame);
    assert_int_equal(vmaf_report_frame(NULL, 6, &frame), -EINVAL);
    mem_free(report.features);
    vmaf_close(vmaf);
}

static int note_all(Notes *notes)
{
    const VmafReportFrame frame = { .size = sizeof(frame), .time = 0.5 };
    int err = notes_set_input(notes, true, &input);
    if (!err)
        err = notes_add_model(notes, "name", "source", 0);
    if (!err)
        err = notes_set_model_note(notes, "name", "note");
    if (!err)
        err = notes_add_option(notes, "name", "value");
    if (!err)
        err = notes_add_warning(notes, "code", VMAF_REPORT_RUN, "text");
    if (!err)
        err = notes_set_frame(notes, 3, &frame);
    return err;
}

static void no_memory_leaves_the_notes_whole(void **state)
{
    const long live = mem_live();
    unsigned long n = 0;
    int err;
    do {
        Notes notes = { 0 };
        mem_fail_after(++n);
        err = note_all(&notes);
        mem_fail_after(0);
        if (err)
            assert_int_equal(err, -ENOMEM);
        assert_int_equal(note_all(&notes), 0);
        assert_int_equal(notes.model_count, 1);
        assert_int_equal(notes.warning_count, 1);
        assert_string_equal(notes.ref.kind, "y4m");
        notes_clear(&notes);
        assert_int_equal(mem_live(), live);
    } while (err);
    assert_true(n > 8);
}

TEST_MAIN(notes)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_knows_its_inputs),
        cmocka_unit_test(a_report_knows_its_models),
        cmocka_unit_test(a_report_knows_options),
        cmocka_unit_test(a_report_knows_warnings_once),
        cmocka_unit_test(a_report_knows_its_frames),
        cmocka_unit_test(no_memory_leaves_the_notes_whole),
    };
    log_set_level(VMAF_LOG_LEVEL_NONE);
    return cmocka_run_group_tests_name("notes", tests, NULL, NULL);
}
