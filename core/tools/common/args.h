/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A table of command-line options, and a scanner that walks argv by it. One table makes the parser
 * and the help text. */
#ifndef TOOLS_ARGS_H
#define TOOLS_ARGS_H

#include <stdbool.h>
#include <stdio.h>

struct Options;

typedef struct Arg {
    int id;            /* for programs that tell options apart by a number */
    char letter;       /* of the short form; 0: none */
    const char *name;  /* of the long form; NULL: `help` is a heading; table ends with both NULL */
    const char *value; /* what --help calls its value; NULL: it takes none */
    const char *help;  /* lines, joined by \n */
    bool newer;        /* unknown to libvmaf 3.2.0: a prefix that was unique there stays so */
    /* For programs that let each option act by itself: 0 or a negative errno. */
    int (*set)(struct Options *options, const struct Arg *arg, const char *value);
    /* What shells offer for the value: "file", "folder", "model", "feature", "backend", "device", or
     * words parted by '|'; NULL: nothing. */
    const char *complete;
} Arg;

typedef struct ArgScanner {
    const Arg *table;
    char **argv;
    int argc, at;
    const char *cluster; /* rest of a group of short options */
    bool only_words;     /* after a "--" */
    char error[256];
} ArgScanner;

void args_start(ArgScanner *scanner, const Arg *table, int argc, char **argv);

/* 1: *arg and, if it takes one, *value are set; *arg is NULL for a word that is no option. 0: the end.
 * -1: `error` says what is wrong. Long names may be shortened, and have hyphens where the table has
 * underscores. */
int args_next(ArgScanner *scanner, const Arg **arg, const char **value);

void args_print_help(const Arg *table, FILE *file);

#endif
