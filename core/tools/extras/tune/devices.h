/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The devices that compute scores: "cpu", "vulkan", "vulkan:0", "cuda:NAME". Each runs one scoring
 * at a time. One GPU may be listed twice, through different APIs; its entries then share one lock.
 * Call all functions from the main thread. */
#ifndef TUNE_DEVICES_H
#define TUNE_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "common/argv.h"
#include "common/child.h"
#include "common/message.h"

typedef struct ScoringDevice {
    char *label;    /* as typed */
    char *backend;  /* "cpu", "vulkan"; "auto" until the trial */
    char *selector; /* number or name of the device; NULL: the first */
    char *hardware; /* the driver's name for the GPU, which the trial found; NULL: none */
    size_t lock; /* index of the first entry that is the same hardware; SIZE_MAX: the last resort */
    unsigned threads;
    bool allow_software; /* a CPU that emulates a GPU may be chosen, too */
    bool busy;           /* its hardware scores; only on the entry with index `lock` */
    bool dead;           /* it stopped working; `why` says more */
    char why[512];
    unsigned scored;
} ScoringDevice;

/* Parse a list such as "cpu,vulkan:0". Returns 0, -ENOMEM, or -EINVAL with the reason in `error`.
 * The caller frees the list. */
int scoring_devices_parse(ScoringDevice **devices, size_t *count, const char *text, char *error,
                          size_t error_size);
/* The same for VMAF_BACKEND of the environment, whose value is one entry. Returns 0 with no entry
 * if it is not set; prints errors. */
int scoring_devices_from_environment(ScoringDevice **devices, size_t *count);
/* Free what one entry holds. */
void scoring_device_free(ScoringDevice *device);
void scoring_devices_free(ScoringDevice *devices, size_t count);

/* List all devices of this machine: each GPU once, by the first backend that finds it, then the
 * CPU. Leaves out software devices, unless they are allowed. Returns 0 or a negative errno. */
int scoring_devices_find(ScoringDevice **devices, size_t *count, bool allow_software,
                         const char *self, Children *children);

typedef struct DeviceParams {
    unsigned threads; /* for all of them together; 0: all processors */
    bool allow_software;
    const char *self; /* path of this program */
    Children *children;
} DeviceParams;

/* Detect entries that are the same hardware, and divide the threads among the entries. Returns 0 or
 * -ENOMEM. */
int scoring_devices_prepare(ScoringDevice *devices, size_t count, const DeviceParams *params);

/* Make an entry for the CPU, for the case that no device of the list works any more. Nothing of it
 * needs to be freed. `threads`: 0: all processors. */
void last_resort_prepare(ScoringDevice *cpu, unsigned threads);

bool scoring_device_is_gpu(const ScoringDevice *device);
/* True if an entry was typed as "auto": the trial tells which device that is. */
bool scoring_devices_have_auto(const ScoringDevice *devices, size_t count);

/* Choose a device that is idle and works; `refused` (NULL: none) only if no other one works, and
 * `last_resort` only if none does. NULL: wait for one. */
ScoringDevice *device_choose(ScoringDevice *devices, size_t count, ScoringDevice *last_resort,
                             const ScoringDevice *refused);
/* Mark the hardware of a device as busy, or as idle. */
void device_take(ScoringDevice *devices, ScoringDevice *device, bool busy);

/* Stop using a device. Prints that, and where its scores are computed now. */
void devices_bury(ScoringDevice *devices, size_t count, ScoringDevice *device, const char *why);

/* Scores that were taken from earlier runs and were computed elsewhere. Zeroed: none. */
typedef struct Recalled {
    unsigned scores;
    Names places;
} Recalled;

/* Note that the scores of an encode come from an earlier run. `places`: where they were computed,
 * as in "scored_on"; one object or an array. They are no news if a device of this run computes
 * there, or if no GPU was asked for. */
void devices_recall(const ScoringDevice *devices, size_t count, const json_t *places,
                    Recalled *recalled);

/* At the end of a run: print which devices stopped working, and what comes from elsewhere. */
void devices_tell(const ScoringDevice *devices, size_t count, const ScoringDevice *last_resort,
                  const Recalled *recalled);

/* Append the options that make the vmaf command use this device. */
void scoring_device_add_options(const ScoringDevice *device, Argv *argv);

/* Print all devices, one per line, and return an exit code. The program runs itself with --devices
 * for this, so that a driver that crashes or hangs cannot harm it. */
int scoring_devices_print_all(void);

#endif
