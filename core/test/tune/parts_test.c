/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Units of vmaf-tune: pooling, targets, commands for ffmpeg and encoders, and reading their
 * output. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing.h"
#include "extras/tune/encoder.h"
#include "extras/tune/job.h"
#include "extras/tune/devices.h"
#include "report/pooling.h"
#include "extras/tune/targets.h"
#include "common/child.h"
#include "common/temp.h"

/* ---- pooling ---- */

static void pooling_is_parsed_and_applied(void **state)
{
    static const struct {
        const char *name;
        double value;
    } known[] = { { "mean", 40 }, { "min", 10 }, { "max", 90 }, { "median", 30 },
                  { "p0", 10 },   { "p25", 20 }, { "p5", 12 },  { "p100", 90 } };
    static const double scores[] = { 50, 10, 90, 30, 20 };
    static const char *const bad[] = {
        "", "p", "p101", "p-1", "p5.5", "p5x", "average", "p 5", "px"
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        Pooling pooling;
        assert_true(pooling_parse(&pooling, known[i].name, strlen(known[i].name)));
        assert_string_equal(pooling.name, known[i].name);
        assert_true(pooling_scores(&pooling, scores, COUNT(scores)) == known[i].value);
        assert_true(isnan(pooling_scores(&pooling, scores, 0)));
    }
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_false(pooling_parse(&(Pooling){ 0 }, bad[i], strlen(bad[i])));
}

/* ---- media ---- */

static void packets_are_counted(void **state)
{
    static const char text[] = /* the last packet is not shown */
        "#extradata 0:       46, 0x2a770e90\n#software: Lavf59\n#tb 0: 1/1000\n"
        "#media_type 0: video\n#dimensions 0: 160x90\n#sar 0: 1/1\n"
        "0,        -83,          0,       40,     2187, 0xeac7c2c0\n"
        "0,        -42,         80,       40,      576, 0xa0c92062, F=0x0\n"
        "0,          0,         40,       40,      252, 0x7ead803a, F=0x0\n"
        "1,          0,         40,       40,      999, 0x7ead803a\n"
        "0,        120,        900,       40,       10, 0x7ead803a, F=0x4, S=1,        8\n";
    for (size_t piece = 1; piece < sizeof(text); piece += 7) {
        MediaReader reader = { .used = 0 };
        Media media;
        for (size_t at = 0; at < sizeof(text) - 1; at += piece)
            media_feed(&reader, text + at,
                       at + piece < sizeof(text) - 1 ? piece : sizeof(text) - 1 - at);
        assert_true(media_finish(&reader, &media));
        assert_int_equal(media.width, 160);
        assert_int_equal(media.height, 90);
        assert_int_equal(media.frames, 3);
        assert_int_equal(media.bytes, 2187 + 576 + 252 + 10);
        assert_true(fabs(media.seconds - 0.12) < 1e-12);
        assert_true(fabs(media.span - 0.08) < 1e-12);
        assert_true(media.timed);
    }
}

static void nonsense_is_no_video(void **state)
{
    static const char *const bad[] = { "",
                                       "\n\n",
                                       "#tb 0: 0/0\n#dimensions 0: 1x1\n0, 0, 0, 1, 5, 0\n",
                                       "#tb 0: 1/25\n0, 0, 0, 1, 5, 0\n",
                                       "#tb 0: 1/25\n#dimensions 0: 1x1\n0, 0, 0, 0, 5, 0\n",
                                       "#tb 0: 1/25\n#dimensions 0: 1x1\n0, x\n" };
    for (size_t i = 0; i < COUNT(bad); i++) {
        MediaReader reader = { .used = 0 };
        Media media;
        media_feed(&reader, bad[i], strlen(bad[i]));
        assert_false(media_finish(&reader, &media));
    }
}

static void encodes_of_another_video_differ(void **state)
{
    const Media source = { .width = 160, .height = 90, .frames = 101, .span = 4.0, .timed = true };
    static const struct {
        Media encode;
        enum MediaDifference difference;
    } known[] = {
        { { .width = 160, .height = 90, .frames = 101, .span = 4.0, .timed = true }, MEDIA_SAME },
        { { .width = 160, .height = 90, .frames = 101, .span = 4.05, .timed = true }, MEDIA_SAME },
        { { .width = 160, .height = 90, .frames = 101, .span = 4.07, .timed = true },
          MEDIA_DURATION },
        { { .width = 160, .height = 90, .frames = 101, .span = 3.93, .timed = true },
          MEDIA_DURATION },
        { { .width = 160, .height = 90, .frames = 101, .span = 8.0 }, MEDIA_SAME },
        { { .width = 160, .height = 90, .frames = 100, .span = 4.0, .timed = true }, MEDIA_FRAMES },
        { { .width = 160, .height = 90, .frames = 102, .span = 4.0, .timed = true }, MEDIA_FRAMES },
        { { .width = 162, .height = 90, .frames = 101, .span = 4.0, .timed = true }, MEDIA_SHAPE },
        { { .width = 160, .height = 92, .frames = 101, .span = 4.0, .timed = true }, MEDIA_SHAPE },
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        const enum MediaDifference wanted = known[i].difference;
        assert_int_equal(media_compare(&source, &known[i].encode, false), wanted);
        assert_int_equal(media_compare(&source, &known[i].encode, true),
                         wanted == MEDIA_SHAPE ? MEDIA_SAME : wanted);
    }
}

/* ---- encoders ---- */

static void assert_command(const char *spec, const char *expected)
{
    Encoder encoder;
    char error[256], all[1024] = "";
    assert_int_equal(encoder_parse(&encoder, spec, strlen(spec), error, sizeof(error)), 0);
    Argv argv = encoder_command(
        &encoder,
        &(Encode){ .ffmpeg = "ffmpeg", .input = "./-x", .output = "o.mkv", .setting = 30 });
    assert_false(argv.failed);
    for (size_t i = 0; i < argv.count; i++)
        snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? " " : "", argv.words[i]);
    assert_string_equal(all, expected);
    argv_free(&argv);
    encoder_free(&encoder);
}

#define START "ffmpeg -nostdin -hide_banner -v error -nostats -progress pipe:1 -y "
#define BEFORE                                                                                     \
    "ffmpeg -nostdin -hide_banner -v error -nostats -progress pipe:1 -y -i file:./-x -map 0:v:0 "
#define AFTER "-f matroska file:o.mkv"

static void assert_upload(const char *spec, const char *device, const char *rest)
{
    char expected[512];
    snprintf(expected, sizeof(expected), START "%s-i file:./-x -map 0:v:0 %s" AFTER, device, rest);
    assert_command(spec, expected);
}

static void assert_words(const char *spec, const Encode *encode, const char *expected)
{
    Encoder encoder;
    char error[256];
    assert_int_equal(encoder_parse(&encoder, spec, strlen(spec), error, sizeof(error)), 0);
    if (encode->pass)
        assert_int_equal(encoder_set_two_pass(&encoder, error, sizeof(error)), 0);
    Argv argv = encoder_command(&encoder, encode);
    char *const text = argv_shell_text(&argv);
    assert_non_null(strstr(text, expected));
    free(text);
    argv_free(&argv);
    encoder_free(&encoder);
}

static void passes_and_quarters_become_words(void **state)
{
    const Encode quarter = { .ffmpeg = "f", .input = "i", .output = "o", .setting = 30.25 };
    const Encode high = { .ffmpeg = "f", .input = "i", .output = "o", .setting = 70 };
    const Encode first = {
        .ffmpeg = "f", .input = "i", .output = "o", .setting = 800, .pass = 1, .pass_log = "a:b"
    };
    const Encode second = {
        .ffmpeg = "f", .input = "i", .output = "o", .setting = 31, .pass = 2, .pass_log = "log"
    };
    assert_words("libx264", &quarter, " -crf 30.25 ");
    assert_words("libsvtav1", &quarter, " -crf 30 -svtav1-params crf=30.25 ");
    assert_words("libsvtav1:svtav1-params=tune=0", &high, " -svtav1-params tune=0:crf=70 ");
    assert_words("libx264", &first, " -b:v 800k -pass 1 -passlogfile a:b -f null -");
    assert_words("libx265:x265-params=aq-mode=3", &first,
                 "-x265-params 'aq-mode=3:pass=1:stats=a\\:b' ");
    assert_words("libvpx-vp9", &second, " -crf 31 -b:v 0 -pass 2 -passlogfile log ");
    Encoder encoder;
    char error[256];
    assert_int_equal(encoder_parse(&encoder, "librav1e", 8, error, sizeof(error)), 0);
    assert_int_equal(encoder_set_two_pass(&encoder, error, sizeof(error)), -EINVAL);
    assert_int_equal(encoder_check_setting(&encoder, 30.5, error, sizeof(error)), -EINVAL);
    assert_int_equal(encoder_check_setting(&encoder, 30, error, sizeof(error)), 0);
    encoder_free(&encoder);
}

static void targets_are_read(void **state)
{
    static const struct {
        const char *text, *metric, *pool;
        double score;
    } known[] = { { "95", "m", "mean", 95 },
                  { "93:p5", "m", "p5", 93 },
                  { "ssimulacra2:70", "ssimulacra2", "mean", 70 },
                  { "m:90:p050", "m", "median", 90 },
                  { "x:-3.5:min", "x", "min", -3.5 } };
    static const char *const bad[] = { "",      "best",   "95:",          "95:p200", ":95",
                                       "vmaf:", "vmaf:x", "vmaf:95:none", "nan",     "95x" };
    Targets targets = { .count = 0 };
    Metrics metrics;
    char error[512], text[512];
    for (size_t i = 0; i < COUNT(known); i++)
        assert_int_equal(targets_add(&targets, known[i].text, error, sizeof(error)), 0);
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(targets_add(&targets, bad[i], error, sizeof(error)), -EINVAL);
    assert_int_equal(targets_finish(&targets, "m", &metrics), 0);
    assert_int_equal(metrics.count, 3);
    assert_string_equal(metrics.names[2], "x");
    for (size_t i = 0; i < COUNT(known); i++) {
        assert_string_equal(targets.at[i].metric, known[i].metric);
        assert_string_equal(targets.at[i].pooling.name, known[i].pool);
        assert_true(targets.at[i].score == known[i].score);
    }
    targets_print(&targets, text, sizeof(text));
    assert_string_equal(text, "m 95, m 93 (p5), ssimulacra2 70, m 90 (median), x -3.5 (min)");
    targets_free(&targets);
}

static void encoders_become_commands(void **state)
{
    assert_command("libx264", BEFORE "-c:v libx264 -crf 30 " AFTER);
    assert_command("libx265:preset=fast:x265-params=a=1\\:b=2\\,3",
                   BEFORE "-c:v libx265 -crf 30 -preset fast -x265-params a=1:b=2,3 " AFTER);
    assert_command("libaom-av1:cpu-used=8",
                   BEFORE "-c:v libaom-av1 -crf 30 -b:v 0 -cpu-used 8 " AFTER);
    assert_command("hevc_nvenc", BEFORE "-c:v hevc_nvenc -cq 30 -rc vbr -b:v 0 " AFTER);
    /* Frames are uploaded for encoders that want them on a device. */
    assert_upload("h264_vaapi", "-init_hw_device vaapi=tune -filter_hw_device tune ",
                  "-c:v h264_vaapi -qp 30 -rc_mode CQP -vf format=nv12|p010,hwupload ");
    assert_upload("av1_vaapi:vf=scale=64\\:48:device=/dev/dri/renderD129",
                  "-init_hw_device vaapi=tune:/dev/dri/renderD129 -filter_hw_device tune ",
                  "-c:v av1_vaapi -global_quality 30 -rc_mode CQP "
                  "-vf scale=64:48,format=nv12|p010,hwupload ");
    assert_upload("hevc_vulkan:device=1", "-init_hw_device vulkan=tune:1 -filter_hw_device tune ",
                  "-c:v hevc_vulkan -qp 30 -rc_mode cqp -vf format=nv12|p010,hwupload ");
    assert_command("hevc_qsv", BEFORE "-c:v hevc_qsv -global_quality 30 " AFTER);
    assert_command("h264_amf", BEFORE "-c:v h264_amf -qp_i 30 -qp_p 30 -qp_b 30 -rc cqp " AFTER);
    assert_command("libx264:vf=hflip:preset=fast",
                   BEFORE "-c:v libx264 -crf 30 -preset fast -vf hflip " AFTER);
    assert_command("libx264:setting=qp", BEFORE "-c:v libx264 -qp 30 " AFTER);
    assert_command("foo:setting=q:b=", BEFORE "-c:v foo -q 30 -b  " AFTER);
}

static void encoders_that_are_wrong_say_so(void **state)
{
    static const char *const bad[] = { "libx264:", "libx264:preset", "libx264:=slow" };
    for (size_t i = 0; i < COUNT(bad); i++) {
        Encoder encoder;
        char error[256] = "";
        assert_int_equal(encoder_parse(&encoder, bad[i], strlen(bad[i]), error, sizeof(error)),
                         -EINVAL);
        assert_non_null(strstr(error, "NAME=VALUE"));
    }
}

static void commands_are_named(void **state)
{
    static const struct {
        const char *text, *label;
    } known[] = { { "x264 --crf {crf} -o {output} {input}", "x264" },
                  { "/opt/bin/enc -q={crf} {output}", "enc" },
                  { "fast x=/opt/bin/enc -q={crf} {output}", "fast" },
                  { "mine=/opt/bin/enc {crf} {output}", "mine" } };
    for (size_t i = 0; i < COUNT(known); i++) {
        Encoder encoder;
        char error[256];
        assert_int_equal(encoder_parse_command(&encoder, known[i].text, error, sizeof(error)), 0);
        assert_string_equal(encoder.label, known[i].label);
        encoder_free(&encoder);
    }
}

/* ---- devices ---- */

static void scoring_devices_are_read(void **state)
{
    ScoringDevice *devices;
    size_t count;
    char error[256];
    assert_int_equal(scoring_devices_parse(&devices, &count, "cpu,vulkan:0,cuda:GeForce RTX,cpu",
                                           error, sizeof(error)),
                     0);
    assert_int_equal(count, 4);
    assert_string_equal(devices[1].backend, "vulkan");
    assert_string_equal(devices[1].selector, "0");
    assert_string_equal(devices[2].selector, "GeForce RTX");
    assert_null(devices[3].selector);
    Argv argv = { 0 };
    devices[1].threads = 2;
    scoring_device_add_options(&devices[1], &argv);
    assert_int_equal(argv.count, 6);
    assert_string_equal(argv.words[1], "vulkan");
    assert_string_equal(argv.words[3], "2");
    assert_string_equal(argv.words[5], "0");
    argv_free(&argv);
    scoring_devices_free(devices, count);
    static const char *const bad[] = { "", "cpu,", "gpu", "cpu:0", "vulkan:", "auto:", ",cpu" };
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(scoring_devices_parse(&devices, &count, bad[i], error, sizeof(error)),
                         -EINVAL);
        assert_null(devices);
    }
}

/* `sh` stands in for the listing process and runs a script named --devices: two APIs have the same
 * device, and there is another device. */
static void a_device_has_one_lock_under_all_its_names(void **state)
{
    ScoringDevice *devices;
    Children *children;
    size_t count;
    char error[256];
    FILE *const script = fopen("list_devices", "w");
    assert_non_null(script);
    fputs("#!/bin/sh\ncat << EOF\n"
          "cuda 0 2 000102030405060708090a0b0c0d0e0f 0000:01:00.0 GPU A\n"
          "cuda 1 2 100102030405060708090a0b0c0d0e0f 0000:02:00.0 GPU B\n"
          "vulkan 0 2 100102030405060708090a0b0c0d0e0f - GPU B\n"
          "vulkan 1 2 ff0102030405060708090a0b0c0d0e0f 0000:01:00.0 GPU A\n"
          "nonsense\n"
          "EOF\n",
          script);
    fclose(script);
    assert_int_equal(chmod("list_devices", 0700), 0);
    assert_int_equal(children_create(&children), 0);
    assert_int_equal(scoring_devices_parse(&devices, &count,
                                           "cpu,cuda,vulkan:0,vulkan:1,cuda:gpu b,cpu", error,
                                           sizeof(error)),
                     0);
    assert_int_equal(
        scoring_devices_prepare(
            devices, count,
            &(DeviceParams){ .threads = 10, .self = "./list_devices", .children = children }),
        0);
    static const size_t locks[] = { 0, 1, 2, 1, 2, 5 };
    static const unsigned threads[] = { 3, 1, 1, 1, 1, 3 };
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(devices[i].lock, locks[i]);
        assert_int_equal(devices[i].threads, threads[i]);
    }
    scoring_devices_free(devices, count);
    children_destroy(children);
    unlink("list_devices");
}

/* A scoring goes to an idle device on which it has not failed, unless there is no other one. The
 * last resort is used once no device works. */
static void scorings_go_where_they_can(void **state)
{
    ScoringDevice *devices, cpu;
    size_t count;
    char error[256];
    assert_int_equal(
        scoring_devices_parse(&devices, &count, "vulkan:0,cuda:0,vulkan:1", error, sizeof(error)),
        0);
    for (size_t i = 0; i < count; i++)
        devices[i].lock = i;
    devices[2].lock = 0; /* the same hardware as the first one */
    last_resort_prepare(&cpu, 3);
    assert_int_equal(cpu.threads, 3);
    assert_ptr_equal(device_choose(devices, count, &cpu, NULL), &devices[0]);
    assert_ptr_equal(device_choose(devices, count, &cpu, &devices[0]), &devices[1]);
    device_take(devices, &devices[2], true);
    assert_ptr_equal(device_choose(devices, count, &cpu, NULL), &devices[1]);
    assert_null(device_choose(devices, count, &cpu, &devices[1]));
    device_take(devices, &devices[2], false);
    devices_bury(devices, count, &devices[0], "fell down");
    assert_string_equal(devices[0].why, "fell down");
    assert_ptr_equal(device_choose(devices, count, &cpu, NULL), &devices[1]);
    devices_bury(devices, count, &devices[1], "too");
    assert_ptr_equal(device_choose(devices, count, &cpu, &devices[2]), &devices[2]);
    devices_bury(devices, count, &devices[2], "as well");
    assert_ptr_equal(device_choose(devices, count, &cpu, NULL), &cpu);
    device_take(devices, &cpu, true);
    assert_null(device_choose(devices, count, &cpu, NULL));
    scoring_devices_free(devices, count);
}

static void software_is_allowed_in_words(void **state)
{
    for (int allowed = 0; allowed < 2; allowed++) {
        Argv argv = { 0 };
        char name[] = "vulkan";
        const ScoringDevice device = { .backend = name, .allow_software = allowed, .threads = 1 };
        scoring_device_add_options(&device, &argv);
        assert_int_equal(argv.count, allowed ? 5 : 4);
        assert_string_equal(argv.words[argv.count - 1], allowed ? "--allow_software" : "1");
        argv_free(&argv);
    }
}

/* ---- tails and temporary folders ---- */

static void a_tail_has_the_last_lines(void **state)
{
    Tail tail = { .next = 0 };
    for (int i = 0; i < 20; i++) {
        char line[TAIL_WIDTH + 64];
        const int length =
            snprintf(line, sizeof(line), "line %d\033[2J%0*d\r\n\n", i, TAIL_WIDTH, 0);
        tail_feed(&tail, line, (size_t)length);
    }
    tail_feed(&tail, "end", 3);
    assert_int_equal(tail.next, 20);
    assert_string_equal(tail.lines[20 % TAIL_LINES], "end");
    assert_memory_equal(tail.lines[19 % TAIL_LINES], "line 19?[2J000", 14);
    assert_int_equal(strlen(tail.lines[19 % TAIL_LINES]), TAIL_WIDTH - 1);
}

static void a_folder_left_behind_is_removed(void **state)
{
    TempFolder *first, *second;
    struct stat info;
    mkdir("temp_parent", 0700);
    assert_int_equal(temp_create(&first, "temp_parent"), 0);
    char *const kept = strdup(temp_path(first));
    /* The folder of a dead process: nobody holds its lock. */
    assert_int_equal(mkdir("temp_parent/.vmaf-tune-gone", 0700), 0);
    assert_int_equal(mkdir("temp_parent/.vmaf-tune-gone/deep", 0700), 0);
    assert_int_equal(symlink("/etc/passwd", "temp_parent/.vmaf-tune-gone/deep/link"), 0);
    fclose(fopen("temp_parent/.vmaf-tune-gone/lock", "w"));
    assert_int_equal(temp_create(&second, "temp_parent"), 0);
    assert_int_equal(stat("temp_parent/.vmaf-tune-gone", &info), -1);
    assert_int_equal(stat(kept, &info), 0);
    assert_int_equal(stat("/etc/passwd", &info), 0);
    temp_destroy(first);
    temp_destroy(second);
    assert_int_equal(stat(kept, &info), -1);
    assert_int_equal(rmdir("temp_parent"), 0);
    free(kept);
    assert_int_equal(temp_create(&first, "temp_parent"), -ENOENT);
}

TEST_MAIN(parts)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pooling_is_parsed_and_applied),
        cmocka_unit_test(packets_are_counted),
        cmocka_unit_test(nonsense_is_no_video),
        cmocka_unit_test(encodes_of_another_video_differ),
        cmocka_unit_test(encoders_become_commands),
        cmocka_unit_test(passes_and_quarters_become_words),
        cmocka_unit_test(targets_are_read),
        cmocka_unit_test(encoders_that_are_wrong_say_so),
        cmocka_unit_test(commands_are_named),
        cmocka_unit_test(scoring_devices_are_read),
        cmocka_unit_test(a_device_has_one_lock_under_all_its_names),
        cmocka_unit_test(scorings_go_where_they_can),
        cmocka_unit_test(software_is_allowed_in_words),
        cmocka_unit_test(a_tail_has_the_last_lines),
        cmocka_unit_test(a_folder_left_behind_is_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
