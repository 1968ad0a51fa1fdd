/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What VmafCudaState and VmafHipState are, and the pictures of both headers. */
#ifndef DRIVER_STATE_H
#define DRIVER_STATE_H

#include "gpu/backend/cuda_hip/cuda_hip.h"
#include "engine/picture.h"
#include "libvmaf/libvmaf.h"

/* Which device a state opens. */
typedef struct DriverSource {
    const GpuBackend *backend;
    const DriverApi *api; /* NULL: its library is not there */
    bool by_index;
    int index;     /* in the backend's list; -1: the first */
    void *context; /* otherwise: see driver_adopt */
} DriverSource;

/* A device for contexts to come. The first context that uses it takes it over and closes it at its end, so
 * that a state which is never freed holds nothing; a further context opens the device anew. */
typedef struct DriverState DriverState;
int driver_state_create(DriverState **out, const DriverSource *source);
int driver_state_use(DriverState *state, VmafContext *vmaf);
void driver_state_destroy(DriverState *state); /* at any time; NULL is fine */

/* The numbers of VmafCudaPicturePreallocationMethod, and of HIP's. */
enum DriverPictures {
    DRIVER_PICTURES_NONE,
    DRIVER_PICTURES_DEVICE,
    DRIVER_PICTURES_HOST,
    DRIVER_PICTURES_HOST_PINNED,
};
typedef struct DriverPictureParams {
    unsigned w, h, bpc;
    enum VmafPixelFormat pix_fmt;
    enum DriverPictures method;
} DriverPictureParams;
int driver_preallocate(VmafContext *vmaf, const GpuBackend *backend,
                       const DriverPictureParams *params);
int driver_fetch_picture(VmafContext *vmaf, const GpuBackend *backend, VmafPicture *pic);

/* A timeline semaphore of another API, for imports. */
int driver_import_semaphore(VmafContext *vmaf, const GpuBackend *backend, intptr_t handle,
                            uintptr_t *semaphore);
int driver_free_semaphore(VmafContext *vmaf, const GpuBackend *backend, uintptr_t semaphore);

#endif
