/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Stands in for the self-test: every device is found good. */
#include "gpu/selftest.h"

int selftest_run(GpuDevice *device)
{
    return 0;
}
