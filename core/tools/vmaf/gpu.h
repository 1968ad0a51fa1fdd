/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The GPU of a run. */
#ifndef TOOLS_GPU_H
#define TOOLS_GPU_H

#include <stdbool.h>

#include "libvmaf/device.h"
#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_vulkan.h"
#include "options.h"

typedef struct Gpu Gpu;

/* What a run will want of it. */
typedef struct GpuNeeds {
    unsigned in_flight;  /* pairs at once; 0: as many as help */
    size_t upload_bytes; /* for pictures that it copies, about */
    uint64_t pairs;      /* in all, about; 0: not known */
    size_t pair_bytes;
} GpuNeeds;

/* Starts the backend that the options ask for and hands it to the context; *gpu stays NULL for the
 * CPU. A backend or device asked for by name either starts or this fails, having said why: only
 * `auto` falls back to the CPU, and says why each backend was passed over. */
int gpu_create(Gpu **gpu, const Options *options, VmafContext *vmaf, const GpuNeeds *needs);
/* The same on a Vulkan device of others, which must outlive it, if it is one that the options allow: takes the state.
 * Negative errno: it is not, and nothing was said. */
int gpu_adopt(Gpu **gpu, const Options *options, VmafContext *vmaf, VmafVulkanState *state);
const VmafVulkanState *gpu_adopted(const Gpu *gpu); /* NULL: it is a device of its own */
/* One more context scores there; without a GPU there is nothing to do. */
int gpu_share(const Gpu *gpu, VmafContext *vmaf);
const char *gpu_backend(const Gpu *gpu);
unsigned gpu_devices(const Gpu *gpu); /* that frames are spread over */
/* Contexts that have neither left the device nor been closed keep it open; NULL is fine. */
void gpu_destroy(Gpu *gpu);

/* Did a device not finish its work, now or in an earlier run? Then it may still be at it, and exit handlers
 * of its driver may wait for that. */
bool gpu_gave_up(void);

/* Says where each extractor runs, once the first pair was taken; NULL: nothing to say. */
void gpu_tell_places(const Gpu *gpu, const VmafContext *vmaf, bool quiet);

/* How people and programs read them: "discrete GPU"; 8-4-4-4-12 digits. */
const char *gpu_type_name(enum VmafDeviceType type);
void gpu_uuid_text(char text[40], const uint8_t uuid[16]);

/* Prints the devices of all backends and what those without any lack. Negative errno when there are
 * none. */
int gpu_list_devices(void);

#endif
