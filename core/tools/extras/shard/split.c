/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "split.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/json_memory.h"
#include "common/message.h"
#include "libvmaf/libvmaf.h"
#include "vmaf/part/part.h"

/* Folders that users have already contain records of this name and kind, so neither may change. */
#define RECORD_NAME "plan.json"
#define RECORD_KIND "vmaf-shard plan"
#define RECORD_VERSION 1
#define DRAFT_PREFIX ".plan-"

static json_t *words_of(const Argv *argv)
{
    json_t *const list = json_array();
    for (size_t i = 0; i < argv->count; i++)
        json_array_append_new(list, json_string(argv->words[i]));
    return list;
}

/* A modified file counts as another video. Raw videos often keep their size, and whole seconds are
 * too coarse, so record the nanoseconds as well. */
static json_t *video_of(const char *path)
{
    json_t *const video = json_pack("{s:s}", "path", path);
    struct stat info;
    if (video && !stat(path, &info) && S_ISREG(info.st_mode)) {
        json_object_set_new(video, "bytes", json_integer(info.st_size));
        json_object_set_new(
            video, "modified",
            json_sprintf("%lld.%09ld", (long long)info.st_mtim.tv_sec, (long)info.st_mtim.tv_nsec));
    }
    return video;
}

static json_t *record_of(const ShardOptions *options)
{
    return json_pack("{s:s, s:i, s:s, s:i, s:o, s:o, s:o}", "kind", RECORD_KIND, "version",
                     RECORD_VERSION, "libvmaf", vmaf_version(), "parts", (int)options->count,
                     "reference", video_of(options->reference), "distorted",
                     video_of(options->distorted), "options", words_of(&options->words.scoring));
}

static json_t *load(const char *folder)
{
    char *const path = text_print("%s/" RECORD_NAME, folder);
    json_t *const record = path ? json_read_file(path, JSON_REJECT_DUPLICATES, NULL) : NULL;
    free(path);
    return record;
}

static bool has_record(const char *folder)
{
    char *const path = text_print("%s/" RECORD_NAME, folder);
    const bool there = path && !access(path, F_OK);
    free(path);
    return there;
}

/* A member of the record as text. free() it. */
static char *shown(const json_t *record, const char *name)
{
    char *const text = json_whole_text(json_object_get(record, name),
                                       JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS);
    return text ? text : strdup("nothing");
}

/* Print the first difference. -EEXIST: they differ. */
static int compare(const char *folder, const json_t *there, const json_t *wanted)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)wanted, name, value) {
        if (json_equal(json_object_get(there, name), value))
            continue;
        char *const old = shown(there, name), *const new = shown(wanted, name);
        say("%s holds parts of something else: %s was %s and is now %s; choose another "
            "folder with --parts, or start over with --fresh",
            folder, name, old ? old : "?", new ? new : "?");
        free(old);
        free(new);
        return -EEXIST;
    }
    return 0;
}

static int make_folder(const char *folder)
{
    if (!mkdir(folder, 0777) || errno == EEXIST)
        return 0;
    const int err = -errno;
    say("cannot create the folder %s: %s", folder, strerror(-err));
    return err;
}

static int write_all(int fd, const char *text)
{
    size_t left = strlen(text);
    while (left) {
        const ssize_t count = write(fd, text, left);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return -errno;
        text += count;
        left -= (size_t)count;
    }
    return fsync(fd) ? -errno : 0;
}

/* Write the record in one step. -EEXIST: another process did that first. */
static int put(const char *folder, const char *text)
{
    char *const path = text_print("%s/" RECORD_NAME, folder);
    char *const draft = text_print("%s/" DRAFT_PREFIX "XXXXXX", folder);
    int err = path && draft ? 0 : -ENOMEM;
    const int fd = err ? -1 : mkostemp(draft, O_CLOEXEC);
    if (!err && fd < 0)
        err = -errno;
    if (!err) {
        const mode_t mask = umask(0);
        umask(mask);
        fchmod(fd, 0666 & ~mask);
        err = write_all(fd, text);
        close(fd);
        if (!err && link(draft, path)) {
            err = -errno;
            /* some network file systems have no hard links */
            if (err != -EEXIST)
                err = rename(draft, path) ? -errno : 0;
        }
        unlink(draft);
    }
    free(path);
    free(draft);
    return err;
}

static int write_record(const ShardOptions *options, const json_t *wanted)
{
    char *const text = json_whole_text(wanted, JSON_INDENT(2));
    int err = text ? put(options->parts, text) : -ENOMEM;
    free(text);
    if (err && err != -EEXIST && err != -ENOMEM)
        say("cannot write to the folder %s: %s", options->parts, strerror(-err));
    return err;
}

static int check_against(const ShardOptions *options, const json_t *wanted)
{
    json_t *const there = load(options->parts);
    if (!there) {
        say("cannot read %s/" RECORD_NAME "; start over with --fresh, or remove the folder",
            options->parts);
        return -EIO;
    }
    const int err = compare(options->parts, there, wanted);
    json_decref(there);
    return err;
}

int split_check(const ShardOptions *options, Split *split)
{
    *split = (Split){ .folder = options->parts, .count = options->count, .options = options };
    if (!has_record(options->parts))
        return -ENOENT;
    json_t *const wanted = record_of(options);
    const int err = wanted && !json_memory_failed() ? check_against(options, wanted) : -ENOMEM;
    json_decref(wanted);
    return err;
}

int split_prepare(const ShardOptions *options, Split *split)
{
    int err = split_check(options, split);
    if (err != -ENOENT)
        return err;
    json_t *const wanted = record_of(options);
    err = wanted ? make_folder(options->parts) : -ENOMEM;
    if (!err)
        err = write_record(options, wanted);
    if (err == -EEXIST)
        err = check_against(options, wanted);
    json_decref(wanted);
    return err;
}

unsigned split_count(const char *folder)
{
    json_t *const record = load(folder);
    const json_int_t count = json_integer_value(json_object_get(record, "parts"));
    json_decref(record);
    return count > 0 && count <= 100000 ? (unsigned)count : 0;
}

/* Is it a temporary file of a process that was killed? */
static bool is_draft(const char *name)
{
    const size_t length = strlen(name);
    return !strncmp(name, DRAFT_PREFIX, strlen(DRAFT_PREFIX)) ||
           (!strncmp(name, ".vmaf-", 6) && length > 10 && !strcmp(name + length - 4, ".tmp"));
}

/* Is it a file that vmaf-shard writes? split_remove deletes nothing else. */
static bool is_ours(const char *name)
{
    unsigned index, count;
    int end = 0;
    return !strcmp(name, RECORD_NAME) || is_draft(name) ||
           (sscanf(name, "part-%u-of-%u.json%n", &index, &count, &end) == 2 && end && !name[end]);
}

int split_remove(const char *folder)
{
    DIR *const dir = opendir(folder);
    int err = 0;
    if (!dir)
        return errno == ENOENT ? 0 : -errno;
    for (const struct dirent *entry; (entry = readdir(dir));) {
        if (!is_ours(entry->d_name))
            continue;
        char *const path = text_print("%s/%s", folder, entry->d_name);
        const int lost = !path ? -ENOMEM : unlink(path) ? -errno : 0;
        if (lost && path)
            say("cannot remove %s: %s", path, strerror(-lost));
        err = lost ? lost : err;
        free(path);
    }
    closedir(dir);
    return err;
}

char *split_part_path(const Split *split, unsigned index)
{
    return text_print("%s/part-%05u-of-%05u.json", split->folder, index, split->count);
}

static bool is_of_video(const json_t *head, const char *side, const char *path)
{
    const json_t *const input = json_object_get(json_object_get(head, "inputs"), side);
    const json_int_t bytes = json_integer_value(json_object_get(input, "bytes"));
    struct stat info;
    return !bytes || stat(path, &info) || !S_ISREG(info.st_mode) || bytes == info.st_size;
}

/* Was the part made from these videos, with these options? Parts may still exist when the record of
 * their split is lost. */
static bool is_of_split(const json_t *head, const ShardOptions *options)
{
    json_t *const settings = json_pack("[[s s] [s s]]", "reference", options->reference,
                                       "distorted", options->distorted);
    if (options->words.settings)
        json_array_extend(settings, options->words.settings);
    const bool same = json_equal(json_object_get(head, "settings"), settings);
    json_decref(settings);
    return same && is_of_video(head, "reference", options->reference) &&
           is_of_video(head, "distorted", options->distorted);
}

/* Adds where the part was measured, unless the list has it. */
static void add_place(Names *places, const PartFile *part)
{
    const json_t *const list = json_object_get(part->head, "places");
    const char *place = "the CPU";
    size_t i;
    json_t *entry;
    json_array_foreach(list, i, entry)
    {
        const char *const device = json_string_value(json_object_get(entry, "device"));
        if (device) {
            place = device;
            break;
        }
    }
    if (!strstr(places->text, place))
        names_add(places, place);
}

bool split_has(const Split *split, unsigned index, Names *places)
{
    char *const path = split_part_path(split, index);
    if (!path || access(path, R_OK)) {
        free(path);
        return false;
    }
    PartFile part;
    message_hush(true); /* no messages about an unreadable part, which is scored again anyway */
    const int err = part_load(&part, path, false);
    message_hush(false);
    const json_t *const shard = err ? NULL : json_object_get(part.head, "shard");
    const bool fits =
        shard && json_integer_value(json_object_get(shard, "index")) == (json_int_t)index &&
        json_integer_value(json_object_get(shard, "count")) == (json_int_t)split->count &&
        (!split->options || is_of_split(part.head, split->options));
    if (fits && places)
        add_place(places, &part);
    if (!err)
        part_unload(&part);
    free(path);
    return fits;
}

/* Append a range such as "0-3". Frees `text`. NULL: no memory. */
static char *add_run(char *text, unsigned first, unsigned last)
{
    const char *const comma = *text ? "," : "";
    char *const longer = last > first ? text_print("%s%s%u-%u", text, comma, first, last)
                                      : text_print("%s%s%u", text, comma, first);
    free(text);
    return longer;
}

char *split_missing(const Split *split, unsigned *count, Names *places)
{
    char *text = strdup("");
    unsigned run = 0; /* number of missing parts directly before i */
    *count = 0;
    for (unsigned i = 0; text && i < split->count; i++) {
        if (!split_has(split, i, places)) {
            run++;
            continue;
        }
        if (run)
            text = add_run(text, i - run, i - 1);
        *count += run;
        run = 0;
    }
    *count += run;
    return text && run ? add_run(text, split->count - run, split->count - 1) : text;
}

void split_say_left(const Split *split, unsigned left, size_t devices, const Names *places)
{
    const bool some = left < split->count;
    char on[48] = "";
    if (devices && left)
        snprintf(on, sizeof(on), ", on %zu device%s", devices, devices == 1 ? "" : "s");
    say("%u of %u parts to score%s%s%s", left, split->count, on,
        some ? "; the others were measured before, on " : "", some ? places->text : "");
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
        say("%s is not installed", program);
    else if (err && err != -EINTR)
        say("cannot run %s: %s", program, strerror(-err));
    else if (!err && end->signal)
        say("%s was ended by signal %d", program, end->signal);
    else if (!err && end->code)
        say("%s failed with exit code %d", program, end->code);
    return err ? err : end->signal || end->code ? -EIO : 0;
}

int step_run(Children *children, const Argv *argv, bool dry_run, const char *stands_for,
             char **answer)
{
    char *const text = argv->failed ? NULL : argv_shell_text(argv);
    if (answer)
        *answer = NULL;
    if (!text)
        return -ENOMEM;
    printf("%s\n", text);
    fflush(stdout); /* before any output of the command */
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
