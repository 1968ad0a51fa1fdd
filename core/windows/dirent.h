/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Lists of folders, with names in UTF-8. */
#ifndef WINDOWS_DIRENT_H
#define WINDOWS_DIRENT_H

typedef struct PosixFolder DIR;
struct dirent {
    char d_name[1024];
};
DIR *posix_opendir(const char *path);
/* The entry stays valid until the next call. One thread at a time may use a list. */
struct dirent *posix_readdir(DIR *folder);
int posix_closedir(DIR *folder);
#define opendir posix_opendir
#define readdir posix_readdir
#define closedir posix_closedir

#endif
