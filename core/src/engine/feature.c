/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/feature.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "engine/scores.h"
#include "gpu/backend.h"

/* Names are cut at 255 bytes. */
#define NAME_SIZE 256

unsigned feature_output_count(const FeatureDef *def)
{
    unsigned count = 0;
    while (def->outputs && def->outputs[count].name)
        count++;
    return count;
}

static int create_names(Feature *f)
{
    const unsigned count = feature_output_count(f->def);
    if (count == 0)
        return 0;
    f->names = mem_array(count, sizeof(*f->names));
    if (!f->names)
        return -ENOMEM;
    for (unsigned i = 0; i < count; i++) {
        const FeatureOutput *output = &f->def->outputs[i];
        char name[NAME_SIZE];
        option_metric_name(output->plain_name ? NULL : f->def->options, f->options, output->name,
                           name, sizeof(name));
        f->names[i] = mem_strdup(name);
        if (!f->names[i])
            return -ENOMEM;
    }
    return 0;
}

int feature_create(Feature **out, const FeatureDef *def, Dict *dict)
{
    Feature *f = mem_zalloc(sizeof(*f));
    if (!f)
        return -ENOMEM;
    f->def = def;
    f->options = mem_zalloc(def->options_size ? def->options_size : 1);
    int err = f->options ? option_parse(def->options, def->name, dict, f->options) : -ENOMEM;
    if (!err)
        err = create_names(f);
    if (err) {
        feature_destroy(f);
        return err;
    }
    f->dict = dict;
    *out = f;
    return 0;
}

void feature_destroy(Feature *f)
{
    if (!f)
        return;
    for (unsigned i = 0; f->names && i < feature_output_count(f->def); i++)
        mem_free(f->names[i]);
    mem_free(f->names);
    mem_free(f->options);
    dict_destroy(f->dict);
    mem_free(f);
}

void feature_free_state(Feature *f)
{
    mem_free(f->state);
    f->state = NULL;
}

void feature_key(const Feature *f, char key[FEATURE_KEY_SIZE])
{
    option_metric_name(f->def->options, f->options, f->def->name, key, FEATURE_KEY_SIZE);
}

int feature_emit(Feature *f, unsigned output, unsigned index, double value)
{
    assert(output < feature_output_count(f->def));
    const enum OutputDelay delay = f->undelayed ? OUTPUT_NOW : f->def->outputs[output].delay;
    const ScoreOrder order = {
        .step = delay == OUTPUT_FLUSH ? SCORES_FLUSH : f->first_step + (delay == OUTPUT_NEXT_FRAME),
        .feature = f->order,
        .output = output,
    };
    const ScoreEntry entry = {
        .name = f->names[output], .index = index, .value = value, .order = order, .feature = f
    };
    return f->hear ? f->hear(f->hear_arg, &entry)
                   : scores_set(f->scores, entry.name, index, value, &order);
}

int feature_emit_aggregate(Feature *f, const char *name, double value)
{
    return scores_set_aggregate(f->scores, name, value);
}

const FeatureDef *feature_find(const char *extractor)
{
    /* `vif_vulkan` is `vif` on that backend. The results have the same bits, so it is the same
     * feature. */
    const size_t length = gpu_backend_strip(extractor);
    for (const FeatureDef *const *def = feature_registry; *def; def++)
        if (!strncmp((*def)->name, extractor, length) && !(*def)->name[length])
            return *def;
    return NULL;
}

const char *feature_successor(const char *extractor)
{
    static const char name[] = "motion_v2";
    const size_t length = gpu_backend_strip(extractor);
    return length == strlen(name) && !strncmp(extractor, name, length)
               ? "\"motion\" has taken it in; its metric is VMAF_integer_feature_motion_sad_score"
               : NULL;
}

static char plain_letter(char c)
{
    return (char)(c == '-' ? '_' : c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* True if the words differ in nothing but hyphens, underscores and the case of letters. */
static bool are_alike(const char *a, const char *b)
{
    while (*a && plain_letter(*a) == plain_letter(*b))
        a++, b++;
    return !*a && !*b;
}

const char *feature_elsewhere(const char *name)
{
    static const char *const names[][2] = {
        { "ssimu2", "ssimulacra2" },
        { "ssim2", "ssimulacra2" },
        { "ssimulacra", "ssimulacra2" },
        { "ssimulacra2.1", "ssimulacra2" },
        { "ssimulacra_2", "ssimulacra2" },
        { "ssimulacra2_rs", "ssimulacra2" },
        { "x_psnr", "xpsnr" },
        { "wpsnr", "xpsnr" },
        { "ms_ssim", "float_ms_ssim" },
        { "msssim", "float_ms_ssim" },
        { "psnrhvs", "psnr_hvs" },
        { "psnr_hvs_m", "psnr_hvs" },
        { "ciede2000", "ciede" },
        { "integer_ssim", "ssim" },
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (are_alike(names[i][0], name))
            return names[i][1];
    return NULL;
}

const FeatureDef *feature_find_by_metric(const char *raw_metric)
{
    for (const FeatureDef *const *def = feature_registry; *def; def++)
        for (const FeatureOutput *out = (*def)->outputs; out && out->name; out++)
            if (!out->extra && !strcmp(out->name, raw_metric))
                return *def;
    return NULL;
}
