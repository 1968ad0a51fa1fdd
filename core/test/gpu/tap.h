/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A layer between the library and a device: counts the calls of each operation, makes one of them
 * fail, and overwrites memory that is declared undefined. One tap at a time. The calls may come
 * from any thread. */
#ifndef TEST_GPU_TAP_H
#define TEST_GPU_TAP_H

#include "gpu/device.h"

/* The operations that can fail. */
enum TapOperation {
    TAP_BUFFER_CREATE,
    TAP_BUFFER_IMPORT,
    TAP_KERNEL_GET,
    TAP_BINDINGS_CREATE,
    TAP_COMMANDS_CREATE,
    TAP_END,
    TAP_STAMPS_CREATE,
    TAP_STAMPS_READ,
    TAP_SUBMIT,
    TAP_WAIT,
    TAP_DRAIN,
    TAP_OPERATIONS
};
extern const char *const tap_names[TAP_OPERATIONS];

/* From now until tap_close or the end of the test, the device's operations go through the tap. */
void tap_open(GpuDevice *device);
void tap_close(void); /* fine without a tap */

/* The n-th call from now on (1: the next) returns `result` instead of doing its work; a wait waits
 * first. Restarts the counts. */
void tap_fail(enum TapOperation operation, unsigned nth, int result);
bool tap_has_failed(void);

unsigned tap_calls(enum TapOperation operation);
unsigned tap_submits(enum GpuQueue queue); /* GPU_COMPUTE: to any compute queue */

#endif
