/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A library for LD_PRELOAD, which makes one call of a function fail, or all calls from one on.
 * VMAF_FAULT=FUNCTION:NUMBER:WHAT the NUMBERth call, from 1; NUMBER+: that and all later ones
 * VMAF_FAULT_COUNTS=FILE file for the number of calls of each function, at the end WHAT is an
 * error's name or, for functions that transfer bytes, "short": transfer only a part. With
 * VMAF_FAULT_ALONE, both apply to the first process only, and not to its children. Calls on stdin,
 * stdout and stderr are neither counted nor changed, and neither are calls from within the C
 * library. */
#undef _FILE_OFFSET_BITS /* it would merge two names into one */
#include <dlfcn.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum Function {
    OPEN,
    CREATE,
    READ,
    PREADV,
    READV,
    WRITE,
    LSEEK,
    FSYNC,
    CLOSE,
    RENAME,
    THREAD,
    MEMORY,
    FUNCTIONS
};

static const char *const names[FUNCTIONS] = { "open",  "create", "read",   "preadv",
                                              "readv", "write",  "lseek",  "fsync",
                                              "close", "rename", "thread", "memory" };

#define SHORT (-1)
static const struct {
    const char *name;
    int number;
} errors[] = { { "short", SHORT },   { "EINTR", EINTR },   { "EIO", EIO },
               { "ENOSPC", ENOSPC }, { "EROFS", EROFS },   { "EDQUOT", EDQUOT },
               { "EACCES", EACCES }, { "EAGAIN", EAGAIN }, { "ENOMEM", ENOMEM },
               { "EMFILE", EMFILE }, { "EFBIG", EFBIG } };

static atomic_ulong calls[FUNCTIONS];
static int function = -1, fault;
static unsigned long number;
static bool onwards;
static char counts[4096]; /* the file for the counts; empty: none */

__attribute__((constructor)) static void read_order(void)
{
    char text[64];
    const char *const order = getenv("VMAF_FAULT"), *const path = getenv("VMAF_FAULT_COUNTS");
    snprintf(text, sizeof(text), "%s", order ? order : "");
    snprintf(counts, sizeof(counts), "%s", path ? path : "");
    if (getenv("VMAF_FAULT_ALONE")) {
        unsetenv("VMAF_FAULT");
        unsetenv("VMAF_FAULT_COUNTS");
    }
    if (!*text)
        return;
    char *const count = strchr(text, ':'), *const what = count ? strchr(count + 1, ':') : NULL;
    if (!what)
        abort();
    *count = *what = 0;
    for (unsigned i = 0; i < sizeof(errors) / sizeof(*errors); i++)
        if (!strcmp(errors[i].name, what + 1))
            fault = errors[i].number;
    char *end;
    number = strtoul(count + 1, &end, 10);
    onwards = *end == '+';
    for (int i = 0; i < FUNCTIONS; i++)
        if (!strcmp(names[i], text))
            function = i;
    if (!fault || !number || function < 0)
        abort();
}

__attribute__((destructor)) static void write_counts(void)
{
    FILE *const file = *counts ? fopen(counts, "w") : NULL;
    if (!file)
        return;
    for (int i = 0; i < FUNCTIONS; i++)
        fprintf(file, "%s %lu\n", names[i], atomic_load(&calls[i]));
    fclose(file);
}

/* Counts the call. Returns 0, or the fault of this call. */
static int spoil(enum Function f)
{
    const unsigned long n = atomic_fetch_add(&calls[f], 1) + 1;
    return (int)f == function && (n == number || (onwards && n > number)) ? fault : 0;
}

/* Like the function above, for calls that take a file; sets errno. True: the call fails. */
static bool fails(enum Function f, int fd, int *what)
{
    *what = fd > STDERR_FILENO ? spoil(f) : 0;
    if (*what <= 0)
        return false;
    errno = *what;
    return true;
}

#define REAL(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))

static int open_spoilt(const char *path, int flags, mode_t mode)
{
    const int what = spoil(flags & O_CREAT ? CREATE : OPEN);
    if (what) {
        errno = what;
        return -1;
    }
    return REAL(open)(path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    return open_spoilt(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
    va_end(list);
    return open_spoilt(path, flags, mode);
}

ssize_t read(int fd, void *data, size_t size)
{
    int what;
    return fails(READ, fd, &what) ? -1 : REAL(read)(fd, data, what && size > 1 ? size / 2 : size);
}

ssize_t write(int fd, const void *data, size_t size)
{
    int what;
    return fails(WRITE, fd, &what) ? -1 : REAL(write)(fd, data, what && size > 1 ? size / 2 : size);
}

/* Shortens the first of several buffers; the others stay as they were. */
ssize_t preadv(int fd, const struct iovec *spans, int count, off_t offset)
{
    int what;
    if (fails(PREADV, fd, &what))
        return -1;
    struct iovec part = spans[0];
    part.iov_len = part.iov_len > 1 ? part.iov_len / 2 : part.iov_len;
    return what ? REAL(preadv)(fd, &part, 1, offset) : REAL(preadv)(fd, spans, count, offset);
}

ssize_t preadv64(int fd, const struct iovec *spans, int count, off64_t offset)
{
    return preadv(fd, spans, count, offset);
}

ssize_t readv(int fd, const struct iovec *spans, int count)
{
    int what;
    if (fails(READV, fd, &what))
        return -1;
    struct iovec part = spans[0];
    part.iov_len = part.iov_len > 1 ? part.iov_len / 2 : part.iov_len;
    return what ? REAL(readv)(fd, &part, 1) : REAL(readv)(fd, spans, count);
}

off_t lseek(int fd, off_t offset, int whence)
{
    int what;
    return fails(LSEEK, fd, &what) ? -1 : REAL(lseek)(fd, offset, whence);
}

off64_t lseek64(int fd, off64_t offset, int whence)
{
    return lseek(fd, offset, whence);
}

int fsync(int fd)
{
    int what;
    return fails(FSYNC, fd, &what) ? -1 : REAL(fsync)(fd);
}

/* Closes the file even if the call reports an error, as the system does. */
int close(int fd)
{
    int what;
    const bool failed = fails(CLOSE, fd, &what);
    const int reason = errno, result = REAL(close)(fd);
    if (failed)
        errno = reason;
    return failed ? -1 : result;
}

int rename(const char *from, const char *to)
{
    const int what = spoil(RENAME);
    errno = what;
    return what ? -1 : REAL(rename)(from, to);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *arg)
{
    const int what = spoil(THREAD);
    return what ? what : REAL(pthread_create)(thread, attributes, run, arg);
}

#ifdef SPOIL_MEMORY
/* dlsym allocates, so these use the C library's own names. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static bool no_memory(void)
{
    const int what = spoil(MEMORY);
    if (what)
        errno = what;
    return what;
}

void *malloc(size_t size)
{
    return no_memory() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return no_memory() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    return no_memory() ? NULL : __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return no_memory() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (no_memory())
        return ENOMEM;
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}
#endif
