/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The registry of backends, and choosing a device. A backend reaches GPUs through one API. Code
 * above the backends asks the registry, and only an API's own folder names the API. */
#ifndef GPU_BACKEND_H
#define GPU_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/device.h"
#include "libvmaf/device.h"

/* A device that can be chosen. */
typedef struct GpuDeviceInfo {
    enum VmafDeviceType type;
    char name[256], driver[256];
    char version[32];        /* version of the API, written as its users do */
    uint32_t version_number; /* the same, packed as the API does; 0: the API packs none */
    uint64_t memory;         /* bytes of its own memory */
    uint8_t uuid[16];        /* zeros: unknown */
    char pci[32];            /* "0000:65:00.0"; empty: unknown */
    char missing[256];       /* features we need that it lacks; empty: it can be used */
} GpuDeviceInfo;

typedef struct GpuBackend GpuBackend;

/* An estimate of the work that a device will get; 0: unknown. */
typedef struct GpuExpected {
    uint64_t pairs;
    size_t pair_bytes; /* all planes of both pictures */
} GpuExpected;

/* The devices that a backend found on the machine. Backends embed this struct at the head of their
 * own. */
typedef struct GpuProbe {
    const GpuBackend *backend;
    GpuDeviceInfo *devices; /* best first: real GPUs before software */
    unsigned count;
    /* For the device that is opened next. A backend may leave out what is slow to create and would
     * not pay for so little work. */
    GpuExpected expected;
} GpuProbe;

struct GpuBackend {
    const char *name;  /* the name in --backend and in `vif_vulkan` */
    const char *title; /* for people: "Vulkan" */
    const char *needs; /* required for any device: "Vulkan loader (libvulkan)" */
    bool hidden;       /* works when it is named, but is never listed or chosen otherwise */
    bool streams;      /* a GpuForeign may be a stream, with value 0 */
    bool takes_pages;  /* can turn plain memory of ours into a buffer, if the driver agrees */
    /* No driver's compiler runs between our kernels and the result, so no self-test is needed. */
    bool our_code;

    /* NULL: this build lacks the backend. Otherwise looks for devices. `validation` asks for the
     * driver's own checks (-ENOTSUP: it has none). -ENOSYS: a library it needs is missing. -ENODEV
     * or a count of 0: no device. After success, call probe_end. */
    int (*probe)(const GpuBackend *backend, bool validation, GpuProbe **out);
    void (*probe_end)(GpuProbe *probe);
    /* Opens devices[index], at most once for each probe. -ENOTSUP (logged): the device lacks
     * something. */
    int (*open)(GpuProbe *probe, unsigned index, GpuDevice **out);
};

/* All backends of this source, in the order in which `auto` tries them; a NULL ends the table. */
extern const GpuBackend *const gpu_backends[];
/* Finds hidden ones too. NULL: no such name. */
const GpuBackend *gpu_backend_find(const char *name);

/* The length of an extractor's name without the suffix that names a backend: `vif_vulkan` gives 3,
 * the length of `vif`. */
size_t gpu_backend_strip(const char *extractor);

/* The device to choose. A named device is never replaced by another one. A software device is
 * chosen only if software is allowed or if it is asked for by a name that says so, such as
 * "llvmpipe": a number, a UUID, a PCI address or "Intel" does not (ADR 28). */
typedef struct GpuWish {
    int index;          /* the device's index; -1: use `device` */
    const char *device; /* its number, UUID, PCI address or a part of its name; NULL: any */
    bool several;       /* `device` may also list several, comma-separated, or be "all" */
    bool allow_software, validation;
    bool quiet; /* log nothing when no device is found */
    /* Features with GPU code that cannot run on the device run on the CPU. Otherwise the first pair
     * is refused. */
    bool fallback_cpu;
    bool required;       /* the first pair is also refused if no feature has GPU code */
    unsigned depth;      /* frames in flight; 0: the default */
    size_t upload_bytes; /* to reserve for pictures */
    GpuExpected expected;
} GpuWish;

/* How users allow software devices, for messages. */
#define GPU_ALLOW_SOFTWARE "--allow_software, VMAF_ALLOW_SOFTWARE=1 in the environment"

/* True if VMAF_ALLOW_SOFTWARE in the environment allows software devices. */
bool gpu_environment_allows_software(void);

/* Chooses the device that the wish describes. A wish without an index or name gets the first real
 * GPU, or with `allow_software` the first device. -ENODEV, or -EINVAL for an index out of range;
 * `why` then holds the reason, otherwise it is empty. */
int gpu_choose(const GpuProbe *probe, const GpuWish *wish, unsigned *index, char *why, size_t size);

/* Same as gpu_choose, for all devices that the wish lists. The caller frees *indices with mem_free.
 * A device may occur twice. */
int gpu_choose_all(const GpuProbe *probe, const GpuWish *wish, unsigned **indices, unsigned *count,
                   char *why, size_t size);

/* Prints one line that says why no device is chosen when none is named. */
void gpu_explain_none(const GpuProbe *probe, char *why, size_t size);

#endif
