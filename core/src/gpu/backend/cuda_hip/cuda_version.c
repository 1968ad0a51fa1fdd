/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libcuda tells the version of its API only. That of the driver is told by its module in the kernel, at once, and else
 * by the management library, which comes with it and takes 20 ms. */
#include "gpu/backend/cuda_hip/cuda_symbols.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/library.h"

#ifdef _WIN32
static const char *const library_names[] = { "nvml.dll", NULL };
#else
static const char *const library_names[] = { "libnvidia-ml.so.1", NULL };
#endif

enum { WITHOUT_GPUS = 1 }; /* they are not looked at, which takes long */

static bool ask_module(char *text, size_t size)
{
#ifdef __linux__
    FILE *const file = fopen("/sys/module/nvidia/version", "re");
    if (!file)
        return false;
    if (!fgets(text, (int)size, file))
        text[0] = '\0';
    fclose(file);
    text[strcspn(text, "\n")] = '\0';
#endif
    return text[0];
}

void cuda_driver_version(char *text, size_t size)
{
    text[0] = '\0';
    if (ask_module(text, size))
        return;
    void *library = library_open(library_names);
    if (!library)
        return;
    int (*init)(unsigned flags) = (int (*)(unsigned))library_function(library, "nvmlInitWithFlags");
    int (*version)(char *, unsigned) =
        (int (*)(char *, unsigned))library_function(library, "nvmlSystemGetDriverVersion");
    int (*end)(void) = (int (*)(void))library_function(library, "nvmlShutdown");
    if (!init || !version || !end || init(WITHOUT_GPUS))
        return;
    if (version(text, (unsigned)size))
        text[0] = '\0';
    end();
}
