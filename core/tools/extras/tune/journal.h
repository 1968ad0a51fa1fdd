/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A file of JSON lines that grows by whole lines, whatever happens: a line is on the disk before the next job
 * begins, and one that was torn when we were killed is dropped. One process at a time writes it.
 *
 * Each line is an object with a string "key" that says what it answers. */
#ifndef TUNE_JOURNAL_H
#define TUNE_JOURNAL_H

#include <jansson.h>
#include <stdbool.h>

#include "encoder.h"
#include "options.h"

typedef struct Journal Journal;

/* Opens or makes the file, and reads the keys in it. Says what is wrong; negative errno: -EBUSY when another
 * process is at it. */
int journal_open(Journal **out, const char *path);
void journal_close(Journal *journal);

bool journal_has(const Journal *journal, const char *key);
/* The object of that key, the journal's; NULL: there is none. */
json_t *journal_get(const Journal *journal, const char *key);
size_t journal_count(const Journal *journal);
/* Takes the object. Says what is wrong; negative errno. */
int journal_add(Journal *journal, const char *key, json_t *object);

/* Keys of results: all that a result depends on. What has the same key need not be done again. */

/* The source as it is now, what is computed, the encoder, and then what is done with it. free() it; NULL: no
 * memory. */
char *key_make(const char *path, const TuneOptions *options, const Encoder *encoder,
               const char *what);
/* The same for one setting. */
char *key_of_setting(const char *path, const TuneOptions *options, const Encoder *encoder,
                     double setting);

#endif
