/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "output.h"

bool output_is_stdout(const char *path)
{
    return !strcmp(path, "-");
}

static int write_to(VmafContext *vmaf, const Options *options, const char *path,
                    enum VmafOutputFormat format)
{
    return vmaf_write_output_with_format(vmaf, path, format,
                                         *options->score_format ? options->score_format : NULL);
}

static int copy_to_stdout(const char *path)
{
    char buffer[1 << 14];
    FILE *const file = fopen(path, "rb");
    if (!file)
        return -errno;
    size_t size;
    while ((size = fread(buffer, 1, sizeof(buffer), file)) &&
           fwrite(buffer, 1, size, stdout) == size)
        ;
    const bool unread = ferror(file);
    fclose(file);
    if (unread) {
        say("could not read the report back: %s", path);
        return -EIO;
    }
    return finish_stdout();
}

/* The library writes files. /dev/stdout would do only where it can be opened anew, and would begin an
 * ordinary file from its start again. */
static int write_to_stdout(VmafContext *vmaf, const Options *options, enum VmafOutputFormat format)
{
    const char *const folder = getenv("TMPDIR");
    char path[4096];
    const int n =
        snprintf(path, sizeof(path), "%s/vmaf-XXXXXX", folder && *folder ? folder : "/tmp");
    const int fd = n > 0 && (size_t)n < sizeof(path) ? mkstemp(path) : -1;
    if (fd < 0) {
        say("no temporary file for the report: %s: %s", path, strerror(errno));
        return -EIO;
    }
    close(fd);
    int err = write_to(vmaf, options, path, format);
    if (!err)
        err = copy_to_stdout(path);
    unlink(path);
    return err;
}

int output_write(VmafContext *vmaf, const Options *options, const char *path)
{
    const enum VmafOutputFormat format = options_format(options, path);
    return output_is_stdout(path) ? write_to_stdout(vmaf, options, format)
                                  : write_to(vmaf, options, path, format);
}
