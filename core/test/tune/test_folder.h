/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A new folder below the working directory, for the tests of one file. Names are those of entries
 * in it. What cannot be done fails the test. */
#ifndef TEST_TUNE_TEST_FOLDER_H
#define TEST_TUNE_TEST_FOLDER_H

#include "testing.h"

extern char test_folder[];

/* For cmocka's groups. The folder must be empty in the end. */
int folder_set_up(void **state);
int folder_tear_down(void **state);

void path_of(char path[256], const char *name);

/* Creates the file, which must not exist, and returns its descriptor. */
int make_file(const char *name);
bool is_there(const char *name);

/* The number of entries whose names begin with the prefix. */
unsigned count_entries(const char *prefix);

#endif
