/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* VMAF_BACKEND=NAME[:DEVICE] in the environment: the device of contexts to which their program gives none.
 *
 * It is opened when the first context needs it, shared by all that ask for the same, and stays open until
 * the process ends: some programs open a context a frame. */
#ifndef GPU_ENVIRONMENT_H
#define GPU_ENVIRONMENT_H

#include "gpu/session.h"

/* Whether the environment asks for a GPU: who set it wants to read errors, whatever the program says. */
bool environment_asks(void);

/* For a new context. What cannot be done, or not be understood, fails when the device is needed: the program
 * may yet give another one. */
int environment_heed(VmafContext *context);

/* Says where features run; of a client that environment_heed made, once they are known. */
void environment_tell_places(const GpuClient *client);

#endif
