/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Frames in Vulkan images. FFmpeg creates the device, and scoring works on the same device. */
#include <errno.h>
#include <stdio.h>

#include "input/libav.h"

#ifdef HAVE_LIBAV_VULKAN

#include <libavutil/hwcontext_vulkan.h>

/* FFmpeg 6.1, the first version that decodes with Vulkan, introduced locks for queues and
 * frames. Before, nobody else may use them while FFmpeg does. */
#define HAVE_LOCKS (LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 11, 100))
#define HAVE_QUEUE_LIST (LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(59, 34, 100))
#define HAVE_QUEUE_FLAGS (LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(60, 32, 100))
#define HAVE_QUEUE_LOCKS (HAVE_LOCKS && LIBAVUTIL_VERSION_MAJOR < 62)

/* ---- the device ---- */

#if HAVE_QUEUE_LOCKS
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void lock_queue(void *opaque, uint32_t family, uint32_t index)
{
    AVHWDeviceContext *const device = opaque;
    ((AVVulkanDeviceContext *)device->hwctx)->lock_queue(device, family, index);
}

static void unlock_queue(void *opaque, uint32_t family, uint32_t index)
{
    AVHWDeviceContext *const device = opaque;
    ((AVVulkanDeviceContext *)device->hwctx)->unlock_queue(device, family, index);
}
#pragma GCC diagnostic pop
#endif

/* Finds the last queue of a family that supports compute; -1 if there is none. */
static int find_queue(const AVVulkanDeviceContext *vulkan, uint32_t *family, uint32_t *index)
{
#if HAVE_QUEUE_LIST
    for (int i = 0; i < vulkan->nb_qf; i++) {
        if (!(vulkan->qf[i].flags & VK_QUEUE_COMPUTE_BIT) || vulkan->qf[i].num < 1)
            continue;
        *family = (uint32_t)vulkan->qf[i].idx;
        *index = (uint32_t)vulkan->qf[i].num - 1;
        return 0;
    }
    return -1;
#else
    *family = (uint32_t)vulkan->queue_family_comp_index;
    *index = (uint32_t)vulkan->nb_comp_queues - 1;
    return vulkan->queue_family_comp_index < 0 || vulkan->nb_comp_queues < 1 ? -1 : 0;
#endif
}

static AVHWFramesContext *frames_of(const AVFrame *frame)
{
    return (AVHWFramesContext *)frame->hw_frames_ctx->data;
}

int libav_vulkan_open(const AVFrame *frame, unsigned pairs, bool required, VmafVulkanState **state)
{
    AVHWDeviceContext *const device = frames_of(frame)->device_ctx;
    const AVVulkanDeviceContext *const vulkan = device->hwctx;
    VmafVulkanExternalDevice external = {
        .size = sizeof(external),
        .instance = (uintptr_t)vulkan->inst,
        .physical_device = (uintptr_t)vulkan->phys_dev,
        .device = (uintptr_t)vulkan->act_dev,
        .get_instance_proc_addr = (uintptr_t)vulkan->get_proc_addr,
        .api_version = HAVE_LOCKS ? VK_MAKE_VERSION(1, 3, 0) : VK_MAKE_VERSION(1, 2, 0),
        .lock_opaque = device,
        .features = &vulkan->device_features,
        .extensions = vulkan->enabled_dev_extensions,
        .extension_count = (unsigned)vulkan->nb_enabled_dev_extensions,
        .max_outstanding_frames = pairs,
        .required = required,
        .fallback_cpu = !required,
    };
#if HAVE_QUEUE_LOCKS
    external.lock_queue = lock_queue;
    external.unlock_queue = unlock_queue;
#endif
#if HAVE_QUEUE_FLAGS
    external.queue_flags = vulkan->queue_flags;
#endif
    if (find_queue(vulkan, &external.queue_family, &external.queue_index))
        return -ENOTSUP;
    return vmaf_vulkan_state_init_external_device(state, &external);
}

/* ---- frames ---- */

static VkFormat format_of(const AVFrame *frame, const KeptLayout *layout, unsigned image)
{
#if HAVE_LOCKS
    (void)layout;
    return ((const AVVulkanFramesContext *)frames_of(frame)->hwctx)->format[image];
#else
    (void)frame;
    const bool both = layout->paired && image == 1;
    if (layout->bpc > 8)
        return both ? VK_FORMAT_R16G16_UNORM : VK_FORMAT_R16_UNORM;
    return both ? VK_FORMAT_R8G8_UNORM : VK_FORMAT_R8_UNORM;
#endif
}

/* Fills in everything that is the same for all frames of a video. */
static int describe(const AVFrame *frame, VmafVulkanFrame *vulkan)
{
    const AVVkFrame *const images = (const AVVkFrame *)frame->data[0];
    KeptLayout layout;
    if (!libav_kept_layout(frame, &layout))
        return -ENOTSUP;
    *vulkan = (VmafVulkanFrame){
        .size = sizeof(*vulkan),
        .w = (unsigned)frame->width,
        .h = (unsigned)frame->height,
        .bpc = layout.bpc,
        .pix_fmt = layout.pix_fmt,
        .shift = layout.shift,
    };
    for (unsigned i = 0; i < 3 && images->img[i]; i++)
        vulkan->format[i] = format_of(frame, &layout, i);
    return 0;
}

int libav_vulkan_check(const AVFrame *frame, const VmafVulkanState *state, char *why, size_t size)
{
    VmafVulkanFrame vulkan;
    if (!describe(frame, &vulkan))
        return vmaf_vulkan_can_import(state, &vulkan, why, size);
    snprintf(why, size, "the layout of their samples is not supported");
    return -ENOTSUP;
}

static void release_kept(void *kept)
{
    kept_release(kept);
}

/* Fills in the current state of the images, which changes whenever someone uses the frame. */
static void find_images(LibavKept *kept, VmafVulkanFrame *vulkan)
{
    const AVVkFrame *const images = (const AVVkFrame *)kept->frame->data[0];
    for (unsigned i = 0; i < 3 && images->img[i]; i++) {
        vulkan->image[i] = (uintptr_t)images->img[i];
        vulkan->layout[i] = images->layout[i];
#if HAVE_LOCKS
        vulkan->queue_family[i] = images->queue_family[i];
#else
        vulkan->queue_family[i] = VMAF_VULKAN_QUEUE_FAMILY_IGNORED;
#endif
        vulkan->semaphore[i] = (uintptr_t)images->sem[i];
        vulkan->wait_value[i] = images->sem_value[i];
        vulkan->signal_value[i] = images->sem_value[i] + 1;
    }
    vulkan->release = release_kept;
    vulkan->release_opaque = kept;
}

/* Stores the new values of the semaphores. Nothing else changed, because images are only read. */
static void note_values(const AVFrame *frame, const VmafVulkanFrame *vulkan)
{
    AVVkFrame *const images = (AVVkFrame *)frame->data[0];
    for (unsigned i = 0; i < 3 && images->img[i] && vulkan->submitted; i++)
        images->sem_value[i] = vulkan->signal_value[i];
}

static void lock(const AVFrame *frame, bool take)
{
#if HAVE_LOCKS
    AVHWFramesContext *const frames = frames_of(frame);
    const AVVulkanFramesContext *const vulkan = frames->hwctx;
    (take ? vulkan->lock_frame : vulkan->unlock_frame)(frames, (AVVkFrame *)frame->data[0]);
#else
    (void)frame;
    (void)take;
#endif
}

/* Reads a pair while both frames are locked; a video compared with itself has one frame, which
 * is locked once. The clones keep the frames alive until they are unlocked, because reading
 * releases `ref` and `dist`. */
static int read_locked(VmafContext *vmaf, LibavKept *ref, LibavKept *dist,
                       VmafVulkanFrame frames[2], unsigned index)
{
    AVFrame *const held[2] = { av_frame_clone(ref->frame), av_frame_clone(dist->frame) };
    const bool same = ref->frame->data[0] == dist->frame->data[0];
    int err = -ENOMEM;
    if (held[0] && held[1]) {
        lock(held[0], true);
        if (!same)
            lock(held[1], true);
        find_images(ref, &frames[0]);
        find_images(dist, &frames[1]);
        err = vmaf_vulkan_read_frames(vmaf, &frames[0], &frames[1], index);
        note_values(held[0], &frames[0]);
        note_values(held[1], &frames[1]);
        if (!same)
            lock(held[1], false);
        lock(held[0], false);
    } else {
        release_kept(ref);
        release_kept(dist);
    }
    for (unsigned i = 0; i < 2; i++) {
        AVFrame *frame = held[i];
        av_frame_free(&frame);
    }
    return err;
}

int libav_vulkan_read(VmafContext *vmaf, LibavKept *ref, LibavKept *dist, unsigned index)
{
    VmafVulkanFrame frames[2];
    if (!describe(ref->frame, &frames[0]) && !describe(dist->frame, &frames[1]))
        return read_locked(vmaf, ref, dist, frames, index);
    release_kept(ref);
    release_kept(dist);
    return -EINVAL;
}

/* FFmpeg, or the headers at build time, do not support Vulkan: there are no such frames. */
#else

int libav_vulkan_open(const AVFrame *frame, unsigned pairs, bool required, VmafVulkanState **state)
{
    (void)frame;
    (void)pairs;
    (void)required;
    *state = NULL;
    return -ENOSYS;
}

int libav_vulkan_check(const AVFrame *frame, const VmafVulkanState *state, char *why, size_t size)
{
    (void)frame;
    (void)state;
    snprintf(why, size, "this vmaf was built without Vulkan's headers");
    return -ENOSYS;
}

int libav_vulkan_read(VmafContext *vmaf, LibavKept *ref, LibavKept *dist, unsigned index)
{
    (void)vmaf;
    (void)index;
    kept_release(&ref->kept);
    kept_release(&dist->kept);
    return -ENOSYS;
}

#endif
