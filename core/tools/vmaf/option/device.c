/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "option.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "libvmaf/device.h"
#include "vmaf/gpu.h"

static int set_threads(Options *options, const Arg *arg, const char *value)
{
    enum { THREADS_MAX = 1024 };
    options->threads_given = true;
    const int err = parse_number(arg, value, &options->threads);
    return !err && options->threads > THREADS_MAX ? bad_value(arg, value, "1024 or less") : err;
}

static int set_cpumask(Options *options, const Arg *arg, const char *value)
{
    return parse_mask(arg, value, &options->cpumask);
}

static int set_gpumask(Options *options, const Arg *arg, const char *value)
{
    return parse_mask(arg, value, &options->gpumask);
}

/* True if the text, up to its first comma, names a backend. */
static bool known_backend(const char *text)
{
    char name[32];
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, ","), text);
    return !strcmp(name, "cpu") || vmaf_backend_built(name) >= 0;
}

/* True for "all" and for a list of backends, which only --doctor accepts. */
static bool is_backend_list(const char *value)
{
    if (!strchr(value, ','))
        return !strcmp(value, "all");
    for (const char *word = value; word; word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL)
        if (!known_backend(word))
            return false;
    return true;
}

static int set_backend(Options *options, const Arg *arg, const char *value)
{
    if (options->backend_word && strcmp(options->backend_word, value) != 0)
        return usage_error("--backend is given twice, as %s and as %s: choose one",
                           options->backend_word, value);
    options->backend_word = value;
    options->doctor_backends = strcmp(value, "auto") ? value : NULL;
    if (is_backend_list(value))
        return 0;
    const bool is_cpu = !strcmp(value, "cpu");
    if (is_cpu || !strcmp(value, "auto") || vmaf_backend_built(value) >= 0) {
        options->backend = is_cpu ? NULL : value;
        options->only_cpu = is_cpu;
        return 0;
    }
    char names[256] = "auto, cpu, ";
    const size_t used = strlen(names);
    backend_names(names + used, sizeof(names) - used);
    return bad_value(arg, value, names);
}

static int set_device(Options *options, const Arg *arg, const char *value)
{
    if (options->device && strcmp(options->device, value) != 0)
        return usage_error("two devices are chosen, %s and %s: choose one, or list several with "
                           "commas between them",
                           options->device, value);
    options->device = value;
    return 0;
}

static int set_backend_device(Options *options, const Arg *arg, const char *device)
{
    const char *backend;
    backend_find(arg->name, "_device", &backend);
    if (options->device_backend && strcmp(options->device_backend, backend) != 0)
        return usage_error("--%s_device and --%s_device ask for two backends; a run can use only "
                           "one",
                           options->device_backend, backend);
    options->device_backend = backend;
    return set_device(options, arg, device);
}

int options_settle_backend(Options *options)
{
    const char *const asked = options->device_backend, *const word = options->backend_word;
    if (!asked)
        return 0;
    const bool agrees = !word || !strcmp(word, "auto") || backend_listed(word, asked);
    if (!agrees)
        return usage_error("--%s_device asks for the %s backend, but --backend is %s", asked, asked,
                           word);
    options->backend = asked;
    return 0;
}

static int switch_off(Options *options, const Arg *arg, const char *value)
{
    const char *name;
    options->backends_off |= 1u << backend_find(arg->name + strlen("no_"), "", &name);
    return 0;
}

static int allow_software(Options *options, const Arg *arg, const char *value)
{
    options->allow_software = true;
    return 0;
}

static int add_require(Options *options, const Arg *arg, const char *value)
{
    return *value ? words_add(&options->require, value)
                  : bad_value(arg, value, "hardware, a piece of a name, a UUID or a PCI address");
}

/* Accepted for compatibility; there is no Metal backend. */
static int set_no_metal(Options *options, const Arg *arg, const char *value)
{
    return 0;
}

static char backend_help[256]; /* filled with the library's backends */

const Arg device_options[] = {
    { .help = "Where to compute" },
    { .name = "threads",
      .value = "N",
      .help = "worker threads (default: one for each CPU); 0: none",
      .set = set_threads },
    { .letter = 'c',
      .name = "cpumask",
      .value = "BITS",
      .help = "instruction sets not to use: 1 SSE2/NEON,\n"
              "2 SSSE3, 4 SSE4.1, 8 AVX2, 16 AVX-512,\n"
              "32 AVX-512 of Ice Lake",
      .set = set_cpumask },
    { .name = "gpumask", .value = "BITS", .help = "if not 0, use no GPU", .set = set_gpumask },
    { .name = "backend",
      .value = "NAME",
      .help = backend_help,
      .newer = true,
      .set = set_backend,
      .complete = "backend" },
    { .name = "device",
      .value = "DEVICE",
      .help = "use this GPU: its number in --list_devices, a piece of\n"
              "its name, its UUID or its PCI address; or several,\n"
              "comma-separated, or all. A software device is used only\n"
              "by its name (llvmpipe) or with --allow_software",
      .newer = true,
      .set = set_device,
      .complete = "device" },
    { .name = "allow_software",
      .help = "also accept a software device (a GPU emulated on the\nCPU)",
      .newer = true,
      .set = allow_software },
    { .name = "require",
      .value = "WHAT",
      .help = "with --doctor: fail unless there is such a device:\n"
              "hardware (no software device), a piece of its name, its\n"
              "UUID or its PCI address; may be repeated",
      .newer = true,
      .set = add_require,
      .complete = "hardware" },
    { .id = EACH_BACKEND, .name = "" },
    { .name = "vulkan_allow_software",
      .help = "older name of --allow_software",
      .newer = true,
      .set = allow_software },
    { .name = "no_metal",
      .help = "accepted for compatibility: Metal is never used",
      .newer = true,
      .set = set_no_metal },
    { 0 },
};

static void fill_backend_help(void)
{
    char names[128];
    backend_names(names, sizeof(names));
    snprintf(backend_help, sizeof(backend_help),
             "cpu (default); %s: use\nexactly this one; auto: the first of them that\n"
             "finds a GPU, or the CPU if none does",
             names);
}

unsigned backend_options(Arg *rows, unsigned max)
{
    enum { DEVICE, OFF, ROWS };
    static char names[BACKENDS_MAX][ROWS][40], helps[BACKENDS_MAX][ROWS][80];
    const char *name;
    unsigned count = 0;
    fill_backend_help();
    for (unsigned r = 0; r < ROWS; r++) {
        const bool device = r == DEVICE;
        for (unsigned b = 0; b < BACKENDS_MAX && (name = vmaf_backend_name(b)) && count < max;
             b++) {
            snprintf(names[b][r], sizeof(names[b][r]), device ? "%s_device" : "no_%s", name);
            snprintf(helps[b][r], sizeof(helps[b][r]),
                     device ? "use --backend %s on this device" : "never use %s",
                     device ? name : vmaf_backend_title(name));
            rows[count++] = (Arg){ .name = names[b][r],
                                   .value = device ? "DEVICE" : NULL,
                                   .help = helps[b][r],
                                   .newer = true,
                                   .set = device ? set_backend_device : switch_off,
                                   .complete = device ? "device" : NULL };
        }
    }
    return count;
}

static char words[256]; /* copy of VMAF_BACKEND; the options point into it */

/* True if the command line chooses neither a backend nor the CPU. */
static bool is_open(const Options *options)
{
    bool by_extractor = false;
    for (size_t i = 0; i < options->feature_count; i++)
        by_extractor = by_extractor || backend_of_extractor(options->features[i].extractor) != NULL;
    return !options->backend && !options->only_cpu && !options->gpumask && !by_extractor;
}

int options_apply_environment(Options *options)
{
    if (environment_allows_software())
        options->allow_software = true; /* also for a device that the decoder has opened */
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
        say("unknown backend in VMAF_BACKEND=%s; use cpu, auto, %s, with :DEVICE after it to choose a GPU",
            words, names);
        return -EINVAL;
    }
    options->by_environment = true;
    options->only_cpu = is_cpu;
    options->backend = is_cpu ? NULL : words;
    if (!options->device && colon)
        options->device = colon + 1;
    return 0;
}
