/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* CUDA and HIP devices: one source over two columns of symbols (driver/api.h). */
#ifndef CUDA_HIP_H
#define CUDA_HIP_H

#include "gpu/backend/cuda_hip/api.h"
#include "libvmaf/libvmaf.h"
#include "libvmaf/picture.h"

/* For GpuBackend. `api` NULL: its library is not there. */
int cuda_hip_probe(const CudaHipApi *api, const GpuBackend *backend, bool validation,
                   GpuProbe **out);
void cuda_hip_probe_end(GpuProbe *probe);
int cuda_hip_open(GpuProbe *probe, unsigned index, GpuDevice **out);

/* Opens the device that a context of the caller's belongs to, and works in that context, which must
 * outlive the device and is never destroyed here. NULL: the primary context of the first device.
 * `info` says what it is. -ENOTSUP (logged) when it lacks something. */
int cuda_hip_adopt(const CudaHipApi *api, void *context, GpuDevice **out, GpuDeviceInfo *info);

/* ---- in the words of the API ---- */

void *cuda_hip_context(const GpuDevice *device);
uintptr_t cuda_hip_address(const GpuBuffer *buffer); /* on the device */

/* GpuForeign with value 0: `handle` is a stream (0: the legacy one), and the point is what was enqueued
 * there before the submission; as a signal, whatever is enqueued there afterwards waits for it. Otherwise
 * `handle` is a timeline semaphore of another API, imported by this, and the value one of its own. The
 * descriptor stays the caller's. -ENOTSUP (logged) when the driver refuses it. */
int cuda_hip_semaphore_import(GpuDevice *device, const GpuHandle *handle, uintptr_t *semaphore);
void cuda_hip_semaphore_destroy(GpuDevice *device, uintptr_t semaphore);

/* What can be told of a device before it is opened. */

typedef struct CudaHipProbe {
    GpuProbe gpu;
    const CudaHipApi *api;
    GpuDeviceInfo devices[]; /* by the driver's number */
} CudaHipProbe;

/* Starts the driver. -ENODEV when it has no device. */
int cuda_hip_count(const CudaHipApi *api, int *count);

void cuda_hip_describe(const CudaHipApi *api, int device, GpuDeviceInfo *info,
                       char arch[CUDA_HIP_ARCH_SIZE]);

int cuda_hip_attribute(const CudaHipApi *api, enum CudaHipAttribute attribute, int device);

/* Adds to info->missing. */
void cuda_hip_note_missing(GpuDeviceInfo *info, const char *what);

/* Frames that lie in memory of the device already: what VmafCudaFrame and VmafHipFrame say. */

typedef struct CudaHipFrame {
    unsigned w, h, bpc;
    enum VmafPixelFormat pix_fmt;
    unsigned shift;
    uintptr_t plane[3]; /* addresses on the device; no third one: the second holds both */
    size_t pitch[3];
    void *context;    /* that they are of; NULL: not said */
    uintptr_t stream; /* what was enqueued there comes first */
    void (*release)(void *opaque);
    void *release_opaque;
} CudaHipFrame;

/* As the functions of libvmaf_cuda.h have it. */
int cuda_hip_can_read(VmafContext *vmaf, const GpuBackend *backend, const CudaHipFrame *frame,
                      char *why, size_t why_size);
/* Both are copied. They are released, whatever comes of it. */
int cuda_hip_read_frames(VmafContext *vmaf, const GpuBackend *backend, const CudaHipFrame *ref,
                         const CudaHipFrame *dist, unsigned index);

#endif
