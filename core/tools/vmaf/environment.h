/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* VMAF_BACKEND=NAME[:DEVICE] and VMAF_ALLOW_SOFTWARE=1 in the environment: what --backend, --device and
 * --allow_software say when nobody gives them. */
#ifndef TOOLS_ENVIRONMENT_H
#define TOOLS_ENVIRONMENT_H

#include "options.h"

/* Fills in what the command line leaves open, and hides the variable from the library, which would do the
 * same behind the command's back. -EINVAL (said): it names no backend. */
int options_heed_environment(Options *options);

#endif
