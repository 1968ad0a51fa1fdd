/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "interrupt.h"

const char *interrupt_name(int signal)
{
    return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : "SIGHUP";
}

static void die(int number)
{
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
    kill(getpid(), number);
}

static sigset_t watched;

static void *watch(void *unused)
{
    (void)unused;
    for (int number; !sigwait(&watched, &number);) {
        if (interrupt_signal())
            die(number);
        interrupt_note(number);
    }
    return NULL;
}

void interrupt_watch(void)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction action;
    pthread_t thread;
    sigemptyset(&watched);
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
        if (!sigaction(signals[i], NULL, &action) && action.sa_handler != SIG_IGN)
            sigaddset(&watched, signals[i]);
    /* Blocked for all threads to come: only the one that waits for them gets them. */
    pthread_sigmask(SIG_BLOCK, &watched, NULL);
    if (pthread_create(&thread, NULL, watch, NULL))
        pthread_sigmask(SIG_UNBLOCK, &watched, NULL); /* they kill, as ever */
    else
        pthread_detach(thread);
}
