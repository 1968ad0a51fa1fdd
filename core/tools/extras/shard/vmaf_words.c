/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "vmaf_words.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "vmaf/option/option.h"

static bool is_among(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (!strcmp(name, *names))
            return true;
    return false;
}

static bool is_in_group(const char *name, const Arg *group)
{
    for (; group->name || group->help; group++)
        if (group->name && !strcmp(name, group->name))
            return true;
    return false;
}

/* What vmaf-shard says itself, and what is done instead of scoring. */
static bool is_taken(const char *name)
{
    static const char *const own[] = { "reference", "distorted", "output",   "shard", "merge",
                                       "frames",    "report",    "progress", NULL };
    return is_among(name, own) || is_in_group(name, about_options);
}

static bool says_where(const char *name)
{
    static const char *const names[] = { "backend", "device", "threads", "gpumask", NULL };
    const size_t length = strlen(name);
    return is_among(name, names) || (length > 7 && !strcmp(name + length - 7, "_device"));
}

static void add(Argv *argv, const Arg *arg, const char *value)
{
    argv_addf(argv, "--%s", arg->name);
    if (arg->value)
        argv_add(argv, value);
}

static Argv *list_for(VmafWords *words, const char *name)
{
    static const Arg *const what[] = { video_options, align_options, sync_options, compute_options,
                                       part_options };
    if (is_in_group(name, output_options))
        return &words->merge;
    for (unsigned i = 0; i < sizeof(what) / sizeof(*what); i++)
        if (is_in_group(name, what[i]))
            return &words->score;
    return &words->place; /* where: each backend has options of its own there */
}

/* As parts tell of what they were made with. */
static void add_setting(VmafWords *words, const Arg *arg, const char *value)
{
    if (is_in_group(arg->name, part_options))
        return;
    if (!words->settings)
        words->settings = json_array();
    json_t *const pair = json_pack("[s s?]", arg->name, arg->value ? value : NULL);
    words->score.failed |= json_array_append_new(words->settings, pair) != 0;
}

int vmaf_words_divide(VmafWords *words, int argc, char **argv, char *error, size_t error_size)
{
    ArgScanner scanner;
    const Arg *arg;
    const char *value;
    int got;
    /* The scanner passes over the first word, a program's name. */
    args_start(&scanner, option_table(), argc + 1, argv - 1);
    while ((got = args_next(&scanner, &arg, &value)) > 0) {
        if (!arg) {
            snprintf(error, error_size,
                     "\"%s\" is no option of vmaf; videos are named by -r and -d", value);
            return -EINVAL;
        }
        if (is_taken(arg->name)) {
            snprintf(error, error_size, "--%s is not for parts, or vmaf-shard says it itself",
                     arg->name);
            return -EINVAL;
        }
        words->names_device |= says_where(arg->name);
        Argv *const list = list_for(words, arg->name);
        add(list, arg, value);
        if (list == &words->score)
            add_setting(words, arg, value);
    }
    if (got < 0) {
        snprintf(error, error_size, "behind \"--\": %s", scanner.error);
        return -EINVAL;
    }
    return words->score.failed || words->place.failed || words->merge.failed ? -ENOMEM : 0;
}

void vmaf_words_free(VmafWords *words)
{
    argv_free(&words->score);
    argv_free(&words->place);
    argv_free(&words->merge);
    json_decref(words->settings);
}
