/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A journal: a file of JSON lines that keeps results across runs. Each line reaches the disk before
 * the next job starts, and a line left incomplete by a kill is dropped at the next start. A file
 * lock allows one writing process at a time.
 *
 * Each line is an object whose string "key" identifies the result. */
#ifndef TUNE_JOURNAL_H
#define TUNE_JOURNAL_H

#include <jansson.h>
#include <stdbool.h>

#include "encoder.h"
#include "options.h"

typedef struct Journal Journal;

/* Open or create the file and read its lines. `path` must stay valid. Prints errors and returns a
 * negative errno; -EBUSY: another process is writing it. */
int journal_open(Journal **out, const char *path);
void journal_close(Journal *journal);

bool journal_has(const Journal *journal, const char *key);
/* The object with that key, owned by the journal. NULL: none. */
json_t *journal_get(const Journal *journal, const char *key);
size_t journal_count(const Journal *journal);
/* Append the object and take ownership of it. Prints errors and returns a negative errno. */
int journal_add(Journal *journal, const char *key, json_t *object);

/* Keys contain everything that a result depends on, so equal keys mean that the result can be
 * reused. */

/* Build a key from the source's path, size and time, the scoring options (with size and time of
 * models that are files), the ffmpeg, the encoder and `what`, the task. free() it. NULL: no
 * memory. */
char *key_make(const char *path, const TuneOptions *options, const Encoder *encoder,
               const char *what);
/* The key for encoding with one setting. free() it. NULL: no memory. */
char *key_of_setting(const char *path, const TuneOptions *options, const Encoder *encoder,
                     double setting);

#endif
