/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Every feature can be measured in parts: its fields are all that `report` needs, and `measure`
 * looks back no further than `reach` says. The test goes through the registry, so it covers new
 * features, too. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../api/clip.h"
#include "../testing.h"
#include "base/log.h"
#include "engine/feature.h"
#include "libvmaf/model.h"
#include "libvmaf/part.h"

enum { WIDTH = 240, HEIGHT = 216, FRAMES = 7, SPLIT = 4, VALUES_MAX = 256 };

/* ---- fields ---- */

static size_t type_size(enum FieldType type)
{
    return type == FIELD_BOOL ? sizeof(bool) : type == FIELD_FLOAT ? sizeof(float) : 8;
}

/* Bytes between fields are padding, which is never as large as a number. */
static void test_fields_cover_results(void **unused)
{
    for (unsigned i = 0; feature_registry[i]; i++) {
        const FeatureDef *const def = feature_registry[i];
        size_t at = 0;
        print_message("%s\n", def->name);
        for (const ResultField *field = def->fields; field && field->size; field++) {
            assert_true(field->offset >= at && field->offset - at < 4);
            assert_int_equal(field->size % type_size(field->type), 0);
            at = field->offset + field->size;
        }
        assert_true(at <= def->result_size && def->result_size - at < 8);
    }
}

/* ---- parts ---- */

/* A context for a feature with one boolean option that differs from its default (NULL: none). */
static VmafContext *create(const FeatureDef *def, const Option *option)
{
    VmafContext *vmaf;
    VmafFeatureDictionary *dict = NULL;
    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ .log_level = VMAF_LOG_LEVEL_ERROR }), 0);
    if (option)
        assert_int_equal(
            vmaf_feature_dictionary_set(&dict, option->name, option->def != 0.0 ? "false" : "true"),
            0);
    assert_int_equal(vmaf_use_feature(vmaf, def->name, dict), 0);
    return vmaf;
}

static void read_pairs(VmafContext *vmaf, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; i++) {
        VmafPicture ref, dist;
        assert_int_equal(clip_alloc(&ref, WIDTH, HEIGHT, i * i, 0), 0);
        assert_int_equal(clip_alloc(&dist, WIDTH, HEIGHT, i * i, 1), 0);
        assert_int_equal(vmaf_read_pictures(vmaf, &ref, &dist, i), 0);
    }
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
}

/* Measures a part from frame `first` on, with only as many frames before it as `reach` asks for. */
static VmafContext *record(const FeatureDef *def, const Option *option, unsigned first,
                           unsigned end)
{
    VmafContext *const vmaf = create(def, option);
    unsigned reach;
    assert_int_equal(vmaf_part_reach(vmaf, &reach), 0);
    assert_int_equal(reach, def->reach);
    assert_int_equal(vmaf_part_record(vmaf, first), 0);
    read_pairs(vmaf, first > reach ? first - reach : 0, end);
    return vmaf;
}

static size_t take_values(VmafContext *vmaf, unsigned index, VmafPartValue *values)
{
    const char *kinds;
    assert_int_equal(vmaf_part_kinds(vmaf, 0, &kinds), 0);
    assert_true(strlen(kinds) <= VALUES_MAX);
    assert_int_equal(vmaf_part_values(vmaf, 0, index, values), 0);
    return strlen(kinds);
}

static void compare_values(VmafContext *whole, VmafContext *part)
{
    for (unsigned i = SPLIT; i < FRAMES; i++) {
        VmafPartValue expected[VALUES_MAX], found[VALUES_MAX];
        const size_t count = take_values(whole, i, expected);
        assert_int_equal(take_values(part, i, found), count);
        assert_memory_equal(found, expected, count * sizeof(*found));
    }
    VmafPartValue none[VALUES_MAX];
    assert_int_equal(vmaf_part_values(part, 0, SPLIT - 1, none), -ENOENT);
}

static VmafContext *replay(const FeatureDef *def, const Option *option, VmafContext *head,
                           VmafContext *tail)
{
    VmafContext *const vmaf = create(def, option);
    const VmafPartShape shape = { sizeof(shape), VMAF_PIX_FMT_YUV420P, 8, WIDTH, HEIGHT };
    for (unsigned i = 0; i < FRAMES; i++) {
        VmafPartValue values[VALUES_MAX];
        const VmafPartValue *const given[] = { values };
        take_values(i < SPLIT ? head : tail, i, values);
        assert_int_equal(vmaf_part_replay(vmaf, &shape, i, given), 0);
    }
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    return vmaf;
}

static void compare_scores(VmafContext *expected, VmafContext *found)
{
    VmafMetricInfo info = { .size = sizeof(info) };
    for (unsigned m = 0; !vmaf_feature_metric(expected, 0, m, &info); m++) {
        for (unsigned i = 0; i < FRAMES; i++) {
            double a = 0.0, b = 0.0;
            const int err = vmaf_feature_score_at_index(expected, info.name, &a, i);
            assert_int_equal(vmaf_feature_score_at_index(found, info.name, &b, i), err);
            assert_memory_equal(&a, &b, sizeof(a));
        }
    }
}

static void try_parts(const FeatureDef *def, const Option *option)
{
    print_message("%s %s\n", def->name, option ? option->name : "");
    VmafContext *const scored = create(def, option);
    read_pairs(scored, 0, FRAMES);
    VmafContext *const whole = record(def, option, 0, FRAMES);
    VmafContext *const head = record(def, option, 0, SPLIT);
    VmafContext *const tail = record(def, option, SPLIT, FRAMES);
    compare_values(whole, tail);
    VmafContext *const replayed = replay(def, option, head, tail);
    compare_scores(scored, replayed);
    VmafContext *const all[] = { scored, whole, head, tail, replayed };
    for (unsigned i = 0; i < COUNT(all); i++)
        vmaf_close(all[i]);
}

static void test_parts_are_the_whole(void **unused)
{
    for (unsigned i = 0; feature_registry[i]; i++) {
        const FeatureDef *const def = feature_registry[i];
        if (!def->result_size)
            continue;
        try_parts(def, NULL);
        for (const Option *option = def->options; option && option->name; option++)
            if (option->type == OPTION_BOOL)
                try_parts(def, option);
    }
}

/* ---- arguments that are refused ---- */

static void test_order_is_kept(void **unused)
{
    const FeatureDef *const def = feature_find("psnr");
    const VmafPartShape shape = { sizeof(shape), VMAF_PIX_FMT_YUV420P, 8, WIDTH, HEIGHT };
    VmafPartValue values[VALUES_MAX] = { 0 };
    const VmafPartValue *const given[] = { values };
    VmafContext *vmaf = create(def, NULL);
    assert_int_equal(vmaf_part_replay(vmaf, &shape, 1, given), -EINVAL);
    assert_int_equal(vmaf_part_replay(vmaf, &shape, 0, given), 0);
    assert_int_equal(vmaf_part_replay(vmaf, &shape, 0, given), -EINVAL);
    assert_int_equal(vmaf_part_replay(vmaf, &shape, 2, given), -EINVAL);
    assert_int_equal(vmaf_part_record(vmaf, 0), -EINVAL);
    vmaf_close(vmaf);

    vmaf = create(def, NULL);
    assert_int_equal(vmaf_part_values(vmaf, 0, 0, values), -EINVAL);
    read_pairs(vmaf, 0, 1);
    assert_int_equal(vmaf_part_record(vmaf, 0), -EINVAL);
    assert_int_equal(vmaf_part_replay(vmaf, &shape, 1, given), -EINVAL);
    vmaf_close(vmaf);
}

/* Once the list of features is fixed, no function can add one, and the context still works. */
static void refuse_features(VmafContext *vmaf)
{
    VmafModelConfig config = { .name = "vmaf" };
    VmafModel *model;
    VmafModelCollection *collection;
    assert_int_equal(vmaf_use_feature(vmaf, "psnr", NULL), 0); /* the context has it already */
    assert_int_equal(vmaf_use_feature(vmaf, "cambi", NULL), -EINVAL);
    assert_int_equal(vmaf_model_load(&model, &config, "vmaf_v0.6.1"), 0);
    assert_int_equal(vmaf_use_features_from_model(vmaf, model), -EINVAL);
    vmaf_model_destroy(model);
    assert_int_equal(vmaf_model_collection_load(&model, &collection, &config, "vmaf_b_v0.6.3"), 0);
    assert_int_equal(vmaf_use_features_from_model_collection(vmaf, collection), -EINVAL);
    vmaf_model_collection_destroy(collection);
    vmaf_model_destroy(model);
    VmafFeatureInfo info = { .size = sizeof(info) };
    assert_int_equal(vmaf_feature_info(vmaf, 1, &info), -ENOENT);
}

static int read_pair(VmafContext *vmaf, unsigned index)
{
    VmafPicture ref, dist;
    assert_int_equal(clip_alloc(&ref, WIDTH, HEIGHT, index, 0), 0);
    assert_int_equal(clip_alloc(&dist, WIDTH, HEIGHT, index, 1), 0);
    const int err = vmaf_read_pictures(vmaf, &ref, &dist, index);
    if (err) {
        vmaf_picture_unref(&ref);
        vmaf_picture_unref(&dist);
    }
    return err;
}

static void test_features_are_fixed(void **unused)
{
    const VmafPartShape shape = { sizeof(shape), VMAF_PIX_FMT_YUV420P, 8, WIDTH, HEIGHT };
    VmafPartValue values[VALUES_MAX] = { 0 };
    const VmafPartValue *const given[] = { values };
    VmafContext *vmaf = create(feature_find("psnr"), NULL);
    assert_int_equal(vmaf_part_record(vmaf, 1), 0);
    refuse_features(vmaf);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(read_pair(vmaf, i), 0);
        refuse_features(vmaf);
    }
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    refuse_features(vmaf);
    assert_int_equal(vmaf_part_values(vmaf, 0, 2, values), 0);
    VmafFeatureInfo info = { .size = sizeof(info) };
    assert_int_equal(vmaf_feature_info(vmaf, 0, &info), 0);
    vmaf_close(vmaf);

    vmaf = create(feature_find("psnr"), NULL);
    assert_int_equal(vmaf_part_replay(vmaf, &shape, 0, given), 0);
    refuse_features(vmaf);
    assert_int_equal(vmaf_part_replay(vmaf, &shape, 1, given), 0);
    vmaf_close(vmaf);
}

/* A recording context reads its pairs in their order, and a replaying one reads none. */
static void test_pairs_come_in_order(void **unused)
{
    const VmafPartShape shape = { sizeof(shape), VMAF_PIX_FMT_YUV420P, 8, WIDTH, HEIGHT };
    VmafPartValue values[VALUES_MAX] = { 0 };
    const VmafPartValue *const given[] = { values };
    VmafContext *vmaf = create(feature_find("psnr"), NULL);
    assert_int_equal(vmaf_part_record(vmaf, 3), 0);
    assert_int_equal(vmaf_part_record(vmaf, 4), 0);
    assert_int_equal(read_pair(vmaf, 3), 0);
    assert_int_equal(read_pair(vmaf, 5), -EINVAL);
    assert_int_equal(read_pair(vmaf, 2), -EINVAL);
    assert_int_equal(read_pair(vmaf, 4), 0);
    assert_int_equal(vmaf_part_record(vmaf, 3), -EINVAL);
    assert_int_equal(vmaf_part_replay(vmaf, &shape, 2, given), -EINVAL);
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    assert_int_equal(vmaf_part_values(vmaf, 0, 3, values), -ENOENT);
    assert_int_equal(vmaf_part_values(vmaf, 0, 4, values), 0);
    assert_int_equal(vmaf_part_replay(vmaf, &shape, 2, given), -EINVAL);
    vmaf_close(vmaf);

    vmaf = create(feature_find("psnr"), NULL);
    assert_int_equal(vmaf_part_replay(vmaf, &shape, 0, given), 0);
    assert_int_equal(read_pair(vmaf, 1), -EINVAL);
    assert_int_equal(read_pair(vmaf, 0), -EINVAL);
    assert_int_equal(vmaf_part_replay(vmaf, &shape, 1, given), 0);
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    assert_int_equal(vmaf_part_replay(vmaf, &shape, 2, given), -EINVAL);
    vmaf_close(vmaf);

    assert_int_equal(vmaf_init(&vmaf, (VmafConfiguration){ .log_level = VMAF_LOG_LEVEL_ERROR }), 0);
    assert_int_equal(vmaf_read_pictures(vmaf, NULL, NULL, 0), 0);
    assert_int_equal(vmaf_part_record(vmaf, 0), -EINVAL);
    vmaf_close(vmaf);
}

static void test_arguments_are_checked(void **unused)
{
    VmafContext *const vmaf = create(feature_find("psnr"), NULL);
    const VmafPartValue *const given[] = { NULL };
    const VmafPartShape shape = { 0 };
    const VmafFeatureInfo info = { 0 };
    const char *kinds;
    unsigned reach;
    VmafPartValue value;
    assert_int_equal(vmaf_part_reach(NULL, &reach), -EINVAL);
    assert_int_equal(vmaf_part_reach(vmaf, NULL), -EINVAL);
    assert_int_equal(vmaf_part_record(NULL, 0), -EINVAL);
    assert_int_equal(vmaf_part_kinds(vmaf, 0, NULL), -EINVAL);
    assert_int_equal(vmaf_part_kinds(vmaf, 1, &kinds), -ENOENT);
    assert_int_equal(vmaf_part_values(NULL, 0, 0, &value), -EINVAL);
    assert_int_equal(vmaf_part_replay(vmaf, &shape, 0, given), -EINVAL);
    assert_int_equal(vmaf_part_place(vmaf, 0, &info), -EINVAL);
    assert_int_equal(vmaf_part_speed(NULL, 1, 1.0), -EINVAL);
    vmaf_close(vmaf);
}

TEST_MAIN(part)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_cover_results), cmocka_unit_test(test_parts_are_the_whole),
        cmocka_unit_test(test_order_is_kept),        cmocka_unit_test(test_features_are_fixed),
        cmocka_unit_test(test_pairs_come_in_order),  cmocka_unit_test(test_arguments_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
