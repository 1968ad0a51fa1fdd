/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The devices that compute scores: "cpu", "vulkan", "vulkan:0", "cuda:NAME". Each runs one scoring
 * at a time. One GPU may be listed twice, through different APIs; its entries then share one lock.
 * Call all functions from the main thread. */
#ifndef TUNE_DEVICES_H
#define TUNE_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/argv.h"
#include "common/child.h"

typedef struct ScoringDevice {
    char *label;    /* as typed */
    char *backend;  /* "cpu", "auto", "vulkan" */
    char *selector; /* number or name of the device; NULL: the first */
    size_t lock;    /* index of the first entry that is the same hardware */
    unsigned threads;
    bool busy; /* read and set on the entry with index `lock` */
} ScoringDevice;

/* Parse a list such as "cpu,vulkan:0". Returns 0, -ENOMEM, or -EINVAL with the reason in `error`.
 * The caller frees the list. */
int scoring_devices_parse(ScoringDevice **devices, size_t *count, const char *text, char *error,
                          size_t error_size);
void scoring_devices_free(ScoringDevice *devices, size_t count);

/* List all devices of this machine: each GPU once, by the first backend that finds it, then the
 * CPU. Leaves out software devices. Returns 0 or a negative errno. */
int scoring_devices_find(ScoringDevice **devices, size_t *count, const char *self,
                         Children *children);

/* Detect entries that are the same hardware, and divide `threads` (0: all processors) among the
 * entries. */
void scoring_devices_prepare(ScoringDevice *devices, size_t count, unsigned threads,
                             const char *self, Children *children);

/* Append the options that make the vmaf command use this device. */
void scoring_device_add_options(const ScoringDevice *device, Argv *argv);

/* Print all devices, one per line, and return an exit code. The program runs itself with --devices
 * for this, so that a driver that crashes or hangs cannot harm it. */
int scoring_devices_print_all(void);

#endif
