/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A file that takes its place whole or not at all: it is written beside it. What killed ones of us left half written there
 * is removed. "-" is standard output. */
#ifndef TUNE_OUTFILE_H
#define TUNE_OUTFILE_H

#include <stdio.h>

typedef struct OutFile {
    const char *path;
    char *draft; /* NULL: standard output */
    FILE *file;
} OutFile;

/* Say what is wrong; negative errno. */
int outfile_open(OutFile *out, const char *path);
int outfile_close(OutFile *out);

/* Can a file be made there? Asked before hours of work. */
int outfile_check(const char *path);

#endif
