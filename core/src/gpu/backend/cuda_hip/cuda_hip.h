/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* CUDA and HIP devices. Both backends share this code, which calls the driver through the table of
 * api.h. */
#ifndef CUDA_HIP_H
#define CUDA_HIP_H

#include "gpu/backend/cuda_hip/api.h"
#include "libvmaf/libvmaf.h"
#include "libvmaf/picture.h"

/* For GpuBackend. `api` is NULL if the driver's library is not installed; probing then returns
 * -ENOSYS. */
int cuda_hip_probe(const CudaHipApi *api, const GpuBackend *backend, bool validation,
                   GpuProbe **out);
void cuda_hip_probe_end(GpuProbe *probe);
int cuda_hip_open(GpuProbe *probe, unsigned index, GpuDevice **out);

/* Opens the device of the caller's `context` and works in that context. The context must outlive
 * the device and is never destroyed here. NULL stands for the primary context of the first device.
 * Fills in `info`. Returns -ENOTSUP (logged) if the device lacks a capability we need. */
int cuda_hip_adopt(const CudaHipApi *api, void *context, GpuDevice **out, GpuDeviceInfo *info);

/* ---- access to the API's own objects ---- */

void *cuda_hip_context(const GpuDevice *device);
uintptr_t cuda_hip_address(const GpuBuffer *buffer); /* in device memory */

/* Imports a timeline semaphore of another API, for GpuForeign.handle with a value other than 0.
 * (With value 0, the handle is a stream, where 0 is the legacy stream: a wait is for all work
 * enqueued there before the submission, and a signal makes all work enqueued there afterwards wait
 * for the submission.) The caller keeps the descriptor. Returns -ENOTSUP (logged) if the driver
 * refuses it. */
int cuda_hip_semaphore_import(GpuDevice *device, const GpuHandle *handle, uintptr_t *semaphore);
void cuda_hip_semaphore_destroy(GpuDevice *device, uintptr_t semaphore);

/* ---- probing: describing devices before opening them ---- */

typedef struct CudaHipProbe {
    GpuProbe gpu;
    const CudaHipApi *api;
    GpuDeviceInfo devices[]; /* indexed by the driver's device number */
} CudaHipProbe;

/* Initialises the driver and counts its devices. Returns -ENODEV if it has none. */
int cuda_hip_count(const CudaHipApi *api, int *count);

void cuda_hip_describe(const CudaHipApi *api, int device, GpuDeviceInfo *info,
                       char arch[CUDA_HIP_ARCH_SIZE]);

int cuda_hip_attribute(const CudaHipApi *api, enum CudaHipAttribute attribute, int device);

/* Appends a missing capability to info->missing. */
void cuda_hip_note_missing(GpuDeviceInfo *info, const char *what);

/* ---- frames in device memory ---- */

/* The common form of VmafCudaFrame and VmafHipFrame. */
typedef struct CudaHipFrame {
    unsigned w, h, bpc;
    enum VmafPixelFormat pix_fmt;
    unsigned shift;
    uintptr_t
        plane[3]; /* device addresses; if [2] is 0, [1] holds both chroma planes, interleaved */
    size_t pitch[3];
    void *context;    /* context of the planes; NULL if unknown */
    uintptr_t stream; /* we wait for all work enqueued there so far */
    void (*release)(void *opaque);
    void *release_opaque;
} CudaHipFrame;

/* See vmaf_cuda_can_read. */
int cuda_hip_can_read(VmafContext *vmaf, const GpuBackend *backend, const CudaHipFrame *frame,
                      char *why, size_t why_size);
/* See vmaf_cuda_read_frames. Copies both structs; calls their release functions even on failure. */
int cuda_hip_read_frames(VmafContext *vmaf, const GpuBackend *backend, const CudaHipFrame *ref,
                         const CudaHipFrame *dist, unsigned index);

#endif
