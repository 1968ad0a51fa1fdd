/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "child_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#define GUARD_ORPHANED SIGUSR1 /* whoever started us has died */

static void ignore(int signal)
{
    (void)signal;
}

/* All descriptors but the one to keep: other children's pipes would never end, and locks never open,
 * while we hold them. */
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

static void die_with(int signal, pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, signal);
#endif
    if (getppid() != parent) /* it went before we could ask to be told */
        _exit(1);
}

static void report(int channel, int what)
{
    while (write(channel, &what, sizeof(what)) < 0 && errno == EINTR)
        ;
}

static bool take_streams(const GuardOrder *order)
{
    const int none = open("/dev/null", O_RDWR | O_CLOEXEC);
    int from[3] = { none, order->stream[0], order->stream[1] };
    if (none < 0)
        return false;
    /* Out of the way first: one may lie where another is to go. */
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
    /* As a program expects to find them. */
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
        signal(signals[i], SIG_DFL);
    sigemptyset(&none);
    if (take_streams(order) && (!order->folder || !chdir(order->folder))) {
        sigprocmask(SIG_SETMASK, &none, NULL);
        execvp(order->program, order->argv);
    }
    report(order->ready, errno);
    _exit(127);
}

/* Waits for orders and for the child; its status. */
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
        /* It is the thread that started us whose death is told: the process may be there still. */
        if (number == GUARD_KILL || (number == GUARD_ORPHANED && getppid() != parent))
            kill(-child, SIGKILL);
    }
}

_Noreturn void guard_main(const GuardOrder *order)
{
    static const int signals[] = { SIGCHLD, GUARD_ASK, GUARD_KILL, GUARD_ORPHANED };
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
        sigaddset(&set, signals[i]);
        signal(signals[i],
               ignore); /* some systems drop what would be ignored, even while it is blocked */
    }
    setpgid(0, 0); /* the terminal's Ctrl-C is for whoever started us */
    die_with(GUARD_ORPHANED, order->parent);
#ifdef PR_SET_CHILD_SUBREAPER
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* what the child leaves behind becomes ours to wait for */
#endif
    const pid_t guard = getpid(), child = fork();
    if (child < 0) {
        report(order->ready, errno);
        _exit(1);
    }
    if (!child)
        be_child(order, guard);
    setpgid(child, child); /* both do, so that it is done whoever runs first */
    close_others(order->channel);
    const int status = watch(child, order->parent, &set);
    kill(-child, SIGKILL);
    while (waitpid(-child, NULL, 0) > 0 || errno == EINTR)
        ;
    report(order->channel, status);
    _exit(0);
}
