/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* VA-API surfaces in a build without its headers. */
#include <errno.h>

#include "base/log.h"
#include "libvmaf/libvmaf_sycl.h"

int vmaf_sycl_import_va_surface(VmafSyclState *state, void *va_display, unsigned surface,
                                int is_ref, unsigned w, unsigned h, unsigned bpc)
{
    log_error(
        "this libvmaf was built without VA-API; vmaf_sycl_upload_plane takes the plane itself");
    return -EIO;
}
