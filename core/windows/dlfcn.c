/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "wide.h"

static _Thread_local char why[320];

void *posix_dlopen(const char *name, int flags)
{
    wchar_t *const wide = wide_from_text(name);
    const HMODULE library =
        wide ? LoadLibraryExW(wide, NULL,
                              LOAD_LIBRARY_SEARCH_APPLICATION_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32)
             : NULL;
    const unsigned long error = GetLastError();
    free(wide);
    if (!library)
        snprintf(why, sizeof(why),
                 error == ERROR_MOD_NOT_FOUND
                     ? "%s, or a library that it needs, is not beside the program"
                     : "%s cannot be loaded (error %lu of Windows)",
                 name, error);
    return (void *)library;
}

void *posix_dlsym(void *library, const char *name)
{
    return (void *)GetProcAddress((HMODULE)library, name);
}

char *posix_dlerror(void)
{
    return why;
}
