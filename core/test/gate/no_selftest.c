/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Stands in for the self-test: every device is found good. */
#include "gpu/selftest.h"

SelfTestSet selftest_set_of(const FeatureDef *def)
{
    return 1;
}

int selftest_run(GpuDevice *device, SelfTestSet features, unsigned depth)
{
    return 0;
}
