/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Model files: what is read, what is refused, and what a damaged file does (nothing bad). */
#include "fixture.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/dict.h"

static VmafModel *load_good(const char *text, uint64_t flags)
{
    VmafModel *model = NULL;
    VmafModelConfig cfg = { .flags = flags };
    const int err = load_text(&model, &cfg, text, strlen(text));
    if (err)
        fail_msg("refused: %s", text);
    return model;
}

static VmafModel *load_with(const char *key, const char *json, uint64_t flags)
{
    char *text = model_text_with(key, json);
    VmafModel *model = load_good(text, flags);
    free(text);
    return model;
}

static void everything_is_read(void **state)
{
    VmafModel *m = load_with(NULL, NULL, 0);
    assert_string_equal(m->name, "vmaf");
    assert_int_equal(m->type, MODEL_TYPE_NU_SVR);
    assert_int_equal(m->norm, MODEL_NORM_LINEAR_RESCALE);
    assert_int_equal(m->feature_count, 2);
    assert_string_equal(m->features[1].name, MOTION2);
    assert_string_equal(dict_get(m->features[0].options, "adm_enhn_gain_limit"), "1.5");
    assert_null(dict_get(m->features[1].options, "adm_enhn_gain_limit"));
    assert_true(m->slope == 0.0125 && m->features[1].slope == 0.0625);
    assert_true(m->intercept == -0.25 && m->features[0].intercept == -1.75);
    assert_true(m->clip_on && m->clip_min == 0 && m->clip_max == 100);
    assert_false(m->transform.enabled);
    assert_true(m->transform.has_p[1] && m->transform.p[1] == 1.25 && !m->transform.has_p[2]);
    assert_true(m->transform.has_knots && m->transform.knots[1].y == 90);
    assert_false(m->chroma_on);
    assert_int_equal(m->svr->count, 2);
    vmaf_model_destroy(m);
}

static void flags_switch_clip_and_transform(void **state)
{
    VmafModel *m = load_with(NULL, NULL, VMAF_MODEL_FLAG_DISABLE_CLIP);
    assert_true(!m->clip_on && !m->transform.enabled);
    vmaf_model_destroy(m);
    m = load_with(NULL, NULL, VMAF_MODEL_FLAG_ENABLE_TRANSFORM);
    assert_true(m->clip_on && m->transform.enabled);
    vmaf_model_destroy(m);
    m = load_with("score_transform", "{\"enabled\": true, \"p0\": 1}",
                  VMAF_MODEL_FLAG_DISABLE_TRANSFORM);
    assert_true(m->transform.enabled); /* has no effect when loading */
    vmaf_model_destroy(m);
    m = load_with("score_clip", "null", VMAF_MODEL_FLAG_DISABLE_CLIP); /* it is not even read */
    assert_false(m->clip_on);
    vmaf_model_destroy(m);
}

static void the_name_is_copied(void **state)
{
    char name[] = "mine";
    VmafModelConfig cfg = { .name = name };
    VmafModel *m = NULL;
    char *text = model_text_with(NULL, NULL);
    assert_int_equal(load_text(&m, &cfg, text, strlen(text)), 0);
    name[0] = 'x';
    assert_string_equal(m->name, "mine");
    vmaf_model_destroy(m);
    free(text);
}

static void options_travel_as_text(void **state)
{
    VmafModel *m =
        load_with("feature_opts_dicts",
                  "[{\"a\": 1.0, \"b\": 17, \"c\": 1.23456789, \"d\": true, \"e\": false,"
                  " \"f\": \"2.50\", \"g\": \"word\", \"h\": 1e-7, \"i\": 123456789}]",
                  0);
    static const char *const table[][2] = {
        { "a", "1" },    { "b", "17" },    { "c", "1.23457" },
        { "d", "true" }, { "e", "false" }, { "f", "2.50" },
        { "g", "word" }, { "h", "1e-07" }, { "i", "1.23457e+08" },
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
        assert_string_equal(dict_get(m->features[0].options, table[i][0]), table[i][1]);
    vmaf_model_destroy(m);
}

static void many_entries_fit(void **state)
{
    char names[64 * 8] = "[\"f\"", slopes[64 * 8] = "[1,2", text_of_all[4096];
    for (unsigned i = 1; i < MODEL_FEATURES_MAX; i++) {
        strcat(names, ",\"f\"");
        strcat(slopes, ",2");
    }
    strcat(names, "]");
    strcat(slopes, "]");
    VmafModelConfig cfg = { 0 };
    VmafModel *m = load_with("slopes", slopes, 0);
    assert_true(m->features[MODEL_FEATURES_MAX - 1].slope == 2.0);
    vmaf_model_destroy(m);
    const int size = snprintf(text_of_all, sizeof(text_of_all),
                              "{\"model_dict\": {\"norm_type\": \"linear_rescale\","
                              "\"feature_names\": %s, \"slopes\": %s, \"intercepts\": %s,"
                              "\"model\": \"" SVM "\"}}",
                              names, slopes, slopes);
    assert_int_equal(load_text(&m, &cfg, text_of_all, (size_t)size), 0);
    assert_int_equal(m->feature_count, MODEL_FEATURES_MAX);
    assert_true(m->features[MODEL_FEATURES_MAX - 1].slope == 2.0);
    vmaf_model_destroy(m);

    strcpy(strrchr(names, ']'), ",\"f\"]");
    strcpy(strrchr(slopes, ']'), ",2]");
    char *text = model_text_with("feature_names", names);
    assert_int_equal(load_text(&m, &cfg, text, strlen(text)), -EINVAL);
    free(text);
    text = model_text_with("slopes", slopes);
    assert_int_equal(load_text(&m, &cfg, text, strlen(text)), -EINVAL);
    free(text);
}

typedef struct Change {
    const char *key, *json; /* json NULL: without that key */
} Change;

#define ICTCP                                                                                      \
    "{\"range\": \"limited\", \"primaries\": \"bt2020\", \"trc\": \"smpte2084\", \"matrix\": \"ictcp\"}"
#define BT709                                                                                      \
    "{\"matrix\": \"bt709\", \"trc\": \"bt709\", \"primaries\": \"bt709\", \"range\": \"full\"}"

static const Change accepted[] = {
    { "model_type", NULL },
    { "model_type", "\"BOOTSTRAP_LIBSVMNUSVR\"" },
    { "norm_type", NULL },
    { "norm_type", "\"none\"" },
    { "feature_names", "[\"nobody provides this\"]" },
    { "feature_opts_dicts", NULL },
    { "feature_opts_dicts", "[]" },
    { "feature_opts_dicts", "[{}, {}, {}, {\"a\": 1}]" },
    { "score_clip", NULL },
    { "score_clip", "[0, 1, \"more\"]" },
    { "score_transform", NULL },
    { "score_transform", "{}" },
    { "score_transform", "{\"knots\": [], \"_note\": null}" },
    { "_note", "{\"a\": [1, {\"b\": null}]}" },
    { "comment", "[]" },
    { "feature_dict", "null" },
    { "conversion_target", "{\"colorspace\": " ICTCP "}" },
    { "conversion_target",
      "{\"colorspace\": " ICTCP ", \"pixel_format\": \"444\", \"bit_depth\": 16}" },
    { "conversion_target", "{\"bit_depth\": 8, \"colorspace\": " BT709 "}" },
};

static const Change refused[] = {
    { "model_type", "\"LIBSVM\"" },
    { "model_type", "1" },
    { "model_type", "null" },
    { "norm_type", "\"\"" },
    { "norm_type", "null" },
    { "norm_type", "[]" },
    { "feature_names", NULL },
    { "feature_names", "[]" },
    { "feature_names", "[\"a\", \"b\", \"c\"]" }, /* more than there are slopes */
    { "feature_names", "null" },
    { "feature_names", "{}" },
    { "feature_names", "\"" ADM2 "\"" },
    { "feature_names", "[1]" },
    { "feature_names", "[\"" ADM2 "\", null]" },
    { "feature_opts_dicts", "{}" },
    { "feature_opts_dicts", "[1]" },
    { "feature_opts_dicts", "[null]" },
    { "feature_opts_dicts", "[{\"a\": null}]" },
    { "feature_opts_dicts", "[{\"a\": []}]" },
    { "feature_opts_dicts", "[{\"a\": 1, \"a\": 2}]" },
    { "slopes", NULL },
    { "slopes", "[]" },
    { "slopes", "[1, 2]" },
    { "slopes", "[0, 2, 3]" }, /* the score would be divided by it */
    { "slopes", "null" },
    { "slopes", "1" },
    { "slopes", "[\"1\"]" },
    { "slopes", "[true]" },
    { "slopes", "[1, null]" },
    { "slopes", "[1e999]" },
    { "slopes", "[nan]" },
    { "slopes", "[NaN]" },
    { "slopes", "[Infinity]" },
    { "slopes", "[0x1]" },
    { "slopes", "[1,5.]" },
    { "intercepts", NULL },
    { "intercepts", "[1, 2]" },
    { "intercepts", "{}" },
    { "intercepts", "[{}]" },
    { "score_clip", "[]" },
    { "score_clip", "[0]" },
    { "score_clip", "[0, null]" },
    { "score_clip", "[\"0\", 1]" },
    { "score_clip", "100" },
    { "score_clip", "null" },
    { "score_transform", "null" },
    { "score_transform", "[]" },
    { "score_transform", "{\"enabled\": 1}" },
    { "score_transform", "{\"enabled\": \"true\"}" },
    { "score_transform", "{\"enabled\": null}" },
    { "score_transform", "{\"p0\": null}" },
    { "score_transform", "{\"p1\": \"1\"}" },
    { "score_transform", "{\"p2\": true}" },
    { "score_transform", "{\"knots\": null}" },
    { "score_transform", "{\"knots\": {}}" },
    { "score_transform", "{\"knots\": [1, 2]}" },
    { "score_transform", "{\"knots\": [[1]]}" },
    { "score_transform", "{\"knots\": [[1, null]]}" },
    { "score_transform", "{\"knots\": [[0,0],[1,1],[2,2],[3,3],[4,4],[5,5],[6,6],[7,7],"
                         "[8,8],[9,9],[10,10]]}" },
    { "score_transform", "{\"out_lte_in\": true}" },
    { "score_transform", "{\"out_gte_in\": null}" },
    { "score_transform", "{\"p3\": 1}" },
    { "unknown_key", "1" }, /* an unknown key may change the meaning of others */
    { "score_transforms", "{}" },
    { "conversion_target", "null" },
    { "conversion_target", "{}" },
    { "conversion_target", "{\"bit_depth\": 10}" },
    { "conversion_target", "{\"colorspace\": null}" },
    { "conversion_target", "{\"colorspace\": {\"range\": \"limited\"}}" },
    { "conversion_target", "{\"colorspace\": {\"primaries\": \"bt709\", \"trc\": \"bt709\", "
                           "\"matrix\": \"bt709\", \"range\": \"unknown\"}}" },
    { "conversion_target", "{\"colorspace\": {\"primaries\": \"bt709\", \"trc\": \"hlg\", "
                           "\"matrix\": \"bt709\", \"range\": \"full\"}}" },
    { "conversion_target", "{\"colorspace\": {\"primaries\": \"bt709\", \"trc\": 1, "
                           "\"matrix\": \"bt709\", \"range\": \"full\"}}" },
    { "conversion_target", "{\"colorspace\": {\"primaries\": \"bt709\", \"trc\": \"bt709\", "
                           "\"matrix\": \"bt709\", \"range\": \"full\", \"peak\": 100}}" },
    { "conversion_target", "{\"colorspace\": " BT709 ", \"pixel_format\": 420}" },
    { "conversion_target", "{\"colorspace\": " BT709 ", \"pixel_format\": \"400\"}" },
    { "conversion_target", "{\"colorspace\": " BT709 ", \"bit_depth\": 7}" },
    { "conversion_target", "{\"colorspace\": " BT709 ", \"bit_depth\": 17}" },
    { "conversion_target", "{\"colorspace\": " BT709 ", \"bit_depth\": 10.5}" },
    { "conversion_target", "{\"colorspace\": " BT709 ", \"bit_depth\": \"10\"}" },
    { "conversion_target", "{\"colorspace\": " BT709 ", \"size\": [1, 2]}" },
    { "chroma_correction_parameter", "120" }, /* the features it needs are not there */
    { "chroma_correction_parameter", "null" },
    { "model", NULL },
    { "model", "null" },
    { "model", "1" },
    { "model", "\"\"" },
    { "model", "\"" SVM_HEADER "-4 1:0.5 \\n\"" }, /* one vector of two */
};

static void changes_are_accepted(void **state)
{
    for (size_t i = 0; i < sizeof(accepted) / sizeof(*accepted); i++)
        vmaf_model_destroy(load_with(accepted[i].key, accepted[i].json, 0));
}

static void changes_are_refused(void **state)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
        VmafModel *model = NULL;
        VmafModelConfig cfg = { 0 };
        char *text = model_text_with(refused[i].key, refused[i].json);
        if (load_text(&model, &cfg, text, strlen(text)) != -EINVAL)
            fail_msg("accepted: \"%s\": %s", refused[i].key, refused[i].json);
        assert_null(model);
        free(text);
    }
}

static void chroma_correction_needs_its_features_once(void **state)
{
    static const struct {
        const char *features;
        int err;
    } table[] = {
        { "[\"" ADM3 "\", \"" CHROMA "\"]", 0 },
        { "[\"" ADM3 "\"]", -EINVAL },
        { "[\"" CHROMA "\"]", -EINVAL },
        { "[\"" ADM3 "\", \"" CHROMA "\", \"" CHROMA "\"]", -EINVAL },
        { "[\"" ADM3 "\", \"" CHROMA "\", \"" ADM3 "\"]", -EINVAL },
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        char text[2048];
        VmafModel *model = NULL;
        VmafModelConfig cfg = { 0 };
        const int size = snprintf(text, sizeof(text),
                                  "{\"model_dict\": {\"chroma_correction_parameter\": 120,"
                                  "\"feature_names\": %s, \"model\": \"" SVM "\"}}",
                                  table[i].features);
        assert_int_equal(load_text(&model, &cfg, text, (size_t)size), table[i].err);
        vmaf_model_destroy(model);
    }
}

static void other_files_are_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "null",
        "[]",
        "{",
        "{}",
        "text",
        "{\"model_dict\": 1}",
        "{\"model_dict\": null}",
        "{\"model_dict\": {}}",
        "\xef\xbb\xbf{\"model_dict\": {}}",
        "{\"0\": {}, \"1\": {}}",
        "{\"model_dict\": {\"model\": \"\\u0000\"}}",
        "\x80\x02}q",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        VmafModel *model = NULL;
        VmafModelCollection *collection = NULL;
        VmafModelConfig cfg = { 0 };
        assert_int_equal(load_text(&model, &cfg, texts[i], strlen(texts[i])), -EINVAL);
        assert_int_equal(
            load_collection_text(&model, &collection, &cfg, texts[i], strlen(texts[i])), -EINVAL);
        assert_true(!model && !collection);
    }
}

static void a_byte_order_mark_is_refused_and_trailing_text_is_not(void **state)
{
    char *good = model_text_with(NULL, NULL), text[8192];
    VmafModel *model = NULL;
    VmafModelConfig cfg = { 0 };
    snprintf(text, sizeof(text), "\xef\xbb\xbf%s", good);
    assert_int_equal(load_text(&model, &cfg, text, strlen(text)), -EINVAL);
    snprintf(text, sizeof(text), " \n%s} and so on", good);
    assert_int_equal(load_text(&model, &cfg, text, strlen(text)), 0);
    vmaf_model_destroy(model);
    free(good);
}

static void a_cut_file_is_refused_wherever_it_ends(void **state)
{
    char *text = model_text_with(NULL, NULL);
    for (size_t size = 0; size < strlen(text); size++) {
        VmafModel *model = NULL;
        VmafModelConfig cfg = { 0 };
        assert_int_equal(load_text(&model, &cfg, text, size), -EINVAL);
        assert_null(model);
    }
    free(text);
}

/* Each byte in turn becomes one that means something to JSON; whatever follows, nothing breaks. */
static void a_damaged_file_does_no_harm(void **state)
{
    char *text = model_text_with(NULL, NULL);
    const size_t size = strlen(text);
    for (size_t i = 0; i < size; i++) {
        static const char bytes[] = { '"', '9', '{', ',', '\\', '\0' };
        const char before = text[i];
        VmafModel *model = NULL;
        VmafModelConfig cfg = { 0 };
        text[i] = bytes[i % sizeof(bytes)];
        const int err = load_text(&model, &cfg, text, size);
        assert_true(err ? err == -EINVAL && !model : model != NULL);
        vmaf_model_destroy(model);
        text[i] = before;
    }
    free(text);
}

static void bad_arguments_are_refused(void **state)
{
    VmafModel *model = NULL;
    VmafModelCollection *collection = NULL;
    VmafModelConfig cfg = { 0 };
    assert_int_equal(vmaf_model_load_from_path(&model, &cfg, NULL), -EINVAL);
    assert_int_equal(vmaf_model_load_from_path(&model, NULL, "x"), -EINVAL);
    assert_int_equal(vmaf_model_load_from_path(NULL, &cfg, "x"), -EINVAL);
    assert_int_equal(vmaf_model_load_from_path(&model, &cfg, "no such file"), -EINVAL);
    assert_int_equal(vmaf_model_load_from_path(&model, &cfg, "."), -EINVAL);
    assert_int_equal(vmaf_model_load_from_path(&model, &cfg, "no such file.pkl"), -EINVAL);
    assert_int_equal(vmaf_model_collection_load_from_path(&model, &collection, &cfg, NULL),
                     -EINVAL);
    assert_int_equal(vmaf_model_collection_load_from_path(&model, NULL, &cfg, "x"), -EINVAL);
    assert_int_equal(vmaf_model_load(&model, &cfg, NULL), -EINVAL);
    assert_int_equal(vmaf_model_load(NULL, &cfg, "vmaf_v0.6.1"), -EINVAL);
    assert_true(!model && !collection);
    vmaf_model_destroy(NULL);
    vmaf_model_collection_destroy(NULL);
}

/* The members of a collection, each a good model of the type given; the caller frees it. */
static char *collection_text(const char *const *keys, const char *const *types, unsigned count)
{
    char *text = malloc(32768);
    strcpy(text, "{");
    for (unsigned i = 0; i < count; i++) {
        char *member = model_text_with("model_type", types[i]);
        char *end = text + strlen(text);
        snprintf(end, (size_t)(text + 32768 - end), "%s\"%s\": %s", i ? "," : "", keys[i], member);
        free(member);
    }
    strcat(text, "}");
    return text;
}

#define BOOTSTRAP "\"BOOTSTRAP_LIBSVMNUSVR\""
#define RESIDUE "\"RESIDUEBOOTSTRAP_LIBSVMNUSVR\""

static void collections_take_members_in_order(void **state)
{
    static const char *const keys[] = { "1", "0", "about", "1", "3", "2" };
    static const char *const types[] = {
        BOOTSTRAP, "\"LIBSVMNUSVR\"", RESIDUE, RESIDUE, BOOTSTRAP, RESIDUE,
    };
    char *text = collection_text(keys + 1, types + 1, 5);
    VmafModel *model = NULL;
    VmafModelCollection *collection = NULL;
    VmafModelConfig cfg = { .name = "n" };
    assert_int_equal(load_collection_text(&model, &collection, &cfg, text, strlen(text)), 0);
    assert_string_equal(model->name, "n");
    assert_string_equal(collection->name, "n");
    assert_int_equal(collection->count, 2);
    assert_string_equal(collection->members[0]->name, "n_0001");
    assert_string_equal(collection->members[1]->name, "n_0002");
    assert_int_equal(load_text(&model, &cfg, text, strlen(text)), -EINVAL);
    vmaf_model_destroy(model);
    vmaf_model_collection_destroy(collection);
    free(text);

    text = collection_text(keys, types, 2); /* "1" comes before "0" and is lost: none is left */
    model = NULL;
    assert_int_equal(load_collection_text(&model, &collection, &cfg, text, strlen(text)), -EINVAL);
    assert_null(model);
    free(text);
}

static void members_share_a_type(void **state)
{
    static const char *const keys[] = { "0", "1", "2" };
    static const char *const types[] = { BOOTSTRAP, BOOTSTRAP, RESIDUE };
    VmafModel *model = NULL;
    VmafModelCollection *collection = NULL;
    VmafModelConfig cfg = { 0 };
    char *text = collection_text(keys, types, 3);
    assert_int_equal(load_collection_text(&model, &collection, &cfg, text, strlen(text)), -EINVAL);
    free(text);
    text = collection_text(keys, types, 1);
    assert_int_equal(load_collection_text(&model, &collection, &cfg, text, strlen(text)), -EINVAL);
    free(text);
    text = model_text_with(NULL, NULL);
    assert_int_equal(load_collection_text(&model, &collection, &cfg, text, strlen(text)), -EINVAL);
    free(text);
    assert_true(!model && !collection);
}

static void overloads_merge_and_replace(void **state)
{
    VmafModel *m = load_with(NULL, NULL, 0);
    const char *metric;
    assert_int_equal(model_feature_metric(m, 0, &metric), 0);
    assert_string_equal(metric, "integer_adm2_egl_1.5");
    static const char *const values[] = { "2.0", "3.25" };
    static const char *const names[] = { "integer_adm2_egl_2", "integer_adm2_egl_3.25" };
    for (unsigned i = 0; i < 2; i++) {
        VmafFeatureDictionary *dict = NULL;
        assert_int_equal(vmaf_feature_dictionary_set(&dict, "adm_enhn_gain_limit", values[i]), 0);
        assert_int_equal(vmaf_model_feature_overload(m, "adm", dict), 0);
        assert_int_equal(model_feature_metric(m, 0, &metric), 0);
        assert_string_equal(metric, names[i]);
    }
    assert_int_equal(model_feature_metric(m, 1, &metric), 0);
    assert_string_equal(metric, MOTION2);

    VmafFeatureDictionary *dict = NULL;
    assert_int_equal(vmaf_feature_dictionary_set(&dict, "adm_enhn_gain_limit", "5"), 0);
    assert_int_equal(vmaf_model_feature_overload(m, NULL, dict), -EINVAL); /* not consumed */
    assert_int_equal(vmaf_model_feature_overload(NULL, "adm", dict), -EINVAL);
    assert_int_equal(vmaf_model_feature_overload(m, "adm", NULL), -EINVAL);
    assert_int_equal(vmaf_model_feature_overload(m, "nobody", dict), 0); /* consumed */
    assert_string_equal(dict_get(m->features[0].options, "adm_enhn_gain_limit"), "3.25");
    vmaf_model_destroy(m);
}

static void bad_options_have_no_metric(void **state)
{
    const char *metric;
    VmafModel *m = load_with("feature_opts_dicts", "[{\"adm_enhn_gain_limit\": 1000}]", 0);
    assert_int_equal(model_feature_metric(m, 0, &metric), -EINVAL);
    vmaf_model_destroy(m);
    m = load_with("feature_names", "[\"nobody\"]", 0);
    assert_int_equal(model_feature_metric(m, 0, &metric), -EINVAL);
    vmaf_model_destroy(m);
}

static void load_in_this_locale(void)
{
    char before[64];
    snprintf(before, sizeof(before), "%s", setlocale(LC_ALL, NULL));
    VmafModel *m = load_with(NULL, NULL, 0);
    assert_true(m->slope == 0.0125 && m->features[0].slope == 2.75);
    assert_string_equal(dict_get(m->features[0].options, "adm_enhn_gain_limit"), "1.5");
    assert_true(m->svr->gamma == 0.04 && m->svr->vectors[1] == 0.25);
    vmaf_model_destroy(m);
    assert_string_equal(setlocale(LC_ALL, NULL), before);
    assert_string_not_equal(localeconv()->decimal_point, ".");
}

/* Locales with a decimal comma, and one whose decimal point has two bytes: those that the machine
 * has. */
static void the_locale_does_not_matter(void **state)
{
    static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "it_IT.UTF-8", "ru_RU.UTF-8",
                                         "de_DE",       "ps_AF.UTF-8", "ps_AF" };
    unsigned tried = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (setlocale(LC_ALL, names[i]) && strcmp(localeconv()->decimal_point, ".")) {
            load_in_this_locale();
            tried++;
        }
    }
    setlocale(LC_ALL, "C");
    if (!tried)
        skip();
}

TEST_MAIN(load)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_read),
        cmocka_unit_test(flags_switch_clip_and_transform),
        cmocka_unit_test(the_name_is_copied),
        cmocka_unit_test(options_travel_as_text),
        cmocka_unit_test(many_entries_fit),
        cmocka_unit_test(changes_are_accepted),
        cmocka_unit_test(changes_are_refused),
        cmocka_unit_test(chroma_correction_needs_its_features_once),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(a_byte_order_mark_is_refused_and_trailing_text_is_not),
        cmocka_unit_test(a_cut_file_is_refused_wherever_it_ends),
        cmocka_unit_test(a_damaged_file_does_no_harm),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(collections_take_members_in_order),
        cmocka_unit_test(members_share_a_type),
        cmocka_unit_test(overloads_merge_and_replace),
        cmocka_unit_test(bad_options_have_no_metric),
        cmocka_unit_test(the_locale_does_not_matter),
    };
    return cmocka_run_group_tests(tests, quiet, NULL);
}
