/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct Wire {
    int fd;
    int stop[2]; /* pipe that becomes readable when nobody must wait any longer */
};

/* Creates a pipe that child processes do not inherit. macOS has no pipe2. */
static int open_pipe(int fds[2])
{
    if (pipe(fds))
        return -1;
    for (unsigned i = 0; i < 2; i++)
        fcntl(fds[i], F_SETFD, FD_CLOEXEC);
    return 0;
}

Wire *wire_create(int fd)
{
    Wire *const wire = calloc(1, sizeof(*wire));
    if (!wire)
        return NULL;
    if (open_pipe(wire->stop)) {
        free(wire);
        return NULL;
    }
    wire->fd = fd;
    return wire;
}

void wire_destroy(Wire *wire)
{
    if (!wire)
        return;
    close(wire->fd);
    close(wire->stop[0]);
    close(wire->stop[1]);
    free(wire);
}

void wire_stop(Wire *wire)
{
    while (write(wire->stop[1], "", 1) < 0 && errno == EINTR)
        ;
}

ssize_t wire_read(Wire *wire, char *bytes, size_t size)
{
    for (;;) {
        struct pollfd ready[] = { { .fd = wire->fd, .events = POLLIN },
                                  { .fd = wire->stop[0], .events = POLLIN } };
        if (poll(ready, 2, -1) < 0) {
            if (errno != EINTR)
                return -errno;
            continue;
        }
        if (ready[1].revents)
            return 0;
        const ssize_t count = read(wire->fd, bytes, size);
        if (count >= 0)
            return count;
        if (errno != EINTR && errno != EAGAIN)
            return -errno;
    }
}

/* Write without blocking. After poll() reports a pipe as writable, it takes up to 4096 bytes. The
 * descriptor itself is not made non-blocking, since the process that started us shares it. */
static ssize_t write_some(int fd, const char *text, size_t size)
{
    const size_t piece = size < 4096 ? size : 4096;
    const ssize_t sent = send(fd, text, piece, MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent < 0 && errno == ENOTSOCK ? write(fd, text, piece) : sent;
}

bool wire_write(Wire *wire, const char *text, size_t size)
{
    while (size) {
        struct pollfd ready[] = { { .fd = wire->fd, .events = POLLOUT },
                                  { .fd = wire->stop[0], .events = POLLIN } };
        if (poll(ready, 2, -1) < 0) {
            if (errno != EINTR)
                return false;
            continue;
        }
        if (!(ready[0].revents & (POLLOUT | POLLERR | POLLNVAL | POLLHUP))) {
            if (ready[1].revents)
                return false;
            continue;
        }
        const ssize_t written = write_some(wire->fd, text, size);
        if (written < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        if (written > 0) {
            text += written;
            size -= (size_t)written;
        }
    }
    return true;
}
