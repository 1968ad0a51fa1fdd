/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Declarations for the files that implement libvmaf_sycl.h. */
#ifndef GPU_BACKEND_SYCL_STATE_H
#define GPU_BACKEND_SYCL_STATE_H

#include "gpu/client.h"
#include "libvmaf/libvmaf_sycl.h"
#include "gpu/backend/sycl/device.h"

static inline GpuSession *sycl_session(VmafSyclState *state)
{
    return (GpuSession *)state;
}

/* A luma plane in memory of the host. */
typedef struct SyclPlane {
    const void *data;
    size_t pitch; /* bytes from row to row */
    unsigned w, h, bpc;
    unsigned shift; /* unused bits below the sample in its word */
} SyclPlane;

/* In frames.c: fills the frame buffer of one side, for the only context that uses the state, and
 * waits. */
int sycl_frames_fill(VmafSyclState *state, bool is_ref, const SyclPlane *plane);

#endif
