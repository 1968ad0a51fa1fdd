/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
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

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* At the end of a file that may grow: waits a moment before the next look. 0 or negative errno, see
 * waiting_read. */
static int pause_at_end(Source *source, bool holding)
{
    enum { PAUSE_MS = 20 };
    const int wake = source->waiting->wake[0];
    struct pollfd waker = { .fd = wake, .events = POLLIN };
    char bytes[16];
    if (poll(&waker, 1, PAUSE_MS) < 0 && errno != EINTR)
        return -errno;
    if (waker.revents)
        while (read(wake, bytes, sizeof(bytes)) == sizeof(bytes))
            ;
    if (atomic_load(&source->cancelled))
        return -ECANCELED;
    return waker.revents && holding ? -EINTR : 0;
}

/* Reads what there is. Returns the number of bytes, 0 at the end, or negative errno. */
static int64_t read_now(const Source *source, const struct iovec *pieces, unsigned count)
{
    ssize_t got;
    do
        got = readv(source->fd, pieces, (int)count);
    while (got < 0 && errno == EINTR);
    return got < 0 ? -errno : got;
}

int64_t waiting_read(Source *source, const struct iovec *pieces, unsigned count, bool holding)
{
    int err = await(source, holding);
    int64_t got = err ? err : read_now(source, pieces, count);
    const bool grows = source->patience && !source->complete;
    const int64_t until = got || !grows ? 0 : now() + source->patience;
    while (!got && now() < until) {
        err = pause_at_end(source, holding);
        got = err ? err : read_now(source, pieces, count);
    }
    source->complete = source->complete || !got;
    return got;
}

void source_wake(Source *source)
{
    if (!source->waiting)
        return;
    /* If the pipe is full, the reader wakes up anyway. */
    const ssize_t written = write(source->waiting->wake[1], "", 1);
    (void)written;
}
