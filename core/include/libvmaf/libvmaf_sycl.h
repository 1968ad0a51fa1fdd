/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/**
 * Scoring with SYCL.
 *
 *     VmafSyclState *gpu;
 *     vmaf_sycl_state_init(&gpu, (VmafSyclConfiguration){ .device_index = -1 });
 *     vmaf_sycl_import_state(vmaf, gpu);           before features and models are registered
 *     …                                            as on the CPU
 *     vmaf_close(vmaf);
 *     vmaf_sycl_state_free(&gpu);
 *
 * All functions exist in every build. The SYCL runtime is reached through a plugin, libvmaf-sycl.so,
 * which is opened at run time: without it (and on Windows) states cannot be made, -ENOSYS, and the log
 * says so. A plugin of another build is refused with -ENOTSUP. Other errors: -EINVAL for arguments
 * that make no sense, -ENODEV, -ENOMEM, -EIO for failures of the runtime.
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
    int device_index;     /**< in vmaf_sycl_list_devices(); -1: the first GPU, never a CPU */
    int enable_profiling; /**< as vmaf_sycl_profiling_enable() */
} VmafSyclConfiguration;

enum VmafSyclPicturePreallocationMethod {
    VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_NONE = 0,
    VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_DEVICE, /**< mapped, and copied from by the device */
    VMAF_SYCL_PICTURE_PREALLOCATION_METHOD_HOST    /**< plain memory */
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

/** A pool of pictures for a context that has a state. -EBUSY when it has a pool. */
VMAF_EXPORT int vmaf_sycl_preallocate_pictures(VmafContext *vmaf, VmafSyclPictureConfiguration cfg);
/** From the pool; without one a plain picture of the context's size. */
VMAF_EXPORT int vmaf_sycl_picture_fetch(VmafContext *vmaf, VmafPicture *pic);

/**
 * Two luma planes in the device's memory, for a context that has a state: 8, 10, 12 or 16 bits, rows
 * one after the other without a gap, two bytes a sample above 8 bits. They live as long as the context.
 * Asking again is fine; for another size it is -EINVAL.
 */
VMAF_EXPORT int vmaf_sycl_init_frame_buffers(VmafContext *vmaf, unsigned w, unsigned h,
                                             unsigned bpc);
/** Their addresses: USM of the runtime's default context for the device. */
VMAF_EXPORT int vmaf_sycl_get_frame_buffers(VmafContext *vmaf, void **ref, void **dis);
/**
 * Scores what they hold. Work of your own that fills them must be done by then; when this returns they may
 * be filled anew.
 */
VMAF_EXPORT int vmaf_read_pictures_sycl(VmafContext *vmaf, unsigned index);
/** Waits until nothing is under way on the device. */
VMAF_EXPORT int vmaf_sycl_wait_compute(VmafContext *vmaf);
/** In the place of vmaf_read_pictures(vmaf, NULL, NULL, 0). */
VMAF_EXPORT int vmaf_flush_sycl(VmafContext *vmaf);

/**
 * The memory of a DMA-BUF as an address that work on the device may use, to fill the frame buffers from.
 * The file descriptor stays the caller's. -EIO where the runtime is not Intel's with Level Zero.
 */
VMAF_EXPORT int vmaf_sycl_dmabuf_import(VmafSyclState *state, int fd, size_t size, void **ptr);
VMAF_EXPORT void vmaf_sycl_dmabuf_free(VmafSyclState *state, void *ptr);
/**
 * Fills the frame buffer of one side with the luma plane of a VA-API surface, or of the host's memory.
 * Both wait, and mean the only context that uses the state. Surfaces (NV12, P010 and the like) are read
 * through libva, which undoes their tiling; -EIO where there is none.
 */
VMAF_EXPORT int vmaf_sycl_import_va_surface(VmafSyclState *state, void *va_display,
                                            unsigned surface, int is_ref, unsigned w, unsigned h,
                                            unsigned bpc);
VMAF_EXPORT int vmaf_sycl_upload_plane(VmafSyclState *state, const void *src, unsigned pitch,
                                       int is_ref, unsigned w, unsigned h, unsigned bpc);
#ifdef _WIN32
/** Always -ENOSYS. */
VMAF_EXPORT int vmaf_sycl_import_d3d11_surface(VmafSyclState *state, void *device, void *texture,
                                               unsigned subresource, int is_ref, unsigned w,
                                               unsigned h, unsigned bpc);
#endif

/**
 * Times of the kernels launched while it is on, by all contexts of the state: launches and microseconds
 * of each, on stderr or as a string, which is freed with free(). -ENOTSUP: the device has no clock.
 */
VMAF_EXPORT int vmaf_sycl_profiling_enable(VmafSyclState *state);
VMAF_EXPORT void vmaf_sycl_profiling_disable(VmafSyclState *state);
VMAF_EXPORT void vmaf_sycl_profiling_print(VmafSyclState *state);
VMAF_EXPORT int vmaf_sycl_profiling_get_string(VmafSyclState *state, char **text);

#ifdef __cplusplus
}
#endif

#endif
