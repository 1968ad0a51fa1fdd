/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libcuda tells the version of its API only; that of the driver is told by the management library, which
 * comes with it. */
#include "base/library.h"
#include "cuda/symbols.h"

#ifdef _WIN32
static const char *const library_names[] = { "nvml.dll", NULL };
#else
static const char *const library_names[] = { "libnvidia-ml.so.1", NULL };
#endif

enum { WITHOUT_GPUS = 1 }; /* they are not looked at, which takes long */

void cuda_driver_version(char *text, size_t size)
{
    text[0] = '\0';
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
