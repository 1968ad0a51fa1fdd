/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "encoder.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"

/* How ffmpeg's encoders take constant quality. A '*' at the end or the start of a name stands for
 * any characters there. */
struct EncoderKind {
    const char *name, *option;
    double low, high;
    bool high_is_better;
    const char *beside[7]; /* further options, without which the encoder would ignore the setting */
};

static const EncoderKind kinds[] = {
    { "libx264*", "crf", 0, 51, false, { NULL } },
    { "libx265", "crf", 0, 51, false, { NULL } },
    { "libsvtav1", "crf", 1, 63, false, { NULL } },
    { "libaom-av1", "crf", 0, 63, false, { "-b:v", "0", NULL } },
    { "librav1e", "qp", 0, 255, false, { NULL } },
    { "libvpx-vp9", "crf", 0, 63, false, { "-b:v", "0", NULL } },
    { "libvpx", "crf", 4, 63, false, { "-b:v", "100M", NULL } },
    { "libvvenc", "qp", 0, 63, false, { NULL } },
    { "*_nvenc", "cq", 1, 51, false, { "-rc", "vbr", "-b:v", "0", NULL } },
    { "*_qsv", "global_quality", 1, 51, false, { NULL } },
    { "*_videotoolbox", "q:v", 1, 100, true, { NULL } },
    { "mpeg4", "q:v", 1, 31, false, { NULL } },
    { "mpeg2video", "q:v", 1, 31, false, { NULL } },
    { "libxvid", "q:v", 1, 31, false, { NULL } },
    { "mjpeg", "q:v", 2, 31, false, { NULL } },
};

static bool name_fits(const char *pattern, const char *name)
{
    const size_t length = strlen(pattern), given = strlen(name);
    if (*pattern == '*')
        return given > length - 1 && !strcmp(name + given - (length - 1), pattern + 1);
    if (pattern[length - 1] == '*')
        return !strncmp(name, pattern, length - 1);
    return !strcmp(name, pattern);
}

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
    argv_addf(&encoder->options, "-%s", part);
    argv_add(&encoder->options, equals + 1);
    return encoder->options.failed ? -ENOMEM : 0;
}

int encoder_parse(Encoder *encoder, const char *text, size_t length, char *error, size_t error_size)
{
    const char *at = text, *const end = text + length;
    *encoder = (Encoder){ .label = strndup(text, length), .codec = read_part(&at, end) };
    int err = encoder->label && encoder->codec ? 0 : -ENOMEM;
    for (size_t i = 0; !err && i < sizeof(kinds) / sizeof(*kinds) && !encoder->kind; i++)
        if (name_fits(kinds[i].name, encoder->codec))
            encoder->kind = &kinds[i];
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
                                                                     strrchr(program, '/');
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
    free(encoder->settings);
    argv_free(&encoder->options);
    template_free(&encoder->command);
    *encoder = (Encoder){ 0 };
}

int encoder_check_setting(const Encoder *encoder, double setting, char *error, size_t error_size)
{
    if (setting >= encoder->low && setting <= encoder->high)
        return 0;
    snprintf(error, error_size, "%s has no %s %g; use %g to %g", encoder->label,
             encoder_setting_name(encoder), setting, encoder->low, encoder->high);
    return -EINVAL;
}

const char *encoder_setting_name(const Encoder *encoder)
{
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

static Argv ffmpeg_command(const Encoder *encoder, const Encode *encode, const char *setting)
{
    Argv argv = { 0 };
    argv_add(&argv, encode->ffmpeg);
    if (!encode->shown)
        argv_add_all(&argv, (const char *const[]){ "-nostdin", "-hide_banner", "-v", "error",
                                                   "-nostats", "-progress", "pipe:1", "-y", NULL });
    argv_add(&argv, "-i");
    argv_addf(&argv, "file:%s", encode->input);
    argv_add_all(&argv, (const char *const[]){ "-map", "0:v:0", NULL });
    if (encode->whole)
        argv_add_all(&argv, (const char *const[]){ "-map", "0:a?", "-c:a", "copy", "-strict",
                                                   "experimental", NULL });
    argv_add_all(&argv, (const char *const[]){ "-c:v", encoder->codec, NULL });
    argv_addf(&argv, "-%s", encoder_setting_name(encoder));
    argv_add(&argv, setting);
    if (encoder->kind && !encoder->option)
        argv_add_all(&argv, encoder->kind->beside);
    if (encoder->options.count)
        argv_add_all(&argv, (const char *const *)encoder->options.words);
    if (!encode->whole)
        argv_add_all(&argv, (const char *const[]){ "-f", "matroska", NULL });
    argv_addf(&argv, "file:%s", encode->output);
    argv.failed |= encoder->options.failed;
    return argv;
}

Argv encoder_command(const Encoder *encoder, const Encode *encode)
{
    char setting[32];
    range_print(encode->setting, setting, sizeof(setting));
    if (encoder->codec)
        return ffmpeg_command(encoder, encode, setting);
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

int encoders_check(const Encoder *encoders, size_t count, const char *ffmpeg, Children *children)
{
    Listing listing = { 0 };
    int err = ask_ffmpeg(&listing, ffmpeg, children);
    for (size_t i = 0; !err && i < count; i++) {
        const Encoder *const e = &encoders[i];
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
        }
    }
    free(listing.text);
    return err;
}

typedef struct Text {
    char *chars;
    size_t used, room;
    bool failed;
} Text;

static void put(Text *text, const char *chars, size_t count)
{
    if (text->used + count + 1 > text->room) {
        const size_t room = (text->used + count + 1) * 2;
        char *const grown = text->failed ? NULL : realloc(text->chars, room);
        if (!grown) {
            text->failed = true;
            return;
        }
        text->chars = grown;
        text->room = room;
    }
    memcpy(text->chars + text->used, chars, count);
    text->used += count;
    text->chars[text->used] = 0;
}

static void add_word(Argv *argv, Text *word)
{
    if (word->failed) {
        free(word->chars);
        word->chars = NULL;
    }
    argv_take(argv, word->chars);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Read one word. Returns its end, or NULL if a quote is not closed. */
static const char *read_word(const char *at, Text *word)
{
    put(word, "", 0); /* so that '' gives an empty word */
    while (*at && !is_blank(*at)) {
        const char c = *at++;
        if (c == '\\') {
            if (!*at)
                return NULL;
            put(word, at++, 1);
        } else if (c == '\'' || c == '"') {
            while (*at && *at != c) {
                if (c == '"' && *at == '\\' && (at[1] == '"' || at[1] == '\\'))
                    at++;
                put(word, at++, 1);
            }
            if (!*at++)
                return NULL;
        } else {
            put(word, &c, 1);
        }
    }
    return at;
}

enum Hole { HOLE_NONE, HOLE_INPUT, HOLE_Y4M, HOLE_OUTPUT, HOLE_SETTING, HOLE_UNKNOWN };

/* Classify the placeholder that opens at `at`; *end is its closing brace. {{ and }} stand for
 * literal braces. */
static enum Hole find_hole(const char *at, const char **end)
{
    static const struct {
        const char *name;
        enum Hole hole;
    } holes[] = {
        { "input", HOLE_INPUT }, { "y4m", HOLE_Y4M },         { "output", HOLE_OUTPUT },
        { "crf", HOLE_SETTING }, { "setting", HOLE_SETTING },
    };
    if (*at != '{' || at[1] == '{')
        return HOLE_NONE;
    *end = strchr(at, '}');
    if (!*end)
        return HOLE_UNKNOWN;
    const size_t length = (size_t)(*end - at) - 1;
    for (size_t i = 0; i < sizeof(holes) / sizeof(*holes); i++) {
        const size_t name = strlen(holes[i].name);
        if (!strncmp(at + 1, holes[i].name, name) &&
            (length == name ||
             (holes[i].hole == HOLE_OUTPUT && length > name + 1 && length < name + 12 &&
              at[1 + name] == '.' && !memchr(at, '/', length))))
            return holes[i].hole;
    }
    return HOLE_UNKNOWN;
}

static const char *step_over(const char *at)
{
    return at + ((*at == '{' && at[1] == '{') || (*at == '}' && at[1] == '}') ? 2 : 1);
}

static int check_holes(const Template *template, char *error, size_t error_size)
{
    bool output = false, setting = false;
    for (size_t i = 0; i < template->words.count; i++) {
        for (const char *at = template->words.words[i], *end; *at;) {
            const enum Hole hole = find_hole(at, &end);
            if (hole == HOLE_UNKNOWN) {
                snprintf(
                    error, error_size,
                    "unknown placeholder in \"%s\"; use {input}, {y4m}, {output}, {output.EXT} "
                    "or {crf}, and {{ for a brace",
                    template->words.words[i]);
                return -EINVAL;
            }
            output |= hole == HOLE_OUTPUT;
            setting |= hole == HOLE_SETTING;
            at = hole ? end + 1 : step_over(at);
        }
    }
    if (output && setting)
        return 0;
    snprintf(error, error_size, "the encoder command lacks %s", output ? "{crf}" : "{output}");
    return -EINVAL;
}

int template_parse(Template *template, const char *text, char *error, size_t error_size)
{
    int err = 0;
    *template = (Template){ 0 };
    for (const char *at = text; !err;) {
        Text word = { 0 };
        while (is_blank(*at))
            at++;
        if (!*at)
            break;
        at = read_word(at, &word);
        if (!at) {
            free(word.chars);
            snprintf(error, error_size, "a quote in the encoder command is not closed");
            err = -EINVAL;
        } else {
            add_word(&template->words, &word);
        }
    }
    if (!err && template->words.failed)
        err = -ENOMEM;
    if (!err && !template->words.count) {
        snprintf(error, error_size, "the encoder command is empty");
        err = -EINVAL;
    }
    if (!err)
        err = check_holes(template, error, error_size);
    if (err)
        template_free(template);
    return err;
}

void template_free(Template *template)
{
    argv_free(&template->words);
}

bool template_wants_y4m(const Template *template)
{
    for (size_t i = 0; i < template->words.count; i++)
        for (const char *at = template->words.words[i], *end; *at; at = step_over(at))
            if (find_hole(at, &end) == HOLE_Y4M)
                return true;
    return false;
}

void template_extension(const Template *template, char *text, size_t size)
{
    snprintf(text, size, "mkv");
    for (size_t i = 0; i < template->words.count; i++)
        for (const char *at = template->words.words[i], *end; *at; at = step_over(at))
            if (find_hole(at, &end) == HOLE_OUTPUT && at[strlen("{output")] == '.')
                snprintf(text, size, "%.*s", (int)(end - at) - 8, at + 8);
}

static void fill_word(Text *text, const char *word, const TemplateValues *values)
{
    put(text, "", 0);
    for (const char *at = word, *end; *at;) {
        const enum Hole hole = find_hole(at, &end);
        if (!hole) {
            put(text, at, 1);
            at = step_over(at);
            continue;
        }
        const char *const value = hole == HOLE_INPUT    ? values->input
                                  : hole == HOLE_Y4M    ? values->y4m
                                  : hole == HOLE_OUTPUT ? values->output
                                                        : values->setting;
        put(text, value, strlen(value));
        at = end + 1;
    }
}

Argv template_fill(const Template *template, const TemplateValues *values)
{
    Argv filled = { 0 };
    for (size_t i = 0; i < template->words.count; i++) {
        Text word = { 0 };
        fill_word(&word, template->words.words[i], values);
        add_word(&filled, &word);
    }
    return filled;
}

#define LARGEST 100000.0

static int range_error(char *error, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int range_error(char *error, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(error, size, format, list);
    va_end(list);
    return -EINVAL;
}

/* Read a decimal number. strtod alone would also accept "inf" and "0x1p3", and read "20." from
 * "20..44". */
static const char *read_number(const char *text, double *value)
{
    char digits[32];
    size_t used = 0;
    bool point = false;
    const char *at = text;
    if (*at == '-' || *at == '+')
        digits[used++] = *at++;
    const char *const first = at;
    for (; (*at >= '0' && *at <= '9') ||
           (*at == '.' && at > first && at[1] >= '0' && at[1] <= '9' && !point);
         at++) {
        point |= *at == '.';
        if (used + 1 >= sizeof(digits))
            return NULL;
        digits[used++] = *at;
    }
    if (at == first)
        return NULL;
    digits[used] = 0;
    *value = strtod(digits, NULL);
    return at;
}

static int add_value(double values[RANGE_MAX], size_t *count, double value)
{
    size_t at = 0;
    while (at < *count && values[at] < value)
        at++;
    if (at < *count && values[at] == value)
        return 0;
    if (*count == RANGE_MAX)
        return -E2BIG;
    memmove(values + at + 1, values + at, (*count - at) * sizeof(*values));
    values[at] = value;
    ++*count;
    return 0;
}

/* Read one element of the list. */
static const char *read_range(const char *text, double *from, double *to, double *step)
{
    const char *at = read_number(text, from);
    *to = *from;
    *step = 1.0;
    if (!at || strncmp(at, "..", 2))
        return at;
    at = read_number(at + 2, to);
    return at && *at == ':' ? read_number(at + 1, step) : at;
}

int range_parse(const char *text, double values[RANGE_MAX], size_t *count, char *error,
                size_t error_size)
{
    *count = 0;
    for (const char *at = text;; at++) {
        double from, to, step;
        at = read_range(at, &from, &to, &step);
        if (!at || (*at && *at != ','))
            return range_error(
                error, error_size,
                "\"%s\" is not a list of settings; write \"20..44:6\" or \"20,26,32\"", text);
        if (fabs(from) > LARGEST || fabs(to) > LARGEST)
            return range_error(error, error_size, "a setting in \"%s\" is too large", text);
        if (to < from)
            return range_error(error, error_size,
                               "the range in \"%s\" is reversed; write the smaller setting first",
                               text);
        if (!(step > 0.0))
            return range_error(error, error_size, "the step in \"%s\" must be more than 0", text);
        /* Add a small tolerance, so that 20..21:0.1 includes 21. */
        const double steps = floor((to - from) / step + 1e-9);
        int err = steps >= RANGE_MAX ? -E2BIG : 0;
        for (double i = 0.0; !err && i <= steps; i++)
            err = add_value(values, count, round((from + i * step) * 1e6) / 1e6);
        if (err)
            return range_error(error, error_size, "\"%s\" has more than %d settings", text,
                               RANGE_MAX);
        if (!*at)
            return 0;
    }
}

void range_print(double value, char *text, size_t size)
{
    snprintf(text, size, "%.6f", value);
    char *end = text + strlen(text);
    while (end > text && end[-1] == '0')
        *--end = 0;
    if (end > text && end[-1] == '.')
        *--end = 0;
}
