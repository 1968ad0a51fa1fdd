/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "input/libav_api.h"

#include <stddef.h>

#ifdef LIBAV_LINKED

const char *libav_api_open(void)
{
    return NULL;
}

#else

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

LibavApi libav_api;

typedef struct Function {
    const char *name;
    void *slot; /* its pointer in libav_api; NULL ends a list */
} Function;

/* Each name is now a macro for its pointer in libav_api. */
#define FUNCTION(name) { #name, &name },
static const Function avformat_functions[] = { LIBAVFORMAT_FUNCTIONS(FUNCTION){ NULL, NULL } };
static const Function avcodec_functions[] = { LIBAVCODEC_FUNCTIONS(FUNCTION){ NULL, NULL } };
static const Function avutil_functions[] = { LIBAVUTIL_FUNCTIONS(FUNCTION){ NULL, NULL } };
static const Function swscale_functions[] = { LIBSWSCALE_FUNCTIONS(FUNCTION){ NULL, NULL } };

/* Only the major version whose headers were used is opened, because structures differ between
 * major versions. */
static const struct {
    const char *name;
    int major;
    const Function *functions;
} libraries[] = {
    { "libavformat", LIBAVFORMAT_VERSION_MAJOR, avformat_functions },
    { "libavcodec", LIBAVCODEC_VERSION_MAJOR, avcodec_functions },
    { "libavutil", LIBAVUTIL_VERSION_MAJOR, avutil_functions },
    { "libswscale", LIBSWSCALE_VERSION_MAJOR, swscale_functions },
};

static char missing[512]; /* empty: nothing is missing */

#ifdef _WIN32
static void file_name(char *file, size_t size, const char *name, int major)
{
    snprintf(file, size, "%s-%d.dll", name + strlen("lib"), major);
}

static void miss(const char *what, const char *name, int major)
{
    snprintf(missing, sizeof(missing),
             "%s; put the DLLs of FFmpeg with %s %d beside the program (the zip has them), or give "
             "Y4M videos of one size",
             what, name, major);
}
#else
static void file_name(char *file, size_t size, const char *name, int major)
{
    snprintf(file, size, "%s.so.%d", name, major);
}

static void miss(const char *what, const char *name, int major)
{
    snprintf(missing, sizeof(missing),
             "%s; install FFmpeg's libraries (Debian: %s%d), or give Y4M videos of one size", what,
             name, major);
}
#endif

/* Opens the libraries and never closes them, because decoders have threads and handlers of their
 * own. */
static void open_all(void)
{
    for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries) && !*missing; i++) {
        const char *const name = libraries[i].name;
        const int major = libraries[i].major;
        char file[64], what[256];
        file_name(file, sizeof(file), name, major);
        void *const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            const char *const why = dlerror(); /* it names the missing or unusable file */
            miss(why ? why : file, name, major);
        }
        for (const Function *f = libraries[i].functions; library && f->slot; f++) {
            void *const found = dlsym(library, f->name);
            if (!found) {
                snprintf(what, sizeof(what), "%s is too old: it has no %s", file, f->name);
                miss(what, name, major);
                break;
            }
            memcpy(f->slot, &found, sizeof(found));
        }
    }
}

const char *libav_api_open(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_all);
    return *missing ? missing : NULL;
}

#endif
