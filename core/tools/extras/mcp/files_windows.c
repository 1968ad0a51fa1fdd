/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* On Windows workers open files by their paths. While we have a file open, nobody can rename or
 * delete it or a folder above it, so the path leads to the same file. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <windows.h>

#include "../../../windows/wide.h"
#include "common/argv.h"

int folder_open(const char *path)
{
    struct stat info;
    if (stat(path, &info))
        return -errno;
    return S_ISDIR(info.st_mode) ? 0 : -ENOTDIR;
}

void folder_close(int folder)
{
    (void)folder;
}

/* The path of an open file, with slashes. The caller frees it; NULL: it has none. */
char *file_name(int fd)
{
    wchar_t wide[4096];
    const unsigned long length =
        GetFinalPathNameByHandleW((HANDLE)_get_osfhandle(fd), wide, 4096, 0);
    if (!length || length >= 4096)
        return NULL;
    return path_without_prefix(wide);
}

int folder_open_file(int folder, const char *root, const char *rest)
{
    struct stat info;
    char *const path = text_print("%s/%s", root, rest);
    wchar_t *const wide = path ? wide_path(path) : NULL;
    const HANDLE file = wide ? CreateFileW(wide, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                           NULL, OPEN_EXISTING, 0, NULL)
                             : INVALID_HANDLE_VALUE;
    int err = !wide ? -ENOMEM : file == INVALID_HANDLE_VALUE ? -windows_errno(GetLastError()) : 0;
    const int fd = err ? -1 : _open_osfhandle((intptr_t)file, O_RDONLY | O_BINARY | O_NOINHERIT);
    free(wide);
    /* The path was resolved before: if it leads elsewhere now, somebody has just put a link there.
     * */
    char *const found = fd >= 0 ? file_name(fd) : NULL;
    if (!err && (fd < 0 || fstat(fd, &info) || !S_ISREG(info.st_mode)))
        err = -ENOTSUP;
    if (!err && (!found || strcmp(found, path) != 0))
        err = -EACCES;
    if (err && fd >= 0)
        close(fd);
    free(found);
    free(path);
    return err ? err : fd;
}

/* It has no descriptor: a report replaces it, which works only while nobody has it open. */
int scratch_open(Scratch *scratch)
{
    *scratch =
        (Scratch){ .fd = -1, .name = text_print("%s/vmaf-mcp-XXXXXX.tmp", getenv("TMPDIR")) };
    const int fd = scratch->name ? mkstemps(scratch->name, (int)strlen(".tmp")) : -1;
    if (fd >= 0) {
        close(fd);
        return 0;
    }
    const int err = scratch->name ? -errno : -ENOMEM;
    free(scratch->name);
    scratch->name = NULL;
    return err;
}

void scratch_close(Scratch *scratch)
{
    if (scratch->name)
        unlink(scratch->name);
    free(scratch->name);
    *scratch = (Scratch){ .fd = -1 };
}

int scratch_write(const Scratch *scratch, const char *bytes, size_t length)
{
    FILE *const file = fopen(scratch->name, "wb");
    if (!file)
        return -errno;
    const bool written = fwrite(bytes, 1, length, file) == length;
    return fclose(file) || !written ? -EIO : 0;
}

char *scratch_read(const Scratch *scratch, size_t most, size_t *length)
{
    struct stat info;
    FILE *const file = fopen(scratch->name, "rb");
    const bool fits =
        file && !fstat(fileno(file), &info) && info.st_size && (uint64_t)info.st_size <= most;
    char *const text = fits ? malloc((size_t)info.st_size) : NULL;
    *length = text ? fread(text, 1, (size_t)info.st_size, file) : 0;
    if (file)
        fclose(file);
    return text;
}
