/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the command says to its user: lines on stderr. Safe from any thread. */
#ifndef TOOLS_MESSAGE_H
#define TOOLS_MESSAGE_H

#include <stdbool.h>

/* One line; the newline is added. It starts on a line of its own, whatever the meter has drawn. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for what the run was made for. False when it could not be written. */
bool say_result(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A reader that goes away and a file that may not grow any more make a write fail; neither is a reason to
 * die without a word. */
void survive_failing_writes(void);

/* Ends what was printed to stdout. 0, or -EIO, and says so, when some of it was lost. */
int finish_stdout(void);

/* For the meter: text in the terminal's current line, in place of what was there, written at once. */
void say_in_line(const char *text);
void say_end_line(void);        /* if nothing else was said since: then there is no line to end */
bool say_is_within_line(void);  /* nothing else was said since */
unsigned message_columns(void); /* of the terminal */

/* Until it is taken back, nothing is said: for what is tried again, and was told the first time. */
void message_hush(bool hush);

/* Is stderr a terminal? */
bool message_on_terminal(void);

#endif
