/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <unistd.h>
#endif

static atomic_int received;                              /* the first signal; 0: none yet */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the two below */
static void (*stop_function)(void *arg);
static void *stop_arg;

static atomic_bool ends_soon;

void interrupt_soon(bool soon)
{
    atomic_store(&ends_soon, soon);
}

int interrupt_signal(void)
{
    return atomic_load(&received);
}

void interrupt_call(void (*stop)(void *arg), void *arg)
{
    pthread_mutex_lock(&lock);
    stop_function = stop;
    stop_arg = arg;
    if (stop && interrupt_signal())
        stop(arg);
    pthread_mutex_unlock(&lock);
}

/* Records a signal and calls what interrupt_call has set. */
static void note_signal(int signal)
{
    pthread_mutex_lock(&lock);
    atomic_store(&received, signal);
    if (stop_function)
        stop_function(stop_arg);
    pthread_mutex_unlock(&lock);
}

#ifdef _WIN32

/* Windows has a thread of its own for these events: Ctrl-C, Ctrl-Break, and the end of the console
 * or of the session. */

const char *interrupt_name(int signal)
{
    return signal == SIGINT     ? "Ctrl-C"
           : signal == SIGBREAK ? "Ctrl-Break"
                                : "the end of the console";
}

static BOOL WINAPI handle(DWORD event)
{
    if (interrupt_signal())
        return FALSE; /* the second one: the process ends */
    note_signal(event == CTRL_C_EVENT ? SIGINT : event == CTRL_BREAK_EVENT ? SIGBREAK : SIGTERM);
    /* When the console closes, the process ends as soon as this handler returns, or after some
     * seconds. */
    if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT)
        Sleep(INFINITE);
    return TRUE;
}

void interrupt_watch(void)
{
    SetConsoleCtrlHandler(handle, TRUE);
}

#else

const char *interrupt_name(int signal)
{
    return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : "SIGHUP";
}

/* Ends the process by the default action of the signal. */
static void die(int number)
{
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
    kill(getpid(), number);
}

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
static sigset_t watched;

/* After the first signal: waits up to a second until the work that interrupt_soon announced is
 * over. True if it is not, or if another signal comes. */
static bool has_to_end(void)
{
    const struct timespec piece = { .tv_nsec = 50000000 };
    for (unsigned i = 0; i < 20 && atomic_load(&ends_soon); i++) {
        sigset_t pending;
        sigpending(&pending);
        for (size_t s = 0; s < sizeof(signals) / sizeof(*signals); s++)
            if (sigismember(&watched, signals[s]) && sigismember(&pending, signals[s]))
                return true;
        nanosleep(&piece, NULL);
    }
    return atomic_load(&ends_soon);
}

static void *watch(void *unused)
{
    (void)unused;
    for (int number; !sigwait(&watched, &number);) {
        if (interrupt_signal())
            die(number);
        note_signal(number);
        if (has_to_end())
            die(number);
    }
    return NULL;
}

void interrupt_watch(void)
{
    struct sigaction action;
    pthread_t thread;
    sigemptyset(&watched);
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
        if (!sigaction(signals[i], NULL, &action) && action.sa_handler != SIG_IGN)
            sigaddset(&watched, signals[i]);
    /* Threads started from now on inherit the blocked signals: only the watching thread receives
     * them. */
    pthread_sigmask(SIG_BLOCK, &watched, NULL);
    if (pthread_create(&thread, NULL, watch, NULL))
        pthread_sigmask(SIG_UNBLOCK, &watched, NULL); /* they kill the process, as by default */
    else
        pthread_detach(thread);
}

#endif
