/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* VMAF_BACKEND=NAME[:DEVICE] in the environment: the device of contexts whose program sets none.
 *
 * The device is opened when the first context needs it. All contexts that ask for the same one
 * share it. It stays open until the process ends, because some programs open a context for every
 * frame. */
#ifndef GPU_ENVIRONMENT_H
#define GPU_ENVIRONMENT_H

#include "gpu/client.h"

/* True if the environment asks for a GPU. Errors are then logged even if the program's log level
 * hides them. */
bool environment_asks(void);

/* Call for each new context. An error in the variable, or in opening the device, is reported when
 * the device is needed: the program may still set another one. */
int environment_use(VmafContext *context);

/* Logs which features run on the devices and which on the CPU. For clients that environment_use
 * made, once the first pair is known. */
void environment_log_devices(const GpuClient *client);

#endif
