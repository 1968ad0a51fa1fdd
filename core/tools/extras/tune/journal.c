/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/argv.h"
#include "common/json_memory.h"
#include "common/message.h"
#include "encoder.h"
#include "results.h"

struct Journal {
    const char *path;
    int fd;
    json_t *lines; /* objects by key */
    off_t end;     /* offset behind the last complete line */
};

static int complain(const Journal *journal, int error)
{
    say("cannot write %s: %s", journal->path, strerror(error));
    return -error;
}

/* Parse a line and return its key (NULL: none). The caller releases *object, which owns the key. */
static const char *read_key(const char *line, size_t length, json_t **object)
{
    *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
    return json_string_value(json_object_get(*object, "key"));
}

/* Is the text the incomplete beginning of a line that we wrote? Only such text may be overwritten.
 */
static bool is_torn(const char *text, size_t length)
{
    json_t *object;
    const bool ours = length < 2 ? *text == '{' : !strncmp(text, "{\"", 2);
    const bool keyed = read_key(text, length, &object) != NULL;
    const bool whole = object != NULL;
    json_decref(object);
    return ours && (keyed || !whole);
}

static int read_lines(Journal *journal, FILE *file)
{
    char *line = NULL;
    size_t room = 0, number = 0;
    int err = 0;
    for (ssize_t length; !err && (length = getline(&line, &room, file)) > 0;) {
        json_t *object;
        number++;
        if (line[length - 1] != '\n' && is_torn(line, (size_t)length)) /* overwrite it */
            break;
        const char *const key = read_key(line, (size_t)length, &object);
        if (!key || line[length - 1] != '\n') {
            say("line %zu of %s was not written by vmaf-tune; check the path", number,
                journal->path);
            err = -EINVAL;
        } else if (json_object_set(journal->lines, key, object)) {
            err = -ENOMEM;
        } else {
            journal->end += length;
        }
        json_decref(object);
    }
    if (!err && ferror(file))
        err = complain(journal, EIO);
    free(line);
    return err;
}

static int read_all(Journal *journal)
{
    const int copy = dup(journal->fd);
    FILE *const file = copy < 0 ? NULL : fdopen(copy, "r");
    if (!file) {
        if (copy >= 0)
            close(copy);
        return -ENOMEM;
    }
    const int err = read_lines(journal, file);
    fclose(file);
    if (err)
        return err;
    if (ftruncate(journal->fd, journal->end))
        return complain(journal, errno);
    return 0;
}

/* Sync the folder: without that, a crash could lose a newly created file. */
static void sync_folder(const char *path)
{
    char *const folder = path_folder(path);
    const int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

static int open_file(Journal *journal)
{
    struct stat info;
    journal->fd = open(journal->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (journal->fd < 0)
        return complain(journal, errno);
    if (fstat(journal->fd, &info) || !S_ISREG(info.st_mode)) {
        say("cannot use %s as a journal: not a regular file", journal->path);
        return -EINVAL;
    }
    if (flock(journal->fd, LOCK_EX | LOCK_NB)) {
        if (errno != EWOULDBLOCK)
            return complain(journal, errno);
        say("another vmaf-tune is using %s", journal->path);
        return -EBUSY;
    }
    sync_folder(journal->path);
    return read_all(journal);
}

int journal_open(Journal **out, const char *path)
{
    Journal *const journal = calloc(1, sizeof(*journal));
    *out = NULL;
    if (!journal)
        return -ENOMEM;
    journal->path = path;
    journal->fd = -1;
    journal->lines = json_object();
    const int err = journal->lines ? open_file(journal) : -ENOMEM;
    if (err)
        journal_close(journal);
    else
        *out = journal;
    return err;
}

void journal_close(Journal *journal)
{
    if (!journal)
        return;
    if (journal->fd >= 0)
        close(journal->fd);
    json_decref(journal->lines);
    free(journal);
}

bool journal_has(const Journal *journal, const char *key)
{
    return journal_get(journal, key) != NULL;
}

json_t *journal_get(const Journal *journal, const char *key)
{
    return json_object_get(journal->lines, key);
}

size_t journal_count(const Journal *journal)
{
    return json_object_size(journal->lines);
}

/* Append one line and sync it. If that fails, for example on a full disk, cut off the partial line.
 */
static int write_line(Journal *journal, const char *line, size_t length)
{
    for (size_t done = 0; done < length;) {
        const ssize_t count =
            pwrite(journal->fd, line + done, length - done, journal->end + (off_t)done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            const int error = count < 0 ? errno : ENOSPC;
            if (ftruncate(journal->fd, journal->end))
                say("%s ends with an incomplete line; the next run removes it", journal->path);
            return complain(journal, error);
        }
        done += (size_t)count;
    }
    if (fsync(journal->fd))
        return complain(journal, errno);
    journal->end += (off_t)length;
    return 0;
}

int journal_add(Journal *journal, const char *key, json_t *object)
{
    json_object_set_new(object, "key", json_string(key));
    char *const text = json_whole_text(object, JSON_COMPACT);
    char *const line = text ? text_print("%s\n", text) : NULL;
    int err = line ? write_line(journal, line, strlen(line)) : -ENOMEM;
    if (!err && json_object_set(journal->lines, key, object))
        err = -ENOMEM;
    json_decref(object);
    free(line);
    free(text);
    return err;
}

/* Adds the size and the time of a file, which change when somebody writes to it. */
static void add_file(json_t *key, const char *path)
{
    struct stat info;
    if (stat(path, &info))
        info = (struct stat){ .st_size = 0 };
    json_array_append_new(key, json_integer((json_int_t)info.st_size));
    json_array_append_new(key, json_integer((json_int_t)info.st_mtim.tv_sec));
    json_array_append_new(key, json_integer((json_int_t)info.st_mtim.tv_nsec));
}

/* A model may be a file: "path=model.json:name=x". */
static int add_score_word(json_t *key, const char *word)
{
    json_array_append_new(key, json_text(word));
    if (strncmp(word, "path=", strlen("path=")))
        return 0;
    const char *const path = word + strlen("path=");
    char *const file = strndup(path, strcspn(path, ":"));
    if (!file)
        return -ENOMEM;
    add_file(key, file);
    free(file);
    return 0;
}

char *key_make(const char *path, const TuneOptions *options, const Encoder *encoder,
               const char *what)
{
    int err = 0;
    json_t *const key = json_array();
    json_array_append_new(key, json_integer(TUNE_SCHEMA));
    json_array_append_new(key, json_text(path));
    add_file(key, path);
    json_array_append_new(key, json_text(options->metric));
    json_array_append_new(key, json_string(options->pooling.name));
    for (size_t i = 1; i < options->targets.count; i++) {
        json_array_append_new(key, json_text(options->targets.at[i].metric));
        json_array_append_new(key, json_string(options->targets.at[i].pooling.name));
    }
    for (size_t i = 0; !err && i < options->score_words.count; i++)
        err = add_score_word(key, options->score_words.words[i]);
    json_array_append_new(key, json_text(options->ffmpeg));
    json_array_append_new(key, json_text(encoder->label));
    if (encoder->two_pass)
        json_array_append_new(key, json_string("two passes"));
    for (size_t i = 0; i < encoder->command.words.count; i++)
        json_array_append_new(key, json_text(encoder->command.words.words[i]));
    json_array_append_new(key, json_string(what));
    char *const text = err ? NULL : json_whole_text(key, JSON_COMPACT);
    json_decref(key);
    return text;
}

char *key_of_setting(const char *path, const TuneOptions *options, const Encoder *encoder,
                     double setting)
{
    char text[32];
    range_print(setting, text, sizeof(text));
    return key_make(path, options, encoder, text);
}
