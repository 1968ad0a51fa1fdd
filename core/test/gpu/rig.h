/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The rig that the GPU tests share. A test is written against the seam (gpu/device.h, gpu/session.h) and
 * the public API, names no backend, and is run once for each: the program's argument says which. */
#ifndef TEST_GPU_RIG_H
#define TEST_GPU_RIG_H

#include "gpu/client.h"
#include "libvmaf/device.h"
#include "testing.h"

/* Opens a device, a software one too, runs the tests on it and closes it. A test fails when the driver's
 * own checks complain or the device does not work after it; the program when memory was left behind.
 * What a test tuned or tapped (tap.h) is put back.
 * 77, which skips it, when there is no device. */
int rig_run(int argc, char **argv, const struct CMUnitTest *tests, size_t count);
#define RIG_RUN(argc, argv, tests) rig_run(argc, argv, tests, COUNT(tests))

/* The program's device. */
VmafDevice *rig_device(void);
GpuDevice *rig_gpu(void);

/* Forces the thresholds of the program's device, until the test is over. */
void rig_tune(size_t own_upload_bytes, unsigned max_batch);

/* Whether kernels with doubles run on it, fast or not. */
bool rig_may_use_doubles(void);

/* Another one, with room for `depth` frames (0: the default); the caller closes it. */
VmafDevice *rig_open(unsigned depth);

/* A driver that plays a GPU: each kind of case once must do. The host backend is quick enough for all
 * of them, and a GPU is. */
bool rig_is_slow(void);

static inline GpuSession *rig_session(VmafDevice *device)
{
    return (GpuSession *)device;
}

/* ---- what only one API has words for ---- */

/* Memory of somebody else, which the host writes and the device may import. */
typedef struct RigMemory {
    GpuHandle handle;
    void *host;
    void *own; /* the backend's */
} RigMemory;

typedef struct RigBackend {
    const char *name;
    unsigned (*complaints)(GpuDevice *device); /* of the driver's own checks; NULL: it has none */

    /* NULL when it has no such thing. -ENOTSUP: this device has not. */
    int (*memory_create)(GpuDevice *device, size_t size, RigMemory *out);
    void (*memory_destroy)(GpuDevice *device, RigMemory *memory);

    /* Somebody else's time line: what GpuForeign.handle is; 0: this device knows none. All NULL, or
     * none. */
    uintptr_t (*clock_create)(GpuDevice *device);
    void (*clock_destroy)(GpuDevice *device, uintptr_t clock);
    void (*clock_set)(GpuDevice *device, uintptr_t clock, uint64_t value);
    uint64_t (*clock_get)(GpuDevice *device, uintptr_t clock);
} RigBackend;

extern const RigBackend *const rig_backends[]; /* NULL ends the table, which the build makes */
const RigBackend *rig_backend(void);           /* of the program's device; fields may be NULL */

#endif
