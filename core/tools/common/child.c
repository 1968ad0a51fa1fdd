/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

/* ---- the guard ---- */

/* The process between us and a child. It does no other work, so it can see to the end of the
 * child's whole process group: when we ask for it, when the child itself has ended, and when we die
 * without a word (where the system reports that: Linux). It runs in a fork of a program with
 * threads, so it may call only async-signal-safe functions. */

/* Signals that the guard takes as orders. */
#define GUARD_ASK SIGTERM      /* pass it on to the group */
#define GUARD_KILL SIGUSR2     /* kill the group */
#define GUARD_ORPHANED SIGUSR1 /* the thread that started us has died */

typedef struct GuardOrder {
    const char *program; /* a path, or a name to look up in PATH */
    char *const *argv;
    const char *folder;     /* working directory; NULL: unchanged */
    int (*work)(void *arg); /* to call instead of running the program; NULL: run it */
    void *arg;
    int stream[2]; /* become the child's stdout and stderr */
    int ready;     /* receives the errno of a failed start; closed when the program runs */
    int channel;   /* receives the status as waitpid returns it; closed when all is over */
    pid_t parent;
} GuardOrder;

static void ignore(int signal)
{
    (void)signal;
}

/* Closes all descriptors but `keep`. Other children's pipes would never end, and locks never open,
 * while the guard holds them. */
static void close_others(int keep)
{
#if defined(__linux__) && defined(SYS_close_range)
    if ((keep == 0 || !syscall(SYS_close_range, 0u, (unsigned)keep - 1, 0u)) &&
        !syscall(SYS_close_range, (unsigned)keep + 1, ~0u, 0u))
        return;
#endif
    const long limit = sysconf(_SC_OPEN_MAX);
    for (int fd = 0; fd < (limit > 0 && limit < 65536 ? limit : 65536); fd++)
        if (fd != keep)
            close(fd);
}

/* Asks the system to send `signal` to this process when its parent dies (Linux only). */
static void die_with(int signal, pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, signal);
#endif
    if (getppid() != parent) /* it died before the request */
        _exit(1);
}

static void report(int channel, int number)
{
    while (write(channel, &number, sizeof(number)) < 0 && errno == EINTR)
        ;
}

static bool take_streams(const GuardOrder *order)
{
    const int none = open("/dev/null", O_RDWR | O_CLOEXEC);
    int from[3] = { none, order->stream[0], order->stream[1] };
    if (none < 0)
        return false;
    /* Move them above 2 first: one may lie where another has to go. */
    for (int i = 0; i < 3; i++) {
        from[i] = fcntl(from[i] < 0 ? none : from[i], F_DUPFD_CLOEXEC, 3);
        if (from[i] < 0)
            return false;
    }
    for (int i = 0; i < 3; i++)
        if (dup2(from[i], i) < 0)
            return false;
    return true;
}

static _Noreturn void be_child(const GuardOrder *order, pid_t guard)
{
    static const int signals[] = { SIGPIPE, SIGXFSZ, SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT };
    sigset_t none;
    setpgid(0, 0);
    die_with(SIGKILL, guard);
    /* A program expects the default actions. */
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
        signal(signals[i], SIG_DFL);
    sigemptyset(&none);
    if (take_streams(order) && (!order->folder || !chdir(order->folder))) {
        sigprocmask(SIG_SETMASK, &none, NULL);
        if (order->work) {
            close(order->ready);
            close(order->channel); /* only the guard may report */
            _exit(order->work(order->arg));
        }
        execvp(order->program, order->argv);
    }
    report(order->ready, errno);
    _exit(127);
}

/* Waits for orders and for the child's end. Returns its status. */
static int watch(pid_t child, pid_t parent, const sigset_t *signals)
{
    int status, number;
    for (;;) {
        pid_t ended;
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
            if (ended == child)
                return status;
        if (ended < 0 && errno == ECHILD)
            return 0;
        if (sigwait(signals, &number))
            continue;
        if (number == GUARD_ASK)
            kill(-child, SIGTERM);
        /* The signal reports the death of the thread that started us: the process may still
         * live. */
        if (number == GUARD_KILL || (number == GUARD_ORPHANED && getppid() != parent))
            kill(-child, SIGKILL);
    }
}

/* Call it in a fork, with all signals blocked. */
static _Noreturn void guard_main(const GuardOrder *order)
{
    static const int signals[] = { SIGCHLD, GUARD_ASK, GUARD_KILL, GUARD_ORPHANED };
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
        sigaddset(&set, signals[i]);
        /* Some systems drop signals whose default is to be ignored, even while they are blocked. */
        signal(signals[i], ignore);
    }
    setpgid(0, 0); /* the terminal's Ctrl-C is for our parent */
    die_with(GUARD_ORPHANED, order->parent);
#ifdef PR_SET_CHILD_SUBREAPER
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* orphans of the child become ours to wait for */
#endif
    const pid_t guard = getpid(), child = fork();
    if (child < 0) {
        report(order->ready, errno);
        _exit(1);
    }
    if (!child)
        be_child(order, guard);
    setpgid(child, child); /* the child does it as well: either may run first */
    close_others(order->channel);
    const int status = watch(child, order->parent, &set);
    kill(-child, SIGKILL);
    while (waitpid(-child, NULL, 0) > 0 || errno == EINTR)
        ;
    report(order->channel, status);
    _exit(0);
}

/* ---- children ---- */

#define GRACE_TIME 2.0 /* seconds from asking a child to end until it is killed */

struct Child {
    Children *all;
    Child *next;
    pid_t guard;
    int channel; /* from the guard; -1: the child has ended */
    int stream[CHILD_STREAMS];
    void (*heard)(void *arg, enum ChildStream stream, const char *bytes, size_t count);
    void *arg;
    double stop_at, kill_at; /* 0: never */
    ChildEnd end;
};

struct Children {
    Child *first;
    int wake[2];
    struct pollfd *polled; /* room for the descriptors of all children and the caller's */
    size_t room;
    unsigned wakes; /* how often children_wait noticed a children_wake */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Makes a pipe whose ends are closed on exec. Neither end gets the number of a standard stream. */
static int make_pipe(int ends[2])
{
    int raw[2];
    ends[0] = ends[1] = -1;
    if (pipe(raw))
        return -errno;
    int err = 0;
    for (unsigned i = 0; i < 2; i++) {
        ends[i] = fcntl(raw[i], F_DUPFD_CLOEXEC, 3);
        if (ends[i] < 0)
            err = -errno;
        close(raw[i]);
    }
    if (err) {
        close_fd(&ends[0]);
        close_fd(&ends[1]);
    }
    return err;
}

static void make_nonblocking(int fd)
{
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

int children_create(Children **out)
{
    Children *const children = calloc(1, sizeof(*children));
    *out = NULL;
    if (!children)
        return -ENOMEM;
    const int err = make_pipe(children->wake);
    if (err) {
        free(children);
        return err;
    }
    make_nonblocking(children->wake[0]);
    make_nonblocking(children->wake[1]);
    /* Nobody can wait for a child while SIGCHLD is ignored, and our parent may have ignored it. */
    struct sigaction action;
    if (!sigaction(SIGCHLD, NULL, &action) && action.sa_handler == SIG_IGN)
        signal(SIGCHLD, SIG_DFL);
    *out = children;
    return 0;
}

void children_destroy(Children *children)
{
    if (!children)
        return;
    for (Child *child = children->first; child; child = child->next)
        if (child->channel >= 0)
            kill(child->guard, GUARD_KILL); /* kill all before waiting for any */
    while (children->first)
        child_destroy(children->first);
    close_fd(&children->wake[0]);
    close_fd(&children->wake[1]);
    free(children->polled);
    free(children);
}

void children_wake(Children *children)
{
    const int error = errno;
    const char byte = 0;
    while (write(children->wake[1], &byte, 1) < 0 && errno == EINTR)
        ;
    errno = error;
}

/* Reads what is available, at most 1 MiB in one call so that a busy child cannot block us. False:
 * the stream has ended. */
static bool hear(Child *child, enum ChildStream stream)
{
    char bytes[16384];
    for (unsigned i = 0; i < (1u << 20) / sizeof(bytes); i++) {
        const ssize_t count = read(child->stream[stream], bytes, sizeof(bytes));
        if (count > 0 && child->heard)
            child->heard(child->arg, stream, bytes, (size_t)count);
        if (count == 0)
            return false;
        if (count < 0 && errno != EINTR)
            return errno == EAGAIN || errno == EWOULDBLOCK;
    }
    return true;
}

/* Reads the number that a guard or its child wrote into a pipe. False: there is none. */
static bool read_number(int fd, int *number)
{
    ssize_t count;
    while ((count = read(fd, number, sizeof(*number))) < 0 && errno == EINTR)
        ;
    return count == (ssize_t)sizeof(*number);
}

/* Called when the guard has reported the child's end, or has died. */
static void finish(Child *child)
{
    int status;
    const bool told = read_number(child->channel, &status);
    close_fd(&child->channel);
    while (waitpid(child->guard, NULL, 0) < 0 && errno == EINTR)
        ;
    for (unsigned i = 0; i < CHILD_STREAMS; i++) {
        if (child->stream[i] >= 0)
            hear(child, i);
        close_fd(&child->stream[i]);
    }
    if (!told) /* the guard was killed, and the child with it */
        child->end.signal = SIGKILL;
    else if (WIFEXITED(status))
        child->end.code = WEXITSTATUS(status);
    else
        child->end.signal = WTERMSIG(status);
}

/* Milliseconds until the next time limit, at most `timeout`; -1: no limit. */
static int poll_time(const Children *children, int timeout)
{
    double first = timeout < 0 ? HUGE_VAL : timeout * 1e-3;
    const double time = now();
    for (const Child *child = children->first; child; child = child->next) {
        if (child->channel < 0)
            continue;
        if (child->stop_at > 0.0 && child->stop_at - time < first)
            first = child->stop_at - time;
        if (child->kill_at > 0.0 && child->kill_at - time < first)
            first = child->kill_at - time;
    }
    if (first > INT_MAX / 1000)
        return -1;
    return first > 0.0 ? (int)(first * 1e3) + 1 : 0;
}

static void enforce_times(Children *children)
{
    const double time = now();
    for (Child *child = children->first; child; child = child->next) {
        if (child->channel < 0)
            continue;
        if (child->stop_at > 0.0 && time >= child->stop_at) {
            child->end.timed_out = true;
            child_stop(child);
        }
        if (child->kill_at > 0.0 && time >= child->kill_at) {
            child->kill_at = 0.0;
            kill(child->guard, GUARD_KILL);
        }
    }
}

/* Fills children->polled with the wake pipe, `others` and all children's descriptors. */
static int gather(Children *children, const struct pollfd *others, size_t count, size_t *total)
{
    size_t need = 1 + count;
    for (const Child *child = children->first; child; child = child->next)
        need += 1 + CHILD_STREAMS;
    if (need > children->room) {
        struct pollfd *const grown = realloc(children->polled, need * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        children->polled = grown;
        children->room = need;
    }
    struct pollfd *at = children->polled;
    *at++ = (struct pollfd){ .fd = children->wake[0], .events = POLLIN };
    for (size_t i = 0; i < count; i++)
        *at++ = (struct pollfd){ .fd = others[i].fd, .events = others[i].events };
    /* poll ignores descriptors below 0. */
    for (const Child *child = children->first; child; child = child->next) {
        *at++ = (struct pollfd){ .fd = child->channel, .events = POLLIN };
        for (unsigned i = 0; i < CHILD_STREAMS; i++)
            *at++ = (struct pollfd){ .fd = child->stream[i], .events = POLLIN };
    }
    *total = need;
    return 0;
}

/* Polls once. 1: something happened that the caller waits for; 0: nothing yet; or a negative
 * errno. */
static int look(Children *children, struct pollfd *others, size_t count, int timeout)
{
    size_t total;
    int err = gather(children, others, count, &total), happened = 0;
    if (err)
        return err;
    const int ready = poll(children->polled, total, poll_time(children, timeout));
    if (ready < 0)
        return errno == EINTR ? 1 : -errno;
    const struct pollfd *at = children->polled;
    if (at++->revents) {
        char bytes[64];
        while (read(children->wake[0], bytes, sizeof(bytes)) > 0)
            ;
        children->wakes++;
        happened = 1;
    }
    for (size_t i = 0; i < count; i++, at++) {
        others[i].revents = at->revents;
        happened |= at->revents != 0;
    }
    for (Child *child = children->first; child; child = child->next, at += 1 + CHILD_STREAMS) {
        for (unsigned i = 0; i < CHILD_STREAMS; i++)
            if (at[1 + i].revents && !hear(child, i))
                close_fd(&child->stream[i]);
        if (at->revents) {
            finish(child);
            happened = 1;
        }
    }
    enforce_times(children);
    return happened;
}

int children_wait(Children *children, struct pollfd *others, size_t count, int timeout)
{
    const double until = now() + timeout * 1e-3;
    for (size_t i = 0; i < count; i++)
        others[i].revents = 0;
    for (;;) {
        double left = timeout < 0 ? -1.0 : (until - now()) * 1e3;
        if (timeout >= 0 && left < 0.0)
            left = 0.0;
        const int happened = look(children, others, count, (int)left);
        if (happened < 0)
            return happened;
        if (happened || (timeout >= 0 && now() >= until))
            return 0;
    }
}

unsigned children_wakes(const Children *children)
{
    return children->wakes;
}

static void free_child(Child *child)
{
    Child **link = &child->all->first;
    while (*link && *link != child)
        link = &(*link)->next;
    if (*link)
        *link = child->next;
    close_fd(&child->channel);
    for (unsigned i = 0; i < CHILD_STREAMS; i++)
        close_fd(&child->stream[i]);
    free(child);
}

static int stream_of(enum ChildSink sink, enum ChildStream stream, int pipe_end)
{
    if (sink == CHILD_INHERITED)
        return stream == CHILD_OUT ? STDOUT_FILENO : STDERR_FILENO;
    return sink == CHILD_TO_US ? pipe_end : -1;
}

static int fork_guard(Child *child, const GuardOrder *order)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* our handlers must not run in the fork */
    child->guard = fork();
    if (!child->guard)
        guard_main(order);
    const int err = child->guard < 0 ? -errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

/* Makes the child's pipes and its guard, and waits until the program runs. */
static int launch(Child *child, const ChildParams *params)
{
    enum { READY = CHILD_STREAMS, CHANNEL, PIPES };
    int pipes[PIPES][2];
    int err = 0;
    memset(pipes, -1, sizeof(pipes));
    for (unsigned i = 0; !err && i < PIPES; i++)
        if (i >= READY || params->sink[i] == CHILD_TO_US)
            err = make_pipe(pipes[i]);
    const GuardOrder order = {
        .program = params->program || params->work ? params->program : params->argv[0],
        .argv = (char *const *)params->argv,
        .folder = params->folder,
        .work = params->work,
        .arg = params->arg,
        .stream = { stream_of(params->sink[CHILD_OUT], CHILD_OUT, pipes[CHILD_OUT][1]),
                    stream_of(params->sink[CHILD_ERR], CHILD_ERR, pipes[CHILD_ERR][1]) },
        .ready = pipes[READY][1],
        .channel = pipes[CHANNEL][1],
        .parent = getpid(),
    };
    if (!err)
        err = fork_guard(child, &order);
    for (unsigned i = 0; i < PIPES; i++)
        close_fd(&pipes[i][1]);
    child->channel = pipes[CHANNEL][0];
    for (unsigned i = 0; i < CHILD_STREAMS; i++) {
        child->stream[i] = pipes[i][0];
        if (pipes[i][0] >= 0)
            make_nonblocking(pipes[i][0]);
    }
    int error;
    if (!err && read_number(pipes[READY][0], &error)) {
        finish(child);
        err = -error;
    }
    close_fd(&pipes[READY][0]);
    return err;
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
    if (child->channel >= 0)
        return false;
    *end = child->end;
    return true;
}

void child_stop(Child *child)
{
    if (child->channel < 0 || child->kill_at > 0.0)
        return;
    kill(child->guard, GUARD_ASK);
    child->stop_at = 0.0;
    child->kill_at = now() + GRACE_TIME;
}

void child_destroy(Child *child)
{
    if (!child)
        return;
    if (child->channel >= 0) {
        kill(child->guard, GUARD_KILL);
        child->heard = NULL;
        finish(child);
    }
    free_child(child);
}

char *own_program_path(const char *called)
{
#ifdef __linux__
    if (!access("/proc/self/exe", X_OK))
        return strdup("/proc/self/exe"); /* right even if the file has been replaced since */
#endif
    return strchr(called, '/') ? realpath(called, NULL) : strdup(called);
}
