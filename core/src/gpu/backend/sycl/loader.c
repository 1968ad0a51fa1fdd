/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/backend/sycl/device.h"

#include <dlfcn.h>
#include <stdint.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

/* ---- opening one file ---- */

static int digest_file(const char *path, uint64_t *digest)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return -EIO;
    unsigned char bytes[4096];
    uint64_t h = 0xcbf29ce484222325u;
    size_t count;
    while ((count = fread(bytes, 1, sizeof(bytes), file)))
        for (size_t i = 0; i < count; i++)
            h = (h ^ bytes[i]) * 0x100000001b3u;
    const int err = ferror(file) ? -EIO : 0;
    fclose(file);
    *digest = h;
    return err;
}

/* True if dlopen failed because `path` itself is missing, and not a library that it needs. */
static bool is_absent(const char *path, const char *why)
{
    if (strchr(path, '/'))
        return access(path, F_OK) != 0;
    return why && !strncmp(why, path, strlen(path)) && strstr(why, "No such file");
}

static const SyclPlugin *refuse(const char *path, const char *why)
{
    log_error("sycl: %s is not used: %s", path, why);
    return NULL;
}

static const SyclPlugin *check(const char *path, void *library)
{
    SyclPluginEntry entry = (SyclPluginEntry)(uintptr_t)dlsym(library, SYCL_PLUGIN_ENTRY);
    if (!entry)
        return refuse(path, "it is not a SYCL plugin of libvmaf");
    const SyclPlugin *plugin = entry(SYCL_PLUGIN_ABI);
    if (!plugin)
        return refuse(path, "it belongs to another version of libvmaf, or found no SYCL runtime");
    if (plugin->abi != SYCL_PLUGIN_ABI)
        return refuse(path, "it belongs to another version of libvmaf");
    if (!plugin->build || strcmp(plugin->build, sycl_build))
        return refuse(path, "it was built from other sources than this libvmaf");
    return plugin;
}

int sycl_library_open(SyclLibrary *out, const char *path)
{
    *out = (SyclLibrary){ 0 };
    dlerror();
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        if (is_absent(path, why))
            return -ENOSYS;
        log_error("sycl: %s cannot be loaded; is the SYCL runtime in the library path? (%s)", path,
                  why ? why : "no reason given");
        return -ENOTSUP;
    }
    Dl_info where;
    out->plugin = check(path, library);
    if (out->plugin && (!dladdr(dlsym(library, SYCL_PLUGIN_ENTRY), &where) ||
                        digest_file(where.dli_fname, &out->digest)))
        out->plugin = refuse(path, "its file cannot be read");
    if (!out->plugin) {
        dlclose(library);
        return -ENOTSUP;
    }
    snprintf(out->path, sizeof(out->path), "%s", where.dli_fname);
    log_debug("sycl: plugin %s, built by %s", out->path, out->plugin->compiler);
    return 0;
}

/* ---- searching ---- */

static bool beside_us(char *path, size_t size)
{
    Dl_info where;
    if (!dladdr((const void *)&sycl_build, &where) || !where.dli_fname)
        return false;
    const char *slash = strrchr(where.dli_fname, '/');
    if (!slash)
        return false;
    const int folder = (int)(slash - where.dli_fname);
    return snprintf(path, size, "%.*s/%s", folder, where.dli_fname, SYCL_PLUGIN_FILE) < (int)size;
}

static int find(SyclLibrary *out)
{
    const char *named = getenv("VMAF_SYCL_PLUGIN");
    if (named && named[0]) {
        const int err = sycl_library_open(out, named);
        if (err == -ENOSYS)
            log_error("sycl: VMAF_SYCL_PLUGIN names %s, which does not exist", named);
        return err ? -ENOTSUP : 0;
    }
    char path[1024];
    const int err = beside_us(path, sizeof(path)) ? sycl_library_open(out, path) : -ENOSYS;
    return err == -ENOSYS ? sycl_library_open(out, SYCL_PLUGIN_FILE) : err;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static SyclLibrary found;
static int found_err;

static void find_once(void)
{
    found_err = find(&found);
}

int sycl_library(const SyclLibrary **out)
{
    pthread_once(&once, find_once);
    *out = found_err ? NULL : &found;
    return found_err;
}
