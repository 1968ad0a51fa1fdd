/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Scores generated clips and compares every value with a table, to the last bit.
 *
 * usage: figures_test [OPTION]... TABLE...       options of the vmaf command, for all runs
 *
 * A table has blocks of lines, separated by empty lines:
 *     clip NAME
 *     args --feature psnr --no_prediction        words for the vmaf command
 *     METRIC VALUE VALUE…                        one for each frame: - missing, * not finite
 *     aggregate METRIC VALUE */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/context_struct.h"
#include "base/text.h"
#include "vmaf/scores.h"
#include "vmaf/gpu.h"
#include "vmaf/options.h"
#include "synth.h"

enum { WORDS_MAX = 64, LINE_MAX_SIZE = 8192 };

typedef struct Suite {
    char **extra; /* options for all runs */
    int extra_count;
    const char *table;
    unsigned line;
    unsigned values, wrong, runs;
    bool no_device; /* this machine lacks the requested GPU, so nothing can be tested */
} Suite;

/* A clip that was scored. */
typedef struct Scored {
    Options options;
    GpuOpening opening;
    Gpu *gpu;
    Models *models;
    VmafContext *vmaf;
} Scored;

static void complain(Suite *suite, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void complain(Suite *suite, const char *format, ...)
{
    if (suite->wrong++ > 20)
        return;
    va_list list;
    va_start(list, format);
    fprintf(stderr, "%s:%u: ", suite->table, suite->line);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}

static int read_clip(const SynthClip *clip, VmafContext *vmaf)
{
    int err = 0;
    for (unsigned t = 0; !err && t < clip->frames; t++) {
        VmafPicture ref, dist;
        err = synth_picture(clip, SYNTH_REF, t, &ref);
        if (err)
            return err;
        err = synth_picture(clip, SYNTH_DIST, t, &dist);
        if (!err)
            err = vmaf_read_pictures(vmaf, &ref, &dist, t);
    }
    return err ? err : vmaf_read_pictures(vmaf, NULL, NULL, 0);
}

static int start(Scored *scored, Suite *suite)
{
    const Options *const o = &scored->options;
    const VmafConfiguration config = {
        .log_level = VMAF_LOG_LEVEL_ERROR,
        .n_threads = o->threads,
        .n_subsample = o->subsample,
        .cpumask = o->cpumask,
        .gpumask = o->gpumask,
    };
    Warnings warnings = { 0 };
    /* The encodes are not known: the lines name all options. */
    const ScoredPair pair = { .scored = { .bitdepth = 16 } };
    const ModelUse use = { &pair, NULL, &warnings, &warnings };
    const ExtractorFacts none = { 0 };
    int err = vmaf_init(&scored->vmaf, config);
    if (!err) {
        err = gpu_create(&scored->gpu, &scored->opening, o, scored->vmaf, &(GpuNeeds){ 0 });
        suite->no_device = err == -ENODEV || err == -ENOSYS;
    }
    if (!err)
        err = models_create(&scored->models, o, &use);
    warnings_clear(&warnings);
    if (!err)
        err = models_use(scored->models, scored->vmaf);
    return err ? err : extractors_use(o, &none, NULL, scored->vmaf);
}

static void finish(Scored *scored)
{
    models_destroy(scored->models);
    if (scored->vmaf)
        vmaf_close(scored->vmaf);
    gpu_destroy(scored->gpu);
    gpu_opening_end(&scored->opening);
    options_destroy(&scored->options);
    *scored = (Scored){ 0 };
}

static int score(Scored *scored, Suite *suite, const SynthClip *clip, char *args)
{
    char *argv[WORDS_MAX] = { "vmaf", "-r", "ref", "-d", "dist" };
    int argc = 5;
    for (int i = 0; i < suite->extra_count && argc < WORDS_MAX; i++)
        argv[argc++] = suite->extra[i];
    for (char *word = strtok(args, " "); word && argc < WORDS_MAX; word = strtok(NULL, " "))
        argv[argc++] = word;
    enum Action action;
    int err = options_parse(&scored->options, argc, argv, &action);
    /* The tables include features, options and shapes that GPUs leave to the CPU. */
    scored->options.by_extractor = true;
    if (!err)
        err = start(scored, suite);
    if (!err)
        err = read_clip(clip, scored->vmaf);
    if (!err && !scored->options.no_prediction)
        err = models_score(scored->models, &scored->options, scored->vmaf, clip->frames, NULL);
    suite->runs++;
    return err;
}

static void compare(Suite *suite, const char *metric, unsigned frame, const char *want, int err,
                    double got)
{
    const bool missing = !strcmp(want, "-"), infinite = !strcmp(want, "*");
    suite->values++;
    if (missing ? err : !err && (infinite ? !isfinite(got) : got == text_to_double(want, NULL)))
        return;
    if (err)
        complain(suite, "%s of frame %u is missing, not %s", metric, frame, want);
    else
        complain(suite, "%s of frame %u is %.17g, not %s", metric, frame, got, want);
}

static void check_frames(Suite *suite, const Scored *scored, const char *metric)
{
    unsigned frame = 0;
    for (const char *want; (want = strtok(NULL, " ")); frame++) {
        double got = 0.0;
        const int err = vmaf_feature_score_at_index(scored->vmaf, metric, &got, frame);
        compare(suite, metric, frame, want, err, got);
    }
}

static void check_aggregate(Suite *suite, const Scored *scored)
{
    const char *const metric = strtok(NULL, " ");
    const char *const want = strtok(NULL, " ");
    ScoreStore *const scores = scored->vmaf->scores;
    for (size_t i = 0; want && i < scores_aggregate_count(scores); i++) {
        const char *name;
        double got;
        if (scores_aggregate(scores, i, &name, &got) || strcmp(name, metric))
            continue;
        compare(suite, metric, 0, want, 0, got);
        return;
    }
    complain(suite, "no aggregate %s", metric ? metric : "");
}

static void check_line(Suite *suite, Scored *scored, const SynthClip **clip, char *line)
{
    line[strcspn(line, "\n")] = 0;
    if (*line == '#')
        return;
    if (!*line) {
        finish(scored);
        *clip = NULL;
        return;
    }
    char *const word = strtok(line, " ");
    if (!strcmp(word, "clip")) {
        *clip = synth_find(strtok(NULL, " "));
        if (!*clip)
            complain(suite, "no such clip");
    } else if (!strcmp(word, "args") && *clip) {
        const int err = score(scored, suite, *clip, strtok(NULL, ""));
        if (err) {
            complain(suite, "cannot be scored: %s", strerror(-err));
            finish(scored);
        }
    } else if (scored->vmaf && !strcmp(word, "aggregate")) {
        check_aggregate(suite, scored);
    } else if (scored->vmaf) {
        check_frames(suite, scored, word);
    } else {
        complain(suite, "%s belongs to nothing that was scored", word);
    }
}

static void check_table(Suite *suite, const char *path)
{
    static char line[LINE_MAX_SIZE];
    Scored scored = { 0 };
    const SynthClip *clip = NULL;
    FILE *const file = fopen(path, "r");
    suite->table = path;
    suite->line = 0;
    if (!file) {
        complain(suite, "cannot be opened");
        return;
    }
    while (fgets(line, sizeof(line), file)) {
        suite->line++;
        check_line(suite, &scored, &clip, line);
    }
    finish(&scored);
    fclose(file);
}

int main(int argc, char **argv)
{
    Suite suite = { .extra = argv + 1 };
    int tables = 1;
    while (tables < argc && !strstr(argv[tables], ".txt"))
        tables++;
    suite.extra_count = tables - 1;
    for (int i = tables; i < argc; i++)
        check_table(&suite, argv[i]);
    printf("%u runs, %u values, %u wrong\n", suite.runs, suite.values, suite.wrong);
    if (suite.no_device)
        return 77;
    return suite.wrong || !suite.values ? 1 : 0;
}
