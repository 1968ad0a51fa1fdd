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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child_guard.h"

#define GRACE_TIME 2.0 /* seconds between being asked to end and being killed */

struct Child {
    Children *all;
    Child *next;
    pid_t guard;
    int channel; /* from the guard; -1: all is over */
    int stream[CHILD_STREAMS];
    void (*heard)(void *arg, enum ChildStream stream, const char *bytes, size_t count);
    void *arg;
    double stop_at, kill_at; /* 0: never */
    ChildEnd end;
};

struct Children {
    Child *first;
    int wake[2];
    struct pollfd *polled; /* room for those of all children, and others */
    size_t room;
    unsigned wakes; /* calls of children_wake that were noticed */
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

/* Both ends are closed in programs that are run, and neither takes the place of a standard stream. */
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
    /* Whoever ignores it cannot wait for a child, and the one who started us may have. */
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
            kill(child->guard, GUARD_KILL); /* all of them, before any is waited for */
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

/* Reads what is there, but never for ever. False: it is at its end. */
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

/* The number that a guard, or the program it was to run, left in a pipe. False: none. */
static bool read_number(int fd, int *number)
{
    ssize_t count;
    while ((count = read(fd, number, sizeof(*number))) < 0 && errno == EINTR)
        ;
    return count == (ssize_t)sizeof(*number);
}

/* The guard has spoken, or gone. */
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
    if (!told) /* somebody killed the guard, and the child died with it */
        child->end.signal = SIGKILL;
    else if (WIFEXITED(status))
        child->end.code = WEXITSTATUS(status);
    else
        child->end.signal = WTERMSIG(status);
}

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
    /* poll passes over descriptors below 0. */
    for (const Child *child = children->first; child; child = child->next) {
        *at++ = (struct pollfd){ .fd = child->channel, .events = POLLIN };
        for (unsigned i = 0; i < CHILD_STREAMS; i++)
            *at++ = (struct pollfd){ .fd = child->stream[i], .events = POLLIN };
    }
    *total = need;
    return 0;
}

/* Looks once. 1: there is something for the caller; 0: not yet; or a negative errno. */
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
    pthread_sigmask(SIG_SETMASK, &all, &before); /* no handler of ours runs in the fork */
    child->guard = fork();
    if (!child->guard)
        guard_main(order);
    const int err = child->guard < 0 ? -errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

/* Gives the child its pipes and its guard, and waits until the program runs. */
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
        .program = params->program ? params->program : params->argv[0],
        .argv = (char *const *)params->argv,
        .folder = params->folder,
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

int child_run(Children *children, const ChildParams *params, ChildEnd *end)
{
    Child *child;
    const unsigned wakes = children->wakes;
    int err = child_start(children, params, &child);
    while (!err && !child_ended(child, end)) {
        err = children_wait(children, NULL, 0, -1);
        if (!err && children->wakes != wakes)
            err = -EINTR;
    }
    child_destroy(child);
    return err;
}
