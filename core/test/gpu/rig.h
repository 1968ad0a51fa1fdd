/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The rig that the GPU tests share. A test uses gpu/device.h, gpu/session.h and the public API,
 * names no backend, and is run once for each backend, which the program's argument names. */
#ifndef TEST_GPU_RIG_H
#define TEST_GPU_RIG_H

#include "gpu/client.h"
#include "libvmaf/device.h"
#include "testing.h"

/* Opens a device (or a software device), runs the tests on it and closes it. A test fails when the
 * driver's own checks complain or when the device does not work afterwards; the program fails when
 * memory was leaked. Tunings and taps (tap.h) of a test are undone. Returns 77, which skips the
 * program, when there is no device. */
int rig_run(int argc, char **argv, const struct CMUnitTest *tests, size_t count);
#define RIG_RUN(argc, argv, tests) rig_run(argc, argv, tests, COUNT(tests))

/* The program's device. */
VmafDevice *rig_device(void);
GpuDevice *rig_gpu(void);

/* Forces the thresholds of the program's device until the test is over. */
void rig_tune(size_t own_upload_bytes, unsigned max_batch);

/* True if the device can run kernels with doubles, fast or not. */
bool rig_may_use_doubles(void);

/* Opens another device like the program's, which lets features run on the CPU, with room for
 * `depth` frames (0: the default). The caller closes it. */
VmafDevice *rig_open(unsigned depth);

/* True for a software driver, on which one case of each kind must be enough. The host backend and
 * GPUs are fast enough for all cases. */
bool rig_is_slow(void);

static inline GpuSession *rig_session(VmafDevice *device)
{
    return (GpuSession *)device;
}

/* ---- what each API does in its own way ---- */

/* Memory of somebody else, which the host writes and the device may import. */
typedef struct RigMemory {
    GpuHandle handle;
    void *host;
    void *own; /* for the backend's code */
} RigMemory;

typedef struct RigBackend {
    const char *name;
    unsigned (*complaints)(
        GpuDevice *device); /* number of complaints of the driver's own checks; NULL: it has none */

    /* NULL: the backend has no such memory. -ENOTSUP: this device has none. */
    int (*memory_create)(GpuDevice *device, size_t size, RigMemory *out);
    void (*memory_destroy)(GpuDevice *device, RigMemory *memory);

    /* A foreign time line, for GpuForeign.handle. 0: this device has none. Either all of these
     * functions are NULL or none. */
    uintptr_t (*clock_create)(GpuDevice *device);
    void (*clock_destroy)(GpuDevice *device, uintptr_t clock);
    void (*clock_set)(GpuDevice *device, uintptr_t clock, uint64_t value);
    uint64_t (*clock_get)(GpuDevice *device, uintptr_t clock);
} RigBackend;

extern const RigBackend *const rig_backends[]; /* ends with NULL; the build generates it */
const RigBackend *rig_backend(void); /* backend of the program's device; members may be NULL */

#endif
