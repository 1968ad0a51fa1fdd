/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Shared by the files of this folder: conversion between UTF-8, which the code uses, and UTF-16,
 * which the system uses; errors; names. */
#ifndef WINDOWS_WIDE_H
#define WINDOWS_WIDE_H

#include <wchar.h>

/* The caller frees the result. NULL with errno set: out of memory, or the text is invalid. */
wchar_t *wide_from_text(const char *text);
char *wide_to_text(const wchar_t *wide);

/* The same for a path. One that is longer than the system's functions take gets the prefix that
 * lifts the limit. */
wchar_t *wide_path(const char *path);

/* The path of a file as the system tells it, with slashes and without the prefix of long paths.
 * Changes `wide`. The caller frees the result; NULL: no memory. */
char *path_without_prefix(wchar_t *wide);

/* The errno for an error of the system. */
int windows_errno(unsigned long error);

/* Replaces the XXXXXX that stand before the last `suffix` characters of the path. -1: the system
 * has no random numbers. */
int windows_random_name(char *path, int suffix);

#endif
