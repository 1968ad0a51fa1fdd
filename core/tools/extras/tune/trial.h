/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Trying whether a device can score: a child process, this program as the vmaf command, scores two
 * small pictures there with the options of the run. */
#ifndef TUNE_TRIAL_H
#define TUNE_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "common/argv.h"
#include "common/child.h"
#include "common/temp.h"
#include "devices.h"
#include "targets.h"

typedef struct Trial {
    const char *self; /* path of this program */
    Children *children;
    const Argv *words;      /* options for the vmaf command */
    const Metrics *metrics; /* that the scores must have; NULL: any */
    char *clip, *worse;     /* the two pictures, and the same with a little noise */
    char *report;
} Trial;

/* Write the pictures into the folder. Prints errors and returns a negative errno. Call trial_free
 * in any case. */
int trial_create(Trial *trial, TempFolder *temp);
void trial_free(Trial *trial);

/* Try a device. 0: it works; -ENODEV: it does not, for the reason in `why`; -EINTR, -ENOMEM. */
int trial_run(const Trial *trial, const ScoringDevice *device, char *why, size_t size);

/* Try all devices. Prints each one that does not work, and why, and warns of those in software.
 * An entry "auto" becomes the device that it found; a warning says if that is the CPU.
 * With `available`, those that do not work are left out of the list, and the others are printed;
 * otherwise one is enough to return -ENODEV. */
int trial_run_all(const Trial *trial, ScoringDevice *devices, size_t *count, bool available);

#endif
