/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A Vulkan loader that never answers or, with BAD_DRIVER=crash in the environment, kills the
 * calling process. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *vkGetInstanceProcAddr(void *instance, const char *name);

void *vkGetInstanceProcAddr(void *instance, const char *name)
{
    const char *const how = getenv("BAD_DRIVER");
    (void)instance;
    (void)name;
    if (how && !strcmp(how, "crash"))
        abort();
    for (;;)
        pause();
}
