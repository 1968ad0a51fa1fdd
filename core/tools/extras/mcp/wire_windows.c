/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* On Windows reads and writes of pipes block inside the system, and another thread cancels them. */
#include <errno.h>
#include <io.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include <windows.h>

#include "wire.h"

/* How often wire_stop tries to cancel, once a millisecond, before it gives up: some systems cannot
 * cancel reads of all kinds of pipes. */
#define TRIES 500

struct Wire {
    int fd;
    pthread_mutex_t lock; /* guards the fields below */
    bool stopped;
    HANDLE user; /* the thread that reads or writes; NULL: none */
};

Wire *wire_create(int fd)
{
    Wire *const wire = calloc(1, sizeof(*wire));
    if (!wire)
        return NULL;
    wire->fd = fd;
    pthread_mutex_init(&wire->lock, NULL);
    return wire;
}

void wire_destroy(Wire *wire)
{
    if (!wire)
        return;
    pthread_mutex_destroy(&wire->lock);
    close(wire->fd);
    free(wire);
}

void wire_stop(Wire *wire)
{
    pthread_mutex_lock(&wire->lock);
    wire->stopped = true;
    for (unsigned tries = 0; tries < TRIES && wire->user; tries++) {
        CancelSynchronousIo(wire->user);
        pthread_mutex_unlock(&wire->lock);
        Sleep(1);
        pthread_mutex_lock(&wire->lock);
    }
    pthread_mutex_unlock(&wire->lock);
}

/* Notes that this thread is about to wait. False: the wire is stopped. */
static bool enter(Wire *wire)
{
    HANDLE thread = NULL;
    DuplicateHandle(GetCurrentProcess(), GetCurrentThread(), GetCurrentProcess(), &thread, 0, FALSE,
                    DUPLICATE_SAME_ACCESS);
    pthread_mutex_lock(&wire->lock);
    const bool allowed = !wire->stopped;
    if (allowed)
        wire->user = thread;
    pthread_mutex_unlock(&wire->lock);
    if (!allowed)
        CloseHandle(thread);
    return allowed;
}

/* True: the wire was stopped meanwhile. */
static bool leave(Wire *wire)
{
    pthread_mutex_lock(&wire->lock);
    CloseHandle(wire->user);
    wire->user = NULL;
    const bool stopped = wire->stopped;
    pthread_mutex_unlock(&wire->lock);
    return stopped;
}

ssize_t wire_read(Wire *wire, char *bytes, size_t size)
{
    unsigned long got = 0;
    if (!enter(wire))
        return 0;
    const bool done =
        ReadFile((HANDLE)_get_osfhandle(wire->fd), bytes, (unsigned long)size, &got, NULL);
    const unsigned long error = GetLastError();
    if (leave(wire))
        return 0;
    if (done)
        return (ssize_t)got;
    return error == ERROR_BROKEN_PIPE || error == ERROR_HANDLE_EOF ? 0 : -EIO;
}

bool wire_write(Wire *wire, const char *text, size_t size)
{
    while (size) {
        const size_t piece = size < 4096 ? size : 4096;
        unsigned long written = 0;
        if (!enter(wire))
            return false;
        const bool done =
            WriteFile((HANDLE)_get_osfhandle(wire->fd), text, (unsigned long)piece, &written, NULL);
        leave(wire);
        if (!done)
            return false;
        text += written;
        size -= written;
    }
    return true;
}
