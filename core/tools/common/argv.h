/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Argument vectors that grow, and texts for them. The owner frees a vector with argv_free. */
#ifndef TOOLS_ARGV_H
#define TOOLS_ARGV_H

#include <stdbool.h>
#include <stddef.h>

/* A zeroed vector is empty. */
typedef struct Argv {
    char **words; /* ends with NULL once it has a word */
    size_t count;
    bool failed; /* out of memory: words were lost */
} Argv;

/* These set `failed` instead of returning an error: check it once, at the end. */
void argv_add(Argv *argv, const char *word);
void argv_addf(Argv *argv, const char *format, ...) __attribute__((format(printf, 2, 3)));
void argv_add_all(Argv *argv, const char *const *words); /* `words` ends with NULL */
/* Takes over a word from malloc. NULL sets `failed`. */
void argv_take(Argv *argv, char *word);
void argv_free(Argv *argv);
/* The words as text that can be pasted into a shell. The caller frees it; NULL: no memory. */
char *argv_shell_text(const Argv *argv);

/* The path in a form that no program takes for an option or for standard input. The caller frees
 * it; NULL: no memory. */
char *path_as_argument(const char *path);
/* The last separator of folders in the path: a slash, on Windows also a backslash. NULL: none. */
char *path_separator(const char *path);
/* The folder that contains the path. The caller frees it; NULL: no memory. */
char *path_folder(const char *path);
/* Prints into new memory, which the caller frees. NULL: no memory. */
char *text_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
