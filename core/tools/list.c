/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdio.h>

#include "engine/feature.h"
#include "libvmaf/libvmaf_vulkan.h"
#include "list.h"
#include "model/model.h"

static void print_row(const char *left, const char *help)
{
    if (help)
        printf("      %-38s %s\n", left, help);
    else
        printf("      %s\n", left);
}

static void print_option(const Option *option)
{
    char text[160];
    switch (option->type) {
    case OPTION_BOOL:
        snprintf(text, sizeof(text), "%s=%s", option->name, option->def != 0.0 ? "true" : "false");
        break;
    case OPTION_STRING:
        snprintf(text, sizeof(text), "%s=%s", option->name,
                 option->def_text ? option->def_text : "");
        break;
    default:
        snprintf(text, sizeof(text), "%s=%g [%g..%g]", option->name, option->def, option->min,
                 option->max);
        break;
    }
    print_row(text, option->help);
}

static void print_feature(const FeatureDef *def)
{
    printf("%-16s %s%s\n", def->name, def->summary ? def->summary : "",
           def->gpu && vmaf_vulkan_available() ? " [cpu, vulkan]" : " [cpu]");
    if (def->outputs && def->outputs->name) {
        printf("    metrics:\n");
        for (const FeatureOutput *out = def->outputs; out->name; out++)
            print_row(metric_alias(out->name), out->help);
    }
    if (def->options && def->options->name) {
        printf("    options:\n");
        for (const Option *option = def->options; option->name; option++)
            print_option(option);
    }
    printf("\n");
}

void list_features(void)
{
    printf("Extractors for --feature, with the metrics they make, their options, defaults and "
           "ranges.\n\n");
    for (const FeatureDef *const *def = feature_registry; *def; def++)
        print_feature(*def);
}

void list_models(void)
{
    printf("Models for --model version=NAME.\n\n");
    const BuiltinModel *model;
    for (unsigned i = 0; (model = builtin_model(i)); i++)
        printf("%-28s %s%s\n", model->name, model->summary,
               model->collection ? " (collection)" : "");
}
