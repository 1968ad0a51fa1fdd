/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/kernels.h"

#include <string.h>

const KernelInfo *kernel_info_find(const char *name)
{
    for (const KernelInfo *info = kernel_infos; info->name; info++)
        if (!strcmp(info->name, name))
            return info;
    return NULL;
}
