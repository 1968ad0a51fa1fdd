/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The driver for tests (test/fake_driver), as those see it that look after its use. */
#ifndef EMULATED_H
#define EMULATED_H

#include <stdbool.h>

#include "gpu/backend/cuda_hip/device.h"

typedef struct Emulated {
    const GpuBackend *backend;
    const char *prefix; /* of its functions: "cu", "hip" */
    /* test/fake_driver/control.h */
    int (*inject)(const char *function, unsigned nth, const char *what);
    int (*failed)(void);
    unsigned (*calls)(unsigned i, const char **function);
    int (*schedule)(const char *text);
    unsigned (*complaints)(void);
    long (*leaks)(void);
    void (*reset)(void);
} Emulated;

extern Emulated emulated;

/* For main: finds the driver of the backend that is named, or ends the program as skipped. */
void emulated_find(int argc, char **argv);

int emulated_open(GpuDevice **device);
unsigned emulated_calls_of(const char *function); /* since emulated.inject was called last */
int emulated_file(size_t size);                   /* a descriptor, for memory that is shared */
bool emulated_is_open(int fd);
/* What we were asked to let the caller's stream wait for. */
void emulated_wait_for_caller(GpuDevice *device);

/* How things were before, and whether they are so again: fails, with a line about `what`, if anything was left behind. */
typedef struct EmulatedBefore {
    long live;
    unsigned descriptors, complaints;
} EmulatedBefore;

EmulatedBefore emulated_before(void);
void emulated_check(const char *what, const EmulatedBefore *was);

#endif
