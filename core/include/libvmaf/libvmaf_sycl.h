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
 * All functions exist in every build. They use the SYCL runtime through a plugin, libvmaf-sycl.so,
 * which is opened at run time: without it (and on Windows) making a state fails with -ENOSYS, which
 * is logged. A plugin of another build is refused with -ENOTSUP. Other errors: -EINVAL for invalid
 * arguments, -ENODEV, -ENOMEM, -EIO for failures of the runtime.
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
    /** In vmaf_sycl_list_devices(); -1: the first GPU. A CPU is refused, also by its index, unless
     * VMAF_ALLOW_SOFTWARE=1 is set in the environment: use VmafSyclOptions to allow it. */
    int device_index;
    int enable_profiling; /**< as vmaf_sycl_profiling_enable() */
} VmafSyclConfiguration;

typedef struct VmafSyclOptions {
    size_t size;          /**< sizeof(VmafSyclOptions) */
    const char *device;   /**< number, UUID, PCI address or part of a name; NULL: the first GPU */
    int allow_software;   /**< as in VmafDeviceOptions: a CPU may be chosen, too */
    int enable_profiling; /**< as vmaf_sycl_profiling_enable() */
    int fallback_cpu;     /**< as in VmafDeviceOptions */
} VmafSyclOptions;

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
/** Same as vmaf_sycl_state_init(), with more options. -EINVAL if `size` is too small. */
VMAF_EXPORT int vmaf_sycl_state_init_with_options(VmafSyclState **state,
                                                  const VmafSyclOptions *options);
/** Makes a context use the state; call it before registering features. Free it after
 * vmaf_close(). */
VMAF_EXPORT int vmaf_sycl_import_state(VmafContext *vmaf, VmafSyclState *state);
/** Frees the state and sets *state to NULL. `state` and *state may be NULL. */
VMAF_EXPORT void vmaf_sycl_state_free(VmafSyclState **state);
/** Prints one line for each device on stdout; returns their number. */
VMAF_EXPORT int vmaf_sycl_list_devices(void);

/** Makes a pool of pictures for a context that has a state. -EBUSY when it has a pool. */
VMAF_EXPORT int vmaf_sycl_preallocate_pictures(VmafContext *vmaf, VmafSyclPictureConfiguration cfg);
/** A picture from the pool; without a pool a plain picture of the context's size. */
VMAF_EXPORT int vmaf_sycl_picture_fetch(VmafContext *vmaf, VmafPicture *pic);

/**
 * Makes two luma planes in the device's memory, for a context that has a state: 8, 10, 12 or 16
 * bits, rows without gaps, two bytes a sample above 8 bits. They live as long as the context.
 * Calling it again is fine; another size is -EINVAL.
 */
VMAF_EXPORT int vmaf_sycl_init_frame_buffers(VmafContext *vmaf, unsigned w, unsigned h,
                                             unsigned bpc);
/** Their addresses: USM of the runtime's default context for the device. */
VMAF_EXPORT int vmaf_sycl_get_frame_buffers(VmafContext *vmaf, void **ref, void **dis);
/**
 * Scores the frame buffers. The caller's work that fills them must be finished; when this returns
 * they may be filled again.
 */
VMAF_EXPORT int vmaf_read_pictures_sycl(VmafContext *vmaf, unsigned index);
/** Waits until the device has finished all work. */
VMAF_EXPORT int vmaf_sycl_wait_compute(VmafContext *vmaf);
/** Does the same as vmaf_read_pictures(vmaf, NULL, NULL, 0). */
VMAF_EXPORT int vmaf_flush_sycl(VmafContext *vmaf);

/**
 * Maps the memory of a DMA-BUF to an address that work on the device may use, for example to fill
 * the frame buffers. The caller keeps the file descriptor. -EIO where the runtime is not Intel's
 * with Level Zero.
 */
VMAF_EXPORT int vmaf_sycl_dmabuf_import(VmafSyclState *state, int fd, size_t size, void **ptr);
VMAF_EXPORT void vmaf_sycl_dmabuf_free(VmafSyclState *state, void *ptr);
/**
 * Fill the frame buffer of one side with the luma plane of a VA-API surface, or of the host's
 * memory. Both wait, and work on the only context that uses the state. Surfaces (NV12, P010 and
 * similar) are read through libva, which removes their tiling; -EIO without libva.
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
 * Measure the kernels launched while profiling is on, by all contexts of the state: launches and
 * microseconds of each kernel, on stderr or as a string, which the caller frees with free().
 * -ENOTSUP: the device has no clock.
 */
VMAF_EXPORT int vmaf_sycl_profiling_enable(VmafSyclState *state);
VMAF_EXPORT void vmaf_sycl_profiling_disable(VmafSyclState *state);
VMAF_EXPORT void vmaf_sycl_profiling_print(VmafSyclState *state);
VMAF_EXPORT int vmaf_sycl_profiling_get_string(VmafSyclState *state, char **text);

#ifdef __cplusplus
}
#endif

#endif
