/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A libvulkan.so.1 in front of the real one, which makes calls go wrong and checks rules.
 * VMAF_VULKAN_LIBRARY=FILE the real library VMAF_VULKAN_FAULT=FUNCTION:NUMBER:WHAT the NUMBERth
 * call, from 1, on all devices together VMAF_VULKAN_COUNTS=FILE file for the number of calls of
 * each function, at the end VMAF_VULKAN_NO_DOUBLES=1 devices have no shaderFloat64
 * VMAF_VULKAN_CARD=NAME the first device says that it is a card of this name WHAT is one of:
 * - the number of a VkResult: the call does nothing and fails with it, once (but a lost device
 * stays lost); with a "+" after NUMBER, every later call of the function fails as well; - "lost":
 * from this call on the device is lost, and every function that can report that does so; - "hangs":
 * from this call on no work ever finishes; a wait with a time limit returns at once as if the time
 * were over, and one without a limit ends the process with exit code 99. Functions that cannot fail
 * are passed on. The shim ends the process with these exit codes: - 98: a semaphore was destroyed
 * although a queue of its device got work that was not waited for afterwards. A driver's thread may
 * still look at the semaphore, however long ago its value was reached. (A lost device holds nothing
 * any more.) - 97: a command was recorded where recording could not begin. - 96:
 * VK_EXT_pipeline_robustness, which all devices have here, was used in part, or without having been
 * enabled. - 95: a kernel with doubles runs on a device for which shaderFloat64 was not enabled, or
 * shaderFloat64 was enabled for a device that does not have it. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vulkan/vulkan.h>

/* X(name, true if it can report a lost device, action on failure, (parameters), (arguments)) */
#define MAKES memset(out, 0xa5, sizeof(*out)) /* garbage, so that using it shows */
#define NOTHING (void)0
#define CALLBACKS const VkAllocationCallbacks *callbacks
#define FUNCTIONS(X)                                                                               \
    X(CreateInstance, 0, MAKES, (const VkInstanceCreateInfo *info, CALLBACKS, VkInstance *out),    \
      (info, callbacks, out))                                                                      \
    X(EnumerateInstanceLayerProperties, 0, NOTHING, (uint32_t * count, VkLayerProperties * out),   \
      (count, out))                                                                                \
    X(EnumerateInstanceExtensionProperties, 0, NOTHING,                                            \
      (const char *layer, uint32_t *count, VkExtensionProperties *out), (layer, count, out))       \
    X(EnumeratePhysicalDevices, 0, NOTHING,                                                        \
      (VkInstance instance, uint32_t * count, VkPhysicalDevice * out), (instance, count, out))     \
    X(EnumerateDeviceExtensionProperties, 0, NOTHING,                                              \
      (VkPhysicalDevice device, const char *layer, uint32_t *count, VkExtensionProperties *out),   \
      (device, layer, count, out))                                                                 \
    X(CreateDevice, 1, MAKES,                                                                      \
      (VkPhysicalDevice physical, const VkDeviceCreateInfo *info, CALLBACKS, VkDevice *out),       \
      (physical, info, callbacks, out))                                                            \
    X(QueueSubmit, 1, NOTHING,                                                                     \
      (VkQueue queue, uint32_t count, const VkSubmitInfo *infos, VkFence fence),                   \
      (queue, count, infos, fence))                                                                \
    X(AllocateMemory, 0, MAKES,                                                                    \
      (VkDevice device, const VkMemoryAllocateInfo *info, CALLBACKS, VkDeviceMemory *out),         \
      (device, info, callbacks, out))                                                              \
    X(MapMemory, 0, MAKES,                                                                         \
      (VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,             \
       VkMemoryMapFlags flags, void **out),                                                        \
      (device, memory, offset, size, flags, out))                                                  \
    X(CreateBuffer, 0, MAKES,                                                                      \
      (VkDevice device, const VkBufferCreateInfo *info, CALLBACKS, VkBuffer *out),                 \
      (device, info, callbacks, out))                                                              \
    X(BindBufferMemory, 0, NOTHING,                                                                \
      (VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset),              \
      (device, buffer, memory, offset))                                                            \
    X(CreateShaderModule, 0, MAKES,                                                                \
      (VkDevice device, const VkShaderModuleCreateInfo *info, CALLBACKS, VkShaderModule *out),     \
      (device, info, callbacks, out))                                                              \
    X(CreatePipelineCache, 0, MAKES,                                                               \
      (VkDevice device, const VkPipelineCacheCreateInfo *info, CALLBACKS, VkPipelineCache *out),   \
      (device, info, callbacks, out))                                                              \
    X(GetPipelineCacheData, 0, NOTHING,                                                            \
      (VkDevice device, VkPipelineCache cache, size_t * size, void *out),                          \
      (device, cache, size, out))                                                                  \
    X(CreateComputePipelines, 0, NOTHING,                                                          \
      (VkDevice device, VkPipelineCache cache, uint32_t count,                                     \
       const VkComputePipelineCreateInfo *infos, CALLBACKS, VkPipeline *out),                      \
      (device, cache, count, infos, callbacks, out))                                               \
    X(CreatePipelineLayout, 0, MAKES,                                                              \
      (VkDevice device, const VkPipelineLayoutCreateInfo *info, CALLBACKS, VkPipelineLayout *out), \
      (device, info, callbacks, out))                                                              \
    X(CreateDescriptorSetLayout, 0, MAKES,                                                         \
      (VkDevice device, const VkDescriptorSetLayoutCreateInfo *info, CALLBACKS,                    \
       VkDescriptorSetLayout *out),                                                                \
      (device, info, callbacks, out))                                                              \
    X(CreateDescriptorPool, 0, MAKES,                                                              \
      (VkDevice device, const VkDescriptorPoolCreateInfo *info, CALLBACKS, VkDescriptorPool *out), \
      (device, info, callbacks, out))                                                              \
    X(AllocateDescriptorSets, 0, NOTHING,                                                          \
      (VkDevice device, const VkDescriptorSetAllocateInfo *info, VkDescriptorSet *out),            \
      (device, info, out))                                                                         \
    X(FreeDescriptorSets, 0, NOTHING,                                                              \
      (VkDevice device, VkDescriptorPool pool, uint32_t count, const VkDescriptorSet *sets),       \
      (device, pool, count, sets))                                                                 \
    X(CreateCommandPool, 0, MAKES,                                                                 \
      (VkDevice device, const VkCommandPoolCreateInfo *info, CALLBACKS, VkCommandPool *out),       \
      (device, info, callbacks, out))                                                              \
    X(AllocateCommandBuffers, 0, NOTHING,                                                          \
      (VkDevice device, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *out),            \
      (device, info, out))                                                                         \
    X(BeginCommandBuffer, 0, NOTHING,                                                              \
      (VkCommandBuffer buffer, const VkCommandBufferBeginInfo *info), (buffer, info))              \
    X(EndCommandBuffer, 0, NOTHING, (VkCommandBuffer buffer), (buffer))                            \
    X(CreateQueryPool, 0, MAKES,                                                                   \
      (VkDevice device, const VkQueryPoolCreateInfo *info, CALLBACKS, VkQueryPool *out),           \
      (device, info, callbacks, out))                                                              \
    X(GetQueryPoolResults, 1, NOTHING,                                                             \
      (VkDevice device, VkQueryPool pool, uint32_t first, uint32_t count, size_t size, void *out,  \
       VkDeviceSize stride, VkQueryResultFlags flags),                                             \
      (device, pool, first, count, size, out, stride, flags))                                      \
    X(CreateSemaphore, 0, MAKES,                                                                   \
      (VkDevice device, const VkSemaphoreCreateInfo *info, CALLBACKS, VkSemaphore *out),           \
      (device, info, callbacks, out))

enum Function {
#define X(name, loses, failing, parameters, arguments) F_##name,
    FUNCTIONS(X)
#undef X
        F_WaitSemaphores,
    F_QueueWaitIdle,
    FUNCTION_COUNT
};

static const char *const names[FUNCTION_COUNT] = {
#define X(name, loses, failing, parameters, arguments) "vk" #name,
    FUNCTIONS(X)
#undef X
        "vkWaitSemaphores",
    "vkQueueWaitIdle",
};

enum { ONCE, ALWAYS, LOST, HANGS };

static atomic_ulong calls[FUNCTION_COUNT];
static atomic_bool begun; /* the fault has begun and lasts */
static int function = -1, kind, error;
static unsigned long number;
static PFN_vkGetInstanceProcAddr get_instance_proc;
static PFN_vkGetDeviceProcAddr get_device_proc;
static _Atomic(VkDevice) last_device;

__attribute__((constructor)) static void start(void)
{
    void *const library = dlopen(getenv("VMAF_VULKAN_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    if (library)
        get_instance_proc =
            (PFN_vkGetInstanceProcAddr)(uintptr_t)dlsym(library, "vkGetInstanceProcAddr");
    char text[128];
    const char *const order = getenv("VMAF_VULKAN_FAULT");
    if (!order)
        return;
    snprintf(text, sizeof(text), "%s", order);
    char *const count = strchr(text, ':'), *const what = count ? strchr(count + 1, ':') : NULL;
    if (!what)
        abort();
    *count = *what = 0;
    number = strtoul(count + 1, NULL, 10);
    kind = !strcmp(what + 1, "lost")    ? LOST
           : !strcmp(what + 1, "hangs") ? HANGS
           : strchr(count + 1, '+')     ? ALWAYS
                                        : ONCE;
    error = kind == ONCE || kind == ALWAYS ? atoi(what + 1) : VK_ERROR_DEVICE_LOST;
    for (int i = 0; i < FUNCTION_COUNT; i++)
        if (!strcmp(names[i], text))
            function = i;
    if (function < 0 || !number || !error)
        abort();
}

__attribute__((destructor)) static void write_counts(void)
{
    const char *const path = getenv("VMAF_VULKAN_COUNTS");
    FILE *const file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    for (int i = 0; i < FUNCTION_COUNT; i++)
        fprintf(file, "%s %lu\n", names[i], atomic_load(&calls[i]));
    fclose(file);
}

/* Calls that are inside the driver, except waits, which may take long. */
static atomic_int under_way;

/* A lost device runs nothing any more. Waits until the real device has received what other
 * threads are handing it (`own` submissions are the caller's), and until it has finished. */
static void settle(int own)
{
    const VkDevice device = atomic_load(&last_device);
    while (atomic_load(&under_way) > own)
        sched_yield();
    if (device)
        ((PFN_vkDeviceWaitIdle)get_device_proc(device, "vkDeviceWaitIdle"))(device);
}

static bool is_lost(void)
{
    return kind != HANGS && error == VK_ERROR_DEVICE_LOST && atomic_load(&begun);
}

/* True if this call goes wrong. */
static bool spoil(enum Function f, bool loses, int own)
{
    const unsigned long call = atomic_fetch_add(&calls[f], 1) + 1;
    const bool now = (int)f == function && (kind == ALWAYS ? call >= number : call == number);
    if (now)
        atomic_store(&begun, true);
    if (now && is_lost())
        settle(own);
    if (now)
        return kind != HANGS;
    /* A lost device stays lost: work that another thread hands over now would run while its
     * memory is freed. */
    return loses && is_lost();
}

/* ---- what queues were given, and whether they were waited for ---- */

typedef struct Queue {
    VkQueue handle;
    VkDevice device;
    unsigned long given, idle_after; /* numbers of submissions */
} Queue;

static Queue queues[64];
static unsigned queue_count;
static pthread_mutex_t queues_lock = PTHREAD_MUTEX_INITIALIZER;

/* The caller holds the lock. */
static Queue *find_queue(VkQueue handle)
{
    for (unsigned i = 0; i < queue_count; i++)
        if (queues[i].handle == handle)
            return &queues[i];
    if (queue_count == sizeof(queues) / sizeof(*queues))
        abort();
    queues[queue_count].handle = handle;
    return &queues[queue_count++];
}

/* Held while a thread submits to a queue or waits for it: this must never happen twice at a time
 * for one queue. */
static void note_device(VkQueue handle, VkDevice device)
{
    pthread_mutex_lock(&queues_lock);
    find_queue(handle)->device = device;
    pthread_mutex_unlock(&queues_lock);
}

static void note_given(VkQueue handle)
{
    pthread_mutex_lock(&queues_lock);
    find_queue(handle)->given++;
    pthread_mutex_unlock(&queues_lock);
}

static void note_idle(VkQueue handle)
{
    pthread_mutex_lock(&queues_lock);
    Queue *const queue = find_queue(handle);
    queue->idle_after = queue->given;
    pthread_mutex_unlock(&queues_lock);
}

static bool may_be_at_work(VkDevice device)
{
    bool any = false;
    pthread_mutex_lock(&queues_lock);
    for (unsigned i = 0; i < queue_count; i++)
        any |= queues[i].device == device && queues[i].idle_after != queues[i].given;
    pthread_mutex_unlock(&queues_lock);
    return any && !is_lost();
}

#define X(name, loses, failing, parameters, arguments)                                             \
    static PFN_vk##name real_##name;                                                               \
    static VKAPI_ATTR VkResult VKAPI_CALL fake_##name parameters                                   \
    {                                                                                              \
        VkResult result = (VkResult)error;                                                         \
        atomic_fetch_add(&under_way, 1);                                                           \
        if (spoil(F_##name, loses, 1))                                                             \
            failing;                                                                               \
        else                                                                                       \
            result = real_##name arguments;                                                        \
        atomic_fetch_sub(&under_way, 1);                                                           \
        return result;                                                                             \
    }
FUNCTIONS(X)
#undef X

static PFN_vkGetDeviceQueue real_GetDeviceQueue;
static VKAPI_ATTR void VKAPI_CALL fake_GetDeviceQueue(VkDevice device, uint32_t family,
                                                      uint32_t index, VkQueue *out)
{
    real_GetDeviceQueue(device, family, index, out);
    note_device(*out, device);
}

static VKAPI_ATTR VkResult VKAPI_CALL submit_and_note(VkQueue queue, uint32_t count,
                                                      const VkSubmitInfo *infos, VkFence fence)
{
    const VkResult result = fake_QueueSubmit(queue, count, infos, fence);
    if (result == VK_SUCCESS)
        note_given(queue);
    return result;
}

/* ---- VK_EXT_pipeline_robustness, of which the driver is told nothing ---- */

#define ROBUSTNESS VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME
static atomic_bool robustness_enabled;

static void demand(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, ROBUSTNESS ": %s\n", what);
    _exit(96);
}

/* Finds the structure of this type in a chain; NULL: there is none. */
static VkBaseOutStructure **find_link(VkBaseOutStructure **link, VkStructureType type)
{
    while (*link && (*link)->sType != type)
        link = &(*link)->pNext;
    return *link ? link : NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL list_one_more(VkPhysicalDevice device, const char *layer,
                                                    uint32_t *count, VkExtensionProperties *out)
{
    const uint32_t room = *count;
    VkResult result = fake_EnumerateDeviceExtensionProperties(device, layer, count, out);
    if (result < 0 || layer)
        return result;
    if (out && *count == room)
        return VK_INCOMPLETE;
    if (out)
        out[*count] = (VkExtensionProperties){ ROBUSTNESS, 1 };
    ++*count;
    return result;
}

/* ---- a software device that says it is a card ---- */

#define INSTANCES_MAX 64
static VkPhysicalDevice cards[INSTANCES_MAX]; /* the first device of each list */
static unsigned card_count;
static pthread_mutex_t cards_lock = PTHREAD_MUTEX_INITIALIZER;

static VKAPI_ATTR VkResult VKAPI_CALL enumerate_and_note(VkInstance instance, uint32_t *count,
                                                         VkPhysicalDevice *out)
{
    const VkResult result = fake_EnumeratePhysicalDevices(instance, count, out);
    pthread_mutex_lock(&cards_lock);
    if (result >= 0 && out && *count)
        cards[card_count++ % INSTANCES_MAX] = out[0];
    pthread_mutex_unlock(&cards_lock);
    return result;
}

/* Returns the name of the card that the device pretends to be, or NULL. */
static const char *card_name(VkPhysicalDevice device)
{
    const char *const name = getenv("VMAF_VULKAN_CARD");
    bool is_card = false;
    pthread_mutex_lock(&cards_lock);
    for (unsigned i = 0; i < INSTANCES_MAX; i++)
        is_card |= cards[i] == device;
    pthread_mutex_unlock(&cards_lock);
    return is_card ? name : NULL;
}

static PFN_vkGetPhysicalDeviceProperties real_GetPhysicalDeviceProperties;
static VKAPI_ATTR void VKAPI_CALL fake_GetPhysicalDeviceProperties(VkPhysicalDevice device,
                                                                   VkPhysicalDeviceProperties *out)
{
    const char *const name = card_name(device);
    real_GetPhysicalDeviceProperties(device, out);
    if (!name)
        return;
    out->deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    out->vendorID = 0x1002;
    snprintf(out->deviceName, sizeof(out->deviceName), "%s", name);
}

static PFN_vkGetPhysicalDeviceProperties2 real_GetPhysicalDeviceProperties2;
static VKAPI_ATTR void VKAPI_CALL
fake_GetPhysicalDeviceProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *out)
{
    real_GetPhysicalDeviceProperties2(device, out);
    if (!card_name(device))
        return;
    fake_GetPhysicalDeviceProperties(device, &out->properties);
    VkBaseOutStructure *const chain = out->pNext;
    for (VkBaseOutStructure *link = chain; link; link = link->pNext) {
        if (link->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES)
            ((VkPhysicalDeviceDriverProperties *)link)->driverID = VK_DRIVER_ID_MESA_RADV;
        if (link->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES)
            ((VkPhysicalDeviceIDProperties *)link)->deviceUUID[0] ^= 0xff;
    }
}

/* ---- doubles ---- */

static PFN_vkGetPhysicalDeviceFeatures2 real_GetPhysicalDeviceFeatures2;
static atomic_bool doubles_enabled;

static VKAPI_ATTR void VKAPI_CALL fake_GetPhysicalDeviceFeatures2(VkPhysicalDevice device,
                                                                  VkPhysicalDeviceFeatures2 *out)
{
    real_GetPhysicalDeviceFeatures2(device, out);
    if (getenv("VMAF_VULKAN_NO_DOUBLES"))
        out->features.shaderFloat64 = VK_FALSE;
}

static void refuse_doubles(const char *what)
{
    fprintf(stderr, "%s\n", what);
    _exit(95);
}

static void note_doubles(VkPhysicalDevice physical, const VkDeviceCreateInfo *info)
{
    VkPhysicalDeviceFeatures2 there = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 };
    const void *chain = info->pNext;
    VkBaseOutStructure **const link = find_link((VkBaseOutStructure **)(uintptr_t)&chain,
                                                VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    const bool asked = link && ((VkPhysicalDeviceFeatures2 *)*link)->features.shaderFloat64;
    fake_GetPhysicalDeviceFeatures2(physical, &there);
    if (asked && !there.features.shaderFloat64)
        refuse_doubles("a device has no shaderFloat64 to enable");
    atomic_store(&doubles_enabled, asked);
}

/* SPIR-V lists its capabilities directly after its header of five words. */
static bool has_doubles(const VkShaderModuleCreateInfo *info)
{
    enum { HEADER = 5, CAPABILITY = 2 << 16 | 17, FLOAT64 = 10 };
    const uint32_t *at = info->pCode + HEADER, *const end = info->pCode + info->codeSize / 4;
    while (at + 1 < end && at[0] == CAPABILITY && at[1] != FLOAT64)
        at += 2;
    return at + 1 < end && at[0] == CAPABILITY;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_module(VkDevice device,
                                                    const VkShaderModuleCreateInfo *info, CALLBACKS,
                                                    VkShaderModule *out)
{
    if (has_doubles(info) && !atomic_load(&doubles_enabled))
        refuse_doubles("a kernel has doubles, and shaderFloat64 is not enabled");
    return fake_CreateShaderModule(device, info, callbacks, out);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_without(VkPhysicalDevice physical,
                                                     const VkDeviceCreateInfo *info, CALLBACKS,
                                                     VkDevice *out)
{
    const char *names_left[32];
    VkDeviceCreateInfo left = *info;
    left.ppEnabledExtensionNames = names_left;
    left.enabledExtensionCount = 0;
    for (uint32_t i = 0; i < info->enabledExtensionCount && i < 32; i++)
        if (strcmp(info->ppEnabledExtensionNames[i], ROBUSTNESS))
            names_left[left.enabledExtensionCount++] = info->ppEnabledExtensionNames[i];
    note_doubles(physical, info);
    const bool named = left.enabledExtensionCount < info->enabledExtensionCount;
    VkBaseOutStructure **const link =
        find_link((VkBaseOutStructure **)(uintptr_t)&left.pNext,
                  VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT);
    demand(!link == !named, "either it or its feature is not enabled");
    atomic_store(&robustness_enabled, named);
    VkBaseOutStructure *const feature = link ? *link : NULL;
    if (link)
        *link = feature->pNext;
    const VkResult result = fake_CreateDevice(physical, &left, callbacks, out);
    if (link)
        *link = feature;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_checked(VkDevice device, VkPipelineCache cache,
                                                     uint32_t count,
                                                     const VkComputePipelineCreateInfo *infos,
                                                     CALLBACKS, VkPipeline *out)
{
    VkComputePipelineCreateInfo left = infos[0];
    const VkPipelineRobustnessCreateInfoEXT *const wish = left.pNext;
    demand(count == 1, "this library knows one pipeline at a time");
    demand(!wish == !atomic_load(&robustness_enabled), "a pipeline does not go with its device");
    demand(!wish || (wish->sType == VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT &&
                     wish->storageBuffers == VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED_EXT),
           "a pipeline checks what it reads");
    left.pNext = NULL;
    return fake_CreateComputePipelines(device, cache, 1, &left, callbacks, out);
}

static _Atomic(VkCommandBuffer) not_begun;

static VKAPI_ATTR VkResult VKAPI_CALL begin_and_note(VkCommandBuffer buffer,
                                                     const VkCommandBufferBeginInfo *info)
{
    VkCommandBuffer same = buffer;
    const VkResult result = fake_BeginCommandBuffer(buffer, info);
    if (result < 0)
        atomic_store(&not_begun, buffer);
    else
        atomic_compare_exchange_strong(&not_begun, &same, VK_NULL_HANDLE);
    return result;
}

/* X(name, (parameters), (arguments)): of what is recorded; a dispatch speaks for what it binds */
#define COMMANDS(X)                                                                                \
    X(CmdCopyBuffer,                                                                               \
      (VkCommandBuffer buffer, VkBuffer from, VkBuffer to, uint32_t count,                         \
       const VkBufferCopy *regions),                                                               \
      (buffer, from, to, count, regions))                                                          \
    X(CmdFillBuffer,                                                                               \
      (VkCommandBuffer buffer, VkBuffer to, VkDeviceSize offset, VkDeviceSize size,                \
       uint32_t word),                                                                             \
      (buffer, to, offset, size, word))                                                            \
    X(CmdDispatch, (VkCommandBuffer buffer, uint32_t x, uint32_t y, uint32_t z),                   \
      (buffer, x, y, z))                                                                           \
    X(CmdPipelineBarrier,                                                                          \
      (VkCommandBuffer buffer, VkPipelineStageFlags from, VkPipelineStageFlags to,                 \
       VkDependencyFlags flags, uint32_t count, const VkMemoryBarrier *barriers,                   \
       uint32_t buffer_count, const VkBufferMemoryBarrier *buffers, uint32_t image_count,          \
       const VkImageMemoryBarrier *images),                                                        \
      (buffer, from, to, flags, count, barriers, buffer_count, buffers, image_count, images))      \
    X(CmdWriteTimestamp,                                                                           \
      (VkCommandBuffer buffer, VkPipelineStageFlagBits stage, VkQueryPool pool, uint32_t query),   \
      (buffer, stage, pool, query))

#define X(name, parameters, arguments)                                                             \
    static PFN_vk##name real_##name;                                                               \
    static VKAPI_ATTR void VKAPI_CALL fake_##name parameters                                       \
    {                                                                                              \
        if (atomic_load(&not_begun) == buffer) {                                                   \
            fprintf(stderr, "vk" #name " is recorded where recording did not begin\n");            \
            _exit(97);                                                                             \
        }                                                                                          \
        real_##name arguments;                                                                     \
    }
COMMANDS(X)
#undef X

static PFN_vkQueueWaitIdle real_QueueWaitIdle;
static VKAPI_ATTR VkResult VKAPI_CALL fake_QueueWaitIdle(VkQueue queue)
{
    if (spoil(F_QueueWaitIdle, true, 0))
        return (VkResult)error;
    if (kind == HANGS && atomic_load(&begun)) {
        fprintf(stderr, "this wait for a queue would never end\n");
        _exit(99);
    }
    const VkResult result = real_QueueWaitIdle(queue);
    if (result == VK_SUCCESS)
        note_idle(queue);
    return result;
}

static PFN_vkDestroySemaphore real_DestroySemaphore;
static VKAPI_ATTR void VKAPI_CALL fake_DestroySemaphore(VkDevice device, VkSemaphore semaphore,
                                                        CALLBACKS)
{
    if (may_be_at_work(device)) {
        fprintf(stderr, "a semaphore is destroyed that a queue may still hold\n");
        _exit(98);
    }
    real_DestroySemaphore(device, semaphore, callbacks);
}

/* On a hanging device, no submitted work ever finishes. */
static PFN_vkWaitSemaphores real_WaitSemaphores;
static VKAPI_ATTR VkResult VKAPI_CALL fake_WaitSemaphores(VkDevice device,
                                                          const VkSemaphoreWaitInfo *info,
                                                          uint64_t timeout)
{
    if (spoil(F_WaitSemaphores, true, 0))
        return (VkResult)error;
    if (kind != HANGS || !atomic_load(&begun))
        return real_WaitSemaphores(device, info, timeout);
    if (timeout == UINT64_MAX) {
        fprintf(stderr, "this wait would never end\n");
        _exit(99);
    }
    return VK_TIMEOUT;
}

/* Returns the fake of a function and remembers the real one for it; `real` if there is no fake. */
static PFN_vkVoidFunction fake(const char *name, PFN_vkVoidFunction real)
{
    if (!real)
        return NULL;
    if (!strcmp(name, "vkQueueSubmit")) {
        real_QueueSubmit = (PFN_vkQueueSubmit)real;
        return (PFN_vkVoidFunction)submit_and_note;
    }
    if (!strcmp(name, "vkEnumeratePhysicalDevices")) {
        real_EnumeratePhysicalDevices = (PFN_vkEnumeratePhysicalDevices)real;
        return (PFN_vkVoidFunction)enumerate_and_note;
    }
    if (!strcmp(name, "vkGetPhysicalDeviceProperties")) {
        real_GetPhysicalDeviceProperties = (PFN_vkGetPhysicalDeviceProperties)real;
        return (PFN_vkVoidFunction)fake_GetPhysicalDeviceProperties;
    }
    if (!strcmp(name, "vkGetPhysicalDeviceProperties2")) {
        real_GetPhysicalDeviceProperties2 = (PFN_vkGetPhysicalDeviceProperties2)real;
        return (PFN_vkVoidFunction)fake_GetPhysicalDeviceProperties2;
    }
    if (!strcmp(name, "vkEnumerateDeviceExtensionProperties")) {
        real_EnumerateDeviceExtensionProperties = (PFN_vkEnumerateDeviceExtensionProperties)real;
        return (PFN_vkVoidFunction)list_one_more;
    }
    if (!strcmp(name, "vkCreateDevice")) {
        real_CreateDevice = (PFN_vkCreateDevice)real;
        return (PFN_vkVoidFunction)create_without;
    }
    if (!strcmp(name, "vkGetPhysicalDeviceFeatures2")) {
        real_GetPhysicalDeviceFeatures2 = (PFN_vkGetPhysicalDeviceFeatures2)real;
        return (PFN_vkVoidFunction)fake_GetPhysicalDeviceFeatures2;
    }
    if (!strcmp(name, "vkCreateShaderModule")) {
        real_CreateShaderModule = (PFN_vkCreateShaderModule)real;
        return (PFN_vkVoidFunction)create_module;
    }
    if (!strcmp(name, "vkCreateComputePipelines")) {
        real_CreateComputePipelines = (PFN_vkCreateComputePipelines)real;
        return (PFN_vkVoidFunction)create_checked;
    }
    if (!strcmp(name, "vkBeginCommandBuffer")) {
        real_BeginCommandBuffer = (PFN_vkBeginCommandBuffer)real;
        return (PFN_vkVoidFunction)begin_and_note;
    }
#define X(function_name, loses, failing, parameters, arguments)                                    \
    if (!strcmp(name, "vk" #function_name)) {                                                      \
        real_##function_name = (PFN_vk##function_name)real;                                        \
        return (PFN_vkVoidFunction)fake_##function_name;                                           \
    }
    FUNCTIONS(X)
    X(GetDeviceQueue, 0, , , )
    X(QueueWaitIdle, 1, , , )
    X(DestroySemaphore, 0, , , )
#undef X
#define X(function_name, parameters, arguments)                                                    \
    if (!strcmp(name, "vk" #function_name)) {                                                      \
        real_##function_name = (PFN_vk##function_name)real;                                        \
        return (PFN_vkVoidFunction)fake_##function_name;                                           \
    }
    COMMANDS(X)
#undef X
    if (!strcmp(name, "vkWaitSemaphores") || !strcmp(name, "vkWaitSemaphoresKHR")) {
        real_WaitSemaphores = (PFN_vkWaitSemaphores)real;
        return (PFN_vkVoidFunction)fake_WaitSemaphores;
    }
    return real;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_fake_device_proc(VkDevice device,
                                                                     const char *name)
{
    atomic_store(&last_device, device);
    return fake(name, get_device_proc(device, name));
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance,
                                                               const char *name)
{
    if (!get_instance_proc)
        return NULL;
    const PFN_vkVoidFunction real = get_instance_proc(instance, name);
    if (strcmp(name, "vkGetDeviceProcAddr"))
        return fake(name, real);
    get_device_proc = (PFN_vkGetDeviceProcAddr)real;
    return (PFN_vkVoidFunction)get_fake_device_proc;
}

/* If this library is preloaded, drivers stay in memory until the end, so that leak reports can
 * name them. */
int dlclose(void *library)
{
    (void)library;
    return 0;
}
