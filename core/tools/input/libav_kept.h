/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Decoded frames that stay on their device. */
#ifndef TOOLS_INPUT_LIBAV_KEPT_H
#define TOOLS_INPUT_LIBAV_KEPT_H

#include <stdbool.h>

#include "input/kept.h"
#include "input/libav_api.h"
#include "libvmaf/libvmaf_vulkan.h"

typedef struct LibavKept {
    KeptFrame kept;
    AVFrame *frame;
} LibavKept;

/* How the samples of frames on a device lie. */
typedef struct KeptLayout {
    enum VmafPixelFormat pix_fmt;
    unsigned bpc, shift; /* bits, and those below them in their word */
    bool paired;         /* Cb and Cr alternate in the second plane */
} KeptLayout;

/* False: nobody but FFmpeg knows such frames. */
bool libav_kept_layout(const AVFrame *frame, KeptLayout *layout);

/* Holds a frame of a device; NULL: no memory, or no kind that can be read there. */
KeptFrame *libav_kept_create(const AVFrame *frame);
/* 0 when the scorer can read such frames where they are; else the reason. */
int libav_kept_check(const AVFrame *frame, const KeptScorer *scorer, char *why, size_t size);

/* By the device's API. Reading gives the frames back itself. */
int libav_cuda_check(const AVFrame *frame, VmafContext *vmaf, char *why, size_t size);
int libav_cuda_read(VmafContext *vmaf, LibavKept *ref, LibavKept *dist, unsigned index);
int libav_vulkan_check(const AVFrame *frame, const VmafVulkanState *state, char *why, size_t size);
int libav_vulkan_read(VmafContext *vmaf, LibavKept *ref, LibavKept *dist, unsigned index);

/* The device of a frame of Vulkan's, for scoring; which must not outlive it. `pairs`, `required`: as
 * VmafVulkanExternalDevice has them. */
int libav_vulkan_open(const AVFrame *frame, unsigned pairs, bool required, VmafVulkanState **state);

#endif
