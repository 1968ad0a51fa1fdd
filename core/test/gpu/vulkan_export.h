/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A program that makes pictures with Vulkan and shares them: memory and timeline semaphores that leave
 * its device as file descriptors. What goes wrong fails the test. */
#ifndef TEST_GPU_VULKAN_EXPORT_H
#define TEST_GPU_VULKAN_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/backend/vulkan/loader.h"

/* Beyond what the library itself has use for. */
#define EXPORTER_FUNCTIONS(X)                                                                      \
    X(DeviceWaitIdle)                                                                              \
    X(GetBufferMemoryRequirements2)                                                                \
    X(GetMemoryFdKHR)                                                                              \
    X(GetSemaphoreFdKHR)                                                                           \
    X(GetSemaphoreCounterValue)                                                                    \
    X(SignalSemaphore)

typedef struct Exporter {
    VkInstance instance;
    VkInst vki;
    VkPhysicalDevice physical;
    VkDevice device;
    VkDev vkd;
#define FIELD(name) PFN_vk##name name;
    EXPORTER_FUNCTIONS(FIELD)
#undef FIELD
    bool dedicated_only; /* memory to share must be that of one buffer */
    uint32_t family;
    VkQueue queue;
    VkCommandPool pool;
} Exporter;

/* The device with this UUID. NULL, or why there is none that can share. */
const char *exporter_open(Exporter *exporter, const uint8_t uuid[16]);
void exporter_close(Exporter *exporter);

typedef struct ExportedBuffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    size_t size;           /* of the buffer */
    size_t allocated;      /* of its memory */
    int fd;                /* the memory's */
    unsigned char *mapped; /* staging buffers */
} ExportedBuffer;

void exporter_make_buffer(Exporter *exporter, size_t size, bool dedicated, ExportedBuffer *out);
void exporter_make_staging(Exporter *exporter, size_t size, ExportedBuffer *out);
void exporter_destroy_buffer(Exporter *exporter, ExportedBuffer *buffer);

typedef struct Timeline {
    VkSemaphore handle;
    int fd; /* -1: it is not shared */
} Timeline;

void exporter_make_timeline(Exporter *exporter, bool shared, Timeline *out);
void exporter_destroy_timeline(Exporter *exporter, Timeline *timeline);
uint64_t exporter_value(Exporter *exporter, const Timeline *timeline);
/* The host sets it. */
void exporter_signal(Exporter *exporter, const Timeline *timeline, uint64_t value);
/* The host waits; 20 seconds are for ever. */
void exporter_wait(Exporter *exporter, const Timeline *timeline, uint64_t value);

typedef struct Moment {
    const Timeline *timeline;
    uint64_t value;
} Moment;

/* Enqueued, after two moments and before a third, without a wait of the host's: a copy of all of a
 * staging buffer; with NULL for it, noise. */
void exporter_write(Exporter *exporter, const ExportedBuffer *staging, const ExportedBuffer *to,
                    const Moment after[2], Moment before);

#endif
