/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "base/library.h"

#include <stddef.h>

#ifdef _WIN32
#include <windows.h>

static void *open_one(const char *name)
{
    return (void *)LoadLibraryA(name);
}

LibraryFunction library_function(void *library, const char *name)
{
    return (LibraryFunction)(void *)GetProcAddress((HMODULE)library, name);
}
#else
#include <dlfcn.h>
#include <stdint.h>

static void *open_one(const char *name)
{
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

LibraryFunction library_function(void *library, const char *name)
{
    return (LibraryFunction)(uintptr_t)dlsym(library, name);
}
#endif

void *library_open(const char *const *names)
{
    void *library = NULL;
    for (; *names && !library; names++)
        library = open_one(*names);
    return library;
}
