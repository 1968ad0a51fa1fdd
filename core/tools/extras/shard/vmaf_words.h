/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Options of the vmaf command that the user of vmaf-shard gives: some say what is scored, some where, some are for
 * the merge, and some are not the user's to give. */
#ifndef SUBMIT_VMAF_WORDS_H
#define SUBMIT_VMAF_WORDS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/argv.h"

typedef struct VmafWords {
    Argv score, place, merge;
    json_t *settings;  /* `score`, as parts tell of it: names and values; NULL: none */
    bool names_device; /* the places do, or a number of threads */
} VmafWords;

/* Options are written out in full: however they are typed, the words are the same. 0, -ENOMEM, or -EINVAL with
 * the reason in `error`. */
int vmaf_words_divide(VmafWords *words, int argc, char **argv, char *error, size_t error_size);
void vmaf_words_free(VmafWords *words);

#endif
