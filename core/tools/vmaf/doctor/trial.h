/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A small pair of videos, made here, scored on a device: works is what gives the CPU's bits. */
#ifndef TOOLS_DOCTOR_TRIAL_H
#define TOOLS_DOCTOR_TRIAL_H

#include <jansson.h>

/* Every score of every frame, by "NAME FRAME", on the device of that number; NULL: on the CPU. NULL when the
 * pair could not be scored there; the log says why. Beside the scores, "on_device" lists the extractors that ran
 * there. */
json_t *trial_score(const char *backend, unsigned index);

/* NULL when all scores are equal, else a text, to be freed, on the first one that is not. */
char *trial_compare(const json_t *device, const json_t *cpu);

#endif
