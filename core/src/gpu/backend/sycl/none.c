/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libvmaf_sycl.h in a build without SYCL: every function is there and says so. */
#include "libvmaf/libvmaf_sycl.h"

#include <errno.h>

#include "base/log.h"
#include "gpu/backend.h"

const GpuBackend sycl_backend = {
    .name = "sycl",
    .title = "SYCL",
    .needs = "SYCL plugin (libvmaf-sycl)",
};

static int absent(void)
{
    log_error("this libvmaf was built without SYCL; its Vulkan backend runs on the same GPUs");
    return -ENOSYS;
}

int vmaf_sycl_state_init(VmafSyclState **state, VmafSyclConfiguration cfg)
{
    if (state)
        *state = NULL;
    return absent();
}

int vmaf_sycl_import_state(VmafContext *vmaf, VmafSyclState *state)
{
    return absent();
}

void vmaf_sycl_state_free(VmafSyclState **state)
{
    if (state)
        *state = NULL;
}

int vmaf_sycl_list_devices(void)
{
    return absent();
}

int vmaf_sycl_preallocate_pictures(VmafContext *vmaf, VmafSyclPictureConfiguration cfg)
{
    return absent();
}

int vmaf_sycl_picture_fetch(VmafContext *vmaf, VmafPicture *pic)
{
    return absent();
}

int vmaf_sycl_init_frame_buffers(VmafContext *vmaf, unsigned w, unsigned h, unsigned bpc)
{
    return absent();
}

int vmaf_sycl_get_frame_buffers(VmafContext *vmaf, void **ref, void **dis)
{
    return absent();
}

int vmaf_read_pictures_sycl(VmafContext *vmaf, unsigned index)
{
    return absent();
}

int vmaf_sycl_wait_compute(VmafContext *vmaf)
{
    return absent();
}

int vmaf_flush_sycl(VmafContext *vmaf)
{
    return absent();
}

int vmaf_sycl_dmabuf_import(VmafSyclState *state, int fd, size_t size, void **ptr)
{
    return absent();
}

void vmaf_sycl_dmabuf_free(VmafSyclState *state, void *ptr)
{
}

int vmaf_sycl_import_va_surface(VmafSyclState *state, void *va_display, unsigned surface,
                                int is_ref, unsigned w, unsigned h, unsigned bpc)
{
    return absent();
}

int vmaf_sycl_upload_plane(VmafSyclState *state, const void *src, unsigned pitch, int is_ref,
                           unsigned w, unsigned h, unsigned bpc)
{
    return absent();
}

#ifdef _WIN32
int vmaf_sycl_import_d3d11_surface(VmafSyclState *state, void *device, void *texture,
                                   unsigned subresource, int is_ref, unsigned w, unsigned h,
                                   unsigned bpc)
{
    return absent();
}
#endif

int vmaf_sycl_profiling_enable(VmafSyclState *state)
{
    return absent();
}

void vmaf_sycl_profiling_disable(VmafSyclState *state)
{
}

void vmaf_sycl_profiling_print(VmafSyclState *state)
{
}

int vmaf_sycl_profiling_get_string(VmafSyclState *state, char **text)
{
    return absent();
}
