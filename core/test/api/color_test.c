/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Models that ask for pictures of certain colours, and vmaf_picture_convert_*. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api_use.h"

static const VmafColor bt709 = { VMAF_COLOR_RANGE_LIMITED, VMAF_COLOR_PRIMARIES_BT709,
                                 VMAF_COLOR_TRC_BT709, VMAF_COLOR_MATRIX_BT709 };
static const VmafColor full709 = { VMAF_COLOR_RANGE_FULL, VMAF_COLOR_PRIMARIES_BT709,
                                   VMAF_COLOR_TRC_BT709, VMAF_COLOR_MATRIX_BT709 };
static const VmafColor pq2020 = { VMAF_COLOR_RANGE_LIMITED, VMAF_COLOR_PRIMARIES_BT2020,
                                  VMAF_COLOR_TRC_SMPTE2084, VMAF_COLOR_MATRIX_BT2020_NCL };

#define SPACE_709                                                                                  \
    "\"colorspace\": {\"range\": \"limited\", \"primaries\": \"bt709\", \"trc\": \"bt709\", "      \
    "\"matrix\": \"bt709\"}"
#define SPACE_ICTCP                                                                                \
    "\"colorspace\": {\"range\": \"limited\", \"primaries\": \"bt2020\", \"trc\": \"smpte2084\", " \
    "\"matrix\": \"ictcp\"}"

/* A model of psnr_y and psnr_cb; `target`: the members of its conversion_target, NULL: none. */
static VmafModel *model_with(const char *target, const char *name)
{
    char path[] = "color_test_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *const file = fdopen(fd, "w");
    assert_non_null(file);
    fprintf(file,
            "{\"model_dict\": {\"model_type\": \"LIBSVMNUSVR\", \"norm_type\": \"none\", "
            "\"feature_names\": [\"psnr_y\", \"psnr_cb\"], %s%s%s \"model\": \"svm_type nu_svr\\n"
            "kernel_type rbf\\ngamma 0.04\\nnr_class 2\\ntotal_sv 1\\nrho 1\\nSV\\n1 1:2 \\n\"}}",
            target ? "\"conversion_target\": {" : "", target ? target : "", target ? "}," : "");
    assert_int_equal(fclose(file), 0);
    VmafModel *model = NULL;
    VmafModelConfig cfg = { .name = name };
    assert_int_equal(vmaf_model_load_from_path(&model, &cfg, path), 0);
    unlink(path);
    return model;
}

static bool have_zimg(void)
{
    VmafPicture pic;
    VmafPictureConvertContext *context = NULL;
    const VmafPictureConvertTarget target = { VMAF_PIX_FMT_YUV420P, 8, 0, 0, bt709,
                                              VMAF_RESAMPLE_DEFAULT };
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 8, W, H), 0);
    const int err = vmaf_picture_convert_context_init_with_color(&context, &pic, &bt709, &target);
    assert_true(err == 0 || err == -ENOTSUP);
    vmaf_picture_unref(&pic);
    if (!err)
        assert_int_equal(vmaf_picture_convert_context_close(context), 0);
    return !err;
}

typedef struct Run {
    int err; /* error of the first pair */
    double y, cb;
} Run;

typedef struct Input {
    const VmafColor *ref, *dist;
    enum VmafPixelFormat pix_fmt;
    unsigned bpc;
} Input;

static int read_input(VmafContext *vmaf, const Input *in, unsigned index)
{
    VmafPicture pair[2];
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(vmaf_picture_alloc(&pair[i], in->pix_fmt, in->bpc, W, H), 0);
        clip_fill(&pair[i], index, (int)i);
    }
    const int err = vmaf_read_pictures(vmaf, &pair[0], &pair[1], index);
    for (unsigned i = 0; i < 2; i++) {
        assert_true(!err == !pair[i].ref);
        if (err)
            assert_int_equal(vmaf_picture_unref(&pair[i]), 0);
    }
    return err;
}

static Run score(const char *target, const Input *in)
{
    VmafContext *const vmaf = open_context(0, 0);
    VmafModel *const model = model_with(target, NULL);
    Run run = { 0 };
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    if (in->ref || in->dist)
        assert_int_equal(vmaf_set_input_colorimetry(vmaf, in->ref, in->dist), 0);
    run.err = read_input(vmaf, in, 0);
    for (unsigned i = 1; !run.err && i < 3; i++)
        assert_int_equal(read_input(vmaf, in, i), 0);
    if (!run.err) {
        assert_int_equal(flush(vmaf), 0);
        assert_int_equal(vmaf_feature_score_at_index(vmaf, "psnr_y", &run.y, 2), 0);
        assert_int_equal(vmaf_feature_score_at_index(vmaf, "psnr_cb", &run.cb, 2), 0);
    }
    vmaf_model_destroy(model);
    assert_int_equal(vmaf_close(vmaf), 0);
    return run;
}

#define INPUT(ref, dist) (&(Input){ ref, dist, VMAF_PIX_FMT_YUV420P, 8 })

/* True if the library logs this text when it scores the pair. */
static bool says(const char *text, const Input *in)
{
    char said[4096];
    FILE *const log = tmpfile();
    fflush(stderr);
    const int before = dup(2);
    assert_true(log && before >= 0 && dup2(fileno(log), 2) == 2);
    setenv("VMAF_LOG", "error", 1);
    score(SPACE_709, in);
    unsetenv("VMAF_LOG");
    fflush(stderr);
    assert_int_equal(dup2(before, 2), 2);
    close(before);
    rewind(log);
    said[fread(said, 1, sizeof(said) - 1, log)] = '\0';
    fclose(log);
    return strstr(said, text) != NULL;
}

static void unknown_colours_are_refused(void **state)
{
    const VmafColor partly = { VMAF_COLOR_RANGE_LIMITED, VMAF_COLOR_PRIMARIES_BT709,
                               VMAF_COLOR_TRC_UNKNOWN, VMAF_COLOR_MATRIX_BT709 };
    assert_int_equal(score(SPACE_709, INPUT(NULL, NULL)).err, -EINVAL);
    assert_int_equal(score(SPACE_709, INPUT(&bt709, NULL)).err, -EINVAL);
    assert_int_equal(score(SPACE_709, INPUT(NULL, &bt709)).err, -EINVAL);
    assert_int_equal(score(SPACE_709, INPUT(&partly, &bt709)).err, -EINVAL);
    assert_int_equal(score(SPACE_709, INPUT(&bt709, &partly)).err, -EINVAL);
    assert_int_equal(score(SPACE_709, INPUT(&bt709, &bt709)).err, 0);
    assert_true(says("of the reference video are unknown", INPUT(NULL, &bt709)));
    assert_true(says("of the distorted video are unknown", INPUT(&bt709, &partly)));
    /* without a target no colours are needed */
    assert_int_equal(score(NULL, INPUT(NULL, NULL)).err, 0);
    assert_int_equal(score(NULL, INPUT(&partly, NULL)).err, 0);
}

static void matching_pictures_are_left_alone(void **state)
{
    const Run plain = score(NULL, INPUT(NULL, NULL));
    const Run same = score(SPACE_709, INPUT(&bt709, &bt709));
    assert_int_equal(same.err, 0); /* works without zimg, too */
    assert_true(plain.y == same.y && plain.cb == same.cb);
    const Run pinned =
        score(SPACE_709 ", \"pixel_format\": \"420\", \"bit_depth\": 8", INPUT(&bt709, &bt709));
    assert_true(plain.y == pinned.y && plain.cb == pinned.cb);
}

static void each_side_is_converted_by_itself(void **state)
{
    if (!have_zimg()) {
        assert_int_equal(score(SPACE_709, INPUT(&full709, &bt709)).err, -ENOTSUP);
        assert_int_equal(score(SPACE_709, INPUT(&bt709, &full709)).err, -ENOTSUP);
        skip();
    }
    const Run neither = score(SPACE_709, INPUT(&bt709, &bt709));
    const Run ref = score(SPACE_709, INPUT(&full709, &bt709));
    const Run dist = score(SPACE_709, INPUT(&bt709, &full709));
    const Run both = score(SPACE_709, INPUT(&full709, &full709));
    assert_int_equal(ref.err | dist.err | both.err, 0);
    assert_true(ref.y != neither.y && ref.y != both.y && ref.y != dist.y);
    assert_true(dist.y != neither.y && dist.y != both.y && both.y != neither.y);
    /* high dynamic range against standard range */
    assert_int_equal(score(SPACE_ICTCP, INPUT(&bt709, &pq2020)).err, 0);
}

static void format_and_depth_are_converted_if_pinned(void **state)
{
    if (!have_zimg())
        skip();
    const Input wide = { &bt709, &bt709, VMAF_PIX_FMT_YUV444P, 8 };
    const Run plain = score(SPACE_709, &wide);
    const Run pinned = score(SPACE_709 ", \"pixel_format\": \"420\"", &wide);
    assert_true(plain.y == pinned.y && plain.cb != pinned.cb);
    const Run deep = score(SPACE_709 ", \"bit_depth\": 10", &wide);
    assert_int_equal(deep.err, 0);
    assert_true(plain.y != deep.y); /* the peak is 1023 instead of 4 * 255 */
    /* a conversion that zimg lacks: odd sides are tested with the figures */
    const Input grey = { &bt709, &bt709, VMAF_PIX_FMT_YUV400P, 8 };
    assert_int_equal(score(SPACE_709 ", \"pixel_format\": \"420\"", &grey).err, 0);
}

static void models_must_agree(void **state)
{
    static const struct {
        const char *first, *second;
        int err;
    } rows[] = {
        { SPACE_709, SPACE_709, 0 },
        { SPACE_709, SPACE_ICTCP, -EINVAL },
        { SPACE_709, SPACE_709 ", \"bit_depth\": 10", -EINVAL },
        { SPACE_709, SPACE_709 ", \"pixel_format\": \"444\"", -EINVAL },
        { SPACE_709, NULL, -EINVAL },
        { NULL, SPACE_709, -EINVAL },
        { NULL, NULL, 0 },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        VmafContext *const vmaf = open_context(0, 0);
        VmafModel *const first = model_with(rows[i].first, "first");
        VmafModel *const second = model_with(rows[i].second, "second");
        assert_int_equal(vmaf_use_features_from_model(vmaf, first), 0);
        assert_int_equal(vmaf_use_features_from_model(vmaf, second), rows[i].err);
        vmaf_model_destroy(first);
        vmaf_model_destroy(second);
        vmaf_close(vmaf);
    }
}

static void a_target_cannot_come_late(void **state)
{
    VmafContext *const vmaf = open_context(0, 0);
    VmafModel *const model = model_with(SPACE_709, NULL);
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0);
    assert_int_equal(read_input(vmaf, INPUT(NULL, NULL), 0), 0);
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), -EINVAL);
    vmaf_model_destroy(model);
    vmaf_close(vmaf);
}

static void colours_are_set_before_the_first_pair(void **state)
{
    VmafContext *const vmaf = open_context(0, 0);
    VmafModel *const model = model_with(SPACE_709, NULL);
    const VmafColor bad = { .range = (enum VmafColorRange)3 };
    assert_int_equal(vmaf_set_input_colorimetry(NULL, &bt709, &bt709), -EINVAL);
    assert_int_equal(vmaf_set_input_colorimetry(vmaf, &bad, &bt709), -EINVAL);
    assert_int_equal(vmaf_set_input_colorimetry(vmaf, &bt709, &bad), -EINVAL);
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    assert_int_equal(read_input(vmaf, INPUT(NULL, NULL), 0), -EINVAL);
    assert_int_equal(vmaf_set_input_colorimetry(vmaf, &bt709, &bt709), 0);
    assert_int_equal(read_input(vmaf, INPUT(NULL, NULL), 0), 0);
    assert_int_equal(vmaf_set_input_colorimetry(vmaf, &full709, &bt709), -EBUSY);
    assert_int_equal(read_input(vmaf, INPUT(NULL, NULL), 1), 0);
    vmaf_model_destroy(model);
    vmaf_close(vmaf);
}

/* The caller keeps its pictures if a later step fails. */
static void a_failed_read_changes_nothing(void **state)
{
    if (!have_zimg())
        skip();
    VmafContext *const vmaf = open_context(0, 0);
    VmafModel *const model = model_with(SPACE_709, NULL);
    VmafPicture pair[2];
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    assert_int_equal(vmaf_set_input_colorimetry(vmaf, &full709, &full709), 0);
    assert_int_equal(read_input(vmaf, INPUT(NULL, NULL), 7), 0);
    assert_int_equal(clip_alloc(&pair[0], W, H, 1, 0), 0);
    assert_int_equal(clip_alloc(&pair[1], W, H, 1, 1), 0);
    const VmafPicture before = pair[0];
    assert_int_equal(vmaf_read_pictures(vmaf, &pair[0], &pair[1], 7), -EINVAL); /* 7 is taken */
    assert_memory_equal(&before, &pair[0], sizeof(before));
    assert_int_equal(vmaf_read_pictures(vmaf, &pair[0], &pair[1], 8), 0);
    vmaf_model_destroy(model);
    vmaf_close(vmaf);
}

/* Colours may be set again after a pair that could not be read, and only the last ones count. */
static void colours_set_again_count(void **state)
{
    const Input in = { &full709, &full709, VMAF_PIX_FMT_YUV420P, 10 };
    if (!have_zimg())
        skip();
    const Run plain = score(SPACE_709, &in);
    assert_int_equal(plain.err, 0);
    VmafContext *const vmaf = open_context(0, 0);
    VmafModel *const model = model_with(SPACE_709, NULL);
    VmafPicture pair[2];
    double y;
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), 0);
    assert_int_equal(vmaf_set_input_colorimetry(vmaf, &pq2020, &pq2020), 0);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(vmaf_picture_alloc(&pair[i], in.pix_fmt, in.bpc, W, H), 0);
        clip_fill(&pair[i], 0, (int)i);
    }
    memset(pair[1].data[0], 0xff, 2); /* more than ten bits */
    assert_int_equal(vmaf_read_pictures(vmaf, &pair[0], &pair[1], 0), -ERANGE);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(vmaf_picture_unref(&pair[i]), 0);
    assert_int_equal(vmaf_set_input_colorimetry(vmaf, &full709, &full709), 0);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(read_input(vmaf, &in, i), 0);
    assert_int_equal(flush(vmaf), 0);
    assert_int_equal(vmaf_feature_score_at_index(vmaf, "psnr_y", &y, 2), 0);
    assert_true(y == plain.y);
    vmaf_model_destroy(model);
    vmaf_close(vmaf);
}

static void bad_conversions_are_refused(void **state)
{
    VmafPicture pic, other, made = { .bpc = 77 };
    VmafPictureConvertContext *context = NULL;
    VmafPictureConvertTarget target = {
        VMAF_PIX_FMT_YUV420P, 10, 0, 0, bt709, VMAF_RESAMPLE_DEFAULT
    };
    const VmafColor partly = { .range = VMAF_COLOR_RANGE_FULL };
    if (!have_zimg()) {
        assert_int_equal(vmaf_picture_convert(NULL, NULL, NULL), -ENOTSUP);
        assert_int_equal(vmaf_picture_convert_context_close(NULL), -ENOTSUP);
        assert_int_equal(vmaf_picture_convert_context_init_with_color(NULL, NULL, NULL, NULL),
                         -ENOTSUP);
        skip();
    }
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 8, W, H), 0);
    assert_int_equal(vmaf_picture_alloc(&other, VMAF_PIX_FMT_YUV420P, 8, W, H + 2), 0);
#define INIT(c, p, colour, t) vmaf_picture_convert_context_init_with_color(c, p, colour, t)
    assert_int_equal(INIT(NULL, &pic, &bt709, &target), -EINVAL);
    assert_int_equal(INIT(&context, NULL, &bt709, &target), -EINVAL);
    assert_int_equal(INIT(&context, &pic, NULL, &target), -EINVAL);
    assert_int_equal(INIT(&context, &pic, &bt709, NULL), -EINVAL);
    assert_int_equal(INIT(&context, &pic, &partly, &target), -EINVAL);
    target.color = partly;
    assert_int_equal(INIT(&context, &pic, &bt709, &target), -EINVAL);
    target.color = bt709;
    target.bpc = 17;
    assert_int_equal(INIT(&context, &pic, &bt709, &target), -EINVAL);
    target.bpc = 10;
    target.pix_fmt = VMAF_PIX_FMT_UNKNOWN;
    assert_int_equal(INIT(&context, &pic, &bt709, &target), -EINVAL);
    target.pix_fmt = VMAF_PIX_FMT_YUV420P;
    target.resample_filter = (enum VmafResampleFilter)4;
    assert_int_equal(INIT(&context, &pic, &bt709, &target), -EINVAL);
    assert_null(context);
    target.resample_filter = VMAF_RESAMPLE_LANCZOS;
    assert_int_equal(INIT(&context, &pic, &bt709, &target), 0);
    assert_int_equal(vmaf_picture_convert(NULL, &made, &pic), -EINVAL);
    assert_int_equal(vmaf_picture_convert(context, NULL, &pic), -EINVAL);
    assert_int_equal(vmaf_picture_convert(context, &made, NULL), -EINVAL);
    assert_int_equal(vmaf_picture_convert(context, &made, &other), -EINVAL);
    assert_int_equal(made.bpc, 77);
    assert_int_equal(vmaf_picture_convert(context, &made, &pic), 0);
    assert_true(made.bpc == 10 && made.w[0] == W && made.h[0] == H);
    assert_int_equal(vmaf_picture_convert_context_close(NULL), -EINVAL);
    assert_int_equal(vmaf_picture_convert_context_close(context), 0);
    vmaf_picture_unref(&made);
    vmaf_picture_unref(&pic);
    vmaf_picture_unref(&other);
}

/* Returns memory that ends where an unmapped page begins. The memory stays until the process
 * ends. */
static char *before_a_gap(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (size + page - 1) / page * page;
    char *const base =
        mmap(NULL, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(base != MAP_FAILED);
    assert_int_equal(mprotect(base + pages, page, PROT_NONE), 0);
    return base + pages - size;
}

/* Pictures are converted even if zimg cannot read their memory: the rows are not aligned, and zimg
 * would read whole vectors, beyond the last sample. */
static void unaligned_pictures_are_converted(void **state)
{
    enum { WIDTH = 51 };
    if (!have_zimg())
        skip();
    VmafPicture pic, wrapped, made[2];
    VmafPictureConvertContext *context = NULL;
    const VmafPictureConvertTarget target = { VMAF_PIX_FMT_YUV444P, 10, 0, 0, bt709,
                                              VMAF_RESAMPLE_DEFAULT };
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV444P, 8, WIDTH, H), 0);
    VmafPictureWrapped from = { .pix_fmt = VMAF_PIX_FMT_YUV444P, .bpc = 8, .w = WIDTH, .h = H };
    for (unsigned p = 0; p < 3; p++) {
        from.data[p] = before_a_gap(WIDTH * H);
        from.stride[p] = WIDTH;
    }
    assert_int_equal(vmaf_picture_wrap(&wrapped, from), 0);
    clip_fill(&pic, 1, 0);
    clip_fill(&wrapped, 1, 0);
    assert_int_equal(INIT(&context, &pic, &full709, &target), 0);
    assert_int_equal(vmaf_picture_convert(context, &made[0], &pic), 0);
    assert_int_equal(vmaf_picture_convert(context, &made[1], &wrapped), 0);
    for (unsigned p = 0; p < 3; p++)
        for (unsigned y = 0; y < H; y++)
            assert_memory_equal((char *)made[0].data[p] + y * made[0].stride[p],
                                (char *)made[1].data[p] + y * made[1].stride[p], 2 * WIDTH);
    vmaf_picture_convert_context_close(context);
    vmaf_picture_unref(&pic);
    vmaf_picture_unref(&wrapped);
    vmaf_picture_unref(&made[0]);
    vmaf_picture_unref(&made[1]);
}

#ifdef VMAF_PICTURE_HAS_COLOR
/* A picture's own colours count before those of its video. */
static void colours_of_pictures_count(void **state)
{
    VmafPicture pic, made;
    VmafPictureConvertContext *context = NULL;
    const VmafPictureConvertTarget target = { VMAF_PIX_FMT_YUV420P, 10, 0, 0, bt709,
                                              VMAF_RESAMPLE_DEFAULT };
    if (!have_zimg())
        skip();
    assert_int_equal(vmaf_picture_alloc(&pic, VMAF_PIX_FMT_YUV420P, 8, W, H), 0);
    assert_int_equal(pic.color.range, VMAF_COLOR_RANGE_UNKNOWN);
    assert_int_equal(vmaf_picture_convert_context_init(&context, &pic, &target), -EINVAL);
    pic.color = full709;
    assert_int_equal(vmaf_picture_convert_context_init(&context, &pic, &target), 0);
    assert_int_equal(vmaf_picture_convert(context, &made, &pic), 0);
    assert_memory_equal(&made.color, &bt709, sizeof(bt709));
    vmaf_picture_unref(&made);
    pic.color = bt709;
    assert_int_equal(vmaf_picture_convert(context, &made, &pic), -EINVAL);
    pic.color = (VmafColor){ 0 };
    assert_int_equal(vmaf_picture_convert(context, &made, &pic), -EINVAL);
    vmaf_picture_convert_context_close(context);
    vmaf_picture_unref(&pic);
}
#endif

TEST_MAIN(color)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_colours_are_refused),
        cmocka_unit_test(matching_pictures_are_left_alone),
        cmocka_unit_test(each_side_is_converted_by_itself),
        cmocka_unit_test(format_and_depth_are_converted_if_pinned),
        cmocka_unit_test(models_must_agree),
        cmocka_unit_test(a_target_cannot_come_late),
        cmocka_unit_test(colours_are_set_before_the_first_pair),
        cmocka_unit_test(a_failed_read_changes_nothing),
        cmocka_unit_test(colours_set_again_count),
        cmocka_unit_test(bad_conversions_are_refused),
        cmocka_unit_test(unaligned_pictures_are_converted),
#ifdef VMAF_PICTURE_HAS_COLOR
        cmocka_unit_test(colours_of_pictures_count),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
