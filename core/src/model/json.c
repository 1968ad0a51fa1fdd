/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "model/model.h"

#include <errno.h>
#include <jansson.h>
#ifndef _WIN32
#include <locale.h>
#endif
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "engine/colour.h"

/* ---- the locale ---- */

/* jansson reads numbers by the locale's decimal point, and fails when that has several bytes. While
 * a file is read, the calling thread, and no other, uses the C locale. On Windows decimal points
 * have one byte, which jansson handles. */
#ifdef _WIN32

typedef int JsonLocale;
static inline JsonLocale json_locale_enter(void)
{
    return 0;
}
static inline void json_locale_leave(JsonLocale locale)
{
}

#else

typedef struct JsonLocale {
    locale_t c, before;
} JsonLocale;

static inline JsonLocale json_locale_enter(void)
{
    JsonLocale locale = { .c = newlocale(LC_ALL_MASK, "C", (locale_t)0) };
    if (locale.c)
        locale.before = uselocale(locale.c);
    return locale;
}

static inline void json_locale_leave(JsonLocale locale)
{
    if (!locale.c)
        return;
    uselocale(locale.before);
    freelocale(locale.c);
}

#endif

/* ---- values ---- */

typedef struct Reader {
    const char *path;
    uint64_t flags; /* enum VmafModelFlags */
    char why[256];  /* description of the first error */
} Reader;

__attribute__((format(printf, 2, 3))) static int fail(Reader *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->why, sizeof(r->why), format, args);
    va_end(args);
    return -EINVAL;
}

static int no_memory(Reader *r)
{
    fail(r, "out of memory");
    return -ENOMEM;
}

static int read_number(Reader *r, const char *key, const json_t *value, double *number)
{
    if (!json_is_number(value))
        return fail(r, "%s: number expected", key);
    *number = json_number_value(value);
    return 0;
}

static int check_array(Reader *r, const char *key, const json_t *value, size_t max)
{
    if (!json_is_array(value))
        return fail(r, "%s: array expected", key);
    if (json_array_size(value) > max)
        return fail(r, "%s: more than %zu entries", key, max);
    return 0;
}

/* Reads one of `names`; *place is its number. */
static int read_word(Reader *r, const char *key, const json_t *value, const char *const *names,
                     unsigned count, unsigned *place)
{
    if (!json_is_string(value))
        return fail(r, "%s: string expected", key);
    for (unsigned i = 0; i < count; i++) {
        if (names[i] && !strcmp(names[i], json_string_value(value))) {
            *place = i;
            return 0;
        }
    }
    return fail(r, "%s: unknown value \"%.64s\"", key, json_string_value(value));
}

static int read_type(Reader *r, VmafModel *model, const char *key, const json_t *value)
{
    static const char *const names[] = {
        [MODEL_TYPE_NU_SVR] = "LIBSVMNUSVR",
        [MODEL_TYPE_BOOTSTRAP] = "BOOTSTRAP_LIBSVMNUSVR",
        [MODEL_TYPE_RESIDUE_BOOTSTRAP] = "RESIDUEBOOTSTRAP_LIBSVMNUSVR",
    };
    unsigned place = MODEL_TYPE_UNKNOWN;
    const int err = read_word(r, key, value, names, sizeof(names) / sizeof(*names), &place);
    model->type = (enum ModelType)place;
    return err;
}

static int read_norm(Reader *r, VmafModel *model, const char *key, const json_t *value)
{
    static const char *const names[] = {
        [MODEL_NORM_NONE] = "none",
        [MODEL_NORM_LINEAR_RESCALE] = "linear_rescale",
    };
    unsigned place = MODEL_NORM_UNKNOWN;
    const int err = read_word(r, key, value, names, sizeof(names) / sizeof(*names), &place);
    model->norm = (enum ModelNorm)place;
    return err;
}

static int read_feature_names(Reader *r, VmafModel *model, const char *key, const json_t *value)
{
    if (check_array(r, key, value, MODEL_FEATURES_MAX) < 0)
        return -EINVAL;
    if (!json_array_size(value))
        return fail(r, "%s: a model needs a feature", key);
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *name = json_array_get(value, i);
        if (!json_is_string(name))
            return fail(r, "%s: string expected", key);
        model->features[i].name = mem_strdup(json_string_value(name));
        if (!model->features[i].name)
            return no_memory(r);
        model->feature_count++;
    }
    return 0;
}

/* Options are stored as text; numbers get the form that the command line gives them. */
static int read_option(Reader *r, Dict **options, const char *key, const json_t *value)
{
    char text[32];
    int err;
    if (json_is_number(value)) {
        text_print_double(text, sizeof(text), "%.17g", json_number_value(value));
        err = dict_set(options, key, text);
    } else if (json_is_boolean(value)) {
        err = dict_set_raw(options, key, json_is_true(value) ? "true" : "false");
    } else if (json_is_string(value)) {
        err = dict_set_raw(options, key, json_string_value(value));
    } else {
        return fail(r, "feature_opts_dicts: bad value of \"%.64s\"", key);
    }
    return err < 0 ? no_memory(r) : 0;
}

static int read_feature_options(Reader *r, VmafModel *model, const char *key, const json_t *value)
{
    if (check_array(r, key, value, MODEL_FEATURES_MAX) < 0)
        return -EINVAL;
    for (size_t i = 0; i < json_array_size(value); i++) {
        json_t *object = json_array_get(value, i), *option;
        const char *name;
        if (!json_is_object(object))
            return fail(r, "%s: object expected", key);
        json_object_foreach (object, name, option) {
            const int err = read_option(r, &model->features[i].options, name, option);
            if (err < 0)
                return err;
        }
    }
    return 0;
}

static int read_slopes(Reader *r, VmafModel *model, const char *key, const json_t *value)
{
    if (check_array(r, key, value, MODEL_FEATURES_MAX + 1) < 0)
        return -EINVAL;
    for (size_t i = 0; i < json_array_size(value); i++) {
        double *slope = i ? &model->features[i - 1].slope : &model->slope;
        if (read_number(r, key, json_array_get(value, i), slope) < 0)
            return -EINVAL;
    }
    return 0;
}

static int read_intercepts(Reader *r, VmafModel *model, const char *key, const json_t *value)
{
    if (check_array(r, key, value, MODEL_FEATURES_MAX + 1) < 0)
        return -EINVAL;
    for (size_t i = 0; i < json_array_size(value); i++) {
        double *intercept = i ? &model->features[i - 1].intercept : &model->intercept;
        if (read_number(r, key, json_array_get(value, i), intercept) < 0)
            return -EINVAL;
    }
    return 0;
}

static int read_clip(Reader *r, VmafModel *model, const char *key, const json_t *value)
{
    if (r->flags & VMAF_MODEL_FLAG_DISABLE_CLIP)
        return 0;
    if (!json_is_array(value) || json_array_size(value) < 2)
        return fail(r, "%s: two numbers expected", key);
    model->clip_on = true;
    const int err = read_number(r, key, json_array_get(value, 0), &model->clip_min);
    return err ? err : read_number(r, key, json_array_get(value, 1), &model->clip_max);
}

static int read_knots(Reader *r, Transform *t, const json_t *value)
{
    static const char key[] = "knots";
    if (check_array(r, key, value, TRANSFORM_KNOTS_MAX) < 0)
        return -EINVAL;
    t->has_knots = true;
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *knot = json_array_get(value, i);
        if (!json_is_array(knot) || json_array_size(knot) != 2)
            return fail(r, "%s: pairs of numbers expected", key);
        Knot *to = &t->knots[t->knot_count++];
        if (read_number(r, key, json_array_get(knot, 0), &to->x) < 0 ||
            read_number(r, key, json_array_get(knot, 1), &to->y) < 0)
            return -EINVAL;
    }
    return 0;
}

/* These switches are strings; only "true" turns them on. */
static int read_switch(Reader *r, const json_t *object, const char *key, bool *on)
{
    const json_t *value = json_object_get(object, key);
    if (!value)
        return 0;
    if (!json_is_string(value))
        return fail(r, "%s: string expected", key);
    *on = !strcmp(json_string_value(value), "true");
    return 0;
}

/* Refuses unknown keys, because they could change scores. */
static int check_transform_keys(Reader *r, const char *key, const json_t *object)
{
    static const char *const known[] = {
        "enabled", "p0", "p1", "p2", "knots", "out_lte_in", "out_gte_in",
    };
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)(uintptr_t)object, name, value) {
        bool found = name[0] == '_';
        for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++)
            found = found || !strcmp(name, known[i]);
        if (!found)
            return fail(r, "%s: unknown key \"%.64s\"", key, name);
    }
    return 0;
}

static int read_transform(Reader *r, VmafModel *model, const char *key, const json_t *value)
{
    static const char *const terms[TRANSFORM_TERMS] = { "p0", "p1", "p2" };
    Transform *t = &model->transform;
    if (!json_is_object(value))
        return fail(r, "%s: object expected", key);

    if (check_transform_keys(r, key, value) < 0)
        return -EINVAL;
    const json_t *enabled = json_object_get(value, "enabled");
    if (enabled && !json_is_boolean(enabled))
        return fail(r, "enabled: true or false expected");
    t->enabled = json_is_true(enabled) || (r->flags & VMAF_MODEL_FLAG_ENABLE_TRANSFORM);

    for (unsigned i = 0; i < TRANSFORM_TERMS; i++) {
        const json_t *term = json_object_get(value, terms[i]);
        if (term && read_number(r, terms[i], term, &t->p[i]) < 0)
            return -EINVAL;
        t->has_p[i] = term;
    }
    const json_t *knots = json_object_get(value, "knots");
    if (knots && read_knots(r, t, knots) < 0)
        return -EINVAL;
    const int err = read_switch(r, value, "out_lte_in", &t->out_lte_in);
    return err ? err : read_switch(r, value, "out_gte_in", &t->out_gte_in);
}

static int read_chroma(Reader *r, VmafModel *model, const char *key, const json_t *value)
{
    unsigned luma, chroma;
    if (read_number(r, key, value, &model->chroma) < 0)
        return -EINVAL;
    model->chroma_on = true;
    if (model_chroma_features(model, &luma, &chroma) < 0)
        return fail(r, "%s: needs one adm3 and one speed_chroma feature", key);
    return 0;
}

static int read_svr(Reader *r, VmafModel *model, const char *key, const json_t *value)
{
    const char *why;
    if (!json_is_string(value))
        return fail(r, "%s: string expected", key);
    const int err =
        svr_create(&model->own_svr, json_string_value(value), model->feature_count, &why);
    if (err < 0) {
        fail(r, "%s: %s", key, why);
        return err;
    }
    model->svr = model->own_svr;
    return 0;
}

/* ---- conversion_target ---- */

static int read_colour_part(Reader *r, const json_t *object, enum ColourPart part,
                            VmafColor *colour)
{
    const char *names[8] = { NULL };
    unsigned count = 1, value = 0; /* 0 is `unknown`, which is not a target */
    for (; colour_value_name(part, count); count++)
        names[count] = colour_value_name(part, count);
    const char *const key = colour_part_name(part);
    const json_t *const word = json_object_get(object, key);
    if (!word)
        return fail(r, "colorspace: \"%s\" is missing", key);
    const int err = read_word(r, key, word, names, count, &value);
    colour_set(colour, part, value);
    return err;
}

static int read_colorspace(Reader *r, VmafColor *colour, const json_t *value)
{
    const char *key;
    json_t *entry;
    int err = 0;
    if (!json_is_object(value))
        return fail(r, "colorspace: object expected");
    for (unsigned p = 0; p < COLOUR_PARTS && !err; p++)
        err = read_colour_part(r, value, (enum ColourPart)p, colour);
    json_object_foreach ((json_t *)(uintptr_t)value, key, entry) {
        bool known = false;
        for (unsigned p = 0; p < COLOUR_PARTS; p++)
            known = known || !strcmp(key, colour_part_name((enum ColourPart)p));
        if (!err && !known)
            err = fail(r, "colorspace: unknown key \"%.64s\"", key);
    }
    return err;
}

static int read_pixel_format(Reader *r, VmafPictureConvertTarget *target, const json_t *value)
{
    static const char *const names[] = {
        [VMAF_PIX_FMT_YUV420P] = "420",
        [VMAF_PIX_FMT_YUV422P] = "422",
        [VMAF_PIX_FMT_YUV444P] = "444",
    };
    unsigned format = 0;
    const int err =
        read_word(r, "pixel_format", value, names, sizeof(names) / sizeof(*names), &format);
    target->pix_fmt = (enum VmafPixelFormat)format;
    return err;
}

static int read_bit_depth(Reader *r, VmafPictureConvertTarget *target, const json_t *value)
{
    double depth = 0;
    if (read_number(r, "bit_depth", value, &depth) < 0)
        return -EINVAL;
    if (depth < 8 || depth > 16 || depth != (int)depth)
        return fail(r, "bit_depth: a whole number from 8 to 16 expected");
    target->bpc = (unsigned)depth;
    return 0;
}

static int read_target(Reader *r, VmafModel *model, const char *key, const json_t *value)
{
    const char *name;
    json_t *entry;
    if (!json_is_object(value))
        return fail(r, "%s: object expected", key);
    if (!json_object_get(value, "colorspace"))
        return fail(r, "%s: \"colorspace\" is missing", key);
    json_object_foreach ((json_t *)(uintptr_t)value, name, entry) {
        int err;
        if (!strcmp(name, "colorspace"))
            err = read_colorspace(r, &model->target.color, entry);
        else if (!strcmp(name, "pixel_format"))
            err = read_pixel_format(r, &model->target, entry);
        else if (!strcmp(name, "bit_depth"))
            err = read_bit_depth(r, &model->target, entry);
        else
            err = fail(r, "%s: unknown key \"%.64s\"", key, name);
        if (err)
            return err;
    }
    model->has_target = true;
    return 0;
}

/* The order matters: the last two need the features. */
static const struct {
    const char *key;
    int (*read)(Reader *r, VmafModel *model, const char *key, const json_t *value);
} keys[] = {
    { "model_type", read_type },
    { "norm_type", read_norm },
    { "feature_names", read_feature_names },
    { "feature_opts_dicts", read_feature_options },
    { "slopes", read_slopes },
    { "intercepts", read_intercepts },
    { "score_clip", read_clip },
    { "score_transform", read_transform },
    { "conversion_target", read_target },
    { "chroma_correction_parameter", read_chroma },
    { "model", read_svr },
};

/* These keys describe how a model was made, and change no score. */
static const char *const descriptions[] = {
    "author",  "comment",      "dataset", "date",    "description", "feature_dict",
    "license", "model_id",     "name",    "notes",   "num_models",  "param_dict",
    "stats",   "train_frames", "url",     "version",
};

/* Refuses unknown keys. Newer model files may have keys that change the meaning of the others. */
static int check_keys(Reader *r, const json_t *dict)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)(uintptr_t)dict, key, value) {
        bool known = key[0] == '_';
        for (unsigned i = 0; i < sizeof(keys) / sizeof(*keys); i++)
            known = known || !strcmp(key, keys[i].key);
        for (unsigned i = 0; i < sizeof(descriptions) / sizeof(*descriptions); i++)
            known = known || !strcmp(key, descriptions[i]);
        if (!known)
            return fail(r,
                        "model_dict has a key that this version does not know: \"%.64s\". If it "
                        "only describes the model, let its name begin with \"_\"",
                        key);
    }
    return 0;
}

/* A missing value would count as 0. */
static int check_scales(Reader *r, const VmafModel *model, const json_t *dict)
{
    static const char *const arrays[] = { "slopes", "intercepts" };
    const size_t wanted = model->feature_count + 1;
    for (unsigned i = 0; i < 2; i++) {
        const size_t size = json_array_size(json_object_get(dict, arrays[i]));
        if (size < wanted)
            return fail(
                r, "%s: %zu entries; linear_rescale needs %zu, of the score and of each feature",
                arrays[i], size, wanted);
    }
    return model->slope == 0.0 ? fail(r, "slopes: that of the score is 0") : 0;
}

static int read_model_dict(Reader *r, VmafModel *model, const json_t *dict)
{
    for (unsigned i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        const json_t *value = json_object_get(dict, keys[i].key);
        const int err = value ? keys[i].read(r, model, keys[i].key, value) : 0;
        if (err < 0)
            return err;
    }
    if (check_keys(r, dict) < 0)
        return -EINVAL;
    if (!model->svr)
        return fail(r, "model_dict has no \"model\"");
    if (!model->feature_count)
        return fail(r, "model_dict has no \"feature_names\"");
    return model->norm == MODEL_NORM_LINEAR_RESCALE ? check_scales(r, model, dict) : 0;
}

static int read_model(Reader *r, VmafModel **out, const char *name, const json_t *object)
{
    const json_t *dict = json_object_get(object, "model_dict");
    if (!dict)
        return fail(r, json_object_get(object, "0") ? "model_dict is missing: this is a collection"
                                                    : "model_dict is missing");
    if (!json_is_object(dict))
        return fail(r, "model_dict: object expected");
    VmafModel *model;
    if (model_create(&model, name, r->path) < 0)
        return no_memory(r);
    const int err = read_model_dict(r, model, dict);
    if (err < 0) {
        model_destroy(model);
        return err;
    }
    *out = model;
    return 0;
}

static int read_member(Reader *r, VmafModelCollection *collection, const json_t *object)
{
    char *name = collection_member_name(collection);
    if (!name)
        return no_memory(r);
    VmafModel *member;
    int err = read_model(r, &member, name, object);
    mem_free(name);
    if (err < 0)
        return err;
    err = collection_add(collection, member);
    if (err < 0) {
        model_destroy(member);
        return err == -ENOMEM ? no_memory(r) : fail(r, "model_type differs between members");
    }
    return 0;
}

/* Members are called "0", "1", ... in this order; other keys are ignored. */
static int read_members(Reader *r, VmafModel **model, VmafModelCollection *collection, json_t *root)
{
    const char *key;
    json_t *value;
    unsigned taken = 0;
    json_object_foreach (root, key, value) {
        char expected[16];
        snprintf(expected, sizeof(expected), "%u", taken);
        if (strcmp(key, expected))
            continue;
        const int err = taken ? read_member(r, collection, value)
                              : read_model(r, model, collection->name, value);
        if (err < 0)
            return err;
        taken++;
    }
    return taken > 1 ? 0 : fail(r, "not a collection of models");
}

static int read_collection(Reader *r, VmafModel **model, VmafModelCollection **collection,
                           const char *name, json_t *root)
{
    VmafModel *first = NULL;
    VmafModelCollection *others;
    if (collection_create(&others, name) < 0)
        return no_memory(r);
    const int err = read_members(r, &first, others, root);
    if (err < 0) {
        model_destroy(first);
        collection_destroy(others);
        return err;
    }
    *model = first;
    *collection = others;
    return 0;
}

/* Text behind the object is ignored. A duplicate key is refused: it is not clear which one
 * counts. */
static json_t *parse_file(Reader *r)
{
    FILE *file = fopen(r->path, "rb");
    if (!file) {
        fail(r, "%s", strerror(errno));
        return NULL;
    }
    json_error_t error;
    const JsonLocale locale = json_locale_enter();
    json_t *root = json_loadf(
        file, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK | JSON_DECODE_INT_AS_REAL, &error);
    json_locale_leave(locale);
    fclose(file);
    if (!root) {
        fail(r, "not JSON: line %d, column %d: %.100s", error.line, error.column, error.text);
    } else if (!json_is_object(root)) {
        fail(r, "object expected");
        json_decref(root);
        root = NULL;
    }
    return root;
}

static void log_failure(const Reader *r, const char *what)
{
    const char *dot = strrchr(r->path, '.');
    log_error("could not read %s from path: \"%s\": %s", what, r->path, r->why);
    if (dot && !strcmp(dot, ".pkl"))
        log_error("support for pkl model files has been removed, use json");
}

int model_read_file(VmafModel **model, const VmafModelConfig *cfg, const char *path)
{
    Reader r = { .path = path, .flags = cfg->flags };
    json_t *root = parse_file(&r);
    const int err = root ? read_model(&r, model, cfg->name, root) : -EINVAL;
    json_decref(root);
    if (err < 0)
        log_failure(&r, "model");
    return err;
}

int model_collection_read_file(VmafModel **model, VmafModelCollection **collection,
                               const VmafModelConfig *cfg, const char *path)
{
    Reader r = { .path = path, .flags = cfg->flags };
    json_t *root = parse_file(&r);
    const int err = root ? read_collection(&r, model, collection, cfg->name, root) : -EINVAL;
    json_decref(root);
    if (err < 0)
        log_failure(&r, "model collection");
    return err;
}

int model_or_collection_read_file(VmafModel **model, VmafModelCollection **collection,
                                  const VmafModelConfig *cfg, const char *path)
{
    VmafModelCollection *members = NULL;
    Reader r = { .path = path, .flags = cfg->flags };
    json_t *root = parse_file(&r);
    int err = root ? read_model(&r, model, cfg->name, root) : -EINVAL;
    if (root && err == -EINVAL) {
        Reader other = { .path = path, .flags = cfg->flags };
        const int other_err = read_collection(&other, model, &members, cfg->name, root);
        if (other_err != -EINVAL) {
            err = other_err;
            r = other;
        }
    }
    json_decref(root);
    if (err < 0)
        log_failure(&r, "model");
    else
        *collection = members;
    return err;
}
