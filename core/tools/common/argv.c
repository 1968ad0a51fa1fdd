/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "argv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void argv_take(Argv *argv, char *word)
{
    char **const grown = word ? realloc(argv->words, (argv->count + 2) * sizeof(*grown)) : NULL;
    if (!grown) {
        free(word);
        argv->failed = true;
        return;
    }
    argv->words = grown;
    grown[argv->count++] = word;
    grown[argv->count] = NULL;
}

void argv_add(Argv *argv, const char *word)
{
    argv_take(argv, strdup(word));
}

void argv_addf(Argv *argv, const char *format, ...)
{
    char *word;
    va_list list;
    va_start(list, format);
    if (vasprintf(&word, format, list) < 0)
        word = NULL;
    va_end(list);
    argv_take(argv, word);
}

void argv_add_all(Argv *argv, const char *const *words)
{
    for (; *words; words++)
        argv_add(argv, *words);
}

void argv_free(Argv *argv)
{
    for (size_t i = 0; i < argv->count; i++)
        free(argv->words[i]);
    free(argv->words);
    *argv = (Argv){ 0 };
}

char *path_as_argument(const char *path)
{
    return text_print("%s%s", *path == '-' ? "./" : "", path);
}

char *path_separator(const char *path)
{
    char *const slash = strrchr(path, '/');
#ifdef _WIN32
    char *const backslash = strrchr(path, '\\');
    return backslash > slash ? backslash : slash;
#else
    return slash;
#endif
}

char *path_folder(const char *path)
{
    const char *const slash = path_separator(path);
    if (!slash)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

char *text_print(const char *format, ...)
{
    char *text;
    va_list list;
    va_start(list, format);
    if (vasprintf(&text, format, list) < 0)
        text = NULL;
    va_end(list);
    return text;
}

static bool is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./:,@%";
    return *word && strspn(word, plain) == strlen(word);
}

/* The word in shell quotes, if it needs any. free() it. */
static char *quoted(const char *word)
{
    if (is_plain(word))
        return strdup(word);
    char *const text = malloc(4 * strlen(word) + 3);
    char *at = text;
    if (!text)
        return NULL;
    *at++ = '\'';
    for (; *word; word++) {
        if (*word == '\'')
            at = stpcpy(at, "'\\''");
        else
            *at++ = *word;
    }
    strcpy(at, "'");
    return text;
}

char *argv_shell_text(const Argv *argv)
{
    char *text = strdup("");
    for (size_t i = 0; text && i < argv->count; i++) {
        char *const word = quoted(argv->words[i]);
        char *const longer = word ? text_print("%s%s%s", text, i ? " " : "", word) : NULL;
        free(word);
        free(text);
        text = longer;
    }
    return text;
}
