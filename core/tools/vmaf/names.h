/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Names for a message, separated by commas; cut short if there are too many to print. */
#ifndef TOOLS_NAMES_H
#define TOOLS_NAMES_H

#include <stddef.h>

typedef struct Names {
    char text[1024];
    size_t used;
    unsigned count;
} Names;

/* Zeroed names are none. */
void names_add(Names *names, const char *name);

#endif
