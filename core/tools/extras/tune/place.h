/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Where scores are computed: "cpu", "vulkan", "vulkan:0", "cuda:NAME". One job at a time in each; and places that
 * are one device under two names, as with two APIs, share its lock. */
#ifndef TUNE_PLACE_H
#define TUNE_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/argv.h"
#include "common/child.h"

typedef struct Place {
    char *label;   /* as typed */
    char *backend; /* "cpu", "auto", "vulkan" */
    char *device;  /* NULL: the first */
    size_t lock;   /* the first place that is the same device */
    unsigned threads;
    bool busy; /* of the place whose number is the lock */
} Place;

/* "cpu,vulkan:0". 0, -ENOMEM, or -EINVAL with the reason in `error`. */
int places_parse(Place **places, size_t *count, const char *text, char *error, size_t error_size);
void places_free(Place *places, size_t count);

/* All of this machine: each GPU once, by the first backend that has it, and then the CPU. Without those that
 * compute in software. 0 or a negative errno. */
int places_find(Place **places, size_t *count, const char *self, Children *children);

/* Finds out which are one device, and gives each its share of `threads` (0: of all processors). */
void places_settle(Place *places, size_t count, unsigned threads, const char *self,
                   Children *children);

/* The words that make the vmaf command compute there. */
void place_add_words(const Place *place, Argv *argv);

/* What places_settle and places_find ask of a process of its own, drivers being what they are: prints the devices. An
 * exit code. */
int places_print_devices(void);

#endif
