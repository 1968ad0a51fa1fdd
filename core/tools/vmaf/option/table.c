/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "option.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"

enum { ROWS_MAX = 160 };

bool option_is_in(const Arg *group, const char *name)
{
    for (; group->name || group->help; group++)
        if (group->name && !strcmp(group->name, name))
            return true;
    return false;
}

const Arg *option_table(void)
{
    static const Arg *const groups[] = { video_options,  align_options,   colour_options,
                                         sync_options,   compute_options, part_options,
                                         output_options, device_options,  about_options };
    static Arg table[ROWS_MAX + 1]; /* the last one ends it */
    unsigned count = 0;
    if (table[0].help)
        return table;
    for (unsigned i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
        for (const Arg *row = groups[i]; row->name || row->help; row++) {
            assert(count < ROWS_MAX);
            if (row->id == EACH_BACKEND)
                count += backend_options(&table[count], ROWS_MAX - count);
            else
                table[count++] = *row;
        }
    }
    return table;
}

int usage_error(const char *format, ...)
{
    char line[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof(line), format, list);
    va_end(list);
    say("%s (vmaf --help lists the options)", line);
    return -EINVAL;
}

int bad_value(const Arg *arg, const char *value, const char *wanted)
{
    char name[48] = "";
    if (arg->letter)
        snprintf(name, sizeof(name), "-%c/", arg->letter);
    return usage_error("Invalid argument \"%s\" for option %s--%s; should be %s", value, name,
                       arg->name, wanted);
}

int parse_mask(const Arg *arg, const char *value, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoull(value, &end, 0);
    if (end == value || *end || errno)
        return bad_value(arg, value, "an integer");
    return 0;
}

int parse_number(const Arg *arg, const char *value, unsigned *out)
{
    uint64_t number;
    const int err = parse_mask(arg, value, &number);
    if (err)
        return err;
    if (strchr(value, '-'))
        return bad_value(arg, value, "an integer that is not negative");
    if (number > UINT_MAX)
        return bad_value(arg, value, "a smaller integer");
    *out = (unsigned)number;
    return 0;
}

static int set_version(Options *options, const Arg *arg, const char *value)
{
    options->action = ACTION_VERSION;
    return 0;
}

static int set_help(Options *options, const Arg *arg, const char *value)
{
    options->action = ACTION_HELP;
    return 0;
}

static int set_list_models(Options *options, const Arg *arg, const char *value)
{
    options->action = ACTION_LIST_MODELS;
    return 0;
}

static int set_list_features(Options *options, const Arg *arg, const char *value)
{
    options->action = ACTION_LIST_FEATURES;
    return 0;
}

static int set_list_devices(Options *options, const Arg *arg, const char *value)
{
    options->action = ACTION_LIST_DEVICES;
    return 0;
}

static int set_doctor(Options *options, const Arg *arg, const char *value)
{
    options->action = ACTION_DOCTOR;
    return 0;
}

const Arg about_options[] = {
    { .help = "About this program" },
    { .letter = 'v',
      .name = "version",
      .help = "print the version on standard error",
      .set = set_version },
    { .name = "help", .help = "print this text", .newer = true, .set = set_help },
    { .name = "list_models",
      .help = "print the built-in models",
      .newer = true,
      .set = set_list_models },
    { .name = "list_features",
      .help = "print the extractors, their options and metrics",
      .newer = true,
      .set = set_list_features },
    { .name = "list_devices",
      .help = "print the GPUs, and why other backends have none; fail\n"
              "if none can be used; with --backend only those of that\n"
              "backend",
      .newer = true,
      .set = set_list_devices },
    { .name = "doctor",
      .help = "test every backend and device and print what is\n"
              "missing; fail unless those of --backend LIST (or all)\n"
              "work; with --json print JSON. --doctor --report also\n"
              "compares every feature at every bit depth with the CPU,\n"
              "measures speed, and writes all to vmaf-doctor.json (-o)",
      .newer = true,
      .set = set_doctor },
    { 0 },
};
