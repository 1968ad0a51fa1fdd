/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/**
 * Scoring with SYCL.
 *
 * All functions exist in every build. Where the backend is not part of it they return -ENOSYS and
 * say so in the log; libvmaf_vulkan.h drives the same GPUs.
 */
#ifndef VMAF_SYCL_H
#define VMAF_SYCL_H

#include <stddef.h>

#include "libvmaf.h"
#include "macros.h"
#include "picture.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafSyclState VmafSyclState;

typedef struct VmafSyclConfiguration {
    int device_index; /**< -1: the default device */
    int enable_profiling;
} VmafSyclConfiguration;

enum VmafSyclPicturePreallocationMethod {
    VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_NONE = 0,
    VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_DEVICE,
    VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_HOST,
};

typedef struct VmafSyclPictureConfiguration {
    struct {
        unsigned w, h;
        unsigned bpc;
        enum VmafPixelFormat pix_fmt;
    } pic_params;
    enum VmafSyclPicturePreallocationMethod pic_prealloc_method;
} VmafSyclPictureConfiguration;

/** Opens a device. On failure *state is NULL. */
VMAF_EXPORT int vmaf_sycl_state_init(VmafSyclState **state, VmafSyclConfiguration cfg);
/** Lets a context use it, before features are registered. The caller frees it after vmaf_close().
 */
VMAF_EXPORT int vmaf_sycl_import_state(VmafContext *vmaf, VmafSyclState *state);
/** Sets *state to NULL. NULL and a NULL inside are fine. */
VMAF_EXPORT void vmaf_sycl_state_free(VmafSyclState **state);
/** How many devices there are, one line each on stdout. */
VMAF_EXPORT int vmaf_sycl_list_devices(void);

VMAF_EXPORT int vmaf_sycl_preallocate_pictures(VmafContext *vmaf, VmafSyclPictureConfiguration cfg);
VMAF_EXPORT int vmaf_sycl_picture_fetch(VmafContext *vmaf, VmafPicture *pic);

/** Two luma buffers on the device, and scoring what they hold. */
VMAF_EXPORT int vmaf_sycl_init_frame_buffers(VmafContext *vmaf, unsigned w, unsigned h,
                                             unsigned bpc);
VMAF_EXPORT int vmaf_sycl_get_frame_buffers(VmafContext *vmaf, void **ref, void **dis);
VMAF_EXPORT int vmaf_read_pictures_sycl(VmafContext *vmaf, unsigned index);
VMAF_EXPORT int vmaf_sycl_wait_compute(VmafContext *vmaf);
VMAF_EXPORT int vmaf_flush_sycl(VmafContext *vmaf);

/** Filling those buffers. File descriptors and surfaces stay the caller's. */
VMAF_EXPORT int vmaf_sycl_dmabuf_import(VmafSyclState *state, int fd, size_t size, void **ptr);
VMAF_EXPORT void vmaf_sycl_dmabuf_free(VmafSyclState *state, void *ptr);
VMAF_EXPORT int vmaf_sycl_import_va_surface(VmafSyclState *state, void *va_display,
                                            unsigned surface, int is_ref, unsigned w, unsigned h,
                                            unsigned bpc);
VMAF_EXPORT int vmaf_sycl_upload_plane(VmafSyclState *state, const void *src, unsigned pitch,
                                       int is_ref, unsigned w, unsigned h, unsigned bpc);
#ifdef _WIN32
VMAF_EXPORT int vmaf_sycl_import_d3d11_surface(VmafSyclState *state, void *device, void *texture,
                                               unsigned subresource, int is_ref, unsigned w,
                                               unsigned h, unsigned bpc);
#endif

/** Times of the kernels. The string is freed with free(). */
VMAF_EXPORT int vmaf_sycl_profiling_enable(VmafSyclState *state);
VMAF_EXPORT void vmaf_sycl_profiling_disable(VmafSyclState *state);
VMAF_EXPORT void vmaf_sycl_profiling_print(VmafSyclState *state);
VMAF_EXPORT int vmaf_sycl_profiling_get_string(VmafSyclState *state, char **text);

#ifdef __cplusplus
}
#endif

#endif
