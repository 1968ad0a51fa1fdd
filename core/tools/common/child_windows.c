/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Child processes on Windows. A job object holds each child with all that it starts: the system
 * ends them when we end the job, and when this process ends, because that closes the job's only
 * handle. One thread of ours reads each stream, and one waits for the child's end; they hand over
 * to the thread that calls children_wait. */
#include "child.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "../../windows/wide.h"
#include "argv.h"

#define GRACE_TIME 2.0 /* seconds from asking a child to end until it is killed */

/* The exit code of processes that we kill. No program of ours uses it otherwise. */
#define KILLED 0xc0de0009u

/* Signals of other systems that have no name on Windows. */
enum { SIGNAL_ABORTED = 6, SIGNAL_KILLED = 9 };

typedef struct Stream {
    Child *child;
    enum ChildStream number;
    HANDLE pipe; /* NULL: none */
    pthread_t thread;
    bool started;
    char bytes[16384];
    unsigned long count; /* bytes read and not handed over yet; guarded by the lock */
    bool ended;          /* guarded by the lock */
} Stream;

struct Child {
    Children *all;
    Child *next;
    HANDLE process, job;
    unsigned long number;
    pthread_t watcher;
    bool watched, exited; /* `exited` is guarded by the lock */
    bool over;
    bool can_ask; /* it shares our console */
    Stream stream[CHILD_STREAMS];
    void (*heard)(void *arg, enum ChildStream stream, const char *bytes, size_t count);
    void *arg;
    double stop_at, kill_at; /* 0: never */
    ChildEnd end;
};

struct Children {
    Child *first;
    pthread_mutex_t lock;
    pthread_cond_t emptied; /* a stream's bytes were handed over */
    HANDLE news;            /* an event: there is something to hand over, or a wake */
    bool woken;             /* guarded by the lock */
    unsigned wakes;         /* how often children_wait noticed a children_wake */
};

static double now(void)
{
    return (double)GetTickCount64() * 1e-3;
}

static void close_handle(HANDLE *handle)
{
    if (*handle && *handle != INVALID_HANDLE_VALUE)
        CloseHandle(*handle);
    *handle = NULL;
}

int children_create(Children **out)
{
    Children *const children = calloc(1, sizeof(*children));
    *out = NULL;
    if (!children)
        return -ENOMEM;
    children->news = CreateEventW(NULL, FALSE, FALSE, NULL);
    if (!children->news) {
        free(children);
        return -ENOMEM;
    }
    pthread_mutex_init(&children->lock, NULL);
    pthread_cond_init(&children->emptied, NULL);
    *out = children;
    return 0;
}

static void kill_job(Child *child)
{
    if (child->job)
        TerminateJobObject(child->job, KILLED);
}

void children_destroy(Children *children)
{
    if (!children)
        return;
    for (Child *child = children->first; child; child = child->next)
        kill_job(child); /* kill all before waiting for any */
    while (children->first)
        child_destroy(children->first);
    CloseHandle(children->news);
    pthread_cond_destroy(&children->emptied);
    pthread_mutex_destroy(&children->lock);
    free(children);
}

void children_wake(Children *children)
{
    pthread_mutex_lock(&children->lock);
    children->woken = true;
    pthread_mutex_unlock(&children->lock);
    SetEvent(children->news);
}

/* ---- our threads ---- */

static void *read_stream(void *arg)
{
    Stream *const stream = arg;
    Children *const all = stream->child->all;
    unsigned long count;
    /* A write of no bytes makes a read return with none: that is not the end of the pipe. */
    while (ReadFile(stream->pipe, stream->bytes, sizeof(stream->bytes), &count, NULL)) {
        pthread_mutex_lock(&all->lock);
        stream->count = count;
        SetEvent(all->news);
        while (stream->count)
            pthread_cond_wait(&all->emptied, &all->lock);
        pthread_mutex_unlock(&all->lock);
    }
    pthread_mutex_lock(&all->lock);
    stream->ended = true;
    pthread_mutex_unlock(&all->lock);
    SetEvent(all->news);
    return NULL;
}

/* Waits for the child's end, then ends the processes that it left running: they keep its pipes
 * open. */
static void *watch(void *arg)
{
    Child *const child = arg;
    Children *const all = child->all;
    WaitForSingleObject(child->process, INFINITE);
    kill_job(child);
    pthread_mutex_lock(&all->lock);
    child->exited = true;
    pthread_mutex_unlock(&all->lock);
    SetEvent(all->news);
    return NULL;
}

/* ---- waiting ---- */

/* Hands the bytes of a stream to the child's `heard`. The lock is released during that call. */
static void hear_locked(Stream *stream)
{
    Child *const child = stream->child;
    Children *const all = child->all;
    const unsigned long count = stream->count;
    if (!count)
        return;
    pthread_mutex_unlock(&all->lock);
    if (child->heard)
        child->heard(child->arg, stream->number, stream->bytes, count);
    pthread_mutex_lock(&all->lock);
    stream->count = 0;
    pthread_cond_broadcast(&all->emptied);
}

/* The signal that another system would have reported; 0: the program ended by itself. */
static int signal_of(unsigned long code)
{
    switch (code) {
    case KILLED:
        return SIGNAL_KILLED;
    case STATUS_ACCESS_VIOLATION:
    case STATUS_STACK_OVERFLOW:
        return SIGSEGV;
    case STATUS_ILLEGAL_INSTRUCTION:
    case STATUS_PRIVILEGED_INSTRUCTION:
        return SIGILL;
    case STATUS_INTEGER_DIVIDE_BY_ZERO:
    case STATUS_FLOAT_DIVIDE_BY_ZERO:
        return SIGFPE;
    case STATUS_CONTROL_C_EXIT:
        return SIGINT;
    default:
        return code >= 0xc0000000u ? SIGNAL_ABORTED : 0;
    }
}

/* Called when the child's threads have handed over everything. */
static void finish(Child *child)
{
    unsigned long code = KILLED;
    if (child->watched)
        pthread_join(child->watcher, NULL);
    for (unsigned i = 0; i < CHILD_STREAMS; i++) {
        if (child->stream[i].started)
            pthread_join(child->stream[i].thread, NULL);
        child->stream[i].started = false;
        close_handle(&child->stream[i].pipe);
    }
    GetExitCodeProcess(child->process, &code);
    child->end.signal = signal_of(code);
    if (!child->end.signal)
        child->end.code = (int)code;
    close_handle(&child->process);
    close_handle(&child->job);
    child->over = true;
}

static bool is_over_locked(const Child *child)
{
    bool over = child->exited;
    for (unsigned i = 0; i < CHILD_STREAMS; i++)
        over = over &&
               (!child->stream[i].started || (child->stream[i].ended && !child->stream[i].count));
    return over;
}

/* Hands over the output of all children and notes which have ended. True if one has, or
 * children_wake was called. */
static bool look(Children *children)
{
    bool happened = false;
    pthread_mutex_lock(&children->lock);
    if (children->woken) {
        children->woken = false;
        children->wakes++;
        happened = true;
    }
    for (Child *child = children->first; child; child = child->next) {
        if (child->over)
            continue;
        for (unsigned i = 0; i < CHILD_STREAMS; i++)
            hear_locked(&child->stream[i]);
        if (!is_over_locked(child))
            continue;
        pthread_mutex_unlock(&children->lock);
        finish(child);
        pthread_mutex_lock(&children->lock);
        happened = true;
    }
    pthread_mutex_unlock(&children->lock);
    return happened;
}

/* Ends children whose time is over. Returns the milliseconds until the next limit or `until`. */
static unsigned long enforce_times(Children *children, double until)
{
    const double time = now();
    double first = until - time;
    for (Child *child = children->first; child; child = child->next) {
        if (child->over)
            continue;
        if (child->stop_at > 0.0 && time >= child->stop_at) {
            child->end.timed_out = true;
            child_stop(child);
        }
        if (child->kill_at > 0.0 && time >= child->kill_at) {
            child->kill_at = HUGE_VAL;
            kill_job(child);
        }
        if (child->stop_at > 0.0 && child->stop_at - time < first)
            first = child->stop_at - time;
        if (child->kill_at > 0.0 && child->kill_at - time < first)
            first = child->kill_at - time;
    }
    return first > INT_MAX / 1000 ? INFINITE : first > 0.0 ? (unsigned long)(first * 1e3) + 1 : 0;
}

int children_wait(Children *children, struct pollfd *others, size_t count, int timeout)
{
    const double until = timeout < 0 ? HUGE_VAL : now() + timeout * 1e-3;
    (void)others;
    if (count)
        return -ENOTSUP;
    while (!look(children)) {
        const unsigned long left = enforce_times(children, until);
        if (WaitForSingleObject(children->news, left) == WAIT_TIMEOUT && now() >= until)
            break;
    }
    return 0;
}

unsigned children_wakes(const Children *children)
{
    return children->wakes;
}

/* ---- starting ---- */

/* Appends a word so that the program's own parser of its command line gives the same word back. */
static char *add_word(char *at, const char *word)
{
    const bool plain = *word && !strpbrk(word, " \t\n\v\"");
    size_t slashes = 0;
    if (!plain)
        *at++ = '"';
    for (; *word; word++) {
        if (*word == '"') /* the backslashes before a quote, and the quote, get one each */
            for (size_t i = 0; i <= slashes; i++)
                *at++ = '\\';
        slashes = *word == '\\' ? slashes + 1 : 0;
        *at++ = *word;
    }
    for (size_t i = 0; !plain && i < slashes; i++)
        *at++ = '\\';
    if (!plain)
        *at++ = '"';
    return at;
}

/* The whole command line. The caller frees it; NULL: no memory. */
static wchar_t *command_line(const char *const *argv)
{
    size_t room = 1;
    for (size_t i = 0; argv[i]; i++)
        room += 2 * strlen(argv[i]) + 3;
    char *const line = malloc(room), *at = line;
    if (!line)
        return NULL;
    for (size_t i = 0; argv[i]; i++) {
        if (i)
            *at++ = ' ';
        at = add_word(at, argv[i]);
    }
    *at = '\0';
    wchar_t *const wide = wide_from_text(line);
    free(line);
    return wide;
}

static bool is_file(const wchar_t *path)
{
    const unsigned long found = GetFileAttributesW(path);
    return found != INVALID_FILE_ATTRIBUTES && !(found & FILE_ATTRIBUTE_DIRECTORY);
}

static int find_by_path(const char *name, wchar_t **found)
{
    static const char *const ends[] = { "", ".exe" };
    bool there = false;
    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        char *const path = text_print("%s%s", name, ends[i]);
        *found = path ? wide_path(path) : NULL;
        free(path);
        if (!*found)
            return -ENOMEM;
        if (is_file(*found))
            return 0;
        there = there || GetFileAttributesW(*found) != INVALID_FILE_ATTRIBUTES;
        free(*found);
        *found = NULL;
    }
    return there ? -EACCES : -ENOENT;
}

/* Finds the program. Looks a name without a folder up in PATH only: Windows itself would look in
 * the current folder first, where anybody's download may lie. */
static int find_program(const char *name, wchar_t **found)
{
    *found = NULL;
    if (strpbrk(name, "/\\:"))
        return find_by_path(name, found);
    wchar_t *const wide = wide_from_text(name);
    const unsigned long length = GetEnvironmentVariableW(L"PATH", NULL, 0);
    wchar_t *const path = malloc((length + 1) * sizeof(*path));
    int err = wide && path ? -ENOENT : -ENOMEM;
    if (!err || err == -ENOENT) {
        path[0] = L'\0';
        GetEnvironmentVariableW(L"PATH", path, length + 1);
        const unsigned long room = SearchPathW(path, wide, L".exe", 0, NULL, NULL);
        *found = room ? malloc(room * sizeof(**found)) : NULL;
        if (*found && SearchPathW(path, wide, L".exe", room, *found, NULL))
            err = is_file(*found) ? 0 : -EACCES;
    }
    if (err) {
        free(*found);
        *found = NULL;
    }
    free(wide);
    free(path);
    return err;
}

/* Windows runs batch files through its shell, whose rules for quoting are not reliable. */
static bool is_batch(const wchar_t *path)
{
    const wchar_t *const dot = wcsrchr(path, L'.');
    return dot && (!_wcsicmp(dot, L".bat") || !_wcsicmp(dot, L".cmd"));
}

/* The ends of the streams that the child gets. */
typedef struct Given {
    HANDLE handle[3];
    HANDLE own[3]; /* those that are to be closed here */
} Given;

static void close_given(Given *given)
{
    for (unsigned i = 0; i < 3; i++)
        close_handle(&given->own[i]);
}

static int make_streams(Child *child, const ChildParams *params, Given *given)
{
    SECURITY_ATTRIBUTES inherited = { .nLength = sizeof(inherited), .bInheritHandle = TRUE };
    for (unsigned i = 0; i < 3; i++) {
        const enum ChildSink sink = i ? params->sink[i - 1] : CHILD_NOWHERE;
        HANDLE read = NULL, write = NULL;
        if (sink == CHILD_TO_US) {
            if (!CreatePipe(&read, &write, &inherited, 65536))
                return -EMFILE;
            SetHandleInformation(read, HANDLE_FLAG_INHERIT, 0);
            child->stream[i - 1].pipe = read;
        } else if (sink == CHILD_INHERITED) {
            /* a copy, because a child inherits only handles that are marked for that */
            const HANDLE ours = GetStdHandle(i == 1 ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
            DuplicateHandle(GetCurrentProcess(), ours, GetCurrentProcess(), &write, 0, TRUE,
                            DUPLICATE_SAME_ACCESS);
        }
        if (!write)
            write =
                CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE,
                            FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0, NULL);
        if (write == INVALID_HANDLE_VALUE)
            return -EMFILE;
        given->handle[i] = given->own[i] = write;
    }
    return 0;
}

static HANDLE make_job(void)
{
    const HANDLE job = CreateJobObjectW(NULL, NULL);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {
        .BasicLimitInformation = { .LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE }
    };
    if (job)
        SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof(limits));
    return job;
}

/* Starts the program with the given streams and no other handle of ours, suspended. */
static int create_process(Child *child, const wchar_t *program, wchar_t *line,
                          const wchar_t *folder, Given *given, HANDLE *thread)
{
    size_t room = 0;
    InitializeProcThreadAttributeList(NULL, 1, 0, &room);
    LPPROC_THREAD_ATTRIBUTE_LIST const list = malloc(room);
    if (!list || !InitializeProcThreadAttributeList(list, 1, 0, &room)) {
        free(list);
        return -ENOMEM;
    }
    STARTUPINFOEXW start = { .StartupInfo = { .cb = sizeof(start),
                                              .dwFlags = STARTF_USESTDHANDLES,
                                              .hStdInput = given->handle[0],
                                              .hStdOutput = given->handle[1],
                                              .hStdError = given->handle[2] },
                             .lpAttributeList = list };
    PROCESS_INFORMATION made;
    /* If this program has no console, Windows would open a window with one for the child. */
    child->can_ask = GetConsoleCP() != 0;
    const unsigned long flags = EXTENDED_STARTUPINFO_PRESENT | CREATE_SUSPENDED |
                                (child->can_ask ? CREATE_NEW_PROCESS_GROUP : CREATE_NO_WINDOW);
    int err = 0;
    if (!UpdateProcThreadAttribute(list, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, given->handle,
                                   sizeof(given->handle), NULL, NULL) ||
        !CreateProcessW(program, line, NULL, NULL, TRUE, flags, NULL, folder, &start.StartupInfo,
                        &made))
        err = -windows_errno(GetLastError());
    DeleteProcThreadAttributeList(list);
    free(list);
    if (err)
        return err;
    child->process = made.hProcess;
    child->number = made.dwProcessId;
    *thread = made.hThread;
    return 0;
}

static int start_threads(Child *child)
{
    child->watched = !pthread_create(&child->watcher, NULL, watch, child);
    int err = child->watched ? 0 : -EAGAIN;
    for (unsigned i = 0; !err && i < CHILD_STREAMS; i++) {
        Stream *const stream = &child->stream[i];
        if (!stream->pipe)
            continue;
        stream->started = !pthread_create(&stream->thread, NULL, read_stream, stream);
        err = stream->started ? 0 : -EAGAIN;
    }
    return err;
}

static int launch(Child *child, const ChildParams *params)
{
    wchar_t *program = NULL;
    int err = find_program(params->program ? params->program : params->argv[0], &program);
    if (!err && is_batch(program))
        err = -ENOEXEC;
    wchar_t *const line = err ? NULL : command_line(params->argv);
    wchar_t *const folder = params->folder ? wide_path(params->folder) : NULL;
    Given given = { { NULL }, { NULL } };
    HANDLE thread = NULL;
    if (!err && (!line || (params->folder && !folder)))
        err = -ENOMEM;
    if (!err)
        err = make_streams(child, params, &given);
    if (!err)
        err = create_process(child, program, line, folder, &given, &thread);
    close_given(&given); /* otherwise the child's pipes would not end with it */
    if (!err) {
        child->job = make_job();
        if (!child->job || !AssignProcessToJobObject(child->job, child->process))
            err = -EPERM;
        if (!err)
            err = start_threads(child);
        if (err) {
            kill_job(child);
            TerminateProcess(child->process, KILLED);
        } else {
            ResumeThread(thread);
        }
    }
    close_handle(&thread);
    free(program);
    free(line);
    free(folder);
    return err;
}

static void free_child(Child *child)
{
    Child **link = &child->all->first;
    while (*link && *link != child)
        link = &(*link)->next;
    if (*link)
        *link = child->next;
    if (!child->over)
        finish(child);
    free(child);
}

int child_start(Children *children, const ChildParams *params, Child **out)
{
    Child *const child = calloc(1, sizeof(*child));
    *out = NULL;
    if (!child)
        return -ENOMEM;
    child->all = children;
    child->heard = params->heard;
    child->arg = params->arg;
    child->end.code = -1;
    for (unsigned i = 0; i < CHILD_STREAMS; i++) {
        child->stream[i].child = child;
        child->stream[i].number = i;
    }
    const int err = launch(child, params);
    if (err) {
        free_child(child);
        return err;
    }
    if (params->time_limit > 0.0)
        child->stop_at = now() + params->time_limit;
    child->next = children->first;
    children->first = child;
    *out = child;
    return 0;
}

bool child_ended(const Child *child, ChildEnd *end)
{
    if (!child->over)
        return false;
    *end = child->end;
    return true;
}

void child_stop(Child *child)
{
    if (child->over || child->kill_at > 0.0)
        return;
    child->stop_at = 0.0;
    const bool asked = child->can_ask && GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, child->number);
    child->kill_at = now() + (asked ? GRACE_TIME : 0.0);
}

void child_destroy(Child *child)
{
    if (!child)
        return;
    if (!child->over) {
        Children *const all = child->all;
        kill_job(child);
        child->heard = NULL;
        pthread_mutex_lock(&all->lock);
        while (!is_over_locked(child)) {
            for (unsigned i = 0; i < CHILD_STREAMS; i++)
                hear_locked(&child->stream[i]);
            pthread_mutex_unlock(&all->lock);
            Sleep(1);
            pthread_mutex_lock(&all->lock);
        }
        pthread_mutex_unlock(&all->lock);
    }
    free_child(child);
}

char *own_program_path(const char *called)
{
    wchar_t path[4096];
    const unsigned long length = GetModuleFileNameW(NULL, path, 4096);
    (void)called;
    return length && length < 4096 ? wide_to_text(path) : NULL;
}
