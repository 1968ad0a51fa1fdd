/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdio.h>

#include "libvmaf/device.h"
#include "libvmaf/inspect.h"
#include "list.h"

static void print_row(const char *left, const char *help)
{
    if (help)
        printf("      %-38s %s\n", left, help);
    else
        printf("      %s\n", left);
}

static void print_option(const VmafOptionInfo *option)
{
    char text[160];
    switch (option->type) {
    case VMAF_OPTION_BOOL:
        snprintf(text, sizeof(text), "%s=%s", option->name,
                 option->default_number != 0.0 ? "true" : "false");
        break;
    case VMAF_OPTION_STRING:
        snprintf(text, sizeof(text), "%s=%s", option->name,
                 option->default_text ? option->default_text : "");
        break;
    default:
        snprintf(text, sizeof(text), "%s=%g [%g..%g]", option->name, option->default_number,
                 option->min, option->max);
        break;
    }
    print_row(text, option->help);
}

/* Those of this build: extractors with GPU code run on all of them. */
static void print_backends(void)
{
    const char *backend;
    for (unsigned i = 0; (backend = vmaf_backend_name(i)); i++)
        if (vmaf_backend_built(backend))
            printf(", %s", backend);
}

static void print_extractor(unsigned index, const VmafExtractorInfo *info)
{
    VmafMetricInfo metric = { .size = sizeof(metric) };
    VmafOptionInfo option = { .size = sizeof(option) };
    printf("%-16s %s [cpu", info->name, info->summary);
    if (info->has_gpu_code)
        print_backends();
    printf("]\n");
    if (info->metric_count)
        printf("    metrics:\n");
    for (unsigned i = 0; !vmaf_extractor_metric(index, i, &metric); i++)
        print_row(metric.short_name, metric.help);
    if (info->option_count)
        printf("    options:\n");
    for (unsigned i = 0; !vmaf_extractor_option(index, i, &option); i++)
        print_option(&option);
    printf("\n");
}

void list_features(void)
{
    VmafExtractorInfo info = { .size = sizeof(info) };
    printf("Extractors for --feature, with the metrics they make, their options, defaults and "
           "ranges.\n\n");
    for (unsigned i = 0; !vmaf_extractor_info(i, &info); i++)
        print_extractor(i, &info);
}

void list_models(void)
{
    VmafBuiltinModelInfo info = { .size = sizeof(info) };
    printf("Models for --model version=NAME.\n\n");
    for (unsigned i = 0; !vmaf_builtin_model_info(i, &info); i++)
        printf("%-28s %s%s\n", info.name, info.summary, info.is_collection ? " (collection)" : "");
}
