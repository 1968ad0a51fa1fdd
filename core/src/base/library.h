/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Shared libraries opened at run time, so that libvmaf starts without them. They are never closed:
 * drivers have threads and exit handlers of their own. Any thread. */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

/* Opens the first of these libraries that can be opened; NULL ends the list. NULL when none can. */
void *library_open(const char *const *names);

/* NULL when the library has no such function. The caller casts it to its type. */
typedef void (*LibraryFunction)(void);
LibraryFunction library_function(void *library, const char *name);

#endif
