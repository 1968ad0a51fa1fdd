/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Tests that a run tells the library its videos and options, for reports. The linker replaces
 * the library's functions by those below (--wrap). */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libvmaf/report.h"
#include "vmaf/command.h"
#include "testing.h"

static char told[1024];

static void note(const char *text)
{
    strncat(told, text, sizeof(told) - strlen(told) - 1);
}

int __real_vmaf_report_input(VmafContext *vmaf, int is_ref, const VmafReportInput *input);
int __wrap_vmaf_report_input(VmafContext *vmaf, int is_ref, const VmafReportInput *input)
{
    char text[256];
    snprintf(text, sizeof(text), "%s %s %s %ux%u %u %d %u of %u%s%s\n", is_ref ? "ref" : "dist",
             input->path, input->kind, input->w, input->h, input->bpc, (int)input->pix_fmt,
             (unsigned)input->skipped, (unsigned)input->frames, input->pairing ? " " : "",
             input->pairing ? input->pairing : "");
    note(text);
    return __real_vmaf_report_input(vmaf, is_ref, input);
}

int __real_vmaf_report_option(VmafContext *vmaf, const char *name, const char *value);
int __wrap_vmaf_report_option(VmafContext *vmaf, const char *name, const char *value)
{
    char text[256];
    snprintf(text, sizeof(text), "%s=%s\n", name, value ? value : "");
    note(text);
    return __real_vmaf_report_option(vmaf, name, value);
}

/* Writes `frames` grey frames of 32x16, 4:2:2. */
static void write_raw(const char *path, unsigned frames)
{
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    for (unsigned i = 0; i < frames * 32 * 16 * 2; i++)
        fputc(128, file);
    fclose(file);
}

static void reports_contain_the_origin(void **state)
{
    char *argv[] = { "vmaf",
                     "-r",
                     "ref.yuv",
                     "-d",
                     "dist.yuv",
                     "-w",
                     "32",
                     "-h",
                     "16",
                     "-p",
                     "422",
                     "-b",
                     "8",
                     "-nq",
                     "--feature",
                     "psnr",
                     "-o",
                     "out.xml",
                     "--frame_skip_dist",
                     "1" };
    Options options;
    enum Action action;
    write_raw("ref.yuv", 1);
    write_raw("dist.yuv", 2);
    assert_int_equal(options_parse(&options, COUNT(argv), argv, &action), 0);
    assert_int_equal(score_videos(&options, NULL), 0);
    assert_string_equal(told, "ref ref.yuv raw 32x16 8 2 0 of 1\n"
                              "dist dist.yuv raw 32x16 8 2 1 of 2 by number\n"
                              "reference=ref.yuv\n"
                              "distorted=dist.yuv\n"
                              "width=32\n"
                              "height=16\n"
                              "pixel_format=422\n"
                              "bitdepth=8\n"
                              "no_prediction=\n"
                              "quiet=\n"
                              "feature=psnr\n"
                              "output=out.xml\n"
                              "frame_skip_dist=1\n");
    options_destroy(&options);
    unlink("ref.yuv");
    unlink("dist.yuv");
    unlink("out.xml");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(reports_contain_the_origin) };
    return cmocka_run_group_tests_name("score", tests, NULL, NULL);
}
