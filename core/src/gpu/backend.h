/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A way to reach GPUs: one API, one entry of the registry. Everything above asks the registry; nothing
 * outside an API's own folder names the API. */
#ifndef GPU_BACKEND_H
#define GPU_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/device.h"
#include "libvmaf/device.h"

/* A device as it can be chosen. */
typedef struct GpuDeviceInfo {
    enum VmafDeviceType type;
    char name[256], driver[256];
    char version[32];        /* of the API, as its users write it */
    uint32_t version_number; /* the same as the API packs it; 0: it does not */
    uint64_t memory;         /* bytes of its own memory */
    uint8_t uuid[16];        /* zeros: unknown */
    char pci[32];            /* "0000:65:00.0"; empty: unknown */
    char missing[256];       /* what it lacks for us; empty when it can be used */
} GpuDeviceInfo;

typedef struct GpuBackend GpuBackend;

/* What a device will have to do, about; 0 where that is not known. */
typedef struct GpuExpected {
    uint64_t pairs;
    size_t pair_bytes; /* all planes of both pictures */
} GpuExpected;

/* What a look at the machine found. Backends embed it at the head of their own. */
typedef struct GpuProbe {
    const GpuBackend *backend;
    GpuDeviceInfo *devices; /* the best first: real GPUs before software */
    unsigned count;
    GpuExpected
        expected; /* of the device that is opened next: who takes long to start starts no more than pays */
} GpuProbe;

struct GpuBackend {
    const char *name;  /* as --backend and `vif_vulkan` have it */
    const char *title; /* as people write it: "Vulkan" */
    const char *needs; /* what must be there for any device: "Vulkan loader (libvulkan)" */
    bool hidden;       /* works when it is named, and is not spoken of otherwise */
    bool streams;      /* GpuForeign may be a stream, with value 0 */
    bool takes_pages;  /* plain memory of ours can become a buffer, where the driver likes it */
    bool our_code;     /* no driver's compiler between our kernels and the result: no self-test */

    /* NULL: known, but not in this build. Otherwise looks for devices; `validation` asks for the
     * driver's own checks, where it has any (-ENOTSUP). -ENOSYS: what it needs is not there.
     * -ENODEV or a count of 0: no device. End a successful one with probe_end. */
    int (*probe)(const GpuBackend *backend, bool validation, GpuProbe **out);
    void (*probe_end)(GpuProbe *probe);
    /* Opens devices[index]; once for each probe. -ENOTSUP (logged) when it lacks something. */
    int (*open)(GpuProbe *probe, unsigned index, GpuDevice **out);
};

/* All that this source knows, in the order in which `auto` tries them; NULL ends the table. */
extern const GpuBackend *const gpu_backends[];
const GpuBackend *gpu_backend_find(const char *name); /* hidden ones too; NULL: no such word */

/* The length of an extractor's name without the backend it may ask for: `vif_vulkan` is `vif`. */
size_t gpu_backend_strip(const char *extractor);

/* Choosing a device: never a software one unless it was asked for, never another than was named. */


typedef struct GpuWish {
    int index;          /* of the device; -1: by name, or any */
    const char *device; /* its number, UUID, PCI address or part of its name; NULL: any */
    bool several; /* `device` may also be several of these with commas between them, or "all" */
    bool allow_software, validation;
    bool quiet;          /* nothing in the log when there is no device */
    bool required;       /* what has GPU code runs there, or nothing does */
    unsigned depth;      /* frames in flight; 0: the default */
    size_t upload_bytes; /* to be reserved for pictures */
    GpuExpected expected;
} GpuWish;

/* The device that was wished for; without a wish the first real GPU, or with `allow_software` the
 * first device. -ENODEV, or -EINVAL for an index that there is not; logged unless `quiet`. */
int gpu_choose(const GpuProbe *probe, const GpuWish *wish, unsigned *index);

/* The same for all that are wished for, into a list to free; one may be named twice. */
int gpu_choose_all(const GpuProbe *probe, const GpuWish *wish, unsigned **indices, unsigned *count);

/* Why none is chosen when none is named, in one line. */
void gpu_explain_none(const GpuProbe *probe, char *why, size_t size);

#endif
