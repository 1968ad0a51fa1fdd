/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The one thing to do about a backend that finds no device. */
#ifndef TOOLS_DOCTOR_REMEDY_H
#define TOOLS_DOCTOR_REMEDY_H

#include <jansson.h>

/* `machine` has cards, nodes, vulkan_drivers and container; `missing` is what the library says. Never empty. */
void remedy_find(char *text, size_t size, const char *backend, const char *missing,
                 const json_t *machine);

#endif
