/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "option.h"

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
      .help = "print the GPUs that can be used, and what the other\nbackends lack",
      .newer = true,
      .set = set_list_devices },
    { .name = "doctor",
      .help = "try every backend and device and say what is missing;\n"
              "--backend LIST or all: these must work; --json",
      .newer = true,
      .set = set_doctor },
    { 0 },
};
