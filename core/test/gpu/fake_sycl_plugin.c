/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Files in the place of the SYCL plugin, none of which may be used: what is wrong with each is what FAKE
 * says. */
#include <errno.h>

#include "sycl/loader.h"

#define NO_ENTRY 1
#define NO_TABLE 2
#define OTHER_ABI 3
#define OTHER_BUILD 4
#define NO_DEVICE 5
#define NO_RUNTIME 6

#if FAKE != NO_ENTRY
static const char *error(void)
{
    return "the runtime is out of order";
}

static int list(SyclDeviceDesc *out, unsigned room)
{
    return FAKE == NO_RUNTIME ? -EIO : 0;
}

__attribute__((visibility("default"))) const SyclPlugin *vmaf_sycl_plugin(unsigned abi);

const SyclPlugin *vmaf_sycl_plugin(unsigned abi)
{
    static SyclPlugin plugin = { .compiler = "nobody", .error = error, .list = list };
    plugin.abi = abi + (FAKE == OTHER_ABI);
    plugin.build = FAKE == OTHER_BUILD ? "0123456789abcdef" : sycl_build;
    return FAKE == NO_TABLE ? NULL : &plugin;
}
#endif
