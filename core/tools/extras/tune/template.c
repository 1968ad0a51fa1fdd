/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "template.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    put(word, "", 0); /* makes '' an empty word */
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
