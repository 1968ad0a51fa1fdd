/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The object `vmaf_turbo` of JSON reports, to the byte; and that only those have it who asked. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "engine/context.h"
#include "output/report.h"
#include "testing.h"

static const char path[] = "details_test.out";
static char text[16384];

static const char *read_all(void)
{
    FILE *const file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    fclose(file);
    remove(path);
    return text;
}

static const char *written(const Report *report)
{
    assert_int_equal(report_write(report, path, VMAF_OUTPUT_FORMAT_JSON), 0);
    return read_all();
}

static void note_everything(Notes *notes)
{
    const VmafReportInput input = { .size = sizeof(input),
                                    .path = "a \"b\".mkv",
                                    .kind = "libav",
                                    .w = 64,
                                    .h = 48,
                                    .bpc = 10,
                                    .pix_fmt = VMAF_PIX_FMT_YUV422P,
                                    .skipped = 3,
                                    .rate_num = 30000,
                                    .rate_den = 1001,
                                    .frames = 9,
                                    .codec = "h264",
                                    .filters = "scale=32:24",
                                    .warnings = "hdr",
                                    .pairing = "by time",
                                    .bytes = 5000000000,
                                    .bit_rate = 816000 };
    /* as a program that was built before the last fields would */
    const VmafReportInput older = { .size = NOTES_INPUT_SIZE_MIN,
                                    .path = "r",
                                    .w = 64,
                                    .h = 48,
                                    .bpc = 8,
                                    .pix_fmt = VMAF_PIX_FMT_YUV420P,
                                    .rate_num = 1,
                                    .rate_den = 1,
                                    .frames = 1,
                                    .codec = "never",
                                    .filters = "never",
                                    .warnings = "never",
                                    .pairing = "never",
                                    .bytes = 1,
                                    .bit_rate = 1 };
    assert_int_equal(notes_set_input(notes, false, &input), 0);
    assert_int_equal(notes_set_input(notes, true, &older), 0);
    assert_int_equal(notes_add_warning(notes, "hdr", VMAF_REPORT_DISTORTED, "is \"HDR\""), 0);
    assert_int_equal(notes_add_warning(notes, "hdr", VMAF_REPORT_REFERENCE, "is \"HDR\""), 0);
    assert_int_equal(notes_add_warning(notes, "no_gpu", VMAF_REPORT_RUN, "none"), 0);
    assert_int_equal(notes_add_warning(notes, "hdr", VMAF_REPORT_DISTORTED, "is \"HDR\""), 0);
    assert_int_equal(notes_add_model(notes, "vmaf", "vmaf_b_v0.6.3", 0), 0);
    assert_int_equal(notes_add_model(notes, "vmaf", "vmaf_b_v0.6.3", 20), 0);
    assert_int_equal(notes_add_model(notes, "x", "x.json", 0), 0);
    assert_int_equal(notes_set_model_note(notes, "x", "by \"hand\""), 0);
    assert_int_equal(notes_add_option(notes, "model", "version=vmaf_b_v0.6.3"), 0);
    assert_int_equal(notes_add_option(notes, "quiet", NULL), 0);
}

static void the_object_has_its_layout(void **state)
{
    Notes notes = { .details = true };
    ScoreStore *scores;
    Dict *options = NULL;
    assert_int_equal(scores_create(&scores), 0);
    assert_int_equal(dict_set(&options, "enable_apsnr", "true"), 0);
    ReportFeature features[] = {
        { .extractor = "psnr", .options = options },
        { .extractor = "vif",
          .backend = "vulkan",
          .device = "Some GPU",
          .type = "discrete",
          .index = 1,
          .uuid = "00112233-4455-6677-8899-aabbccddeeff",
          .pci = "0000:65:00.0",
          .frames = 2,
          .frames_on_cpu = 1 },
        { .extractor = "adm", .backend = "host", .device = "Host", .index = -1 }
    };
    const Report report = { .scores = scores,
                            .version = "1.2.3",
                            .width = 64,
                            .height = 48,
                            .fps = 12.3456,
                            .elapsed = 0.25,
                            .threads = 4,
                            .frames = 2,
                            .features = features,
                            .feature_count = COUNT(features),
                            .notes = &notes };
    note_everything(&notes);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(scores_set(scores, "a", i, 1.0 + 2.0 * i, NULL), 0);
    assert_int_equal(scores_set(scores, "late", 1, 1.0, NULL), 0);
    const char *const begin = strstr(written(&report), ",\n  \"vmaf_turbo\"");
    assert_non_null(begin);
    assert_string_equal(begin,
                        ",\n"
                        "  \"vmaf_turbo\": {\n"
                        "    \"schema\": 1,\n"
                        "    \"program\": \"vmaf-turbo\",\n"
                        "    \"version\": \"1.2.3\",\n"
                        "    \"inputs\": {\n"
                        "      \"reference\": {\n"
                        "        \"path\": \"r\",\n"
                        "        \"width\": 64,\n"
                        "        \"height\": 48,\n"
                        "        \"bitdepth\": 8,\n"
                        "        \"pixel_format\": \"420\",\n"
                        "        \"skipped\": 0\n"
                        "      },\n"
                        "      \"distorted\": {\n"
                        "        \"path\": \"a \\\"b\\\".mkv\",\n"
                        "        \"kind\": \"libav\",\n"
                        "        \"codec\": \"h264\",\n"
                        "        \"width\": 64,\n"
                        "        \"height\": 48,\n"
                        "        \"bitdepth\": 10,\n"
                        "        \"pixel_format\": \"422\",\n"
                        "        \"frame_rate\": \"30000/1001\",\n"
                        "        \"frames\": 9,\n"
                        "        \"skipped\": 3,\n"
                        "        \"bytes\": 5000000000,\n"
                        "        \"bit_rate\": 816000,\n"
                        "        \"filters\": \"scale=32:24\",\n"
                        "        \"warnings\": \"hdr\",\n"
                        "        \"pairing\": \"by time\"\n"
                        "      }\n"
                        "    },\n"
                        "    \"warnings\": [\n"
                        "      {\n"
                        "        \"code\": \"hdr\",\n"
                        "        \"input\": \"distorted\",\n"
                        "        \"text\": \"is \\\"HDR\\\"\"\n"
                        "      },\n"
                        "      {\n"
                        "        \"code\": \"hdr\",\n"
                        "        \"input\": \"reference\",\n"
                        "        \"text\": \"is \\\"HDR\\\"\"\n"
                        "      },\n"
                        "      {\n"
                        "        \"code\": \"no_gpu\",\n"
                        "        \"text\": \"none\"\n"
                        "      }\n"
                        "    ],\n"
                        "    \"scored\": {\n"
                        "      \"width\": 64,\n"
                        "      \"height\": 48,\n"
                        "      \"frames\": 2,\n"
                        "      \"subsample\": 1\n"
                        "    },\n"
                        "    \"models\": [\n"
                        "      {\n"
                        "        \"metric\": \"vmaf\",\n"
                        "        \"source\": \"vmaf_b_v0.6.3\",\n"
                        "        \"members\": 20\n"
                        "      },\n"
                        "      {\n"
                        "        \"metric\": \"x\",\n"
                        "        \"source\": \"x.json\",\n"
                        "        \"note\": \"by \\\"hand\\\"\"\n"
                        "      }\n"
                        "    ],\n"
                        "    \"features\": [\n"
                        "      {\n"
                        "        \"extractor\": \"psnr\",\n"
                        "        \"options\": {\n"
                        "          \"enable_apsnr\": \"true\"\n"
                        "        },\n"
                        "        \"backend\": \"cpu\"\n"
                        "      },\n"
                        "      {\n"
                        "        \"extractor\": \"vif\",\n"
                        "        \"options\": {},\n"
                        "        \"backend\": \"vulkan\",\n"
                        "        \"device\": \"Some GPU\",\n"
                        "        \"device_type\": \"discrete\",\n"
                        "        \"device_index\": 1,\n"
                        "        \"device_uuid\": \"00112233-4455-6677-8899-aabbccddeeff\",\n"
                        "        \"device_pci\": \"0000:65:00.0\",\n"
                        "        \"frames\": 2,\n"
                        "        \"frames_on_cpu\": 1\n"
                        "      },\n"
                        "      {\n"
                        "        \"extractor\": \"adm\",\n"
                        "        \"options\": {},\n"
                        "        \"backend\": \"host\",\n"
                        "        \"device\": \"Host\",\n"
                        "        \"frames\": 0,\n"
                        "        \"frames_on_cpu\": 0\n"
                        "      }\n"
                        "    ],\n"
                        "    \"options\": [\n"
                        "      {\n"
                        "        \"name\": \"model\",\n"
                        "        \"value\": \"version=vmaf_b_v0.6.3\"\n"
                        "      },\n"
                        "      {\n"
                        "        \"name\": \"quiet\"\n"
                        "      }\n"
                        "    ],\n"
                        "    \"pooled\": {\n"
                        "      \"a\": {\n"
                        "        \"mean\": 2.000000,\n"
                        "        \"harmonic_mean\": 1.666667,\n"
                        "        \"stddev\": 1.000000,\n"
                        "        \"min\": 1.000000,\n"
                        "        \"p1\": 1.020000,\n"
                        "        \"p5\": 1.100000,\n"
                        "        \"p10\": 1.200000,\n"
                        "        \"p25\": 1.500000,\n"
                        "        \"median\": 2.000000,\n"
                        "        \"p75\": 2.500000,\n"
                        "        \"p90\": 2.800000,\n"
                        "        \"p95\": 2.900000,\n"
                        "        \"p99\": 2.980000,\n"
                        "        \"max\": 3.000000\n"
                        "      },\n"
                        "      \"late\": {}\n"
                        "    },\n"
                        "    \"threads\": 4,\n"
                        "    \"elapsed\": 0.250,\n"
                        "    \"fps\": 12.346\n"
                        "  }\n"
                        "}\n");
    dict_destroy(options);
    scores_destroy(scores);
    notes_clear(&notes);
}

static void set_frame(Notes *notes, unsigned index, double time, uint64_t ref, uint64_t dist)
{
    const VmafReportFrame frame = { .size = sizeof(frame), .time = time, .ref = ref, .dist = dist };
    assert_int_equal(notes_set_frame(notes, index, &frame), 0);
}

static void begin_shot(Notes *notes, unsigned index, double time)
{
    const VmafReportFrame frame = { .size = sizeof(frame), .time = time, .shot = 1 };
    assert_int_equal(notes_set_frame(notes, index, &frame), 0);
}

/* A shot has the figures of metrics that all its frames have. */
static void the_object_has_shots(void **state)
{
    Notes notes = { .details = true };
    ScoreStore *scores;
    assert_int_equal(scores_create(&scores), 0);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(scores_set(scores, "a", i, 1.0 + i, NULL), 0);
    assert_int_equal(scores_set(scores, "b", 3, 7.0, NULL), 0);
    assert_int_equal(scores_set(scores, "b", 4, 9.0, NULL), 0);
    const Report report = { .scores = scores, .version = "1", .frames = 5, .notes = &notes };
    set_frame(&notes, 2, 0.08, 2, 2);
    set_frame(&notes, 4, (double)NAN, 4, 4);
    assert_null(strstr(written(&report), "shots"));
    begin_shot(&notes, 0, 0.0);
    begin_shot(&notes, 3, 0.12);
    assert_non_null(
        strstr(written(&report),
               ",\n    \"shots\": [\n"
               "      {\n        \"first\": 0,\n        \"last\": 2,\n        \"frames\": 3,\n"
               "        \"begin\": 0.000,\n        \"end\": 0.080,\n        \"metrics\": {\n"
               "          \"a\": {\"mean\": 2.000000, \"min\": 1.000000, \"p5\": 1.100000}\n"
               "        }\n      },\n"
               "      {\n        \"first\": 3,\n        \"last\": 4,\n        \"frames\": 2,\n"
               "        \"begin\": 0.120,\n        \"end\": null,\n        \"metrics\": {\n"
               "          \"a\": {\"mean\": 4.500000, \"min\": 4.000000, \"p5\": 4.050000},\n"
               "          \"b\": {\"mean\": 8.000000, \"min\": 7.000000, \"p5\": 7.100000}\n"
               "        }\n      }\n    ],\n    \"threads\""));
    scores_destroy(scores);
    notes_clear(&notes);
}

/* Times are listed if all frames of the report have one, and numbers if they are not
 * consecutive. */
static void the_object_has_times_and_numbers(void **state)
{
    const VmafReportInput input = { .size = sizeof(input), .path = "v", .skipped = 3 };
    Notes notes = { .details = true };
    ScoreStore *scores;
    assert_int_equal(scores_create(&scores), 0);
    for (unsigned i = 0; i < 6; i += 2)
        assert_int_equal(scores_set(scores, "a", i, 1.0, NULL), 0);
    const Report report = {
        .scores = scores, .version = "1", .frames = 5, .subsample = 2, .notes = &notes
    };
    assert_int_equal(notes_set_input(&notes, true, &input), 0);
    assert_int_equal(notes_set_input(&notes, false, &input), 0);
    assert_null(strstr(written(&report), "times"));
    set_frame(&notes, 0, 1.48, 3, 3);
    set_frame(&notes, 1, (double)NAN, 77, 77); /* not in the report */
    set_frame(&notes, 2, 1.5, 5, 5);
    assert_null(strstr(written(&report), "times"));
    set_frame(&notes, 4, 1.0 / 3 + 2, 7, 7);
    assert_non_null(strstr(written(&report), ",\n    \"times\": [1.480000, 1.500000, 2.333333],\n"
                                             "    \"models\""));
    set_frame(&notes, 4, (double)NAN, 7, 5);
    assert_null(strstr(written(&report), "times"));
    assert_non_null(strstr(text, ",\n    \"frame_numbers\": {\n"
                                 "      \"distorted\": [3, 5, 5]\n    },\n"));
    set_frame(&notes, 0, 0.0, 2, 3);
    assert_non_null(strstr(written(&report), "      \"reference\": [2, 5, 7],\n"
                                             "      \"distorted\": [3, 5, 5]\n"));
    scores_destroy(scores);
    notes_clear(&notes);
}

static void the_object_is_written_on_request_only(void **state)
{
    VmafContext *vmaf;
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ .n_threads = 0 }), 0);
    assert_int_equal(vmaf_import_feature_score(vmaf, "mine", 1.5, 0), 0);
    assert_int_equal(vmaf_write_output(vmaf, path, VMAF_OUTPUT_FORMAT_JSON), 0);
    assert_null(strstr(read_all(), "vmaf_turbo"));
    assert_int_equal(vmaf_report_details(vmaf), 0);
    assert_int_equal(vmaf_write_output(vmaf, path, VMAF_OUTPUT_FORMAT_JSON), 0);
    assert_non_null(strstr(read_all(), "\"vmaf_turbo\": {\n    \"schema\": 1,\n"));
    for (int format = VMAF_OUTPUT_FORMAT_XML; format <= VMAF_OUTPUT_FORMAT_SUB; format++) {
        if (format == VMAF_OUTPUT_FORMAT_JSON)
            continue;
        assert_int_equal(vmaf_write_output(vmaf, path, (enum VmafOutputFormat)format), 0);
        assert_null(strstr(read_all(), "turbo"));
    }
    vmaf_close(vmaf);
}

TEST_MAIN(details)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_object_has_its_layout),
        cmocka_unit_test(the_object_has_times_and_numbers),
        cmocka_unit_test(the_object_has_shots),
        cmocka_unit_test(the_object_is_written_on_request_only),
    };
    log_set_level(VMAF_LOG_LEVEL_NONE);
    return cmocka_run_group_tests_name("details", tests, NULL, NULL);
}
