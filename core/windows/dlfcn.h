/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Libraries opened by name: only those beside the program or of the system, never those of the
 * current folder. Any thread may call these functions. */
#ifndef WINDOWS_DLFCN_H
#define WINDOWS_DLFCN_H

#define RTLD_NOW 2
#define RTLD_LOCAL 0
void *posix_dlopen(const char *name, int flags);
void *posix_dlsym(void *library, const char *name);
/* Why this thread's last dlopen failed. */
char *posix_dlerror(void);
#define dlopen posix_dlopen
#define dlsym posix_dlsym
#define dlerror posix_dlerror

#endif
