/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "apart.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FOUND, SAID, STREAMS };

/* What came through a pipe. */
typedef struct Stream {
    int fd;
    char *text;
    size_t size, capacity;
} Stream;

#define STREAM_MAX ((size_t)1 << 20)

static void work(ApartJob job, void *arg, int found, int said)
{
    dup2(said, STDERR_FILENO);
    json_t *const result = job(arg);
    FILE *const file = fdopen(found, "w");
    bool good = result && file && !json_dumpf(result, file, JSON_COMPACT | JSON_ENCODE_ANY);
    if (file)
        good = !fclose(file) && good;
    /* Exit handlers are the drivers' own, and may hang. */
    _exit(good ? 0 : 1);
}

static bool take(Stream *stream)
{
    if (stream->size + 4096 > stream->capacity) {
        char *const grown = stream->capacity < STREAM_MAX
                                ? realloc(stream->text, stream->capacity * 2 + 8192)
                                : NULL;
        if (!grown)
            return false;
        stream->text = grown;
        stream->capacity = stream->capacity * 2 + 8192;
    }
    ssize_t got;
    do
        got = read(stream->fd, stream->text + stream->size, 4096);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return false;
    stream->size += (size_t)got;
    return true;
}

static long left_ms(const struct timespec *end)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const long ms = (end->tv_sec - now.tv_sec) * 1000 + (end->tv_nsec - now.tv_nsec) / 1000000;
    return ms > 0 ? ms : 0;
}

/* Reads both pipes to their ends; false when the time is over before. */
static bool listen(Stream streams[STREAMS], unsigned seconds)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += seconds;
    unsigned open = STREAMS;
    while (open) {
        struct pollfd polls[STREAMS];
        for (unsigned i = 0; i < STREAMS; i++)
            polls[i] = (struct pollfd){ .fd = streams[i].fd, .events = POLLIN };
        const int ready = poll(polls, STREAMS, (int)left_ms(&end));
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return false;
        for (unsigned i = 0; i < STREAMS; i++) {
            if (!polls[i].revents || take(&streams[i]))
                continue;
            close(streams[i].fd);
            streams[i].fd = -1;
            open--;
        }
    }
    return true;
}

/* The last line that says something. */
static void last_line(const Stream *said, char *why, size_t size)
{
    size_t end = said->size;
    while (end && (said->text[end - 1] == '\n' || said->text[end - 1] == ' '))
        end--;
    size_t start = end;
    while (start && said->text[start - 1] != '\n')
        start--;
    /* "libvmaf ERROR " and the like come from the log. */
    const char *line = said->text + start;
    const char *const error = end > start ? memchr(line, ' ', end - start) : NULL;
    if (error && !strncmp(line, "libvmaf ERROR ", 14))
        line += 14;
    snprintf(why, size, "%.*s", (int)(said->text + end - line), line);
}

static void say_why(int status, bool in_time, unsigned seconds, const Stream *said, char *why,
                    size_t size)
{
    if (!in_time)
        snprintf(why, size, "its driver did not answer within %u s", seconds);
    else if (WIFSIGNALED(status))
        snprintf(why, size, "its driver crashed (signal %d, %s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else if (said->size)
        last_line(said, why, size);
    else
        snprintf(why, size, "it gave no reason");
}

json_t *apart_run(ApartJob job, void *arg, unsigned seconds, char *why, size_t size)
{
    int found[2], said[2];
    *why = 0;
    if (pipe(found)) {
        snprintf(why, size, "no pipe: %s", strerror(errno));
        return NULL;
    }
    if (pipe(said)) {
        snprintf(why, size, "no pipe: %s", strerror(errno));
        close(found[0]);
        close(found[1]);
        return NULL;
    }
    fflush(NULL);
    const pid_t pid = fork();
    if (!pid) {
        close(found[0]);
        close(said[0]);
        work(job, arg, found[1], said[1]);
    }
    close(found[1]);
    close(said[1]);
    Stream streams[STREAMS] = { [FOUND] = { .fd = found[0] }, [SAID] = { .fd = said[0] } };
    bool in_time = false;
    int status = 0;
    if (pid < 0) {
        snprintf(why, size, "no process: %s", strerror(errno));
    } else {
        in_time = listen(streams, seconds);
        if (!in_time)
            kill(pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    json_t *result = NULL;
    if (pid > 0 && in_time && WIFEXITED(status) && !WEXITSTATUS(status))
        result = json_loadb(streams[FOUND].text ? streams[FOUND].text : "", streams[FOUND].size,
                            JSON_DECODE_ANY, NULL);
    if (!result && pid > 0)
        say_why(status, in_time, seconds, &streams[SAID], why, size);
    for (unsigned i = 0; i < STREAMS; i++) {
        if (streams[i].fd >= 0)
            close(streams[i].fd);
        free(streams[i].text);
    }
    return result;
}
