/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

struct Waiting {
    int wake[2]; /* a pipe: writing a byte ends the wait */
};

int waiting_open(Source *source)
{
    struct Waiting *const waiting = malloc(sizeof(*waiting));
    if (!waiting)
        return -ENOMEM;
    if (pipe(waiting->wake)) {
        const int err = -errno; /* before free may change it */
        free(waiting);
        return err;
    }
    for (unsigned i = 0; i < 2; i++) {
        fcntl(waiting->wake[i], F_SETFD, FD_CLOEXEC);
        fcntl(waiting->wake[i], F_SETFL, O_NONBLOCK);
    }
    source->waiting = waiting;
    return 0;
}

void waiting_close(Source *source)
{
    if (!source->waiting)
        return;
    for (unsigned i = 0; i < 2; i++)
        close(source->waiting->wake[i]);
    free(source->waiting);
}

/* Waits until there is something to read. 0 or negative errno, see waiting_read. */
static int await(Source *source, bool holding)
{
    const int wake = source->waiting->wake[0];
    for (;;) {
        struct pollfd fds[2] = { { .fd = source->fd, .events = POLLIN },
                                 { .fd = wake, .events = POLLIN } };
        char bytes[16];
        if (atomic_load(&source->cancelled)) /* its byte may have been read already */
            return -ECANCELED;
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return -errno;
        if (fds[1].revents)
            while (read(wake, bytes, sizeof(bytes)) == sizeof(bytes))
                ;
        if (atomic_load(&source->cancelled))
            return -ECANCELED;
        if (fds[1].revents && holding)
            return -EINTR;
        if (fds[0].revents)
            return 0;
    }
}

int64_t waiting_read(Source *source, const struct iovec *pieces, unsigned count, bool holding)
{
    const int err = await(source, holding);
    if (err)
        return err;
    ssize_t got;
    do
        got = readv(source->fd, pieces, (int)count);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got;
}

void source_wake(Source *source)
{
    if (!source->waiting)
        return;
    /* If the pipe is full, the reader wakes up anyway. */
    const ssize_t written = write(source->waiting->wake[1], "", 1);
    (void)written;
}
