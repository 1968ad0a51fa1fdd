/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Between the library and a device: counts the calls of each operation, makes one of them fail, and
 * spoils memory that is called undefined. One tap at a time; the calls may come from any thread. */
#ifndef TEST_GPU_TAP_H
#define TEST_GPU_TAP_H

#include "gpu/device.h"

/* What can fail. */
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

/* Until tap_close, or the end of the test, the device's operations go through here. */
void tap_open(GpuDevice *device);
void tap_close(void); /* without a tap, too */

/* The n-th call from now on (1: the next) does not do its work but returns `result`; a wait has waited
 * before. Counts begin anew. */
void tap_fail(enum TapOperation operation, unsigned nth, int result);
bool tap_has_failed(void);

unsigned tap_calls(enum TapOperation operation);
unsigned tap_submits(enum GpuQueue queue); /* GPU_COMPUTE: to any compute queue */

#endif
