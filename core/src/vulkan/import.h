/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures from images and memory of others. A slot holds one side of a pair between its import and
 * its scoring; slots are found by index modulo the ring's depth. */
#ifndef VULKAN_IMPORT_H
#define VULKAN_IMPORT_H

#include "vulkan/state.h"

typedef struct ImportSlot {
    bool full;
    unsigned index;
    VmafPicture pic; /* mirror memory, see gpu/upload.h */
    GpuPoint done;   /* of the copies into it */
    GpuCommands *commands;
    GpuBuffer *raw,
        *planes;         /* for images whose samples must be sorted out: as copied, and sorted */
    GpuBindings *unpack; /* of the kernel from one to the other */
    VkBuffer foreign;    /* imported memory that the copies read */
    VkDeviceMemory foreign_memory;
} ImportSlot;

struct VulkanImports {
    VulkanDevice *dev;
    pthread_mutex_t lock;
    FrameShape shape;
    PicturePool *pool;
    unsigned depth;
    ImportSlot (*slots)[2]; /* by is_ref */
};

/* What the recording of a copy has to know. */
typedef struct ImportTarget {
    VulkanImports *imports;
    ImportSlot *slot;
    VkCommandBuffer commands; /* being recorded */
    VulkanBuffer *picture;    /* where the planes go, at the offsets and strides of the shape */
} ImportTarget;

size_t import_plane_offset(const FrameShape *shape, unsigned plane);

/* image.c: records the copies of the images' planes; -EINVAL for images that hold other samples. */
int import_record_image(ImportTarget *target, const VmafVulkanImage *image);
/* -EINVAL when the format cannot hold such a picture. */
int import_check_image(const VmafVulkanImage *image);

/* external.c: imports the memory into slot->foreign and records copies from it. */
int import_record_memory(ImportTarget *target, const VmafVulkanMemory *memory);
void import_free_memory(VulkanDevice *dev, ImportSlot *slot);

#endif
