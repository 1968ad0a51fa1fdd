/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "encoder.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/argv.h"
#include "common/message.h"

#define SVT_HIGH 63 /* the largest setting of libsvtav1 before version 4, and of ffmpeg's option */
/* Limits of bit rates in kbit/s, for encoders that make two passes with nothing else. */
#define RATE_LOW 50
#define RATE_HIGH 100000

/* Copy up to the end or an unescaped ':', removing escapes, and advance *at. free() the copy. */
static char *read_part(const char **at, const char *end)
{
    char *const part = malloc((size_t)(end - *at) + 1);
    size_t used = 0;
    if (!part)
        return NULL;
    for (; *at < end && **at != ':'; ++*at) {
        if (**at == '\\' && *at + 1 < end && strchr(":,\\", (*at)[1]))
            ++*at;
        part[used++] = **at;
    }
    part[used] = 0;
    return part;
}

static int add_option(Encoder *encoder, char *part, char *error, size_t error_size)
{
    char *const equals = strchr(part, '=');
    if (!equals || equals == part) {
        snprintf(error, error_size, "\"%s\" in encoder %s is not an option; write NAME=VALUE", part,
                 encoder->codec);
        return -EINVAL;
    }
    *equals = 0;
    if (!strcmp(part, "setting")) {
        free(encoder->option);
        encoder->option = strdup(equals + 1);
        return encoder->option ? 0 : -ENOMEM;
    }
    const bool uploads = encoder->kind && encoder->kind->device;
    const bool filter = !strcmp(part, "vf") || !strcmp(part, "filter:v");
    if ((uploads && !strcmp(part, "device")) || filter) {
        char **const to = filter ? &encoder->filter : &encoder->device;
        free(*to);
        *to = strdup(equals + 1);
        return *to ? 0 : -ENOMEM;
    }
    argv_addf(&encoder->options, "-%s", part);
    argv_add(&encoder->options, equals + 1);
    return encoder->options.failed ? -ENOMEM : 0;
}

int encoder_parse(Encoder *encoder, const char *text, size_t length, char *error, size_t error_size)
{
    const char *at = text, *const end = text + length;
    *encoder = (Encoder){ .label = strndup(text, length), .codec = read_part(&at, end) };
    int err = encoder->label && encoder->codec ? 0 : -ENOMEM;
    encoder->kind = err ? NULL : encoder_kind_find(encoder->codec);
    while (!err && at < end) {
        at++;
        char *const part = read_part(&at, end);
        err = part ? add_option(encoder, part, error, error_size) : -ENOMEM;
        free(part);
    }
    if (err) {
        encoder_free(encoder);
        return err;
    }
    const bool usual = encoder->kind && !encoder->option;
    encoder->low = usual ? encoder->kind->low : 0;
    encoder->high = usual ? encoder->kind->high : 255;
    encoder->grain = usual ? encoder->kind->grain : 0;
    encoder->high_is_better = usual && encoder->kind->high_is_better;
    return 0;
}

static bool is_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == '/' || text[i] == ' ' || text[i] == '{' || text[i] == '\'' || text[i] == '"')
            return false;
    return length > 0;
}

int encoder_parse_command(Encoder *encoder, const char *text, char *error, size_t error_size)
{
    const char *const equals = strchr(text, '=');
    const bool named = equals && is_name(text, (size_t)(equals - text));
    *encoder = (Encoder){ .low = 0, .high = 63 };
    const int err = template_parse(&encoder->command, named ? equals + 1 : text, error, error_size);
    if (err)
        return err;
    const char *const program = encoder->command.words.words[0], *const slash =
                                                                     path_separator(program);
    encoder->label =
        named ? strndup(text, (size_t)(equals - text)) : strdup(slash ? slash + 1 : program);
    if (encoder->label)
        return 0;
    encoder_free(encoder);
    return -ENOMEM;
}

void encoder_free(Encoder *encoder)
{
    free(encoder->label);
    free(encoder->codec);
    free(encoder->option);
    free(encoder->device);
    free(encoder->filter);
    free(encoder->settings);
    argv_free(&encoder->options);
    template_free(&encoder->command);
    *encoder = (Encoder){ 0 };
}

int encoder_check_setting(const Encoder *encoder, double setting, char *error, size_t error_size)
{
    const double grains = encoder->grain > 0.0 ? setting / encoder->grain : 0.0;
    if (setting >= encoder->low && setting <= encoder->high && grains == floor(grains))
        return 0;
    snprintf(error, error_size, "%s has no %s %g; use %s%g to %g%s", encoder->label,
             encoder_setting_name(encoder), setting,
             encoder->grain == 1.0 ? "whole numbers from " : "", encoder->low, encoder->high,
             encoder->grain == 0.25 ? " in quarters" : "");
    return -EINVAL;
}

const char *encoder_setting_name(const Encoder *encoder)
{
    if (encoder->rate)
        return "b:v";
    return encoder->option ? encoder->option : encoder->kind ? encoder->kind->option : "crf";
}

void encoder_extension(const Encoder *encoder, char *text, size_t size)
{
    if (encoder->codec)
        snprintf(text, size, "mkv");
    else
        template_extension(&encoder->command, text, size);
}

bool encoder_wants_y4m(const Encoder *encoder)
{
    return !encoder->codec && template_wants_y4m(&encoder->command);
}

void encoder_add_device(const Encoder *encoder, Argv *argv)
{
    const char *const device = encoder->kind ? encoder->kind->device : NULL;
    if (!device)
        return;
    argv_add(argv, "-init_hw_device");
    argv_addf(argv, "%s=tune%s%s", device, encoder->device ? ":" : "",
              encoder->device ? encoder->device : "");
    argv_add_all(argv, (const char *const[]){ "-filter_hw_device", "tune", NULL });
}

static void add_filters(Argv *argv, const Encoder *encoder)
{
    const bool uploads = encoder->kind && encoder->kind->device;
    if (!uploads && !encoder->filter)
        return;
    argv_add(argv, "-vf");
    argv_addf(argv, "%s%s%s", encoder->filter ? encoder->filter : "",
              encoder->filter && uploads ? "," : "", uploads ? "format=nv12|p010,hwupload" : "");
}

/* The encoder's own parameters, such as x265-params: those of the user, and ours after them. */
static void add_params(Argv *argv, const Encoder *encoder, const char *name, const char *ours)
{
    const char *theirs = NULL;
    for (size_t i = 0; i + 1 < encoder->options.count; i += 2)
        if (!strcmp(encoder->options.words[i] + 1, name))
            theirs = encoder->options.words[i + 1];
    argv_addf(argv, "-%s", name);
    argv_addf(argv, "%s%s%s", theirs ? theirs : "", theirs ? ":" : "", ours);
}

static void add_setting(Argv *argv, const Encoder *encoder, double value)
{
    char setting[32];
    const bool usual = encoder->kind && !encoder->option && !encoder->rate;
    range_print(value, setting, sizeof(setting));
    argv_addf(argv, "-%s", encoder_setting_name(encoder));
    if (usual && !strcmp(encoder->kind->name, "libsvtav1") &&
        (value > SVT_HIGH || value != floor(value)))
        /* ffmpeg's own option takes less than the library does; the library's parameters follow. */
        argv_addf(argv, "%g", fmin(floor(value), SVT_HIGH));
    else
        argv_addf(argv, "%s%s", setting, encoder->rate ? "k" : "");
    for (size_t i = 0; usual && i < 2 && encoder->kind->also[i]; i++) {
        argv_addf(argv, "-%s", encoder->kind->also[i]);
        argv_add(argv, setting);
    }
    if (usual)
        argv_add_all(argv, encoder->kind->beside);
}

/* Colons separate the parameters of a library. free() the text; NULL: no memory. */
static char *escape_colons(const char *text)
{
    char *const escaped = malloc(2 * strlen(text) + 1);
    char *to = escaped;
    for (; escaped && *text; text++) {
        if (*text == ':' || *text == '\\')
            *to++ = '\\';
        *to++ = *text;
    }
    if (escaped)
        *to = 0;
    return escaped;
}

/* Everything that stands in the parameters of the encoder's library. */
static void add_own(Argv *argv, const Encoder *encoder, const Encode *encode)
{
    char text[64];
    const char *const name = encoder->kind ? encoder->kind->name : "";
    const bool usual = !encoder->option && !encoder->rate;
    if (usual && !strcmp(name, "libsvtav1") &&
        (encode->setting > SVT_HIGH || encode->setting != floor(encode->setting))) {
        snprintf(text, sizeof(text), "crf=%g", encode->setting);
        add_params(argv, encoder, "svtav1-params", text);
    }
    if (encode->part && !strcmp(name, "libx264")) /* all parts must have the same headers */
        add_params(argv, encoder, "x264-params", "stitchable=1");
    if (encode->zones) {
        char *const zones = text_print("zones=%s", encode->zones);
        add_params(argv, encoder, !strcmp(name, "libx265") ? "x265-params" : "x264-params",
                   zones ? zones : "");
        argv->failed |= !zones;
        free(zones);
    }
    if (!encode->pass)
        return;
    if (!strcmp(name, "libx265")) {
        char *const log = escape_colons(encode->pass_log);
        char *const ours = log ? text_print("pass=%u:stats=%s", encode->pass, log) : NULL;
        add_params(argv, encoder, "x265-params", ours ? ours : "");
        argv->failed |= !ours;
        free(ours);
        free(log);
        return;
    }
    argv_add(argv, "-pass");
    argv_addf(argv, "%u", encode->pass);
    argv_add_all(argv, (const char *const[]){ "-passlogfile", encode->pass_log, NULL });
}

void encoder_add_options(const Encoder *encoder, double setting, Argv *argv)
{
    add_setting(argv, encoder, setting);
    if (encoder->options.count)
        argv_add_all(argv, (const char *const *)encoder->options.words);
    add_own(argv, encoder, &(Encode){ .setting = setting });
}

static Argv ffmpeg_command(const Encoder *encoder, const Encode *encode)
{
    Argv argv = { 0 };
    argv_add(&argv, encode->ffmpeg);
    if (!encode->shown)
        argv_add_all(&argv, (const char *const[]){ "-nostdin", "-hide_banner", "-v", "error",
                                                   "-nostats", "-progress", "pipe:1", "-y", NULL });
    encoder_add_device(encoder, &argv);
    argv_add(&argv, "-i");
    argv_addf(&argv, "file:%s", encode->input);
    argv_add_all(&argv, (const char *const[]){ "-map", "0:v:0", NULL });
    if (encode->whole && encode->pass != 1)
        argv_add_all(&argv, (const char *const[]){ "-map", "0:a?", "-c:a", "copy", "-strict",
                                                   "experimental", NULL });
    argv_add_all(&argv, (const char *const[]){ "-c:v", encoder->codec, NULL });
    add_setting(&argv, encoder, encode->setting);
    if (encoder->options.count)
        argv_add_all(&argv, (const char *const *)encoder->options.words);
    add_filters(&argv, encoder);
    add_own(&argv, encoder, encode);
    if (encode->pass == 1) {
        argv_add_all(&argv, (const char *const[]){ "-f", "null", "-", NULL });
    } else {
        if (!encode->whole)
            argv_add_all(&argv, (const char *const[]){ "-f", "matroska", NULL });
        argv_addf(&argv, "file:%s", encode->output);
    }
    argv.failed |= encoder->options.failed;
    return argv;
}

Argv encoder_command(const Encoder *encoder, const Encode *encode)
{
    char setting[32];
    range_print(encode->setting, setting, sizeof(setting));
    if (encoder->codec)
        return ffmpeg_command(encoder, encode);
    return template_fill(&encoder->command, &(TemplateValues){ .input = encode->input,
                                                               .y4m = encode->y4m,
                                                               .output = encode->output,
                                                               .setting = setting });
}

typedef struct Listing {
    char *text;
    size_t used;
} Listing;

static void collect(void *arg, enum ChildStream stream, const char *bytes, size_t count)
{
    Listing *const listing = arg;
    char *const grown = realloc(listing->text, listing->used + count + 1);
    if (stream != CHILD_OUT || !grown) {
        listing->text = grown ? grown : listing->text;
        return;
    }
    listing->text = grown;
    memcpy(grown + listing->used, bytes, count);
    listing->used += count;
    grown[listing->used] = 0;
}

/* Does ffmpeg's list contain a line " V..... NAME "? */
static bool is_listed(const Listing *listing, const char *name)
{
    const size_t length = strlen(name);
    for (const char *line = listing->text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, " V", 2) && strnlen(line, 8) == 8 && !strncmp(line + 8, name, length) &&
            line[8 + length] == ' ')
            return true;
    }
    return false;
}

static int ask_ffmpeg(Listing *listing, const char *ffmpeg, Children *children)
{
    const char *const argv[] = { ffmpeg,      "-nostdin", "-hide_banner", "-v", "error",
                                 "-encoders", NULL };
    const ChildParams params = { .argv = argv,
                                 .sink = { CHILD_TO_US, CHILD_NOWHERE },
                                 .time_limit = 60,
                                 .heard = collect,
                                 .arg = listing };
    ChildEnd end;
    const int err = child_run(children, &params, &end);
    if (err == -ENOENT || err == -EACCES)
        say("cannot find or run %s; install FFmpeg, or give its path with --ffmpeg", ffmpeg);
    else if (err && err != -EINTR)
        say("cannot run %s: %s", ffmpeg, strerror(-err));
    else if (!err && (end.code || !listing->text))
        say("%s does not list its encoders; give the path of FFmpeg with --ffmpeg", ffmpeg);
    return err ? err : end.code || !listing->text ? -ENOEXEC : 0;
}

/* Does the version of libsvtav1 take settings above 63? Those that do take quarters, too. An encode
 * of one frame tells. 1: yes; 0: no; or a negative errno. */
static int try_svt(const char *ffmpeg, Children *children)
{
    static const char *const words[] = { "-nostdin",
                                         "-hide_banner",
                                         "-v",
                                         "error",
                                         "-f",
                                         "lavfi",
                                         "-i",
                                         "color=s=128x128:d=0.1",
                                         "-frames:v",
                                         "1",
                                         "-c:v",
                                         "libsvtav1",
                                         "-crf",
                                         "63",
                                         "-svtav1-params",
                                         "crf=66",
                                         "-f",
                                         "null",
                                         "-",
                                         NULL };
    Argv argv = { 0 };
    ChildEnd end;
    argv_add(&argv, ffmpeg);
    argv_add_all(&argv, words);
    const ChildParams params = { .argv = (const char *const *)argv.words,
                                 .sink = { CHILD_NOWHERE, CHILD_NOWHERE },
                                 .time_limit = 60 };
    const int err = argv.failed ? -ENOMEM : child_run(children, &params, &end);
    argv_free(&argv);
    return err ? err : end.code == 0;
}

static int check_svt(Encoder *encoder, const char *ffmpeg, Children *children)
{
    const int takes = try_svt(ffmpeg, children);
    if (takes)
        return takes < 0 ? takes : 0;
    for (size_t i = 0; i < encoder->setting_count; i++) {
        if (encoder->settings[i] <= SVT_HIGH && encoder->settings[i] == floor(encoder->settings[i]))
            continue;
        say("the libsvtav1 of this ffmpeg has no crf %g; use whole numbers from 1 to %d (quarters, "
            "and settings up to 70, need SVT-AV1 4.0 or later)",
            encoder->settings[i], SVT_HIGH);
        return -EINVAL;
    }
    encoder->high = fmin(encoder->high, SVT_HIGH);
    encoder->grain = 1;
    return 0;
}

int encoders_check(Encoder *encoders, size_t count, const char *ffmpeg, Children *children)
{
    Listing listing = { 0 };
    int err = ask_ffmpeg(&listing, ffmpeg, children);
    for (size_t i = 0; !err && i < count; i++) {
        Encoder *const e = &encoders[i];
        if (!e->codec)
            continue;
        if (!is_listed(&listing, e->codec)) {
            say("this ffmpeg has no encoder \"%s\"; `%s -encoders` lists those it has", e->codec,
                ffmpeg);
            err = -ENOENT;
        } else if (!e->kind && !e->option) {
            say("the quality option of encoder %s is unknown; name it, for example %s:setting=qp",
                e->codec, e->codec);
            err = -EINVAL;
        } else if (!strcmp(e->codec, "libsvtav1") && !e->option) {
            err = check_svt(e, ffmpeg, children);
        }
    }
    free(listing.text);
    return err;
}

int encoder_set_two_pass(Encoder *encoder, char *error, size_t error_size)
{
    const enum TwoPass passes = encoder->kind ? encoder->kind->passes : TWO_PASS_NONE;
    if (passes == TWO_PASS_NONE) {
        snprintf(error, error_size, "%s cannot make two passes here; leave out --two-pass",
                 encoder->label);
        return -EINVAL;
    }
    encoder->two_pass = true;
    if (passes == TWO_PASS_RATE && (!encoder->option || !strcmp(encoder->option, "b:v"))) {
        encoder->rate = encoder->high_is_better = true;
        encoder->low = RATE_LOW;
        encoder->high = RATE_HIGH;
        encoder->grain = 1;
    }
    return 0;
}

void encoder_discard_log(const char *log)
{
    static const char *const ends[] = { "", ".cutree", "-0.log", "-0.log.mbtree" };
    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        char *const path = text_print("%s%s", log, ends[i]);
        if (path)
            unlink(path);
        free(path);
    }
}
