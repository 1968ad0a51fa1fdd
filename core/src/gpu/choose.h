/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Choosing a device: never a software one unless it was asked for, never another than was named. */
#ifndef GPU_CHOOSE_H
#define GPU_CHOOSE_H

#include "gpu/backend.h"

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
