/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Scores generated clips of any size with every instruction set of the CPU, without threads, with
 * one thread and with four, and compares each value with a table, to the last bit.
 *
 * usage: sizes_test TABLE
 *
 * A table has blocks of lines, separated by empty lines:
 *     clip KIND WIDTH HEIGHT FORMAT DEPTH FRAMES     as for synthclip
 *     model NAME                                     a built-in one
 *     feature NAME
 *     METRIC VALUE VALUE…                            one for each frame */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "libvmaf/libvmaf.h"
#include "synth.h"

enum { FRAMES_MAX = 4, LINES_MAX = 64, LINE_SIZE = 512, COMPLAINTS_MAX = 20 };

typedef struct Block {
    SynthClip clip;
    char model[64];
    char features[LINES_MAX][LINE_SIZE], metrics[LINES_MAX][LINE_SIZE];
    int feature_count, metric_count;
    VmafPicture pictures[FRAMES_MAX][2]; /* the clip, to be copied for each run */
} Block;

typedef struct Way {
    const char *set;
    unsigned cpu; /* all flags of the instruction set */
    unsigned threads;
} Way;

#if defined(__x86_64__)
#define SSE41 (CPU_SSE2 | CPU_SSSE3 | CPU_SSE41)
static const Way sets[] = {
    { .set = "scalar" },
    { .set = "SSE4.1", .cpu = SSE41 },
    { .set = "AVX2", .cpu = SSE41 | CPU_AVX2 },
    { .set = "AVX-512", .cpu = SSE41 | CPU_AVX2 | CPU_AVX512 },
    { .set = "AVX-512 of Ice Lake", .cpu = SSE41 | CPU_AVX2 | CPU_AVX512 | CPU_AVX512ICL },
};
#else
static const Way sets[] = { { .set = "scalar" }, { .set = "NEON", .cpu = CPU_NEON } };
#endif
#define SET_COUNT (sizeof(sets) / sizeof(sets[0]))

static unsigned runs, values, wrong;

static void complain(const Block *b, const Way *way, const char *what)
{
    if (wrong++ < COMPLAINTS_MAX)
        fprintf(stderr, "%s %ux%u, %u bits, %s, %u threads: %s\n", synth_kind_names[b->clip.kind],
                b->clip.width, b->clip.height, b->clip.bitdepth, way->set, way->threads, what);
}

/* ---- the table ---- */

static void stop(const char *why, const char *line)
{
    fprintf(stderr, "%s: %s\n", why, line);
    exit(2);
}

static void parse_clip(SynthClip *clip, const char *line)
{
    static const char *const formats[] = { "420", "422", "444", "400" };
    char kind[16], format[8];
    if (sscanf(line, "clip %15s %u %u %7s %u %u", kind, &clip->width, &clip->height, format,
               &clip->bitdepth, &clip->frames) != 6 ||
        clip->frames > FRAMES_MAX)
        stop("not a clip", line);
    clip->kind = SYNTH_KINDS;
    for (unsigned i = 0; i < SYNTH_KINDS; i++)
        if (!strcmp(kind, synth_kind_names[i]))
            clip->kind = (enum SynthKind)i;
    for (unsigned i = 0; i < 4; i++)
        if (!strcmp(format, formats[i]))
            clip->pix_fmt = (enum VmafPixelFormat)(VMAF_PIX_FMT_YUV420P + i);
    if (clip->kind == SYNTH_KINDS || !clip->pix_fmt)
        stop("not a clip", line);
}

/* Reads the next block. Returns false at the end of the table. */
static bool read_block(FILE *file, Block *b)
{
    char line[LINE_SIZE];
    memset(b, 0, sizeof(*b));
    while (fgets(line, sizeof(line), file)) {
        if (!strchr(line, '\n') || b->feature_count == LINES_MAX || b->metric_count == LINES_MAX)
            stop("too long", line);
        line[strcspn(line, "\n")] = 0;
        if (*line == '#')
            continue;
        if (!*line)
            break;
        if (!strncmp(line, "clip ", 5))
            parse_clip(&b->clip, line);
        else if (!strncmp(line, "model ", 6))
            snprintf(b->model, sizeof(b->model), "%.60s", line + 6);
        else if (!strncmp(line, "feature ", 8))
            strcpy(b->features[b->feature_count++], line + 8);
        else
            strcpy(b->metrics[b->metric_count++], line);
    }
    return b->clip.width > 0;
}

/* ---- pictures ---- */

static int make_pictures(Block *b)
{
    int err = 0;
    for (unsigned i = 0; !err && i < 2 * b->clip.frames; i++)
        err = synth_picture(&b->clip, i % 2 ? SYNTH_DIST : SYNTH_REF, i / 2,
                            &b->pictures[i / 2][i % 2]);
    return err;
}

static int copy_picture(VmafPicture *to, const VmafPicture *from)
{
    const int err = vmaf_picture_alloc(to, from->pix_fmt, from->bpc, from->w[0], from->h[0]);
    for (unsigned p = 0; !err && p < 3 && from->data[p]; p++)
        for (unsigned y = 0; y < from->h[p]; y++)
            memcpy((char *)to->data[p] + (ptrdiff_t)y * to->stride[p],
                   (const char *)from->data[p] + (ptrdiff_t)y * from->stride[p],
                   from->w[p] * (from->bpc > 8 ? 2u : 1u));
    return err;
}

static int read_clip(const Block *b, VmafContext *vmaf)
{
    int err = 0;
    for (unsigned t = 0; !err && t < b->clip.frames; t++) {
        VmafPicture pair[2];
        err = copy_picture(&pair[0], &b->pictures[t][0]);
        if (!err)
            err = copy_picture(&pair[1], &b->pictures[t][1]);
        if (!err)
            err = vmaf_read_pictures(vmaf, &pair[0], &pair[1], t);
    }
    return err ? err : vmaf_read_pictures(vmaf, NULL, NULL, 0);
}

/* ---- one run ---- */

static int open_run(const Block *b, const Way *way, VmafContext **vmaf, VmafModel **model)
{
    const VmafConfiguration config = { .log_level = VMAF_LOG_LEVEL_ERROR,
                                       .n_threads = way->threads,
                                       .cpumask = ~(uint64_t)way->cpu };
    int err = vmaf_init(vmaf, config);
    if (!err && *b->model) {
        VmafModelConfig model_config = { .name = "vmaf" };
        err = vmaf_model_load(model, &model_config, b->model);
        if (!err)
            err = vmaf_use_features_from_model(*vmaf, *model);
    }
    for (int i = 0; !err && i < b->feature_count; i++)
        err = vmaf_use_feature(*vmaf, b->features[i], NULL);
    return err;
}

static void compare(const Block *b, const Way *way, VmafContext *vmaf, VmafModel *model,
                    const char *metric)
{
    char line[LINE_SIZE], what[2 * LINE_SIZE];
    strcpy(line, metric);
    char *const name = strtok(line, " ");
    for (unsigned t = 0; t < b->clip.frames; t++) {
        const char *const want = strtok(NULL, " ");
        double got = 0.0;
        const int err = model && !strcmp(name, "vmaf")
                            ? vmaf_score_at_index(vmaf, model, &got, t)
                            : vmaf_feature_score_at_index(vmaf, name, &got, t);
        values++;
        if (!err && want && got == strtod(want, NULL))
            continue;
        snprintf(what, sizeof(what), "%s of frame %u is %.17g (%d), not %s", name, t, got, err,
                 want ? want : "in the table");
        complain(b, way, what);
    }
}

static void run(const Block *b, const Way *way)
{
    VmafContext *vmaf = NULL;
    VmafModel *model = NULL;
    int err = open_run(b, way, &vmaf, &model);
    if (!err)
        err = read_clip(b, vmaf);
    if (err)
        complain(b, way, strerror(-err));
    for (int i = 0; !err && i < b->metric_count; i++)
        compare(b, way, vmaf, model, b->metrics[i]);
    if (model)
        vmaf_model_destroy(model);
    if (vmaf)
        vmaf_close(vmaf);
    runs++;
}

static void run_every_way(const Block *b)
{
    static const unsigned threads[] = { 0, 1, 4 };
    const unsigned have = cpu_flags(0);
    for (size_t s = 0; s < SET_COUNT; s++) {
        Way way = sets[s];
        if ((have & way.cpu) != way.cpu)
            continue;
        for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
            way.threads = threads[i];
            run(b, &way);
        }
    }
}

int main(int argc, char **argv)
{
    static Block block;
    FILE *const table = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!table)
        stop("usage", "sizes_test TABLE");
    for (size_t s = 0; s < SET_COUNT; s++)
        if ((cpu_flags(0) & sets[s].cpu) != sets[s].cpu)
            printf("SKIP %s: this machine does not have it\n", sets[s].set);
    while (read_block(table, &block)) {
        if (make_pictures(&block))
            stop("out of memory", argv[1]);
        run_every_way(&block);
        for (unsigned i = 0; i < 2 * block.clip.frames; i++)
            vmaf_picture_unref(&block.pictures[i / 2][i % 2]);
    }
    fclose(table);
    printf("%u runs, %u values, %u wrong\n", runs, values, wrong);
    return wrong || !values ? 1 : 0;
}
