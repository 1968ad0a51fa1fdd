/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Frames that lie in memory of the device already: what VmafCudaFrame and VmafHipFrame say. */
#ifndef DRIVER_FRAME_H
#define DRIVER_FRAME_H

#include "gpu/backend/cuda_hip/cuda_hip.h"
#include "libvmaf/libvmaf.h"
#include "libvmaf/picture.h"

typedef struct DriverFrame {
    unsigned w, h, bpc;
    enum VmafPixelFormat pix_fmt;
    unsigned shift;
    uintptr_t plane[3]; /* addresses on the device; no third one: the second holds both */
    size_t pitch[3];
    void *context;    /* that they are of; NULL: not said */
    uintptr_t stream; /* what was enqueued there comes first */
    void (*release)(void *opaque);
    void *release_opaque;
} DriverFrame;

/* As the functions of libvmaf_cuda.h have it. */
int driver_can_read(VmafContext *vmaf, const GpuBackend *backend, const DriverFrame *frame,
                    char *why, size_t why_size);
/* Both are copied. They are released, whatever comes of it. */
int driver_read_frames(VmafContext *vmaf, const GpuBackend *backend, const DriverFrame *ref,
                       const DriverFrame *dist, unsigned index);

#endif
