/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Frames of another user of Vulkan (libvmaf_vulkan.h), which stay in device memory. */
#include <errno.h>
#include <stdio.h>

#include "gpu/client.h"
#include "gpu/backend/vulkan/vk.h"

extern const GpuBackend vulkan_backend;

/* ---- checks ---- */

int vmaf_vulkan_can_import(const VmafVulkanState *state, const VmafVulkanFrame *frame, char *why,
                           size_t why_size)
{
    if (why && why_size)
        why[0] = '\0';
    if (!state || !frame || frame->size < sizeof(*frame))
        return -EINVAL;
    const GpuSession *session = (const GpuSession *)state;
    return image_formats_check((const VulkanDevice *)session->device, frame, why, why_size);
}

int vulkan_check_frame(const VulkanDevice *dev, const VmafVulkanFrame *frame)
{
    char why[256] = "";
    int err = image_formats_check(dev, frame, why, sizeof(why));
    const unsigned images = frame->pix_fmt == VMAF_PIX_FMT_YUV400P ? 1 : 3;
    for (unsigned i = 0; !err && i < images && frame->format[i]; i++) {
        if (!frame->image[i])
            snprintf(why, sizeof(why), "image %u is missing", i);
        else if (frame->layout[i] == VK_IMAGE_LAYOUT_UNDEFINED)
            snprintf(why, sizeof(why), "an image in layout UNDEFINED holds no picture");
        err = why[0] ? -EINVAL : 0;
    }
    if (err)
        log_error("vulkan: %s", why);
    return err;
}

/* ---- reading a pair ---- */

typedef struct VulkanArrival {
    GpuArrival gpu;
    VmafVulkanFrame frames[2]; /* reference, distorted */
} VulkanArrival;

/* Adds a wait; several images with the same semaphore share one wait. */
static void add_wait(GpuArrival *arrival, uintptr_t semaphore, uint64_t value)
{
    for (unsigned i = 0; i < arrival->wait_count; i++) {
        if (arrival->waits[i].handle != semaphore)
            continue;
        if (arrival->waits[i].value < value)
            arrival->waits[i].value = value;
        return;
    }
    arrival->waits[arrival->wait_count++] = (GpuForeign){ semaphore, value };
}

static int add_signal(GpuArrival *arrival, uintptr_t semaphore, uint64_t value)
{
    for (unsigned i = 0; i < arrival->signal_count; i++) {
        if (arrival->signals[i].handle != semaphore)
            continue;
        if (arrival->signals[i].value == value)
            return 0;
        log_error("vulkan: two images ask for different signal values of the same semaphore");
        return -EINVAL;
    }
    arrival->signals[arrival->signal_count++] = (GpuForeign){ semaphore, value };
    return 0;
}

static int note_semaphores(VulkanArrival *arrival)
{
    int err = 0;
    for (unsigned side = 0; side < 2; side++) {
        const VmafVulkanFrame *frame = &arrival->frames[side];
        for (unsigned i = 0; !err && i < 3; i++) {
            if (!frame->semaphore[i])
                continue;
            add_wait(&arrival->gpu, frame->semaphore[i], frame->wait_value[i]);
            if (frame->signal_value[i])
                err = add_signal(&arrival->gpu, frame->semaphore[i], frame->signal_value[i]);
        }
    }
    return err;
}

static bool same_shape(const VmafVulkanFrame *a, const VmafVulkanFrame *b)
{
    return a->w == b->w && a->h == b->h && a->bpc == b->bpc && a->pix_fmt == b->pix_fmt;
}

static int check_pair(const GpuClient *client, const VulkanArrival *arrival)
{
    const VulkanDevice *dev = (const VulkanDevice *)client->session->device;
    int err = vulkan_check_frame(dev, &arrival->frames[0]);
    if (!err)
        err = vulkan_check_frame(dev, &arrival->frames[1]);
    if (!err && !same_shape(&arrival->frames[0], &arrival->frames[1])) {
        log_error("vulkan: the frames of the pair differ in size, format or depth");
        err = -EINVAL;
    }
    return err;
}

static int read_arrival(VmafContext *vmaf, VulkanArrival *arrival)
{
    GpuClient *client = client_of(vmaf, &vulkan_backend);
    if (!client) {
        log_error(
            "vulkan: cannot read frames: call vmaf_vulkan_import_state for this VmafContext first");
        return -EINVAL;
    }
    const VmafVulkanFrame *ref = &arrival->frames[0];
    FrameShape shape;
    int err = check_pair(client, arrival);
    if (!err)
        err = note_semaphores(arrival);
    if (!err)
        err = shape_init(&shape, ref->pix_fmt, ref->bpc, ref->w, ref->h);
    return err ? err : client_read_arrival(client, &shape, &arrival->gpu);
}

int vmaf_vulkan_read_frames(VmafContext *vmaf, VmafVulkanFrame *ref, VmafVulkanFrame *dist,
                            unsigned index)
{
    if (!vmaf || !ref || !dist || ref->size < sizeof(*ref) || dist->size < sizeof(*dist))
        return -EINVAL;
    ref->submitted = dist->submitted = 0;
    const GpuRelease release[2] = { { ref->release, ref->release_opaque },
                                    { dist->release, dist->release_opaque } };
    VulkanArrival *arrival = arrival_create(sizeof(*arrival), release);
    if (!arrival)
        return -ENOMEM;
    arrival->gpu.record = vulkan_record_frame;
    arrival->gpu.index = index;
    for (unsigned side = 0; side < 2; side++) {
        arrival->frames[side] = side ? *dist : *ref;
        arrival->gpu.source[side] = &arrival->frames[side];
    }
    const int err = read_arrival(vmaf, arrival);
    ref->submitted = dist->submitted = arrival->gpu.submitted;
    arrival_release(&arrival->gpu);
    return err;
}
