/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends.h"
#include "libvmaf/device.h"
#include "common/message.h"

static char words[256]; /* options point into it */

static bool is_open(const Options *options)
{
    bool by_extractor = false;
    for (size_t i = 0; i < options->feature_count; i++)
        by_extractor = by_extractor || backend_of_extractor(options->features[i].extractor) != NULL;
    return !options->backend && !options->device && !options->only_cpu && !options->gpumask &&
           !options->backends_off && !by_extractor;
}

int options_heed_environment(Options *options)
{
    const char *const software = getenv("VMAF_ALLOW_SOFTWARE");
    if (software && *software && strcmp(software, "0") != 0)
        options->allow_software = true;
    const char *const asked = getenv("VMAF_BACKEND");
    if (!asked || !*asked)
        return 0;
    const bool fits = snprintf(words, sizeof(words), "%s", asked) < (int)sizeof(words);
    static char hidden[] = "VMAF_BACKEND=";
    putenv(hidden);
    if (!is_open(options))
        return 0;
    char *const colon = strchr(words, ':');
    if (colon)
        *colon = '\0';
    const bool is_cpu = !strcmp(words, "cpu");
    const bool known = !strcmp(words, "auto") || vmaf_backend_built(words) >= 0;
    if (!fits || (colon && (is_cpu || !colon[1])) || (!is_cpu && !known)) {
        char names[128];
        backend_names(names, sizeof(names));
        if (colon)
            *colon = ':';
        say("VMAF_BACKEND=%s is not understood: it is cpu, auto, %s; :DEVICE behind a GPU's name says "
            "which",
            words, names);
        return -EINVAL;
    }
    options->only_cpu = is_cpu;
    options->backend = is_cpu ? NULL : words;
    options->device = colon ? colon + 1 : NULL;
    return 0;
}
