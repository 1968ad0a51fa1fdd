/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "argv.h"
#include "message.h"

static int complain(const char *path, int error)
{
    say("cannot write %s: %s", path, strerror(error));
    return -error;
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
    out->draft = folder ? text_print("%s/.vmaf-tune-XXXXXX.tmp", folder) : NULL;
    free(folder);
    if (!out->draft)
        return -ENOMEM;
    const int fd = mkostemps(out->draft, strlen(".tmp"), O_CLOEXEC);
    if (fd >= 0) {
        const mode_t mask = umask(0);
        umask(mask);
        fchmod(fd, 0666 & ~mask);
        out->file = fdopen(fd, "w");
    }
    if (out->file)
        return 0;
    const int error = errno;
    if (fd >= 0) {
        close(fd);
        unlink(out->draft);
    }
    free(out->draft);
    return complain(path, error);
}

int outfile_close(OutFile *out)
{
    errno = 0;
    bool lost = fflush(out->file) || ferror(out->file);
    if (out->draft)
        lost = lost || fsync(fileno(out->file));
    int error = lost ? (errno ? errno : EIO) : 0;
    if (out->file != stdout && fclose(out->file) && !error)
        error = errno;
    if (out->draft && !error && rename(out->draft, out->path))
        error = errno;
    if (out->draft && error)
        unlink(out->draft);
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
