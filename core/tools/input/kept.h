/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Frames that stay on the device that decoded them, where the scoring reads them. */
#ifndef TOOLS_INPUT_KEPT_H
#define TOOLS_INPUT_KEPT_H

#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_vulkan.h"

typedef struct KeptFrame KeptFrame;

/* A reader's kind of them: it embeds a KeptFrame at the head of its own. */
typedef struct KeptOps {
    KeptFrame *(*copy)(const KeptFrame *frame);
    void (*release)(KeptFrame *frame);
    int (*read)(VmafContext *vmaf, KeptFrame *ref, KeptFrame *dist, unsigned index);
} KeptOps;

struct KeptFrame {
    const KeptOps *ops;
};

/* What is to read them. */
typedef struct KeptScorer {
    VmafContext *vmaf;
    const VmafVulkanState
        *vulkan; /* that it uses, if that is on the device of the frames; NULL: it is not */
} KeptScorer;

/* Frames of a video that may wait to be scored, and pairs that the device may have at once: decoders have few places
 * for frames. */
#define KEPT_AHEAD 2
#define KEPT_PAIRS 4
/* One more is in hand, and one between there and the device. */
#define KEPT_FRAMES (KEPT_AHEAD + KEPT_PAIRS + 2)

/* The same frame once more; NULL: no memory. */
static inline KeptFrame *kept_copy(const KeptFrame *frame)
{
    return frame->ops->copy(frame);
}

/* NULL is fine. */
static inline void kept_release(KeptFrame *frame)
{
    if (frame)
        frame->ops->release(frame);
}

/* As vmaf_read_pictures. Takes both, which are of one device, whatever it returns; negative errno. */
static inline int kept_read(VmafContext *vmaf, KeptFrame *ref, KeptFrame *dist, unsigned index)
{
    return ref->ops->read(vmaf, ref, dist, index);
}

#endif
