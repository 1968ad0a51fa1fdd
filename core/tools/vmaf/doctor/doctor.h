/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* `vmaf --doctor`: what this machine has to score on, whether each of it works, and what would cure what does
 * not. Drivers are only ever opened in processes of their own: one that crashes or hangs is a finding. */
#ifndef TOOLS_DOCTOR_DOCTOR_H
#define TOOLS_DOCTOR_DOCTOR_H

#include "vmaf/options.h"

/* Prints what it found. 0: every backend asked for works, which are those of --backend; without it the CPU and
 * all backends that see a GPU. -ENODEV: one does not. */
int doctor(const Options *options);

#endif
