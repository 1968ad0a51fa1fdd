/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Scores out of the JSON report of the vmaf command. */
#ifndef TUNE_SCORED_H
#define TUNE_SCORED_H

#include <stddef.h>

typedef struct Scored {
    double *scores; /* one a frame; free() it */
    size_t count;
    double fps; /* of the scoring */
} Scored;

/* 0, -ENOMEM, or -EINVAL with the reason in `error`. */
int scored_read(Scored *scored, const char *path, const char *metric, char *error,
                size_t error_size);

#endif
