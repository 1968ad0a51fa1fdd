/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/argv.h"
#include "common/message.h"
#include "run.h"

/* ---- names ---- */

bool output_is_stdout(const char *path)
{
    return !strcmp(path, "-");
}

/* The length of the path without its extension. */
static size_t stem_length(const char *path)
{
    const char *const slash = path_separator(path);
    const char *const name = slash ? slash + 1 : path;
    const char *const dot = strrchr(name, '.');
    return dot && dot != name ? (size_t)(dot - path) : strlen(path);
}

int output_path(char **out, const Options *options, size_t video)
{
    const Words *const outputs = &options->outputs;
    *out = NULL;
    if (!outputs->count)
        return 0;
    const bool shared = outputs->count == 1 && options->distorted.count > 1;
    const char *const path = outputs->at[shared ? 0 : video];
    const size_t size = strlen(path) + 24, stem = stem_length(path);
    *out = malloc(size);
    if (!*out)
        return -ENOMEM;
    if (shared)
        snprintf(*out, size, "%.*s.%zu%s", (int)stem, path, video + 1, path + stem);
    else
        snprintf(*out, size, "%s", path);
    return 0;
}

/* ---- before the scoring ---- */

/* Creates a file at the path and removes it again, to check that this is possible. If the path
 * is a link to a file that does not exist, does so with that file. 0 or a positive errno. */
static int try_output(const char *path)
{
    struct stat link;
    const bool is_link = !lstat(path, &link) && S_ISLNK(link.st_mode);
    int fd;
    do
        fd = open(path, O_WRONLY | O_CREAT | (is_link ? 0 : O_EXCL), 0666);
    while (fd < 0 && errno == EINTR);
    if (fd < 0) {
        const int err = errno;
        if (is_link && err == ENOENT)
            say("%s is a link into a folder that does not exist", path);
        return err;
    }
    char *const target = is_link ? realpath(path, NULL) : NULL;
    /* close has done its work even if a signal interrupted it. */
    const bool closed = !close(fd) || errno == EINTR;
    const int err = !closed || unlink(target ? target : path) ? errno : 0;
    free(target);
    return err;
}

static bool is_same_file(const Video *video, const struct stat *output)
{
    struct stat info;
    return !fstat(video->source->fd, &info) && info.st_dev == output->st_dev &&
           info.st_ino == output->st_ino && (S_ISREG(info.st_mode) || S_ISFIFO(info.st_mode));
}

int output_check(const char *path, Video *const *videos, unsigned count)
{
    struct stat info;
    int err = 0;
    if (output_is_stdout(path))
        return 0;
    if (stat(path, &info)) {
        err = try_output(path);
    } else {
        for (unsigned i = 0; i < count; i++) {
            if (!is_same_file(videos[i], &info))
                continue;
            say("%s is the %s video: the report would overwrite it", path,
                i ? "distorted" : "reference");
            return -EINVAL;
        }
        if (S_ISDIR(info.st_mode))
            err = EISDIR;
        else if (access(path, W_OK))
            err = errno;
    }
    if (err)
        say("could not open file: %s: %s", path, strerror(err));
    return -err;
}

char *output_identity(const char *path)
{
    struct stat info;
    if (!stat(path, &info)) { /* a file that was deleted, but is still open, has no real path */
        char *const real = S_ISREG(info.st_mode) ? realpath(path, NULL) : NULL;
        return real ? real : strdup(path);
    }
    const char *const slash = path_separator(path), *const name = slash ? slash + 1 : path;
    char *const given = path_folder(path);
    char *const folder = given ? realpath(given, NULL) : NULL;
    const char *const in = folder ? folder : given;
    char *const own = in ? malloc(strlen(in) + strlen(name) + 2) : NULL;
    if (own)
        sprintf(own, "%s/%s", in, name);
    free(folder);
    free(given);
    return own;
}

int outputs_check_distinct(const char *const *paths, size_t count)
{
    char **const files = calloc(count + 1, sizeof(*files));
    int err = files ? 0 : -ENOMEM;
    for (size_t i = 0; !err && i < count; i++) {
        files[i] = output_identity(paths[i]);
        err = files[i] ? 0 : -ENOMEM;
        for (size_t j = 0; !err && j < i; j++) {
            if (strcmp(files[i], files[j]) != 0)
                continue;
            say("%s and %s are one file: give each report a path of its own", paths[i], paths[j]);
            err = -EINVAL;
        }
    }
    for (size_t i = 0; files && i < count; i++)
        free(files[i]);
    free(files);
    return err;
}

/* ---- writing ---- */

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

/* Writes the report to a temporary file and copies that, because the library only writes files.
 * /dev/stdout cannot always be opened again, and opening it would write over the beginning of a
 * regular file. */
static int write_to_stdout(VmafContext *vmaf, const Options *options, enum VmafOutputFormat format)
{
    const char *const folder = getenv("TMPDIR");
    char path[4096];
    const int n =
        snprintf(path, sizeof(path), "%s/vmaf-XXXXXX", folder && *folder ? folder : "/tmp");
    const int fd = n > 0 && (size_t)n < sizeof(path) ? mkstemp(path) : -1;
    if (fd < 0) {
        say("cannot create a temporary file for the report: %s: %s", path, strerror(errno));
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
