/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A program that makes pictures with Vulkan and shares them: memory and timeline semaphores, passed
 * on as file descriptors. An error fails the test. */
#ifndef TEST_GPU_VULKAN_EXPORT_H
#define TEST_GPU_VULKAN_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/backend/vulkan/loader.h"

/* Functions that the library itself does not load. */
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
    bool dedicated_only; /* shared memory must belong to one buffer only */
    uint32_t family;
    VkQueue queue;
    VkCommandPool pool;
} Exporter;

/* Opens the device with this UUID. Returns NULL, or the reason why no device can share memory. */
const char *exporter_open(Exporter *exporter, const uint8_t uuid[16]);
void exporter_close(Exporter *exporter);

typedef struct ExportedBuffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    size_t size;           /* size of the buffer */
    size_t allocated;      /* size of its memory */
    int fd;                /* for the memory */
    unsigned char *mapped; /* staging buffers */
} ExportedBuffer;

void exporter_make_buffer(Exporter *exporter, size_t size, bool dedicated, ExportedBuffer *out);
void exporter_make_staging(Exporter *exporter, size_t size, ExportedBuffer *out);
void exporter_destroy_buffer(Exporter *exporter, ExportedBuffer *buffer);

typedef struct Timeline {
    VkSemaphore handle;
    int fd; /* -1: not shared */
} Timeline;

void exporter_make_timeline(Exporter *exporter, bool shared, Timeline *out);
void exporter_destroy_timeline(Exporter *exporter, Timeline *timeline);
uint64_t exporter_value(Exporter *exporter, const Timeline *timeline);
/* Signals from the host. */
void exporter_signal(Exporter *exporter, const Timeline *timeline, uint64_t value);
/* Waits on the host, and fails after 20 seconds. */
void exporter_wait(Exporter *exporter, const Timeline *timeline, uint64_t value);

typedef struct Moment {
    const Timeline *timeline;
    uint64_t value;
} Moment;

/* Enqueues, without waiting, a copy of all of a staging buffer (NULL: noise) after two moments and
 * before a third. */
void exporter_write(Exporter *exporter, const ExportedBuffer *staging, const ExportedBuffer *to,
                    const Moment after[2], Moment before);

#endif
