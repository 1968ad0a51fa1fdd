/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Command lines: tables of options, a scanner that walks argv by a table, and programs that have
 * subcommands. Parser, help text, manual page and completions all come from the same table. For the
 * main thread. */
#ifndef TOOLS_ARGS_H
#define TOOLS_ARGS_H

#include <stdbool.h>
#include <stdio.h>

/* Exit codes of all programs. 2 has a meaning of its own in each. */
enum { EXIT_DONE = 0, EXIT_USAGE = 1, EXIT_SIGNAL = 128, EXIT_FAILED = 255 };

struct Options;

/* One option. A table ends with a row whose name and help are both NULL. */
typedef struct Arg {
    int id;            /* for programs that tell options apart by number */
    char letter;       /* the short form; 0: none */
    const char *name;  /* the long form; NULL: the row is a heading, in `help` */
    const char *value; /* name of its value in --help; NULL: it takes none */
    const char *help;  /* lines, separated by \n */
    bool newer;        /* unknown to libvmaf 3.2.0: a prefix that was unique there stays unique */
    /* For programs that let each option act by itself: 0 or a negative errno. */
    int (*set)(struct Options *options, const struct Arg *arg, const char *value);
    /* Completion that shells offer for the value: "file", "folder", "model", "feature", "backend",
     * "device", or words separated by '|'; NULL: nothing. */
    const char *complete;
} Arg;

typedef struct ArgScanner {
    const Arg *table;
    char **argv;
    int argc, at;
    const char *cluster; /* rest of a group of short options; NULL: none */
    bool only_words;     /* after a "--" */
    char error[256];
} ArgScanner;

void args_start(ArgScanner *scanner, const Arg *table, int argc, char **argv);

/* Finds the next option or word. 1: *arg and, if it takes one, *value are set; *arg is NULL for a
 * word that is not an option. 0: the end. -1: `error` holds the reason. Long names may be
 * shortened, and may have hyphens where the table has underscores. */
int args_next(ArgScanner *scanner, const Arg **arg, const char **value);

void args_print_help(const Arg *table, FILE *file);

/* ---- programs whose first word is a command: vmaf-tune and vmaf-shard ---- */

typedef struct Subcommand {
    const char *name;    /* NULL ends a table, or means: this program has options but no commands */
    const char *words;   /* the arguments, as the usage line shows them */
    const char *summary; /* one line */
    const Arg *options;
} Subcommand;

/* Finds the command that a program's first word names. *found: its index in the table; the table's
 * length for help, and one more for the version. -EINVAL, after printing the known commands, if the
 * word is none of these. Sets the program name that `wrong` prints. */
int subcommand_find(const char *program, const Subcommand *table, const char *word,
                    unsigned *found);

/* Prints an error about the command line, and where to find help. Returns -EINVAL. */
int wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Parse an option's value; they print an error and return -EINVAL if it is not between the
 * limits. */
int take_number(const Arg *arg, const char *value, double low, double high, double *out);
int take_count(const Arg *arg, const char *value, unsigned low, unsigned high, unsigned *out);

/* Finishes stdout and returns the program's exit code: `result`, unless some output was lost or a
 * signal came. Prints which. */
int subcommand_end(int result);

#endif
