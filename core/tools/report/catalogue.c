/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/catalogue.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/argv.h"
#include "common/json_memory.h"
#include "common/memfile.h"
#include "common/message.h"
#include "report/page.h"
#include "report/save.h"
#include "report/text.h"

/* ---- the files ---- */

typedef struct Paths {
    char **at;
    size_t count, capacity;
    size_t named; /* those before are arguments, the others were found in folders */
} Paths;

static int add_path(Paths *paths, const char *path)
{
    if (paths->count == paths->capacity) {
        const size_t more = paths->capacity ? 2 * paths->capacity : 64;
        char **const grown = realloc(paths->at, more * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        paths->at = grown;
        paths->capacity = more;
    }
    char *const copy = strdup(path);
    if (copy)
        paths->at[paths->count++] = copy;
    return copy ? 0 : -ENOMEM;
}

static void clear_paths(Paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(paths->at[i]);
    free(paths->at);
}

bool catalogue_is_folder(const char *path)
{
    struct stat info;
    return !stat(path, &info) && S_ISDIR(info.st_mode);
}

static bool is_json(const char *name)
{
    const char *const dot = strrchr(name, '.');
    return dot && dot != name && !strcasecmp(dot, ".json");
}

/* Adds the .json files of a folder and of those below it. Links to folders are not followed. */
static int scan_folder(Paths *paths, const char *folder, unsigned depth)
{
    enum { DEPTH_MAX = 64 };
    DIR *const dir = opendir(folder);
    if (!dir) {
        say("could not read the folder %s: %s", folder, strerror(errno));
        return -errno;
    }
    const size_t length = strlen(folder);
    const char *const slash = length && folder[length - 1] == '/' ? "" : "/";
    const struct dirent *entry;
    int err = 0;
    while (!err && (entry = readdir(dir))) {
        struct stat info;
        char *path;
        if (*entry->d_name == '.')
            continue;
        if (asprintf(&path, "%s%s%s", folder, slash, entry->d_name) < 0) {
            err = -ENOMEM;
            break;
        }
        if (!lstat(path, &info) && S_ISDIR(info.st_mode) && depth < DEPTH_MAX)
            err = scan_folder(paths, path, depth + 1);
        else if (is_json(entry->d_name) && !stat(path, &info) && S_ISREG(info.st_mode))
            err = add_path(paths, path);
        free(path);
    }
    closedir(dir);
    return err;
}

static int find_files(Paths *paths, const char *const *given, size_t count)
{
    int err = 0;
    for (size_t i = 0; !err && i < count; i++)
        if (!catalogue_is_folder(given[i]))
            err = add_path(paths, given[i]);
    paths->named = paths->count;
    for (size_t i = 0; !err && i < count; i++)
        if (catalogue_is_folder(given[i]))
            err = scan_folder(paths, given[i], 0);
    return err;
}

/* ---- titles ---- */

static void clear_title(Title *title)
{
    free(title->path);
    free(title->key);
    free(title->name);
    free(title->page);
    free(title->metric);
    free(title->codec);
    free(title->codes);
}

/* The length of a path with its last slash; 0: it has none. */
static size_t folder_length(const char *path)
{
    const char *const slash = path_separator(path);
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* The page that the run wrote for its option --html, if it is beside the report. */
static char *page_of_option(const StoredReport *report)
{
    for (size_t i = 0; i < report->option_count; i++) {
        const char *const value = report->options[i].value;
        char *path;
        if (strcmp(report->options[i].name, "html") != 0 || !value)
            continue;
        if (asprintf(&path, "%.*s%s", (int)folder_length(report->path), report->path,
                     value + folder_length(value)) < 0)
            return NULL;
        if (!access(path, R_OK))
            return path;
        free(path);
    }
    return NULL;
}

/* NAME.html beside NAME.json; NULL: there is none. */
static char *page_beside(const char *path)
{
    const char *const dot = strrchr(path, '.');
    const size_t stem =
        dot && is_json(path + folder_length(path)) ? (size_t)(dot - path) : strlen(path);
    char *page;
    if (asprintf(&page, "%.*s.html", (int)stem, path) < 0)
        return NULL;
    if (!access(page, R_OK))
        return page;
    free(page);
    return NULL;
}

/* The page to link to: the one beside the report, else the page of the same run, else the
 * report. */
static char *find_page(const StoredReport *report)
{
    char *page = page_beside(report->path);
    if (!page)
        page = page_of_option(report);
    return page ? page : strdup(report->path);
}

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    return false;
}

static int join_codes(Title *title, const StoredReport *report)
{
    size_t size = 1, used = 0;
    for (size_t i = 0; i < report->warning_count; i++)
        size += strlen(report->warnings[i].code) + 1;
    title->codes = calloc(1, size);
    for (size_t i = 0; title->codes && i < report->warning_count; i++)
        if (!has_word(title->codes, report->warnings[i].code))
            used += (size_t)snprintf(title->codes + used, size - used, "%s%s", used ? " " : "",
                                     report->warnings[i].code);
    return title->codes ? 0 : -ENOMEM;
}

static int take_scores(Title *title, const StoredReport *report)
{
    const StoredMetric *const metric = stored_headline(report);
    VmafStatistics figures;
    const int err = stored_figures(report, metric, &figures);
    if (err || !figures.size)
        return err;
    title->score = stored_score(report, metric);
    title->p5 = figures.percentile[5];
    title->low = figures.min;
    for (size_t i = 0; i < report->frame_count; i++) {
        if (metric->values[i] == figures.min) {
            title->low_time = stored_time(report, i);
            break;
        }
    }
    return 0;
}

static FileState state_of(const char *path)
{
    struct stat info;
    if (stat(path, &info))
        return (FileState){ 0 };
    return (FileState){ (uint64_t)info.st_size, (uint64_t)info.st_ino, info.st_mtim.tv_sec,
                        info.st_mtim.tv_nsec };
}

static bool is_same_state(const FileState *a, const FileState *b)
{
    return a->size == b->size && a->number == b->number && a->seconds == b->seconds &&
           a->ns == b->ns;
}

static int compare_path(const void *path, const void *title)
{
    return strcmp(path, ((const Title *)title)->path);
}

/* Takes over a title that was read before, with a page that has come since. */
static int copy_title(Title *title, const Title *from)
{
    char *const page = strcmp(from->page, from->path) != 0 ? NULL : page_beside(from->path);
    *title = *from;
    title->path = strdup(from->path);
    title->key = NULL;
    title->name = strdup(from->name);
    title->page = page ? page : strdup(from->page);
    title->metric = strdup(from->metric);
    title->codec = from->codec ? strdup(from->codec) : NULL;
    title->codes = strdup(from->codes);
    title->baseline = title->baseline_p5 = (double)NAN;
    return title->path && title->name && title->page && title->metric && title->codes &&
                   !from->codec == !title->codec
               ? 0
               : -ENOMEM;
}

static int take_title(Title *title, const StoredReport *report)
{
    const StoredInput *const input = &report->input[SIDE_DIST];
    const char *const codec = input->codec ? input->codec : input->kind;
    *title = (Title){ .path = strdup(report->path),
                      .name = strdup(stored_title(report)),
                      .page = find_page(report),
                      .metric = strdup(stored_headline(report)->name),
                      .codec = codec ? strdup(codec) : NULL,
                      .width = input->width,
                      .height = input->height,
                      .bit_rate = stored_bit_rate(input),
                      .seconds = stored_duration(report),
                      .score = (double)NAN,
                      .p5 = (double)NAN,
                      .low = (double)NAN,
                      .low_time = (double)NAN,
                      .baseline = (double)NAN,
                      .baseline_p5 = (double)NAN,
                      .frames = report->frame_count,
                      .incomplete = stored_incomplete(report) != NULL };
    if (!title->path || !title->name || !title->page || !title->metric || (codec && !title->codec))
        return -ENOMEM;
    const int err = join_codes(title, report);
    return err ? err : take_scores(title, report);
}

/* ---- reading with several threads ---- */

typedef struct Reading {
    const Paths *paths;
    Title *titles; /* one for each path; without a path: it is no report */
    const CatalogueSource *source;
    pthread_mutex_t lock; /* guards the rest, and is held by visit */
    size_t next, end;
    bool found; /* the files were found in folders: those that are no reports are skipped */
    int err;
} Reading;

static int read_one(Reading *reading, size_t at)
{
    const CatalogueSource *const source = reading->source;
    const char *const path = reading->paths->at[at];
    Title *const title = &reading->titles[at];
    const Catalogue *const before = source->before;
    const FileState state = state_of(path);
    const Title *const known =
        before && before->count
            ? bsearch(path, before->titles, before->count, sizeof(*before->titles), compare_path)
            : NULL;
    StoredReport *report = NULL;
    if (known && is_same_state(&known->state, &state))
        return copy_title(title, known);
    message_hush_thread(reading->found || known);
    int err = stored_load(&report, path);
    message_hush_thread(false);
    if (err && err != -ENOMEM && (reading->found || known))
        return known ? copy_title(title, known) : 0;
    if (!err)
        err = take_title(title, report);
    title->state = state;
    if (!err && source->visit) {
        pthread_mutex_lock(&reading->lock);
        err = source->visit(source->arg, report);
        pthread_mutex_unlock(&reading->lock);
    }
    stored_destroy(report);
    return err;
}

static void *read_some(void *arg)
{
    Reading *const reading = arg;
    pthread_mutex_lock(&reading->lock);
    while (!reading->err && reading->next < reading->end) {
        const size_t at = reading->next++;
        pthread_mutex_unlock(&reading->lock);
        const int err = read_one(reading, at);
        pthread_mutex_lock(&reading->lock);
        reading->err = reading->err ? reading->err : err;
    }
    pthread_mutex_unlock(&reading->lock);
    return NULL;
}

static int read_range(Reading *reading, size_t from, size_t to, bool found)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned started = 0;
    reading->next = from;
    reading->end = to;
    reading->found = found;
    while (started < THREADS && (long)started + 1 < cpus && started + 1 < to - from &&
           !pthread_create(&threads[started], NULL, read_some, reading))
        started++;
    read_some(reading);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return reading->err;
}

/* ---- the catalogue ---- */

static int compare_keys(const void *a, const void *b)
{
    const Title *const x = a, *const y = b;
    const int order = strcmp(x->key, y->key);
    return order ? order : strcmp(x->path, y->path);
}

/* The length of the folders that all paths begin with. */
static size_t common_folders(const Catalogue *catalogue)
{
    const char *const first = catalogue->titles[0].path;
    size_t length = folder_length(first);
    for (size_t i = 1; i < catalogue->count; i++) {
        const char *const path = catalogue->titles[i].path;
        size_t same = 0, whole = 0;
        for (; same < length && path[same] == first[same]; same++)
            whole = path[same] == '/' ? same + 1 : whole;
        length = whole;
    }
    return length;
}

/* Keeps the titles of files that are reports. */
static int collect(Catalogue *catalogue, Title *titles, const Paths *paths)
{
    catalogue->titles = titles;
    for (size_t i = 0; i < paths->count; i++) {
        if (titles[i].path) {
            titles[catalogue->count++] = titles[i];
            continue;
        }
        if (!catalogue->skipped++)
            catalogue->first_skipped = strdup(paths->at[i]);
    }
    return !catalogue->skipped || catalogue->first_skipped ? 0 : -ENOMEM;
}

/* Gives each title its key: the path of its report, relative to `folder`, or without the folders
 * that all paths share if `folder` is NULL because several paths were given. */
static int make_keys(Catalogue *catalogue, const char *folder)
{
    size_t before = catalogue->count ? common_folders(catalogue) : 0;
    if (folder)
        before = strlen(folder) + (*folder && folder[strlen(folder) - 1] != '/');
    for (size_t i = 0; i < catalogue->count; i++) {
        Title *const title = &catalogue->titles[i];
        title->key = strdup(title->path + before);
        if (!title->key)
            return -ENOMEM;
    }
    if (catalogue->count)
        qsort(catalogue->titles, catalogue->count, sizeof(*catalogue->titles), compare_keys);
    return 0;
}

int catalogue_read(Catalogue *catalogue, const CatalogueSource *source)
{
    const char *const first = *source->paths;
    Paths paths = { 0 };
    *catalogue = (Catalogue){ 0 };
    int err = find_files(&paths, source->paths, source->count);
    Title *const titles = err ? NULL : calloc(paths.count + 1, sizeof(*titles));
    if (!err && !titles)
        err = -ENOMEM;
    if (!err) {
        Reading reading = { .paths = &paths, .titles = titles, .source = source };
        pthread_mutex_init(&reading.lock, NULL);
        err = read_range(&reading, 0, paths.named, false);
        if (!err)
            err = read_range(&reading, paths.named, paths.count, true);
        pthread_mutex_destroy(&reading.lock);
        const int lost = collect(catalogue, titles, &paths);
        err = err ? err : lost;
    }
    if (!err)
        err = make_keys(catalogue, source->count == 1 && catalogue_is_folder(first) ? first : NULL);
    if (!err && !catalogue->count && !source->before) {
        say("there are no JSON reports in %s", first);
        err = -EINVAL;
    }
    clear_paths(&paths);
    if (err)
        catalogue_clear(catalogue);
    return err;
}

/* A sum that does not depend on the order of the files. */
static uint64_t sum_file(const char *path)
{
    const FileState state = state_of(path);
    uint64_t sum = UINT64_C(0xcbf29ce484222325) ^ state.size ^ state.number << 20 ^
                   (uint64_t)state.seconds << 32 ^ (uint64_t)state.ns;
    for (const char *c = path; *c; c++)
        sum = (sum ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return sum;
}

uint64_t catalogue_state(const CatalogueSource *source)
{
    Paths paths = { 0 };
    message_hush_thread(true);
    const int err = find_files(&paths, source->paths, source->count);
    message_hush_thread(false);
    uint64_t sum = paths.count + 1;
    for (size_t i = 0; i < paths.count; i++)
        sum += sum_file(paths.at[i]);
    clear_paths(&paths);
    return err ? 0 : sum;
}

void catalogue_clear(Catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->count; i++)
        clear_title(&catalogue->titles[i]);
    free(catalogue->titles);
    free(catalogue->first_skipped);
    *catalogue = (Catalogue){ 0 };
}

/* ---- the baseline ---- */

double title_drop(const Title *title)
{
    const double score = title->baseline - title->score, p5 = title->baseline_p5 - title->p5;
    if (isnan(score) || isnan(p5))
        return isnan(score) ? p5 : score;
    return score > p5 ? score : p5;
}

static void compare_with_title(Title *title, const Title *before)
{
    if (strcmp(title->metric, before->metric) != 0)
        return;
    title->baseline = before->score;
    title->baseline_p5 = before->p5;
}

static int compare_with_folder(Catalogue *catalogue, const char *path)
{
    Catalogue baseline;
    const int err = catalogue_read(&baseline, &(CatalogueSource){ .paths = &path, .count = 1 });
    if (err)
        return err;
    for (size_t i = 0, at = 0; i < catalogue->count; i++) {
        while (at < baseline.count && strcmp(baseline.titles[at].key, catalogue->titles[i].key) < 0)
            at++;
        if (at < baseline.count && !strcmp(baseline.titles[at].key, catalogue->titles[i].key))
            compare_with_title(&catalogue->titles[i], &baseline.titles[at]);
    }
    catalogue_clear(&baseline);
    return 0;
}

static double number_of(const json_t *object, const char *name)
{
    const json_t *const value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static int compare_with_file(Catalogue *catalogue, const char *path)
{
    json_error_t error;
    json_t *const file = json_read_file(path, 0, &error);
    const json_t *const titles = json_object_get(file, "titles");
    if (json_memory_failed()) {
        json_decref(file);
        return -ENOMEM;
    }
    if (!json_is_object(titles) ||
        json_integer_value(json_object_get(file, "vmaf_baseline")) != 1) {
        say("%s is no baseline: %s; give a folder of reports, or a file of --save_baseline", path,
            file ? "it has no titles" : error.text);
        json_decref(file);
        return -EINVAL;
    }
    for (size_t i = 0; i < catalogue->count; i++) {
        Title *const title = &catalogue->titles[i];
        const json_t *const before = json_object_get(titles, title->key);
        const char *const metric = json_string_value(json_object_get(before, "metric"));
        if (!metric || strcmp(metric, title->metric) != 0)
            continue;
        title->baseline = number_of(before, "score");
        title->baseline_p5 = number_of(before, "p5");
    }
    json_decref(file);
    return 0;
}

int catalogue_compare(Catalogue *catalogue, const char *path)
{
    catalogue->has_baseline = true;
    return catalogue_is_folder(path) ? compare_with_folder(catalogue, path)
                                     : compare_with_file(catalogue, path);
}

static void put_number(FILE *file, const char *name, double value)
{
    if (isfinite(value))
        fprintf(file, ",\"%s\":%.17g", name, value);
}

int catalogue_save(const Catalogue *catalogue, const char *path)
{
    MemFile mem = { 0 };
    int err = memfile_open(&mem);
    if (!err) {
        fputs("{\"vmaf_baseline\":1,\"titles\":{", mem.file);
        for (size_t i = 0; i < catalogue->count; i++) {
            const Title *const title = &catalogue->titles[i];
            fputs(i ? ",\n" : "\n", mem.file);
            put_script_string(mem.file, title->key);
            fputs(":{\"metric\":", mem.file);
            put_script_string(mem.file, title->metric);
            put_number(mem.file, "score", title->score);
            put_number(mem.file, "p5", title->p5);
            fputs("}", mem.file);
        }
        fputs("\n}}\n", mem.file);
        err = memfile_end(&mem);
    }
    if (!err)
        err = save_file(path, mem.text, mem.size);
    memfile_close(&mem);
    return err;
}
