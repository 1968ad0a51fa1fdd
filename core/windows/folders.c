/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* POSIX functions for folders on Windows; posix.h and dirent.h declare them. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "wide.h"

struct PosixFolder {
    HANDLE search;
    WIN32_FIND_DATAW found;
    bool first; /* `found` holds an entry that readdir has not returned yet */
    struct dirent entry;
};

DIR *posix_opendir(const char *path)
{
    const size_t length = strlen(path);
    DIR *const folder = calloc(1, sizeof(*folder));
    char *const pattern = malloc(length + 3);
    wchar_t *wide = NULL;
    if (folder && pattern) {
        memcpy(pattern, path, length);
        strcpy(pattern + length, "/*");
        wide = wide_path(pattern);
    }
    if (wide) {
        folder->search = FindFirstFileW(wide, &folder->found);
        if (folder->search == INVALID_HANDLE_VALUE)
            errno = windows_errno(GetLastError());
    }
    const bool opened = wide && folder->search != INVALID_HANDLE_VALUE;
    free(wide);
    free(pattern);
    if (!opened) {
        free(folder);
        return NULL;
    }
    folder->first = true;
    return folder;
}

struct dirent *posix_readdir(DIR *folder)
{
    while (folder->first || FindNextFileW(folder->search, &folder->found)) {
        folder->first = false;
        if (WideCharToMultiByte(CP_UTF8, 0, folder->found.cFileName, -1, folder->entry.d_name,
                                sizeof(folder->entry.d_name), NULL, NULL))
            return &folder->entry;
    }
    return NULL;
}

int posix_closedir(DIR *folder)
{
    FindClose(folder->search);
    free(folder);
    return 0;
}

int posix_mkdir(const char *path, int mode)
{
    wchar_t *const wide = wide_path(path);
    const bool made = wide && CreateDirectoryW(wide, NULL);
    if (wide && !made)
        errno = windows_errno(GetLastError());
    free(wide);
    return made ? 0 : -1;
}

int posix_rmdir(const char *path)
{
    wchar_t *const wide = wide_path(path);
    const bool removed = wide && RemoveDirectoryW(wide);
    if (wide && !removed)
        errno = windows_errno(GetLastError());
    free(wide);
    return removed ? 0 : -1;
}

char *posix_mkdtemp(char *path)
{
    for (unsigned tries = 0; tries < 100; tries++) {
        if (windows_random_name(path, 0))
            return NULL;
        if (!posix_mkdir(path, 0700))
            return path;
        if (errno != EEXIST)
            return NULL;
    }
    return NULL;
}
