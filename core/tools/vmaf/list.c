/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* --pairs: many pairs of videos in one process. Lines are read as they come, so that a program can
 * write the list through a pipe. */
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/interrupt.h"
#include "common/message.h"
#include "run.h"

typedef struct List {
    const Options *options;
    const char *name; /* for messages */
    FILE *file;
    unsigned line;                            /* the number of the latest line */
    GpuOpening opening;                       /* the device, between pairs */
    char **reports;                           /* the list, unless it is a stream, and all reports */
    size_t report_count;                      /* so far, as output_identity writes them */
    unsigned scored, failed, below, unjudged; /* pairs */
    int err;                                  /* error of the first pair that failed */
} List;

/* Cuts a line at its tabs. False, after a message: it does not name a pair. */
static bool cut(const List *list, char *line, const char *fields[PAIR_FIELDS])
{
    unsigned count = 0;
    for (char *field = line; field; count++) {
        char *const tab = strchr(field, '\t');
        if (count < PAIR_FIELDS)
            fields[count] = *field ? field : NULL;
        if (tab)
            *tab = '\0';
        field = tab ? tab + 1 : NULL;
    }
    for (unsigned i = 0; i < PAIR_FIELDS; i++)
        if (fields[i] && !strcmp(fields[i], "-")) {
            say("%s:%u: a pair cannot use standard input or output (-)", list->name, list->line);
            return false;
        }
    if (count <= PAIR_FIELDS && fields[PAIR_REFERENCE] && fields[PAIR_DISTORTED])
        return true;
    say("%s:%u: a line is REFERENCE<TAB>DISTORTED or REFERENCE<TAB>DISTORTED<TAB>REPORT",
        list->name, list->line);
    return false;
}

/* Adds a file, which is freed with the list, to those that later reports must not overwrite. */
static int keep(List *list, char *file)
{
    char **const grown = realloc(list->reports, (list->report_count + 1) * sizeof(*grown));
    if (!grown) {
        free(file);
        return -ENOMEM;
    }
    list->reports = grown;
    grown[list->report_count++] = file;
    return 0;
}

/* Remembers the report of a pair. -EINVAL, after a message: it is that of an earlier pair, too, or
 * the list. */
static int claim(List *list, const char *report)
{
    char *const own = report ? output_identity(report) : NULL;
    if (!report)
        return 0;
    for (size_t i = 0; own && i < list->report_count; i++)
        if (!strcmp(own, list->reports[i])) {
            say(i || list->file == stdin ? "%s:%u: an earlier pair has the same report: %s"
                                         : "%s:%u: the report would overwrite the list: %s",
                list->name, list->line, report);
            free(own);
            return -EINVAL;
        }
    return own ? keep(list, own) : -ENOMEM;
}

static int score_fields(List *list, const char *const fields[PAIR_FIELDS])
{
    Options pair = { 0 };
    int err = claim(list, fields[PAIR_REPORT]);
    if (!err)
        err = options_of_pair(&pair, list->options, fields);
    if (!err)
        err = score_videos(&pair, &list->opening);
    options_leave_pair(&pair);
    if (err < 0 && !interrupt_signal())
        say("%s:%u: failed: %s, %s", list->name, list->line, fields[PAIR_REFERENCE],
            fields[PAIR_DISTORTED]);
    return err;
}

static void score_line(List *list, char *line, size_t size)
{
    const char *fields[PAIR_FIELDS] = { 0 };
    int err = -EINVAL;
    if (strcspn(line, "\r") < size)
        say("%s:%u: the line has a zero byte or a carriage return in it: write the list as UTF-8 "
            "text with line feeds between its lines",
            list->name, list->line);
    else if (cut(list, line, fields))
        err = score_fields(list, fields);
    list->scored += err >= 0;
    list->failed += err < 0;
    list->below += err == SCORE_BELOW;
    list->unjudged += err == SCORE_UNJUDGED;
    if (err < 0 && !list->err)
        list->err = err;
}

/* Reads the next line, without its end and without the mark with which some editors begin a file.
 * False: there is none, or, after a message, it could not be read. */
static bool next_line(List *list, char **line, size_t *room, size_t *size)
{
    static const char mark[] = "\xef\xbb\xbf";
    /* A signal may come while the program that writes the list is waited for. */
    interrupt_soon(true);
    const ssize_t got = getline(line, room, list->file);
    interrupt_soon(false);
    if (got < 0 && !feof(list->file)) {
        say("%s: the list could not be read: %s", list->name, strerror(errno));
        list->err = list->err ? list->err : -EIO;
    }
    if (got < 0)
        return false;
    *size = (size_t)got;
    *size -= *size && (*line)[*size - 1] == '\n';
    *size -= *size && (*line)[*size - 1] == '\r';
    (*line)[*size] = '\0';
    if (!list->line++ && *size >= strlen(mark) && !memcmp(*line, mark, strlen(mark))) {
        *size -= strlen(mark);
        memmove(*line, *line + strlen(mark), *size + 1);
    }
    return true;
}

static void score_lines(List *list)
{
    char *line = NULL;
    size_t room = 0, size;
    while (!interrupt_signal() && !gpu_gave_up() && next_line(list, &line, &room, &size))
        if (size && *line != '#')
            score_line(list, line, size);
    free(line);
}

/* Prints how the pairs ended. */
static int finish(List *list)
{
    const unsigned count = list->scored + list->failed;
    if (!count && !list->err && !interrupt_signal()) {
        say("%s names no pair", list->name);
        return -EINVAL;
    }
    if (list->failed || !list->options->quiet)
        say("%u of %u pair%s scored, %u failed", list->scored, count, count == 1 ? "" : "s",
            list->failed);
    if (list->below || list->unjudged)
        say("below --fail_under: %u; not judged, because frames are missing: %u", list->below,
            list->unjudged);
    return list->err ? list->err : list->unjudged ? SCORE_UNJUDGED : list->below ? SCORE_BELOW : 0;
}

int score_list(const Options *options)
{
    const bool given = !strcmp(options->pairs, "-");
    List list = { .options = options,
                  .name = given ? "the list" : options->pairs,
                  .file = given ? stdin : fopen(options->pairs, "r"),
                  .opening = { .keeps = true } };
    if (!list.file) {
        const int err = errno;
        say("could not open the list of pairs: %s: %s", options->pairs, strerror(err));
        return -err;
    }
    char *const own = given ? NULL : output_identity(options->pairs);
    list.err = given ? 0 : own ? keep(&list, own) : -ENOMEM;
    if (!list.err)
        score_lines(&list);
    gpu_opening_end(&list.opening);
    if (!given)
        fclose(list.file);
    for (size_t i = 0; i < list.report_count; i++)
        free(list.reports[i]);
    free(list.reports);
    return finish(&list);
}
