/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures in every kind of memory are converted to other colours: the device gives the same scores
 * as the CPU. */
#include <errno.h>
#include <stdlib.h>

#include "engine/context_struct.h"
#include "gpu/session.h"
#include "rig.h"
#include "score.h"

static const SynthClip clips[] = {
    { "8 bits", SYNTH_NOISE, 64, 48, VMAF_PIX_FMT_YUV420P, 8, 4 },
    { "4:4:4", SYNTH_NOISE, 61, 35, VMAF_PIX_FMT_YUV444P, 10, 4 },
};

/* psnr reads luma and chroma. */
static const ClipFeature features[] = { { "psnr", { 0 } } };

static const VmafColor full709 = { VMAF_COLOR_RANGE_FULL, VMAF_COLOR_PRIMARIES_BT709,
                                   VMAF_COLOR_TRC_BT709, VMAF_COLOR_MATRIX_BT709 };

/* A model asks for 12 bits of limited range. */
static int ask_for_conversion(VmafContext *vmaf)
{
    const VmafPictureConvertTarget target = {
        .bpc = 12,
        .color = { VMAF_COLOR_RANGE_LIMITED, VMAF_COLOR_PRIMARIES_BT709, VMAF_COLOR_TRC_BT709,
                   VMAF_COLOR_MATRIX_BT709 },
    };
    conversion_add_model(&vmaf->conversion, &target);
    return vmaf_set_input_colorimetry(vmaf, &full709, &full709);
}

/* Returns the error of the first pair. */
static int score(const ScoreRun *run, char **scores)
{
    VmafContext *vmaf;
    *scores = NULL;
    assert_int_equal(0, score_open(run, &vmaf));
    assert_int_equal(0, ask_for_conversion(vmaf));
    int err = 0;
    for (unsigned t = 0; t < run->clip->frames && !err; t++)
        err = score_read(run, vmaf, t, t);
    if (err)
        vmaf_close(vmaf);
    else
        assert_int_equal(0, score_close(vmaf, scores));
    return err;
}

static void test_memories(void **unused)
{
    for (unsigned c = 0; c < COUNT(clips); c++) {
        ScoreRun run = { .clip = &clips[c], .features = features, .feature_count = 1 };
        char *wanted, *scores;
        const int err = score(&run, &wanted);
        if (err == -ENOTSUP) /* no zimg */
            skip();
        assert_int_equal(0, err);
        run.device = rig_device();
        for (unsigned way = 0; way <= CLIP_MEMORIES; way++) {
            run.pooled = way == CLIP_MEMORIES;
            run.ref = run.pooled ? CLIP_PLAIN : (enum ClipMemory)way;
            run.dist = run.pooled ? CLIP_PLAIN : (enum ClipMemory)(CLIP_MEMORIES - 1 - way);
            assert_int_equal(0, score(&run, &scores));
            if (!score_same(wanted, scores))
                fail_msg("%s, %s", clips[c].name, run.pooled ? "pool" : clip_memory_names[run.ref]);
            free(scores);
        }
        free(wanted);
    }
}

TEST_MAIN(conversion)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_memories) };
    return RIG_RUN(argc, argv, tests);
}
