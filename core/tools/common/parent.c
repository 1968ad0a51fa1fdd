/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "parent.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void parent_keep_streams(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

char *parent_find_self(const char *called)
{
#ifdef __linux__
    if (!access("/proc/self/exe", X_OK))
        return strdup("/proc/self/exe"); /* right even when the file has been replaced since */
#endif
    return strchr(called, '/') ? realpath(called, NULL) : strdup(called);
}
