/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* An argument vector that grows. */
#ifndef TUNE_ARGV_H
#define TUNE_ARGV_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Argv {
    char **words; /* ends with NULL once there is a word */
    size_t count;
    bool failed; /* for want of memory: what is added meanwhile is lost */
} Argv;

void argv_add(Argv *argv, const char *word);
void argv_addf(Argv *argv, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Several; ends with NULL. */
void argv_add_all(Argv *argv, const char *const *words);
/* Takes the word, which malloc gave. */
void argv_take(Argv *argv, char *word);
void argv_free(Argv *argv);

/* A path that no program takes for an option, nor for standard input. free() it; NULL: no memory. */
char *path_as_argument(const char *path);
/* The folder a path is in; free() it. */
char *path_folder(const char *path);
/* printf into memory that free() frees; NULL: no memory. */
char *text_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
