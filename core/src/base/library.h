/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Shared libraries that are opened at run time, so that nothing has to be installed for libvmaf to
 * start. They are never closed: drivers keep threads and exit handlers of their own. */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

/* The first of these names that can be opened; NULL ends the list. NULL when there is none. */
void *library_open(const char *const *names);

/* NULL when the library has no such function. The caller casts it to what it is. */
typedef void (*LibraryFunction)(void);
LibraryFunction library_function(void *library, const char *name);

#endif
