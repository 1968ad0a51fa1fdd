/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* POSIX file functions on Windows; posix.h declares them. */
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/uio.h>
#include <unistd.h>
#include <windows.h>

#include "wide.h"

int windows_errno(unsigned long error)
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
    case ERROR_DIR_NOT_EMPTY:
        return ENOTEMPTY;
    case ERROR_FILENAME_EXCED_RANGE:
        return ENAMETOOLONG;
    case ERROR_TOO_MANY_OPEN_FILES:
        return EMFILE;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA:
        return EPIPE;
    case ERROR_BAD_EXE_FORMAT:
        return ENOEXEC;
    default:
        return EIO;
    }
}

static int fail(void)
{
    errno = windows_errno(GetLastError());
    return -1;
}

/* ---- by name ---- */

/* Opens the file so that others can rename and delete it meanwhile, which POSIX always allows. */
int posix_open(const char *path, int flags, ...)
{
    static const unsigned long accesses[] = { GENERIC_READ, GENERIC_WRITE,
                                              GENERIC_READ | GENERIC_WRITE };
    va_list list;
    va_start(list, flags);
    const int mode = flags & O_CREAT ? va_arg(list, int) : S_IWUSR;
    va_end(list);
    const bool create = flags & O_CREAT, cut = flags & O_TRUNC;
    const unsigned long way = create && flags & O_EXCL ? CREATE_NEW
                              : create && cut          ? CREATE_ALWAYS
                              : create                 ? OPEN_ALWAYS
                              : cut                    ? TRUNCATE_EXISTING
                                                       : OPEN_EXISTING;
    wchar_t *const wide = wide_path(path);
    if (!wide)
        return -1;
    const HANDLE file =
        CreateFileW(wide, accesses[(flags & O_ACCMODE) % 3],
                    FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, way,
                    mode & S_IWUSR ? FILE_ATTRIBUTE_NORMAL : FILE_ATTRIBUTE_READONLY, NULL);
    free(wide);
    if (file == INVALID_HANDLE_VALUE)
        return fail();
    const int fd =
        _open_osfhandle((intptr_t)file, (flags & (O_APPEND | O_ACCMODE)) | O_BINARY | O_NOINHERIT);
    if (fd < 0)
        CloseHandle(file);
    return fd;
}

FILE *posix_fopen(const char *path, const char *mode)
{
    wchar_t letters[8];
    size_t n = 0;
    for (const char *c = mode; *c && n < 5; c++)
        if (*c != 'e') /* no child process inherits a file */
            letters[n++] = (wchar_t)*c;
    if (!strchr(mode, 'b'))
        letters[n++] = L'b';
    letters[n++] = L'N';
    letters[n] = L'\0';
    wchar_t *const wide = wide_path(path);
    FILE *const file = wide ? _wfopen(wide, letters) : NULL;
    free(wide);
    return file;
}

int posix_access(const char *path, int mode)
{
    wchar_t *const wide = wide_path(path);
    const int result = wide ? _waccess(wide, mode & ~X_OK) : -1;
    free(wide);
    return result;
}

int posix_unlink(const char *path)
{
    wchar_t *const wide = wide_path(path);
    const int result = wide ? _wunlink(wide) : -1;
    free(wide);
    return result;
}

int posix_rename(const char *from, const char *to)
{
    wchar_t *const old = wide_path(from), *const fresh = wide_path(to);
    int result = -1;
    if (old && fresh)
        result =
            MoveFileExW(old, fresh, MOVEFILE_REPLACE_EXISTING | MOVEFILE_COPY_ALLOWED) ? 0 : fail();
    free(old);
    free(fresh);
    return result;
}

int posix_link(const char *from, const char *to)
{
    wchar_t *const old = wide_path(from), *const fresh = wide_path(to);
    const int result = !old || !fresh ? -1 : CreateHardLinkW(fresh, old, NULL) ? 0 : fail();
    free(old);
    free(fresh);
    return result;
}

int windows_random_name(char *path, int suffix)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    char *const mark = path + strlen(path) - suffix - strlen("XXXXXX");
    unsigned number;
    if (rand_s(&number))
        return -1;
    for (unsigned i = 0; i < 6; i++, number /= sizeof(letters) - 1)
        mark[i] = letters[number % (sizeof(letters) - 1)];
    return 0;
}

int posix_mkstemps(char *path, int suffix)
{
    for (unsigned tries = 0; tries < 100; tries++) {
        if (windows_random_name(path, suffix))
            return -1;
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
    wchar_t *const wide = wide_path(path);
    if (!wide)
        return INVALID_HANDLE_VALUE;
    const HANDLE file = CreateFileW(wide, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                    NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags, NULL);
    if (file == INVALID_HANDLE_VALUE)
        fail();
    free(wide);
    return file;
}

/* From 100 ns since 1601 to the time since 1970. */
static struct timespec time_of(FILETIME time)
{
    const uint64_t ticks = ((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime) -
                           (uint64_t)11644473600 * 10000000;
    return (struct timespec){ .tv_sec = (time_t)(ticks / 10000000),
                              .tv_nsec = (long)(ticks % 10000000) * 100 };
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
    info->st_mtim = time_of(known.ftLastWriteTime);
    FILE_STANDARD_INFO standard;
    if (GetFileInformationByHandleEx(file, FileStandardInfo, &standard, sizeof(standard)) &&
        standard.DeletePending)
        info->st_nlink = 0;
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

int posix_touch(const char *path)
{
    wchar_t *const wide = wide_path(path);
    const HANDLE file = wide ? CreateFileW(wide, FILE_WRITE_ATTRIBUTES,
                                           FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                           NULL, OPEN_EXISTING, 0, NULL)
                             : INVALID_HANDLE_VALUE;
    FILETIME time;
    GetSystemTimeAsFileTime(&time);
    const int result =
        file != INVALID_HANDLE_VALUE && SetFileTime(file, NULL, NULL, &time) ? 0 : fail();
    if (file != INVALID_HANDLE_VALUE)
        CloseHandle(file);
    free(wide);
    return result;
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
    return path_without_prefix(wide);
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

/* A lock keeps others from reading what is locked, so it lies where no file has anything. */
int posix_flock(int fd, int operation)
{
    OVERLAPPED place = { .OffsetHigh = 0x7fffffff };
    if (LockFileEx((HANDLE)_get_osfhandle(fd), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY,
                   0, 1, 0, &place))
        return 0;
    if (GetLastError() != ERROR_LOCK_VIOLATION && GetLastError() != ERROR_IO_PENDING)
        return fail();
    errno = EWOULDBLOCK;
    return -1;
}

/* At most 1 GiB is read or written at once. */
static unsigned long piece_of(size_t size)
{
    const size_t most = (size_t)1 << 30;
    return (unsigned long)(size < most ? size : most);
}

static OVERLAPPED place_of(int64_t offset)
{
    return (OVERLAPPED){ .Offset = (unsigned long)offset,
                         .OffsetHigh = (unsigned long)(offset >> 32) };
}

ssize_t posix_pread(int fd, void *bytes, size_t size, int64_t offset)
{
    OVERLAPPED place = place_of(offset);
    unsigned long got = 0;
    if (ReadFile((HANDLE)_get_osfhandle(fd), bytes, piece_of(size), &got, &place) ||
        GetLastError() == ERROR_HANDLE_EOF)
        return (ssize_t)got;
    return fail();
}

ssize_t posix_preadv(int fd, const struct iovec *pieces, int count, int64_t offset)
{
    return posix_pread(fd, pieces->iov_base, pieces->iov_len, offset);
}

ssize_t posix_pwrite(int fd, const void *bytes, size_t size, int64_t offset)
{
    OVERLAPPED place = place_of(offset);
    unsigned long done = 0;
    if (WriteFile((HANDLE)_get_osfhandle(fd), bytes, piece_of(size), &done, &place))
        return (ssize_t)done;
    return fail();
}
