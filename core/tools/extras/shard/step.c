/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "step.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"

static bool is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./:,@%";
    return *word && strspn(word, plain) == strlen(word);
}

/* In quotes, where a shell would see more than letters in it. */
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

char *step_text(const Argv *argv)
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

typedef struct Heard {
    char line[512];
    size_t used;
    bool whole;
} Heard;

static void hear(void *arg, enum ChildStream stream, const char *bytes, size_t count)
{
    Heard *const heard = arg;
    for (size_t i = 0; i < count && !heard->whole; i++) {
        if (bytes[i] == '\n')
            heard->whole = true;
        else if (heard->used + 1 < sizeof(heard->line))
            heard->line[heard->used++] = bytes[i];
    }
}

static int judge(const char *program, int err, const ChildEnd *end)
{
    if (err == -ENOENT)
        say("%s is not installed here", program);
    else if (err && err != -EINTR)
        say("%s could not be run: %s", program, strerror(-err));
    else if (!err && end->signal)
        say("%s was ended by signal %d", program, end->signal);
    else if (!err && end->code)
        say("%s failed with %d", program, end->code);
    return err ? err : end->signal || end->code ? -EIO : 0;
}

int step_run(Children *children, const Argv *argv, bool dry_run, const char *stands_for,
             char **answer)
{
    char *const text = argv->failed ? NULL : step_text(argv);
    if (answer)
        *answer = NULL;
    if (!text)
        return -ENOMEM;
    printf("%s\n", text);
    fflush(stdout); /* before what the command itself has to say */
    free(text);
    if (dry_run) {
        if (answer)
            *answer = strdup(stands_for);
        return answer && !*answer ? -ENOMEM : 0;
    }
    Heard heard = { .used = 0 };
    const ChildParams params = { .argv = (const char *const *)argv->words,
                                 .sink = { answer ? CHILD_TO_US : CHILD_INHERITED,
                                           CHILD_INHERITED },
                                 .heard = hear,
                                 .arg = &heard };
    ChildEnd end = { .code = 0 };
    int err = child_run(children, &params, &end);
    err = judge(argv->words[0], err, &end);
    if (!err && answer) {
        *answer = strndup(heard.line, heard.used);
        err = *answer ? 0 : -ENOMEM;
    }
    return err;
}
