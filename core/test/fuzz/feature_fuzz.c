/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Runs a feature with options on small pictures through the API: once with scalar code, once with
 * vector code on threads. Both must give the same scores or the same error.
 *
 * Input: a line with the text of --feature, then bytes for width, height, sampling, depth, pairs
 * and subsampling, then samples, which are repeated as often as needed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "fuzz.h"
#include "libvmaf/libvmaf.h"
#include "vmaf/spec.h"

enum { HEADER = 6, PAIRS_MAX = 4, TEXT_MAX = 1 << 16 };

typedef struct Input {
    FeatureSpec feature;
    unsigned w, h, bpc, pairs, subsample;
    unsigned shift; /* shift of 16-bit samples, so that some exceed the depth and some do not */
    enum VmafPixelFormat pix_fmt;
    const uint8_t *samples;
    size_t sample_count;
} Input;

/* Rejects options with a path: no feature may write to a path from the input. */
static int is_harmless(const FeatureSpec *feature)
{
    for (size_t i = 0; i < feature->option_count; i++)
        if (!strcmp(feature->options[i].key, "heatmaps_path"))
            return 0;
    return 1;
}

static int parse(Input *input, const uint8_t *data, size_t size)
{
    static const enum VmafPixelFormat formats[] = { VMAF_PIX_FMT_YUV420P, VMAF_PIX_FMT_YUV422P,
                                                    VMAF_PIX_FMT_YUV444P, VMAF_PIX_FMT_YUV400P };
    static const unsigned depths[] = { 8, 10, 12, 16 };
    const uint8_t *const end = size ? memchr(data, '\n', size) : NULL;
    if (!end || size - (size_t)(end + 1 - data) <= HEADER)
        return -1;
    const uint8_t *const header = end + 1;
    *input = (Input){ .w = 1 + header[0],
                      .h = 1 + header[1],
                      .pix_fmt = formats[header[2] % 4],
                      .bpc = depths[header[3] % 4],
                      .pairs = 1 + header[4] % PAIRS_MAX,
                      .subsample = header[5] % 4,
                      .samples = header + HEADER,
                      .sample_count = size - (size_t)(header + HEADER - data) };
    input->shift = header[3] & 0x80 ? 0 : 16 - input->bpc;
    char error[64];
    char *const text = fuzz_text(data, (size_t)(end - data));
    const int err = feature_spec_parse(&input->feature, text, error, sizeof(error));
    free(text);
    if (!err && !is_harmless(&input->feature)) {
        feature_spec_destroy(&input->feature);
        return -1;
    }
    return err;
}

static void fill(const Input *input, VmafPicture *pic, size_t *at)
{
    for (unsigned p = 0; p < 3; p++) {
        for (unsigned y = 0; y < pic->h[p]; y++) {
            uint8_t *const row = (uint8_t *)pic->data[p] + y * pic->stride[p];
            for (unsigned x = 0; x < pic->w[p]; x++, (*at)++) {
                const unsigned sample = input->samples[*at % input->sample_count] * 0x101u;
                if (input->bpc == 8)
                    row[x] = (uint8_t)sample;
                else
                    ((uint16_t *)(void *)row)[x] = (uint16_t)(sample >> input->shift);
            }
        }
    }
}

static int read_pair(const Input *input, VmafContext *vmaf, unsigned index, size_t *at)
{
    VmafPicture pic[2] = { 0 };
    int err = 0;
    for (unsigned side = 0; side < 2 && !err; side++) {
        err = vmaf_picture_alloc(&pic[side], input->pix_fmt, input->bpc, input->w, input->h);
        if (!err)
            fill(input, &pic[side], at);
    }
    if (!err)
        err = vmaf_read_pictures(vmaf, &pic[0], &pic[1], index);
    for (unsigned side = 0; side < 2 && err; side++)
        if (pic[side].ref)
            vmaf_picture_unref(&pic[side]);
    return err;
}

static int use_feature(const Input *input, VmafContext *vmaf)
{
    VmafFeatureDictionary *options = NULL;
    int err = 0;
    for (size_t i = 0; i < input->feature.option_count && !err; i++)
        err = vmaf_feature_dictionary_set(&options, input->feature.options[i].key,
                                          input->feature.options[i].value);
    if (!err)
        err = vmaf_use_feature(vmaf, input->feature.extractor, options);
    if (err)
        vmaf_feature_dictionary_free(&options);
    return err;
}

/* Compares all scores bit by bit. */
static int report(VmafContext *vmaf, char text[TEXT_MAX])
{
    static int fd = -1;
    static char path[64];
    if (fd < 0) {
        fd = memfd_create("report", MFD_CLOEXEC);
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    }
    const int err = vmaf_write_output_with_format(vmaf, path, VMAF_OUTPUT_FORMAT_CSV, "%.17g");
    const ssize_t size = pread(fd, text, TEXT_MAX - 1, 0);
    if (size < 0)
        abort();
    text[size] = 0;
    return err;
}

static int score(const Input *input, unsigned threads, uint64_t cpumask, char text[TEXT_MAX])
{
    const VmafConfiguration config = { .log_level = VMAF_LOG_LEVEL_NONE,
                                       .n_threads = threads,
                                       .n_subsample = input->subsample,
                                       .cpumask = cpumask };
    VmafContext *vmaf;
    size_t at = 0;
    text[0] = 0;
    int err = vmaf_init(&vmaf, config);
    if (err)
        return err;
    err = use_feature(input, vmaf);
    for (unsigned i = 0; i < input->pairs && !err; i++)
        err = read_pair(input, vmaf, i, &at);
    if (!err)
        err = vmaf_read_pictures(vmaf, NULL, NULL, 0);
    if (!err)
        err = report(vmaf, text);
    vmaf_close(vmaf);
    return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char scalar[TEXT_MAX], vector[TEXT_MAX];
    Input input;
    if (parse(&input, data, size))
        return 0;
    const int first = score(&input, 0, UINT64_MAX, scalar);
    const int second = score(&input, 2, 0, vector);
    if (!first != !second || strcmp(scalar, vector)) {
        fprintf(stderr, "%s, %ux%u at %u bits: %d and %d\n%s\n%s\n", input.feature.extractor,
                input.w, input.h, input.bpc, first, second, scalar, vector);
        abort();
    }
    feature_spec_destroy(&input.feature);
    return 0;
}
