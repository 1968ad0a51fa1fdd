/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The fake driver (test/fake_driver), for tests that observe how it is used. */
#ifndef EMULATED_H
#define EMULATED_H

#include <stdbool.h>

#include "gpu/backend/cuda_hip/device.h"

typedef struct Emulated {
    const GpuBackend *backend;
    const char *prefix; /* prefix of its functions: "cu" or "hip" */
    /* see test/fake_driver/control.h */
    int (*inject)(const char *function, unsigned nth, const char *what);
    int (*failed)(void);
    unsigned (*calls)(unsigned i, const char **function);
    int (*schedule)(const char *text);
    unsigned (*complaints)(void);
    long (*leaks)(void);
    void (*reset)(void);
} Emulated;

extern Emulated emulated;

/* For main: loads the fake driver of the backend named on the command line, or ends the program as
 * skipped. */
void emulated_find(int argc, char **argv);

int emulated_open(GpuDevice **device);
unsigned emulated_calls_of(const char *function); /* since the last call of emulated.inject */
int emulated_file(size_t size);                   /* a file descriptor, for shared memory */
bool emulated_is_open(int fd);
/* Lets the device wait for the caller's stream. */
void emulated_wait_for_caller(GpuDevice *device);

/* A record of the state before a test. Comparing with it later fails, with a line about `what`, if
 * anything was left behind. */
typedef struct EmulatedBefore {
    long live;
    unsigned descriptors, complaints;
} EmulatedBefore;

EmulatedBefore emulated_before(void);
void emulated_check(const char *what, const EmulatedBefore *was);

#endif
