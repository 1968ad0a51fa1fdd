/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* On Windows a read of a pipe blocks inside the system, and another thread cancels it. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <windows.h>

#include "input/source.h"

/* How often source_wake tries to cancel a read, once a millisecond, before it gives up: some
 * systems cannot cancel reads of all kinds of pipes. */
#define TRIES 500

struct Waiting {
    pthread_mutex_t lock; /* guards the fields below */
    bool woken;           /* the reader has not noticed yet */
    HANDLE reader;        /* the thread that is reading; NULL: none */
};

int waiting_open(Source *source)
{
    source->waiting = calloc(1, sizeof(*source->waiting));
    if (!source->waiting)
        return -ENOMEM;
    pthread_mutex_init(&source->waiting->lock, NULL);
    return 0;
}

void waiting_close(Source *source)
{
    if (!source->waiting)
        return;
    pthread_mutex_destroy(&source->waiting->lock);
    free(source->waiting);
}

/* Registers the thread that is about to read. Returns whether it was woken before. */
static bool note_reader(struct Waiting *waiting, HANDLE reader)
{
    pthread_mutex_lock(&waiting->lock);
    const bool woken = waiting->woken;
    waiting->woken = false;
    waiting->reader = reader;
    pthread_mutex_unlock(&waiting->lock);
    return woken;
}

static HANDLE own_thread(void)
{
    HANDLE thread = NULL;
    DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &thread, 0, FALSE,
                    DUPLICATE_SAME_ACCESS);
    return thread;
}

static int64_t read_once(Source *source, const struct iovec *piece)
{
    const size_t most = (size_t)1 << 30;
    const unsigned long size = (unsigned long)(piece->iov_len < most ? piece->iov_len : most);
    unsigned long got = 0;
    if (ReadFile((HANDLE)_get_osfhandle(source->fd), piece->iov_base, size, &got, NULL))
        return got;
    switch (GetLastError()) {
    case ERROR_BROKEN_PIPE: /* its writer has closed it */
    case ERROR_HANDLE_EOF:
        return 0;
    case ERROR_OPERATION_ABORTED:
        return -EINTR;
    default:
        return -EIO;
    }
}

int64_t waiting_read(Source *source, const struct iovec *pieces, unsigned count, bool holding)
{
    struct Waiting *const waiting = source->waiting;
    const HANDLE thread = own_thread();
    int64_t got = -EINTR;
    (void)count;
    while (got == -EINTR) {
        const bool woken = note_reader(waiting, thread);
        if (atomic_load(&source->cancelled))
            got = -ECANCELED;
        else if (woken && holding)
            break;
        else
            got = read_once(source, pieces);
    }
    pthread_mutex_lock(&waiting->lock);
    waiting->reader = NULL;
    pthread_mutex_unlock(&waiting->lock);
    CloseHandle(thread);
    return got;
}

void source_wake(Source *source)
{
    struct Waiting *const waiting = source->waiting;
    if (!waiting)
        return;
    pthread_mutex_lock(&waiting->lock);
    waiting->woken = true;
    for (unsigned tries = 0; tries < TRIES && waiting->woken && waiting->reader; tries++) {
        CancelSynchronousIo(waiting->reader);
        pthread_mutex_unlock(&waiting->lock);
        Sleep(1);
        pthread_mutex_lock(&waiting->lock);
    }
    pthread_mutex_unlock(&waiting->lock);
}
