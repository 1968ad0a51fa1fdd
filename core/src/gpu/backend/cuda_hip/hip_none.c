/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* HIP in a build without it: its name is known. */
#include "gpu/backend.h"

const GpuBackend hip_backend = {
    .name = "hip",
    .title = "HIP",
    .needs = "HIP runtime (libamdhip64)",
};
