/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/zimg.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/library.h"
#include "base/log.h"

#if defined(_WIN32)
#define ZIMG_FILES "libzimg-2.dll", "zimg.dll", "z.dll"
#elif defined(__APPLE__)
#define ZIMG_FILES "libzimg.2.dylib"
#else
#define ZIMG_FILES "libzimg.so.2"
#endif

static Zimg zimg;
static bool is_open;

static void open_once(void)
{
    static const char *const names[] = { ZIMG_FILES, NULL };
    void *const library = library_open(names);
    bool complete = library;
#define ZIMG_FIND(name)                                                                            \
    if (complete) {                                                                                \
        zimg.name = (__typeof__(zimg.name))library_function(library, "zimg_" #name);               \
        complete = zimg.name;                                                                      \
    }
    EACH_ZIMG_FUNCTION(ZIMG_FIND)
#undef ZIMG_FIND
    is_open = complete && zimg.get_api_version(NULL, NULL) >= ZIMG_API_VERSION;
    if (!complete)
        return;
    unsigned major, minor, micro;
    zimg.get_version_info(&major, &minor, &micro);
    log_debug("zimg %u.%u.%u%s", major, minor, micro, is_open ? "" : " is too old");
}

const Zimg *zimg_open(void)
{
    static const char *const names[] = { ZIMG_FILES, NULL };
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_once);
    if (is_open)
        return &zimg;
    log_error("converting colours needs zimg, API %u.%u or newer, which is not installed (%s). On "
              "Debian and Ubuntu: apt install libzimg2",
              ZIMG_API_VERSION_MAJOR, ZIMG_API_VERSION_MINOR, names[0]);
    return NULL;
}
