/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "score.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/context_struct.h"
#include "gpu/session.h"
#include "testing.h"

static int use_features(const ScoreRun *run, VmafContext *vmaf)
{
    int err = 0;
    for (unsigned i = 0; i < run->feature_count && !err; i++) {
        VmafFeatureDictionary *options = NULL;
        for (const char *const *o = run->features[i].options; *o && !err; o += 2)
            err = vmaf_feature_dictionary_set(&options, o[0], o[1]);
        if (!err)
            err = vmaf_use_feature(vmaf, run->features[i].name, options);
        if (err)
            vmaf_feature_dictionary_free(&options);
    }
    return err;
}

int score_open(const ScoreRun *run, VmafContext **out)
{
    *out = NULL;
    VmafContext *vmaf;
    int err = vmaf_init(&vmaf, (VmafConfiguration){ .log_level = VMAF_LOG_LEVEL_NONE,
                                                    .n_threads = run->threads,
                                                    .n_subsample = run->subsample });
    if (err)
        return err;
    if (run->device)
        err = vmaf_use_device(vmaf, run->device);
    if (!err)
        err = use_features(run, vmaf);
    if (!err && run->pooled)
        err = vmaf_preallocate_pictures(
            vmaf, (VmafPictureConfiguration){
                      .pic_params = { run->clip->width, run->clip->height, run->clip->bitdepth,
                                      run->clip->pix_fmt },
                      .pic_cnt = 2 * vmaf_pairs_in_flight(vmaf) + 4,
                  });
    if (err)
        vmaf_close(vmaf);
    else
        *out = vmaf;
    return err;
}

static int make_picture(const ScoreRun *run, VmafContext *vmaf, enum SynthSide side, unsigned t,
                        VmafPicture *pic)
{
    GpuDevice *gpu = run->device ? ((GpuSession *)run->device)->device : NULL;
    const enum ClipMemory memory = side == SYNTH_REF ? run->ref : run->dist;
    if (!run->pooled)
        return clip_picture(gpu, memory, run->clip, side, t, pic);
    VmafPicture plain;
    int err = synth_picture(run->clip, side, t, &plain);
    if (err)
        return err;
    err = vmaf_fetch_preallocated_picture(vmaf, pic);
    if (!err)
        clip_copy(pic, &plain);
    vmaf_picture_unref(&plain);
    return err;
}

int score_read(const ScoreRun *run, VmafContext *vmaf, unsigned t, unsigned index)
{
    VmafPicture ref = { 0 }, dist = { 0 };
    int err = make_picture(run, vmaf, SYNTH_REF, t, &ref);
    if (!err)
        err = make_picture(run, vmaf, SYNTH_DIST, t, &dist);
    if (!err)
        err = vmaf_read_pictures(vmaf, &ref, &dist, index);
    if (ref.ref)
        vmaf_picture_unref(&ref);
    if (dist.ref)
        vmaf_picture_unref(&dist);
    return err;
}

static int write_scores(ScoreStore *store, char **out)
{
    size_t size;
    ScoreTable table;
    if (scores_copy(store, &table))
        return -ENOMEM;
    FILE *text = open_memstream(out, &size);
    if (!text) {
        score_table_clear(&table);
        return -ENOMEM;
    }
    for (size_t c = 0; c < table.column_count; c++) {
        const ScoreColumn *const column = &table.columns[c];
        for (size_t i = 0; i < column->capacity; i++)
            if (column->written[i])
                fprintf(text, "%s[%zu] = %a\n", column->name, i, column->values[i]);
    }
    score_table_clear(&table);
    for (size_t a = 0; a < scores_aggregate_count(store); a++) {
        const char *name;
        double value;
        scores_aggregate(store, a, &name, &value);
        fprintf(text, "%s = %a\n", name, value);
    }
    return fclose(text) ? -EIO : 0;
}

int score_close(VmafContext *vmaf, char **scores)
{
    *scores = NULL;
    int err = vmaf_read_pictures(vmaf, NULL, NULL, 0);
    if (!err)
        err = write_scores(vmaf->scores, scores);
    const int close_err = vmaf_close(vmaf);
    return err ? err : close_err;
}

int score_finish(VmafContext *vmaf, int err, const char *wanted)
{
    char *scores;
    const int close_err = score_close(vmaf, &scores);
    if (!err)
        err = close_err;
    if (!err && strcmp(scores, wanted))
        err = SCORES_WRONG;
    free(scores);
    return err;
}

int score_start_mixed(const ScoreRun *run, VmafContext **out)
{
    ScoreRun pooled = *run;
    pooled.pooled = true;
    int err = score_open(&pooled, out);
    if (err)
        *out = NULL;
    for (unsigned t = 0; t < run->clip->frames && !err; t++)
        err = score_read(t % 2 ? run : &pooled, *out, t, t);
    return err;
}

void score_read_as(const SynthClip *clip, enum VmafPixelFormat format, VmafContext *vmaf,
                   unsigned t)
{
    VmafPicture pics[2];
    for (unsigned side = 0; side < 2; side++) {
        VmafPicture whole;
        assert_int_equal(0, synth_picture(clip, side, t, &whole));
        assert_int_equal(
            0, vmaf_picture_alloc(&pics[side], format, whole.bpc, whole.w[0], whole.h[0]));
        VmafPicture part = whole;
        for (unsigned p = 1; p < 3 && !pics[side].data[p]; p++)
            part.w[p] = part.h[p] = 0;
        clip_copy(&pics[side], &part);
        vmaf_picture_unref(&whole);
    }
    assert_int_equal(0, vmaf_read_pictures(vmaf, &pics[SYNTH_REF], &pics[SYNTH_DIST], t));
}

int score_run(const ScoreRun *run, char **scores)
{
    VmafContext *vmaf;
    *scores = NULL;
    int err = score_open(run, &vmaf);
    if (err)
        return err;
    for (unsigned t = 0; t < run->clip->frames && !err; t++)
        err = score_read(run, vmaf, t, t);
    const int close_err = score_close(vmaf, scores);
    return err ? err : close_err;
}

bool score_same(const char *wanted, const char *scores)
{
    if (wanted && scores && *wanted && !strcmp(wanted, scores))
        return true;
    size_t line = 0;
    for (size_t i = 0; wanted && scores && wanted[i] && wanted[i] == scores[i]; i++)
        if (wanted[i] == '\n')
            line = i + 1;
    print_error("scores differ: wanted %.80s\n got %.80s\n", wanted ? wanted + line : "nothing",
                scores ? scores + line : "nothing");
    return false;
}
