/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Work done in a process of its own, since it may crash or never end. */
#ifndef TOOLS_DOCTOR_APART_H
#define TOOLS_DOCTOR_APART_H

#include <jansson.h>

/* What the work found: anything but NULL. Errors of the log end up on stderr, which is caught. */
typedef json_t *(*ApartJob)(void *arg);

/* The finding, or NULL with the reason in `why`: it crashed, hung, or said so on stderr. */
json_t *apart_run(ApartJob job, void *arg, unsigned seconds, char *why, size_t size);

#endif
