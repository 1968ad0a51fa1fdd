/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* POSIX functions for streams, consoles, environment variables and processors; posix.h declares
 * them. */
#include <errno.h>
#include <io.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <windows.h>

#include "wide.h"

#undef fclose
#undef getenv

/* ---- consoles ---- */

int posix_isatty(int fd)
{
    unsigned long mode;
    return GetConsoleMode((HANDLE)_get_osfhandle(fd), &mode) != 0;
}

int posix_ioctl(int fd, int request, struct winsize *size)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(fd), &info)) {
        errno = ENOTTY;
        return -1;
    }
    size->ws_col = (unsigned short)(info.srWindow.Right - info.srWindow.Left + 1);
    size->ws_row = (unsigned short)(info.srWindow.Bottom - info.srWindow.Top + 1);
    return 0;
}

/* ---- streams ---- */

int posix_vfprintf(FILE *stream, const char *format, va_list list)
{
    char room[2048], *text = room;
    va_list again;
    va_copy(again, list);
    const int length = vsnprintf(room, sizeof(room), format, list);
    if (length >= (int)sizeof(room)) {
        text = malloc((size_t)length + 1);
        if (text)
            vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    const bool written =
        length >= 0 && text && fwrite(text, 1, (size_t)length, stream) == (size_t)length;
    if (text != room)
        free(text);
    return written ? length : -1;
}

int posix_fprintf(FILE *stream, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int length = posix_vfprintf(stream, format, list);
    va_end(list);
    return length;
}

/* A memory stream is a temporary file that is read when the stream is closed. */
typedef struct MemoryStream {
    struct MemoryStream *next;
    FILE *file;
    char **text;
    size_t *size;
} MemoryStream;

static pthread_mutex_t streams_lock = PTHREAD_MUTEX_INITIALIZER;
static MemoryStream *streams;

static FILE *open_temporary(void)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/vmaf-XXXXXX", posix_getenv("TMPDIR"));
    const int fd = posix_mkstemps(path, 0);
    if (fd < 0)
        return NULL;
    close(fd);
    wchar_t *const wide = wide_from_text(path);
    FILE *const file = wide ? _wfopen(wide, L"w+bTD") : NULL; /* deleted when it is closed */
    free(wide);
    if (!file)
        posix_unlink(path);
    return file;
}

FILE *posix_open_memstream(char **text, size_t *size)
{
    MemoryStream *const stream = malloc(sizeof(*stream));
    FILE *const file = stream ? open_temporary() : NULL;
    if (!file) {
        free(stream);
        return NULL;
    }
    *stream = (MemoryStream){ .file = file, .text = text, .size = size };
    pthread_mutex_lock(&streams_lock);
    stream->next = streams;
    streams = stream;
    pthread_mutex_unlock(&streams_lock);
    return file;
}

static MemoryStream *take_stream(const FILE *file)
{
    pthread_mutex_lock(&streams_lock);
    MemoryStream **at = &streams;
    while (*at && (*at)->file != file)
        at = &(*at)->next;
    MemoryStream *const found = *at;
    if (found)
        *at = found->next;
    pthread_mutex_unlock(&streams_lock);
    return found;
}

static bool read_back(const MemoryStream *stream)
{
    const int64_t size = _ftelli64(stream->file);
    if (size < 0 || !(*stream->text = malloc((size_t)size + 1)))
        return false;
    rewind(stream->file);
    *stream->size = fread(*stream->text, 1, (size_t)size, stream->file);
    (*stream->text)[*stream->size] = '\0';
    return *stream->size == (size_t)size;
}

int posix_fclose(FILE *file)
{
    MemoryStream *const stream = take_stream(file);
    const bool lost = stream && !read_back(stream);
    free(stream);
    return fclose(file) || lost ? EOF : 0;
}

ssize_t posix_getline(char **line, size_t *room, FILE *stream)
{
    size_t length = 0;
    for (int c; (c = getc(stream)) != EOF;) {
        if (length + 2 > *room) {
            const size_t more = 2 * *room + 128;
            char *const grown = realloc(*line, more);
            if (!grown)
                return -1;
            *line = grown;
            *room = more;
        }
        (*line)[length++] = (char)c;
        if (c == '\n')
            break;
    }
    if (length)
        (*line)[length] = '\0';
    return length ? (ssize_t)length : -1;
}

/* ---- variables ---- */

/* Strings that getenv returned, in UTF-8. They are never freed. */
typedef struct Variable {
    struct Variable *next;
    char *value;
} Variable;

static pthread_mutex_t variables_lock = PTHREAD_MUTEX_INITIALIZER;
static Variable *variables;

/* Finds the entry with this text, or the first free entry. */
static char *keep(char *value)
{
    pthread_mutex_lock(&variables_lock);
    Variable *known = variables;
    while (known && strcmp(known->value, value))
        known = known->next;
    if (known) {
        free(value);
    } else if ((known = malloc(sizeof(*known)))) {
        *known = (Variable){ variables, value };
        variables = known;
    }
    pthread_mutex_unlock(&variables_lock);
    return known ? known->value : NULL;
}

static char *variable(const char *name)
{
    wchar_t *const wide = wide_from_text(name);
    const wchar_t *const found = wide ? _wgetenv(wide) : NULL;
    char *const value = found ? wide_to_text(found) : NULL;
    free(wide);
    return value ? keep(value) : NULL;
}

static char *temporary_folder(void)
{
    wchar_t folder[MAX_PATH + 1];
    const unsigned long length = GetTempPathW(MAX_PATH + 1, folder);
    char *const value = length && length <= MAX_PATH ? wide_to_text(folder) : NULL;
    return value ? keep(value) : ".";
}

char *posix_getenv(const char *name)
{
    char *const value = variable(name);
    if (value)
        return value;
    return !strcmp(name, "HOME")     ? variable("USERPROFILE")
           : !strcmp(name, "TMPDIR") ? temporary_folder()
                                     : NULL;
}

int posix_setenv(const char *name, const char *value, int replace)
{
    wchar_t *const wide = wide_from_text(name), *const text = wide_from_text(value);
    const int result = !wide || !text               ? -1
                       : !replace && _wgetenv(wide) ? 0
                       : _wputenv_s(wide, text)     ? -1
                                                    : 0;
    free(wide);
    free(text);
    return result;
}

int posix_unsetenv(const char *name)
{
    return posix_setenv(name, "", 1); /* an empty value removes the variable */
}

/* ---- processors ---- */

long posix_sysconf(int name)
{
    DWORD_PTR mine = 0, all = 0;
    const long active = (long)GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
    /* With several processor groups, Windows cannot say which processors a process may use. */
    if (active <= 64 && GetProcessAffinityMask(GetCurrentProcess(), &mine, &all) && mine)
        return __builtin_popcountll(mine);
    return active;
}
