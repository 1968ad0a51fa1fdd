/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "out.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct Out {
    pthread_mutex_t lock; /* a line at a time */
    int fd;
    int stop[2]; /* a pipe: readable, once nobody shall wait any more */
    bool broken;
};

Out *out_create(int fd)
{
    Out *const out = calloc(1, sizeof(*out));
    if (!out)
        return NULL;
    if (pipe(out->stop)) {
        free(out);
        return NULL;
    }
    pthread_mutex_init(&out->lock, NULL);
    out->fd = fd;
    return out;
}

void out_destroy(Out *out)
{
    if (!out)
        return;
    pthread_mutex_destroy(&out->lock);
    close(out->fd);
    close(out->stop[0]);
    close(out->stop[1]);
    free(out);
}

void out_stop(Out *out)
{
    while (write(out->stop[1], "", 1) < 0 && errno == EINTR)
        ;
}

/* Without waiting: what poll() promises of a pipe holds for so many bytes. The descriptor is shared with
 * whoever started us, so it is not made non-blocking. */
static ssize_t write_some(int fd, const char *text, size_t size)
{
    const size_t piece = size < 4096 ? size : 4096;
    const ssize_t sent = send(fd, text, piece, MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent < 0 && errno == ENOTSOCK ? write(fd, text, piece) : sent;
}

static bool write_all(Out *out, const char *text, size_t size)
{
    while (size) {
        struct pollfd ready[] = { { .fd = out->fd, .events = POLLOUT },
                                  { .fd = out->stop[0], .events = POLLIN } };
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
        const ssize_t written = write_some(out->fd, text, size);
        if (written < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        if (written > 0) {
            text += written;
            size -= (size_t)written;
        }
    }
    return true;
}

bool out_is_broken(Out *out)
{
    pthread_mutex_lock(&out->lock);
    const bool broken = out->broken;
    pthread_mutex_unlock(&out->lock);
    return broken;
}

void out_send(Out *out, json_t *message)
{
    /* Twelve digits: enough for any score, and a number that was read from text is printed as it was. */
    char *const text =
        message ? json_dumps(message, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12))
                : NULL;
    json_decref(message);
    pthread_mutex_lock(&out->lock);
    if (!text)
        out->broken = true; /* no memory: better gone than silent */
    if (!out->broken)
        out->broken = !write_all(out, text, strlen(text)) || !write_all(out, "\n", 1);
    pthread_mutex_unlock(&out->lock);
    free(text);
}
