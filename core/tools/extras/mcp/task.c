/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "task.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "rpc.h"
#include "scoring.h"
#include "tool.h"

#define OUTPUT_MAX ((size_t)1 << 29) /* bytes; the report of a feature film has about 100 MB */
#define LINE_MAX_BYTES 4096
#define TICK_TIME 500 /* milliseconds between calls of `tick` */

static void init(Task *task, Call *call, const char *program)
{
    *task = (Task){ .call = call, .program = program };
}

void task_init_program(Task *task, Call *call, const char *program)
{
    init(task, call, program);
    task_add(task, "%s", program);
}

void task_init_worker(Task *task, Call *call, const char *kind)
{
    init(task, call, NULL);
    task_add(task, "vmaf-mcp");
    task_add(task, "%s", WORKER_WORD);
    task_add(task, "%s", kind);
}

static void close_file(Task *task, unsigned index)
{
    if (task->files[index].scratch) {
        scratch_close(&(Scratch){ task->files[index].fd, task->files[index].name });
        return;
    }
    close(task->files[index].fd);
    free(task->files[index].name);
}

void task_free(Task *task)
{
    for (size_t i = 0; i < task->argc; i++)
        free(task->argv[i]);
    free(task->argv);
    for (unsigned i = 0; i < task->file_count; i++)
        close_file(task, i);
    free(task->out);
    *task = (Task){ 0 };
}

void task_add(Task *task, const char *format, ...)
{
    char *word = NULL;
    va_list list;
    va_start(list, format);
    const int length = vasprintf(&word, format, list);
    va_end(list);
    char **const grown = realloc(task->argv, (task->argc + 2) * sizeof(*grown));
    if (grown)
        task->argv = grown;
    if (!grown || length < 0) {
        if (length >= 0)
            free(word);
        task->err = -ENOMEM;
        return;
    }
    grown[task->argc++] = word;
    grown[task->argc] = NULL;
}

static bool has_room(const Task *task, char *why, size_t size)
{
    if (task->file_count < TASK_FILES_MAX)
        return true;
    snprintf(why, size, "too many files");
    return false;
}

const char *task_file(Task *task, const char *path, char *why, size_t size)
{
    const McpConfig *const config = task->call->config;
    if (!has_room(task, why, size))
        return NULL;
    const int fd = allow_open(config->allow, path, config->max_bytes, why, size);
    char *const name = fd < 0 ? NULL : file_name(fd);
    if (fd >= 0 && !name) {
        snprintf(why, size, "out of memory");
        close(fd);
    }
    if (!name)
        return NULL;
    task->files[task->file_count].fd = fd;
    task->files[task->file_count].name = name;
    task->files[task->file_count].path = path;
    task->files[task->file_count++].scratch = false;
    return name;
}

const char *task_scratch(Task *task, char *why, size_t size)
{
    Scratch scratch;
    if (!has_room(task, why, size))
        return NULL;
    const int err = scratch_open(&scratch);
    if (err) {
        snprintf(why, size, "cannot create a temporary file: %s", strerror(-err));
        return NULL;
    }
    task->files[task->file_count].fd = scratch.fd;
    task->files[task->file_count].name = scratch.name;
    task->files[task->file_count].path = "a temporary file";
    task->files[task->file_count++].scratch = true;
    return scratch.name;
}

const char *task_replace(Task *task, const char *bytes, size_t length, char *why, size_t size)
{
    const unsigned index = task->file_count - 1;
    Scratch scratch;
    int err = scratch_open(&scratch);
    if (!err)
        err = scratch_write(&scratch, bytes, length);
    if (err) {
        scratch_close(&scratch);
        snprintf(why, size, "cannot write a temporary file: %s", strerror(-err));
        return NULL;
    }
    close_file(task, index);
    task->files[index].fd = scratch.fd;
    task->files[index].name = scratch.name;
    task->files[index].scratch = true;
    return scratch.name;
}

char *task_read_scratch(const Task *task, unsigned index, size_t *length)
{
    for (unsigned i = 0; i < task->file_count; i++)
        if (task->files[i].scratch && !strcmp(task->files[i].path, "a temporary file") && !index--)
            return scratch_read(&(Scratch){ task->files[i].fd, task->files[i].name }, OUTPUT_MAX,
                                length);
    *length = 0;
    return NULL;
}

const char *task_sibling(const char *name)
{
    static _Thread_local char path[PATH_MAX];
#ifdef _WIN32
    snprintf(path, sizeof(path), "%s", worker_program());
    char *const slash = strrchr(path, '\\');
    const char *const end = ".exe";
#else
    const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    path[length > 0 ? length : 0] = '\0';
    char *const slash = strrchr(path, '/');
    const char *const end = "";
#endif
    const size_t room = slash ? sizeof(path) - (size_t)(slash + 1 - path) : 0;
    if (!slash || (size_t)snprintf(slash + 1, room, "%s%s", name, end) >= room ||
        access(path, X_OK))
        return name;
    return path;
}

/* ---- output of the program ---- */

typedef struct Ear {
    Task *task;
    Lines lines, out_lines;
    size_t room;
    int err;
} Ear;

/* The file whose name the text begins with; the number of files: none. */
static unsigned file_at(const Task *task, const char *text)
{
    for (unsigned i = 0; i < task->file_count; i++) {
        const size_t length = strlen(task->files[i].name);
        if (!strncmp(text, task->files[i].name, length) &&
            (text[length] < '0' || text[length] > '9'))
            return i;
    }
    return task->file_count;
}

const char *task_client_name(const Task *task, const char *name)
{
    const unsigned i = file_at(task, name);
    return i < task->file_count && !strcmp(name, task->files[i].name) ? task->files[i].path : NULL;
}

void task_name_files(const Task *task, const char *text, char *named, size_t size)
{
    size_t used = 0;
    while (*text && used + 1 < size) {
        const unsigned i = file_at(task, text);
        if (i < task->file_count) {
            const int n = snprintf(named + used, size - used, "%s", task->files[i].path);
            used += n < 0 ? 0 : (size_t)n < size - used ? (size_t)n : size - used - 1;
            text += strlen(task->files[i].name);
        } else {
            named[used++] = *text++;
        }
    }
    named[used] = '\0';
}

static bool hear_line(void *arg, const char *text, size_t length)
{
    Task *const task = ((Ear *)arg)->task;
    char line[LINE_MAX_BYTES + 1], named[sizeof(task->said)];
    if (!text)
        return true;
    memcpy(line, text, length);
    line[length] = '\0';
    if (!length || (task->line && task->line(task->arg, line)))
        return true;
    task_name_files(task, line, named, sizeof(named));
    const size_t used = strlen(task->said), more = strlen(named);
    if (used + 1 + more < sizeof(task->said))
        snprintf(task->said + used, sizeof(task->said) - used, "%s%s", used ? "\n" : "", named);
    else
        memcpy(task->said, named, more + 1);
    return true;
}

static int hear_output(Ear *ear, const char *bytes, size_t count)
{
    Task *const task = ear->task;
    if (count > OUTPUT_MAX - task->out_size)
        return -EFBIG;
    if (task->out_size + count + 1 > ear->room) {
        const size_t room = 2 * (task->out_size + count + 1);
        char *const grown = realloc(task->out, room);
        if (!grown)
            return -ENOMEM;
        task->out = grown;
        ear->room = room;
    }
    memcpy(task->out + task->out_size, bytes, count);
    task->out_size += count;
    task->out[task->out_size] = '\0';
    return 0;
}

static bool hear_out_line(void *arg, const char *text, size_t length)
{
    Ear *const ear = arg;
    char line[LINE_MAX_BYTES + 1];
    if (!text)
        return true;
    memcpy(line, text, length);
    line[length] = '\0';
    if (ear->task->out_line(ear->task->arg, line))
        return true;
    ear->err = hear_output(ear, text, length);
    if (!ear->err)
        ear->err = hear_output(ear, "\n", 1);
    return !ear->err;
}

static void heard(void *arg, enum ChildStream stream, const char *bytes, size_t count)
{
    Ear *const ear = arg;
    if (ear->err)
        return;
    const bool out = stream == CHILD_OUT;
    const int err = out && !ear->task->out_line
                        ? hear_output(ear, bytes, count)
                        : lines_feed(out ? &ear->out_lines : &ear->lines, bytes, count);
    if (!ear->err)
        ear->err = err;
}

/* ---- running the program ---- */

#ifdef _WIN32

static int start(const Task *task, const ChildParams *params, Child **child)
{
    return child_start(task->call->children, params, child);
}

#else

static int set_inherited(const Task *task, bool inherited)
{
    int err = 0;
    for (unsigned i = 0; i < task->file_count; i++)
        if (fcntl(task->files[i].fd, F_SETFD, inherited ? 0 : FD_CLOEXEC))
            err = -errno;
    return err;
}

/* The lock ensures that each program inherits only the files of its own task: another thread might
 * start one meanwhile. */
static int start(const Task *task, const ChildParams *params, Child **child)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    int err = set_inherited(task, true);
    if (!err)
        err = child_start(task->call->children, params, child);
    set_inherited(task, false);
    pthread_mutex_unlock(&lock);
    return err;
}

#endif

static int wait_for(const Task *task, const Ear *ear, Child *child, ChildEnd *end)
{
    Call *const call = task->call;
    bool asked = false;
    int err = 0;
    while (!err && !child_ended(child, end)) {
        /* Ask it to end, so that it can remove its temporary files. */
        if (!asked && (ear->err || atomic_load(&call->stop) != CALL_GOES_ON)) {
            child_stop(child);
            asked = true;
        }
        err = children_wait(call->children, NULL, 0, task->tick ? TICK_TIME : -1);
        if (!err && task->tick && !child_ended(child, end))
            task->tick(task->arg);
    }
    return err;
}

static int judge(const Task *task, int err, char *why, size_t size)
{
    const ChildEnd *const end = &task->end;
    const char *const program = task->program ? task->program : "the worker";
    if (atomic_load(&task->call->stop) != CALL_GOES_ON) {
        snprintf(why, size, "stopped");
        return -ECANCELED;
    }
    if (err == -EFBIG)
        snprintf(why, size, "%s printed more than %zu MiB", program, OUTPUT_MAX >> 20);
    else if (err)
        snprintf(why, size, "cannot run %s: %s", program, strerror(-err));
    else if (end->timed_out)
        snprintf(why, size, "it exceeded the time limit and was stopped");
    else if (end->signal)
        snprintf(why, size, "%s was killed by signal %d (%s)%s%s", program, end->signal,
                 strsignal(end->signal), *task->said ? "; its messages: " : "", task->said);
    else if (end->code)
        snprintf(why, size, "%s", *task->said ? task->said : "it failed without a message");
    return err ? err : end->timed_out ? -ETIMEDOUT : end->signal || end->code ? -EIO : 0;
}

int task_run(Task *task, char *why, size_t size)
{
    Call *const call = task->call;
    Ear ear = { .task = task,
                .lines = { .handle = hear_line, .arg = &ear, .limit = LINE_MAX_BYTES },
                .out_lines = { .handle = hear_out_line, .arg = &ear, .limit = LINE_MAX_BYTES } };
    const double left = call->deadline - call_now();
    const bool own = task->time_limit > 0.0 && task->time_limit < left;
    const ChildParams params = {
        .argv = (const char *const *)task->argv,
        .program = task->program ? task->program : worker_program(),
        .sink = { CHILD_TO_US, CHILD_TO_US },
        .time_limit = own           ? task->time_limit
                      : left > 0.01 ? left
                                    : 0.01,
        .heard = heard,
        .arg = &ear,
    };
    Child *child = NULL;
    int err = task->err;
    if (!err)
        err = start(task, &params, &child);
    if (!err)
        err = wait_for(task, &ear, child, &task->end);
    child_destroy(child);
    lines_end(&ear.lines);
    lines_end(&ear.out_lines);
    lines_free(&ear.lines);
    lines_free(&ear.out_lines);
    return judge(task, err ? err : ear.err, why, size);
}
