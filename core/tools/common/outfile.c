/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "argv.h"
#include "message.h"
#include "temp.h"

static int complain(const char *path, int error)
{
    say("cannot write %s: %s", path, strerror(error));
    return -error;
}

/* Locked, so that nobody sweeps it away; where nothing can be locked nobody does. -EAGAIN: somebody has just done so. */
static int lock_draft(int fd)
{
    struct stat info;
    const bool taken = flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
    return !taken && !fstat(fd, &info) && info.st_nlink ? 0 : -EAGAIN;
}

static int make_draft(OutFile *out, const char *folder, int *fd)
{
    out->draft = text_print("%s/" TEMP_DRAFT, folder);
    if (!out->draft)
        return -ENOMEM;
    *fd = mkostemps(out->draft, strlen(".tmp"), O_CLOEXEC);
    int err = *fd >= 0 ? lock_draft(*fd) : -errno;
    if (!err)
        return 0;
    if (*fd >= 0)
        close(*fd);
    free(out->draft);
    out->draft = NULL;
    return err;
}

/* To be swept away that often takes more than bad luck. */
#define TRIES 1000

static int open_draft(OutFile *out, const char *folder)
{
    int fd = -1, err = -EAGAIN;
    temp_sweep(folder);
    for (unsigned i = 0; err == -EAGAIN && i < TRIES; i++)
        err = make_draft(out, folder, &fd);
    if (err)
        return err;
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    out->file = fdopen(fd, "w");
    if (out->file)
        return 0;
    err = -errno;
    unlink(out->draft);
    close(fd);
    free(out->draft);
    out->draft = NULL;
    return err;
}

int outfile_open(OutFile *out, const char *path)
{
    *out = (OutFile){ .path = path };
    if (!strcmp(path, "-")) {
        out->file = stdout;
        return 0;
    }
    struct stat info;
    if (!stat(path, &info) && !S_ISREG(info.st_mode)) { /* a pipe, a device: nothing to replace */
        out->file = fopen(path, "we");
        return out->file ? 0 : complain(path, errno);
    }
    char *const folder = path_folder(path);
    const int err = folder ? open_draft(out, folder) : -ENOMEM;
    free(folder);
    return err && err != -ENOMEM ? complain(path, -err) : err;
}

int outfile_close(OutFile *out)
{
    errno = 0;
    bool lost = fflush(out->file) || ferror(out->file);
    if (out->draft) /* it takes its place while it is open, and so locked */
        lost = lost || fsync(fileno(out->file)) || rename(out->draft, out->path);
    int error = lost ? (errno ? errno : EIO) : 0;
    if (out->draft && error)
        unlink(out->draft);
    if (out->file != stdout && fclose(out->file) && !error)
        error = errno;
    free(out->draft);
    return error ? complain(out->path, error) : 0;
}

int outfile_check(const char *path)
{
    struct stat info;
    if (!strcmp(path, "-"))
        return 0;
    if (!stat(path, &info)) {
        if (S_ISDIR(info.st_mode))
            return complain(path, EISDIR);
        return access(path, W_OK) ? complain(path, errno) : 0;
    }
    char *const folder = path_folder(path);
    if (!folder)
        return -ENOMEM;
    const int error = access(folder, W_OK | X_OK) ? errno : 0;
    free(folder);
    return error ? complain(path, error) : 0;
}
