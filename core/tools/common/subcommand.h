/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What programs share whose first word is a command with options of its own: vmaf-tune and vmaf-shard. */
#ifndef TOOLS_SUBCOMMAND_H
#define TOOLS_SUBCOMMAND_H

#include "args.h"

/* Its options make its help, its manual page and its completions. */
typedef struct Subcommand {
    const char *name;    /* NULL ends a table; alone: the program has no commands, only options */
    const char *words;   /* what stands behind the name, for people */
    const char *summary; /* a line */
    const Arg *options;
} Subcommand;

/* What a program's first word asks for: a command's place in the table; that of the table's end for help, and the one
 * behind it for the version. -EINVAL, and says what there is, when it asks for none of these. From now on `wrong`
 * speaks for this program. */
int subcommand_find(const char *program, const Subcommand *table, const char *word,
                    unsigned *found);

/* Says what is wrong with the command line: -EINVAL. */
int wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* An option's value. What does not lie between the limits is wrong. */
int take_number(const Arg *arg, const char *value, double low, double high, double *out);
int take_count(const Arg *arg, const char *value, unsigned low, unsigned high, unsigned *out);

/* The program's exit code, when all is done: `result`, unless what it printed was lost or a signal came. Says so. */
int subcommand_end(int result);

#endif
