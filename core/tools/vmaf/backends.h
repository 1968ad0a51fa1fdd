/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The library's GPU backends as words of the command line. What there is, the library says: no backend
 * is named here. */
#ifndef TOOLS_BACKENDS_H
#define TOOLS_BACKENDS_H

#include <stdbool.h>
#include <stddef.h>

#define BACKENDS_MAX 16 /* more than the library will have */

/* The number of the backend whose name begins the text and is followed by `end`, with its name; NULL and
 * the number of all backends when there is none. */
unsigned backend_find(const char *text, const char *end, const char **name);

/* The backend that an extractor's name asks for: `vif_cuda` asks for cuda, those that no list shows are
 * found, too. NULL: none. */
const char *backend_of_extractor(const char *extractor);

/* Is it one of a list with commas? "all" lists those that users have. */
bool backend_listed(const char *list, const char *name);

/* All names, as a sentence has them: "a, b or c". */
void backend_names(char *text, size_t size);

#endif
