/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* POSIX file functions on Windows; posix.h declares them. */
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <windows.h>

#include "wide.h"

static int errno_of(unsigned long error)
{
    switch (error) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_BAD_NETPATH:
    case ERROR_INVALID_DRIVE:
        return ENOENT;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
        return EACCES;
    case ERROR_ALREADY_EXISTS:
    case ERROR_FILE_EXISTS:
        return EEXIST;
    case ERROR_NOT_SAME_DEVICE:
        return EXDEV;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
        return ENOSPC;
    case ERROR_INVALID_HANDLE:
        return EBADF;
    case ERROR_NOT_ENOUGH_MEMORY:
        return ENOMEM;
    case ERROR_DIRECTORY:
        return ENOTDIR;
    default:
        return EIO;
    }
}

static int fail(void)
{
    errno = errno_of(GetLastError());
    return -1;
}

/* ---- by name ---- */

int posix_open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const int mode = flags & O_CREAT ? va_arg(list, int) : 0;
    va_end(list);
    wchar_t *const wide = wide_from_text(path);
    const int fd =
        wide ? _wopen(wide, flags | O_BINARY | O_NOINHERIT, mode & (S_IRUSR | S_IWUSR)) : -1;
    free(wide);
    return fd;
}

FILE *posix_fopen(const char *path, const char *mode)
{
    wchar_t letters[8];
    size_t n = 0;
    for (; mode[n] && n < 5; n++)
        letters[n] = (wchar_t)mode[n];
    if (!strchr(mode, 'b'))
        letters[n++] = L'b';
    letters[n] = L'\0';
    wchar_t *const wide = wide_from_text(path);
    FILE *const file = wide ? _wfopen(wide, letters) : NULL;
    free(wide);
    return file;
}

int posix_access(const char *path, int mode)
{
    wchar_t *const wide = wide_from_text(path);
    const int result = wide ? _waccess(wide, mode & ~X_OK) : -1;
    free(wide);
    return result;
}

int posix_unlink(const char *path)
{
    wchar_t *const wide = wide_from_text(path);
    const int result = wide ? _wunlink(wide) : -1;
    free(wide);
    return result;
}

int posix_mkdir(const char *path, int mode)
{
    wchar_t *const wide = wide_from_text(path);
    const int result = wide ? _wmkdir(wide) : -1;
    free(wide);
    return result;
}

int posix_rename(const char *from, const char *to)
{
    wchar_t *const old = wide_from_text(from), *const fresh = wide_from_text(to);
    int result = -1;
    if (old && fresh)
        result =
            MoveFileExW(old, fresh, MOVEFILE_REPLACE_EXISTING | MOVEFILE_COPY_ALLOWED) ? 0 : fail();
    free(old);
    free(fresh);
    return result;
}

int posix_mkstemps(char *path, int suffix)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    char *const mark = path + strlen(path) - suffix - strlen("XXXXXX");
    for (unsigned tries = 0; tries < 100; tries++) {
        unsigned number;
        if (rand_s(&number))
            return -1;
        for (unsigned i = 0; i < 6; i++, number /= sizeof(letters) - 1)
            mark[i] = letters[number % (sizeof(letters) - 1)];
        const int fd = posix_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* ---- status of files ---- */

/* Opens a file or folder only to query it. This works while other programs have it open. */
static HANDLE look_at(const char *path, unsigned long flags)
{
    wchar_t *const wide = wide_from_text(path);
    if (!wide)
        return INVALID_HANDLE_VALUE;
    const HANDLE file = CreateFileW(wide, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                    NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags, NULL);
    if (file == INVALID_HANDLE_VALUE)
        fail();
    free(wide);
    return file;
}

static int describe(HANDLE file, struct posix_stat *info)
{
    *info = (struct posix_stat){ .st_nlink = 1 };
    const unsigned long type = GetFileType(file);
    if (type == FILE_TYPE_PIPE || type == FILE_TYPE_CHAR) {
        info->st_mode = (type == FILE_TYPE_PIPE ? S_IFIFO : S_IFCHR) | S_IRUSR | S_IWUSR;
        info->st_ino = (uint64_t)(uintptr_t)file; /* they have no number: use the handle */
        return 0;
    }
    BY_HANDLE_FILE_INFORMATION known;
    if (!GetFileInformationByHandle(file, &known))
        return fail();
    const bool is_folder = known.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    info->st_mode = (is_folder ? S_IFDIR : S_IFREG) | S_IRUSR |
                    (known.dwFileAttributes & FILE_ATTRIBUTE_READONLY ? 0 : S_IWUSR);
    info->st_dev = known.dwVolumeSerialNumber;
    info->st_ino = (uint64_t)known.nFileIndexHigh << 32 | known.nFileIndexLow;
    info->st_nlink = known.nNumberOfLinks;
    info->st_size = (int64_t)((uint64_t)known.nFileSizeHigh << 32 | known.nFileSizeLow);
    return 0;
}

int posix_stat(const char *path, struct posix_stat *info)
{
    const HANDLE file = look_at(path, 0);
    if (file == INVALID_HANDLE_VALUE)
        return -1;
    const int result = describe(file, info);
    CloseHandle(file);
    return result;
}

int posix_lstat(const char *path, struct posix_stat *info)
{
    const HANDLE file = look_at(path, FILE_FLAG_OPEN_REPARSE_POINT);
    FILE_ATTRIBUTE_TAG_INFO tag = { 0 };
    if (file == INVALID_HANDLE_VALUE)
        return -1;
    const int result = describe(file, info);
    if (!result && GetFileInformationByHandleEx(file, FileAttributeTagInfo, &tag, sizeof(tag)) &&
        tag.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT &&
        tag.ReparseTag == IO_REPARSE_TAG_SYMLINK)
        info->st_mode = S_IFLNK | S_IRUSR | S_IWUSR;
    CloseHandle(file);
    return result;
}

int posix_fstat(int fd, struct posix_stat *info)
{
    const HANDLE file = (HANDLE)_get_osfhandle(fd);
    return file == INVALID_HANDLE_VALUE ? -1 : describe(file, info);
}

char *posix_realpath(const char *path, char *resolved)
{
    const HANDLE file = look_at(path, 0);
    wchar_t wide[4096];
    if (file == INVALID_HANDLE_VALUE)
        return NULL;
    const unsigned long length = GetFinalPathNameByHandleW(file, wide, 4096, 0);
    CloseHandle(file);
    if (!length || length >= 4096) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    /* Strip the prefix for long paths: Windows accepts no slashes in paths that have it. */
    const wchar_t *from = wide;
    if (!wcsncmp(wide, L"\\\\?\\UNC\\", 8)) {
        wide[6] = L'\\';
        from = wide + 6;
    } else if (!wcsncmp(wide, L"\\\\?\\", 4)) {
        from = wide + 4;
    }
    char *const text = wide_to_text(from);
    for (char *c = text; c && *c; c++)
        if (*c == '\\')
            *c = '/';
    return text;
}

/* ---- open files ---- */

int posix_fsync(int fd)
{
    return _commit(fd);
}

int posix_fchmod(int fd, int mode)
{
    return 0;
}

ssize_t posix_preadv(int fd, const struct iovec *pieces, int count, int64_t offset)
{
    const HANDLE file = (HANDLE)_get_osfhandle(fd);
    const size_t most = (size_t)1 << 30;
    const unsigned long size = (unsigned long)(pieces->iov_len < most ? pieces->iov_len : most);
    OVERLAPPED place = { .Offset = (unsigned long)offset,
                         .OffsetHigh = (unsigned long)(offset >> 32) };
    unsigned long got = 0;
    if (ReadFile(file, pieces->iov_base, size, &got, &place) || GetLastError() == ERROR_HANDLE_EOF)
        return (ssize_t)got;
    return fail();
}
