/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int scratch_file(void)
{
    const char *const folder = getenv("TMPDIR");
    char name[4096];
    snprintf(name, sizeof(name), "%s/vmaf-mcp-XXXXXX", folder && *folder ? folder : "/tmp");
    const int fd = mkostemp(name, O_CLOEXEC);
    if (fd < 0)
        return -errno;
    unlink(name);
    return fd;
}
