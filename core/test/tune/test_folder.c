/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "test_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char test_folder[] = "tune-XXXXXX";

int folder_set_up(void **state)
{
    return !mkdtemp(test_folder);
}

int folder_tear_down(void **state)
{
    return rmdir(test_folder);
}

void path_of(char path[256], const char *name)
{
    snprintf(path, 256, "%s/%s", test_folder, name);
}

int make_file(const char *name)
{
    char path[256];
    path_of(path, name);
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    assert_true(file >= 0);
    return file;
}

bool is_there(const char *name)
{
    struct stat info;
    char path[256];
    path_of(path, name);
    return !lstat(path, &info);
}

unsigned count_entries(const char *prefix)
{
    unsigned count = 0;
    DIR *const dir = opendir(test_folder);
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir));) {
        const bool is_entry = strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
        count += is_entry && !strncmp(entry->d_name, prefix, strlen(prefix));
    }
    closedir(dir);
    return count;
}
