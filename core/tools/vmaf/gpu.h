/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The GPU of a run, and the library's backends as words of the command line. Which backends exist,
 * the library says: none is named here. For the main thread, except gpu_destroy, which another
 * thread may call once nothing else uses the GPU. */
#ifndef TOOLS_GPU_H
#define TOOLS_GPU_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "libvmaf/device.h"
#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_vulkan.h"
#include "options.h"
#include "warnings.h"

/* ---- names of backends ---- */

#define BACKENDS_MAX 16 /* more than the library will have */

/* Finds the backend whose name begins `text` and is followed by exactly `end`. Returns its number
 * and sets *name; if there is none, *name is NULL and the number is that of all backends. */
unsigned backend_find(const char *text, const char *end, const char **name);

/* The backend that an extractor's name asks for, even if the extractor is not listed: "cuda" for
 * `vif_cuda`. NULL: none. */
const char *backend_of_extractor(const char *extractor);

/* True if `name` is in a comma-separated list. "all" stands for all backends but the one for
 * tests. */
bool backend_listed(const char *list, const char *name);

/* Writes all names: "a, b or c". */
void backend_names(char *text, size_t size);

/* ---- the GPU of a run ---- */

typedef struct Gpu Gpu;

/* How much work a run will give the GPU. */
typedef struct GpuNeeds {
    unsigned in_flight;  /* pairs at once; 0: as many as help */
    size_t upload_bytes; /* bytes of the pictures to copy to the device, approximately */
    uint64_t pairs;      /* in all, approximately; 0: unknown */
    size_t pair_bytes;
} GpuNeeds;

/* A device that is open before a run wants it: a thread opens it while the videos are opened, or an
 * earlier run has left it open. Begin with zeros; only the functions below look inside. */
typedef struct GpuOpening {
    bool keeps;    /* runs leave their device open for the next run */
    bool running;  /* `thread` opens a device */
    bool finished; /* it has tried all backends that come into question */
    pthread_t thread;
    const Options *options;
    GpuNeeds needs;
    VmafDevice *device; /* open, and used by no run; NULL: none */
    const char *backend;
    int err; /* why a backend before that one could not be opened, or none could */
} GpuOpening;

/* Starts to open the device that the options ask for, on another thread, with needs that may be
 * guesses. Prints nothing, whatever happens: gpu_create will. Does nothing if a device is open. */
void gpu_open_ahead(GpuOpening *opening, const Options *options, const GpuNeeds *needs);
/* Waits for the thread. The options that it was given must outlive it. */
void gpu_opening_wait(GpuOpening *opening);
/* Waits for the thread, and closes the device unless a run has it. */
void gpu_opening_end(GpuOpening *opening);

/* Opens the device that the options ask for, or takes it from `opening`, and hands it to the
 * context. *gpu stays NULL for the CPU. A backend or device that was named either starts, or this
 * fails with a message. Only `auto` falls back to the CPU, and prints why it passed over each
 * backend. `opening` outlives *gpu. */
int gpu_create(Gpu **gpu, GpuOpening *opening, const Options *options, VmafContext *vmaf,
               const GpuNeeds *needs);
/* Uses a Vulkan device that others own and that must outlive *gpu, if the options allow that
 * device. Takes over `state` in any case. On failure returns a negative errno and prints
 * nothing. */
int gpu_adopt(Gpu **gpu, const Options *options, VmafContext *vmaf, VmafVulkanState *state);
const VmafVulkanState *gpu_adopted(const Gpu *gpu); /* NULL: the run opened its own device */
/* Lets one more context score on the GPU. Does nothing if `gpu` is NULL. */
int gpu_share(const Gpu *gpu, VmafContext *vmaf);
const char *gpu_backend(const Gpu *gpu);
unsigned gpu_devices(const Gpu *gpu); /* number of devices that frames are spread over */
/* The device stays open for contexts that have neither left it nor been closed. NULL is fine. */
void gpu_destroy(Gpu *gpu);

/* True if a device did not finish its work, in this run or an earlier one. It may still be working,
 * and exit handlers of its driver may wait for it. */
bool gpu_gave_up(void);

/* Prints where each extractor runs; call it after the first pair was read. Prints nothing if `gpu`
 * is NULL. */
void gpu_say_devices(const Gpu *gpu, const VmafContext *vmaf, bool quiet, Warnings *warnings);

/* "discrete GPU" and the like. */
const char *gpu_type_name(enum VmafDeviceType type);
/* Writes a UUID as 8-4-4-4-12 digits. */
void gpu_uuid_text(char text[40], const uint8_t uuid[16]);

/* True if VMAF_ALLOW_SOFTWARE=1 in the environment allows software devices. */
bool environment_allows_software(void);

/* --list_devices: prints the devices of all backends, and what backends without a device lack.
 * -ENODEV if no device can be used; a software device can be if the options or the environment
 * allow it. */
int gpu_list_devices(const Options *options);

#endif
