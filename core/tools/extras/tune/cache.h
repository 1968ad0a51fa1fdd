/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A folder that keeps encodes and the reports of their scores from run to run. Entries are named
 * after what they depend on: the source's packets (not its name), the encoder with its settings,
 * and for a report the options of scoring. Several programs may use one folder at a time. One
 * thread at a time may use an object. */
#ifndef TUNE_CACHE_H
#define TUNE_CACHE_H

#include <stdbool.h>

#include "job.h"

/* Open or create the folder, which may hold this many bytes: the entries that were used longest ago
 * go first. `path` must stay valid. Prints errors and returns a negative errno. */
int cache_open(Cache **out, const char *path, double bytes);
/* NULL is fine. */
void cache_close(Cache *cache);

/* Put the encode of a job at `path`, and set how long it took to make. False: the cache does not
 * have it. */
bool cache_take_encode(Cache *cache, const Workshop *shop, const Job *job, const char *path,
                       double *seconds);
/* The same for the report of its scores. */
bool cache_take_report(Cache *cache, const Workshop *shop, const Job *job, const char *path);
/* Keep them. A cache that cannot be written to is no error: the run goes on without it. */
void cache_keep_encode(Cache *cache, const Workshop *shop, const Job *job);
void cache_keep_report(Cache *cache, const Workshop *shop, const Job *job);
/* Remove a report that turned out to be damaged. */
void cache_drop_report(Cache *cache, const Workshop *shop, const Job *job);

#endif
