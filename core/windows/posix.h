/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* POSIX functions for Windows, which lacks them, names them differently or takes other paths. On
 * Windows every C file is compiled with this header included first and with this folder ahead of
 * the system's headers, so that the code needs no conditionals.
 *
 * Paths and environment variables are UTF-8. A path that is not valid UTF-8 is taken to be in the
 * system's code page, because programs that use the library may pass such paths. Files are opened
 * in binary mode, and child processes do not inherit them. */
#ifndef WINDOWS_POSIX_H
#define WINDOWS_POSIX_H

/* Windows declares these in <io.h>, elsewhere only <unistd.h> does. */
#define close windows_close
#define tell windows_tell
#include <fcntl.h>
#include <io.h>
#undef close
#undef tell
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

/* ---- files by name ---- */

/* Flags without a meaning on Windows. */
#define O_CLOEXEC 0
#define O_NOCTTY 0
#define O_NOFOLLOW 0
#define O_NONBLOCK 0
#define O_DIRECTORY 0

int posix_open(const char *path, int flags, ...);
FILE *posix_fopen(const char *path, const char *mode);
int posix_access(const char *path, int mode);
int posix_unlink(const char *path);
int posix_rename(const char *from, const char *to); /* replaces `to` if it exists, as POSIX does */
int posix_link(const char *from, const char *to);
int posix_mkdir(const char *path, int mode);
int posix_rmdir(const char *path);
char *posix_mkdtemp(char *path);
int posix_mkstemps(char *path, int suffix);
/* `resolved` must be NULL. The result has slashes; the caller frees it. */
char *posix_realpath(const char *path, char *resolved);

#undef rename
#undef mkdir
#undef rmdir
#undef mkstemp
#define open posix_open
#define fopen posix_fopen
#define access posix_access
#define unlink posix_unlink
#define rename posix_rename
#define link posix_link
#define mkdir posix_mkdir
#define rmdir posix_rmdir
#define mkdtemp posix_mkdtemp
#define mkstemp(path) posix_mkstemps(path, 0)
#define mkstemps posix_mkstemps
#define mkostemp(path, flags) posix_mkstemps(path, 0)
#define mkostemps(path, suffix, flags) posix_mkstemps(path, suffix)
#define realpath posix_realpath

/* ---- status of files ---- */

/* Fills in file numbers, which the system's own stat leaves at 0. */
struct posix_stat {
    uint64_t st_dev, st_ino;
    unsigned st_mode, st_nlink;
    int64_t st_size;
    struct timespec st_mtim;
};
int posix_stat(const char *path, struct posix_stat *info);
int posix_lstat(const char *path, struct posix_stat *info);
int posix_fstat(int fd, struct posix_stat *info);
int posix_touch(const char *path); /* makes the file's time the present one */

#undef stat
#undef fstat
#define stat posix_stat
#define lstat posix_lstat
#define fstat posix_fstat
#define AT_FDCWD (-100)
#define utimensat(folder, path, times, flags) posix_touch(path) /* `times` is NULL */
#define S_IFLNK 0xA000
#define S_ISLNK(mode) (((mode)&S_IFMT) == S_IFLNK)

/* ---- open files ---- */

int posix_fsync(int fd);
/* These do not move the position of the file. */
ssize_t posix_pread(int fd, void *bytes, size_t size, int64_t offset);
ssize_t posix_pwrite(int fd, const void *bytes, size_t size, int64_t offset);
int posix_fchmod(int fd, int mode); /* does nothing: the folder's permissions apply */
int posix_isatty(int fd);           /* true for consoles only, not for other devices */

#undef isatty
#define fsync posix_fsync
#define pread posix_pread
#define pwrite posix_pwrite
#define fchmod posix_fchmod
#define isatty posix_isatty

/* ---- streams ---- */

/* Write each line of a message in one call, so that a console gets whole characters. */
int posix_vfprintf(FILE *stream, const char *format, va_list list)
    __attribute__((format(gnu_printf, 2, 0)));
int posix_fprintf(FILE *stream, const char *format, ...) __attribute__((format(gnu_printf, 2, 3)));
FILE *posix_open_memstream(char **text, size_t *size);
int posix_fclose(FILE *stream);

#undef fprintf
#undef vfprintf
#define fprintf posix_fprintf
#define vfprintf posix_vfprintf
#define open_memstream posix_open_memstream
#define fclose posix_fclose
#define flockfile(stream) _lock_file(stream)
#define funlockfile(stream) _unlock_file(stream)

/* Reads a line with its newline into memory that it grows, as POSIX has it. -1: the end, or an
 * error. */
ssize_t posix_getline(char **line, size_t *room, FILE *stream);

#define getline posix_getline

/* ---- texts ---- */

char *posix_strcasestr(const char *text,
                       const char *part); /* ignores the case of ASCII letters only */

#define strcasestr posix_strcasestr

/* ---- the process ---- */

/* HOME and TMPDIR fall back to what Windows uses for them. Returned strings stay valid. */
char *posix_getenv(const char *name);

#define _SC_NPROCESSORS_ONLN 1
long posix_sysconf(int name); /* _SC_NPROCESSORS_ONLN */

#define getenv posix_getenv
#define sysconf posix_sysconf

#endif
