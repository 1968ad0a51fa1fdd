/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "modifier_driver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "testing.h"

const char *const modifier_driver_extensions[5] = {
    "VK_KHR_external_memory_fd",        "VK_EXT_external_memory_dma_buf",
    "VK_EXT_image_drm_format_modifier", "VK_EXT_queue_family_foreign",
    "VK_KHR_image_format_list",
};

/* A mapped file. VkDeviceMemory handles of imported memory point to these. */
typedef struct Mapping {
    struct Mapping *next;
    const uint8_t *data;
    size_t size;
} Mapping;

/* An image in imported memory. The real driver has a plain image for it, which is filled from the
 * file. */
typedef struct TiledImage {
    struct TiledImage *next;
    VkImage image;
    VkImageCreateInfo info; /* without its pNext chain */
    uint64_t modifier;
    unsigned memory_planes;
    VkSubresourceLayout layout[4];
    const Mapping *bound[4];
    VkDeviceMemory memory; /* memory of the real image */
    VkBuffer staging;
    VkDeviceMemory staging_memory;
    uint8_t *staged;
} TiledImage;

static struct {
    const VulkanInstance *instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkDev vkd;
    PFN_vkCmdCopyBufferToImage copy;
    Mapping *mappings;
    TiledImage *images;
    unsigned acquired, released;
} driver;

/* ---- formats ---- */

static const struct {
    VkFormat format;
    unsigned planes, bytes[3]; /* bytes of a texel in each plane */
    bool half_x, half_y;
} formats[] = {
    { VK_FORMAT_R8_UNORM, 1, { 1 }, false, false },
    { VK_FORMAT_R8G8_UNORM, 1, { 2 }, false, false },
    { VK_FORMAT_R16_UNORM, 1, { 2 }, false, false },
    { VK_FORMAT_R16G16_UNORM, 1, { 4 }, false, false },
    { VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, 2, { 1, 2 }, true, true },
    { VK_FORMAT_G8_B8R8_2PLANE_422_UNORM, 2, { 1, 2 }, true, false },
    { VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, 3, { 1, 1, 1 }, true, true },
    { VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM, 3, { 1, 1, 1 }, false, false },
    { VK_FORMAT_G16_B16R16_2PLANE_420_UNORM, 2, { 2, 4 }, true, true },
    { VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16, 2, { 2, 4 }, true, true },
};

static unsigned find_format(VkFormat format)
{
    unsigned i = 0;
    while (formats[i].format != format)
        assert_true(++i < COUNT(formats));
    return i;
}

static unsigned plane_width(const TiledImage *tiled, unsigned p)
{
    const bool half = p && formats[find_format(tiled->info.format)].half_x;
    return (tiled->info.extent.width + half) >> half;
}

static unsigned plane_height(const TiledImage *tiled, unsigned p)
{
    const bool half = p && formats[find_format(tiled->info.format)].half_y;
    return (tiled->info.extent.height + half) >> half;
}

size_t modifier_position(uint64_t modifier, size_t stride, size_t byte, size_t row)
{
    if (modifier == MODIFIER_LINEAR)
        return row * stride + byte;
    const size_t tile = row / TILE_ROWS * (stride / TILE_BYTES) + byte / TILE_BYTES;
    return tile * TILE_BYTES * TILE_ROWS + row % TILE_ROWS * TILE_BYTES + byte % TILE_BYTES;
}

static void VKAPI_CALL format_properties(VkPhysicalDevice physical, VkFormat format,
                                         VkFormatProperties2 *out)
{
    static const uint64_t modifiers[] = { MODIFIER_LINEAR, MODIFIER_TILED, MODIFIER_COMPRESSED };
    VkDrmFormatModifierPropertiesListEXT *list = out->pNext;
    assert_int_equal(VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT, list->sType);
    assert_true(list->drmFormatModifierCount >= COUNT(modifiers));
    out->pNext = NULL;
    driver.instance->vki.GetPhysicalDeviceFormatProperties2(physical, format, out);
    out->pNext = list;
    const bool can =
        out->formatProperties.optimalTilingFeatures & VK_FORMAT_FEATURE_TRANSFER_SRC_BIT;
    list->drmFormatModifierCount = can ? COUNT(modifiers) : 0;
    for (unsigned i = 0; i < list->drmFormatModifierCount; i++)
        list->pDrmFormatModifierProperties[i] = (VkDrmFormatModifierPropertiesEXT){
            modifiers[i],
            formats[find_format(format)].planes + (modifiers[i] == MODIFIER_COMPRESSED),
            VK_FORMAT_FEATURE_TRANSFER_SRC_BIT,
        };
}

static VkResult VKAPI_CALL image_format_properties(VkPhysicalDevice physical,
                                                   const VkPhysicalDeviceImageFormatInfo2 *info,
                                                   VkImageFormatProperties2 *out)
{
    const VkPhysicalDeviceExternalImageFormatInfo *external = info->pNext;
    assert_int_equal(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO, external->sType);
    assert_int_equal(VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT, external->handleType);
    const VkPhysicalDeviceImageDrmFormatModifierInfoEXT *modifier = external->pNext;
    assert_int_equal(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_DRM_FORMAT_MODIFIER_INFO_EXT,
                     modifier->sType);
    VkExternalImageFormatProperties *how = out->pNext;
    VkPhysicalDeviceImageFormatInfo2 plain = *info;
    plain.pNext = NULL;
    plain.tiling = VK_IMAGE_TILING_OPTIMAL;
    plain.flags &= ~(VkImageCreateFlags)VK_IMAGE_CREATE_DISJOINT_BIT;
    out->pNext = NULL;
    const VkResult result =
        driver.instance->vki.GetPhysicalDeviceImageFormatProperties2(physical, &plain, out);
    out->pNext = how;
    how->externalMemoryProperties.externalMemoryFeatures =
        VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
    return result;
}

/* ---- memory ---- */

static VkResult VKAPI_CALL fd_properties(VkDevice device, VkExternalMemoryHandleTypeFlagBits type,
                                         int fd, VkMemoryFdPropertiesKHR *out)
{
    assert_int_equal(VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT, type);
    out->memoryTypeBits = 1;
    return VK_SUCCESS;
}

static const VkImportMemoryFdInfoKHR *find_import(const VkMemoryAllocateInfo *info)
{
    const VkBaseInStructure *at = info->pNext;
    while (at && at->sType != VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR)
        at = at->pNext;
    return (const VkImportMemoryFdInfoKHR *)at;
}

static VkResult VKAPI_CALL allocate(VkDevice device, const VkMemoryAllocateInfo *info,
                                    const VkAllocationCallbacks *callbacks, VkDeviceMemory *out)
{
    const VkImportMemoryFdInfoKHR *import = find_import(info);
    if (!import)
        return driver.vkd.AllocateMemory(device, info, callbacks, out);
    Mapping *mapping = calloc(1, sizeof(*mapping));
    assert_non_null(mapping);
    mapping->size = info->allocationSize;
    mapping->data = mmap(NULL, mapping->size, PROT_READ, MAP_SHARED, import->fd, 0);
    assert_true(mapping->data != MAP_FAILED);
    close(import->fd); /* a driver takes it over */
    mapping->next = driver.mappings;
    driver.mappings = mapping;
    *out = (VkDeviceMemory)mapping;
    return VK_SUCCESS;
}

static void VKAPI_CALL release_memory(VkDevice device, VkDeviceMemory memory,
                                      const VkAllocationCallbacks *callbacks)
{
    Mapping **link = &driver.mappings;
    while (*link && (VkDeviceMemory)*link != memory)
        link = &(*link)->next;
    Mapping *mapping = *link;
    if (!mapping) {
        driver.vkd.FreeMemory(device, memory, callbacks);
        return;
    }
    *link = mapping->next;
    munmap((void *)(uintptr_t)mapping->data, mapping->size);
    free(mapping);
}

static uint32_t find_type(uint32_t allowed, VkMemoryPropertyFlags wanted)
{
    VkPhysicalDeviceMemoryProperties types;
    driver.instance->vki.GetPhysicalDeviceMemoryProperties(driver.physical, &types);
    uint32_t type = 0;
    while (!(allowed >> type & 1) || (types.memoryTypes[type].propertyFlags & wanted) != wanted)
        assert_true(++type < types.memoryTypeCount);
    return type;
}

static VkDeviceMemory allocate_real(const VkMemoryRequirements *needs, VkMemoryPropertyFlags wanted)
{
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = needs->size,
        .memoryTypeIndex = find_type(needs->memoryTypeBits, wanted),
    };
    VkDeviceMemory memory;
    assert_int_equal(VK_SUCCESS, driver.vkd.AllocateMemory(driver.device, &info, NULL, &memory));
    return memory;
}

/* ---- images ---- */

static TiledImage *find_tiled(VkImage image)
{
    TiledImage *tiled = driver.images;
    while (tiled && tiled->image != image)
        tiled = tiled->next;
    return tiled;
}

static VkResult VKAPI_CALL create_image(VkDevice device, const VkImageCreateInfo *info,
                                        const VkAllocationCallbacks *callbacks, VkImage *out)
{
    const VkExternalMemoryImageCreateInfo *external = info->pNext;
    const VkImageDrmFormatModifierExplicitCreateInfoEXT *layout = external->pNext;
    assert_int_equal(VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT, info->tiling);
    assert_int_equal(VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT, external->handleTypes);
    assert_int_equal(VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT,
                     layout->sType);
    TiledImage *tiled = calloc(1, sizeof(*tiled));
    assert_non_null(tiled);
    tiled->info = *info;
    tiled->info.pNext = NULL;
    tiled->info.tiling = VK_IMAGE_TILING_OPTIMAL;
    tiled->info.usage |= VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    tiled->info.flags &= ~(VkImageCreateFlags)VK_IMAGE_CREATE_DISJOINT_BIT;
    tiled->modifier = layout->drmFormatModifier;
    tiled->memory_planes = layout->drmFormatModifierPlaneCount;
    for (unsigned p = 0; p < tiled->memory_planes; p++)
        tiled->layout[p] = layout->pPlaneLayouts[p];
    const VkResult result = driver.vkd.CreateImage(device, &tiled->info, callbacks, out);
    assert_int_equal(VK_SUCCESS, result);
    tiled->image = *out;
    tiled->next = driver.images;
    driver.images = tiled;
    return result;
}

static unsigned plane_of(VkImageAspectFlags aspect)
{
    unsigned p = 0;
    while (aspect != (VkImageAspectFlags)VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT << p)
        assert_true(++p < 4);
    return p;
}

/* The first byte after a plane. */
static size_t plane_end(const TiledImage *tiled, unsigned p)
{
    const unsigned f = find_format(tiled->info.format);
    if (p >= formats[f].planes)
        return tiled->layout[p].offset + 1; /* compression data */
    const size_t rows = plane_height(tiled, p);
    const size_t whole =
        tiled->modifier == MODIFIER_LINEAR ? rows : (rows + TILE_ROWS - 1) / TILE_ROWS * TILE_ROWS;
    return tiled->layout[p].offset + whole * tiled->layout[p].rowPitch;
}

static void VKAPI_CALL memory_requirements(VkDevice device,
                                           const VkImageMemoryRequirementsInfo2 *info,
                                           VkMemoryRequirements2 *out)
{
    const VkImagePlaneMemoryRequirementsInfo *plane = info->pNext;
    const TiledImage *tiled = find_tiled(info->image);
    size_t end = 0;
    for (unsigned p = 0; p < tiled->memory_planes; p++)
        if (!plane || p == plane_of(plane->planeAspect))
            end = end > plane_end(tiled, p) ? end : plane_end(tiled, p);
    out->memoryRequirements =
        (VkMemoryRequirements){ .size = end, .alignment = 1, .memoryTypeBits = 1 };
}

static void make_real(TiledImage *tiled)
{
    const VkImageMemoryRequirementsInfo2 info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, .image = tiled->image
    };
    VkMemoryRequirements2 needs = { .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2 };
    driver.vkd.GetImageMemoryRequirements2(driver.device, &info, &needs);
    tiled->memory = allocate_real(&needs.memoryRequirements, 0);
    const VkBindImageMemoryInfo bind = {
        .sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
        .image = tiled->image,
        .memory = tiled->memory,
    };
    assert_int_equal(VK_SUCCESS, driver.vkd.BindImageMemory2(driver.device, 1, &bind));
    const VkBufferCreateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = (VkDeviceSize)tiled->info.extent.width * tiled->info.extent.height * 16,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
    };
    assert_int_equal(VK_SUCCESS,
                     driver.vkd.CreateBuffer(driver.device, &buffer, NULL, &tiled->staging));
    VkMemoryRequirements wants;
    driver.vkd.GetBufferMemoryRequirements(driver.device, tiled->staging, &wants);
    tiled->staging_memory = allocate_real(&wants, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    assert_int_equal(VK_SUCCESS, driver.vkd.BindBufferMemory(driver.device, tiled->staging,
                                                             tiled->staging_memory, 0));
    void *mapped;
    assert_int_equal(VK_SUCCESS, driver.vkd.MapMemory(driver.device, tiled->staging_memory, 0,
                                                      VK_WHOLE_SIZE, 0, &mapped));
    tiled->staged = mapped;
}

static VkResult VKAPI_CALL bind_memory(VkDevice device, uint32_t count,
                                       const VkBindImageMemoryInfo *info)
{
    assert_int_equal(1, count);
    const VkBindImagePlaneMemoryInfo *plane = info->pNext;
    TiledImage *tiled = find_tiled(info->image);
    for (unsigned p = 0; p < tiled->memory_planes; p++)
        if (!plane || p == plane_of(plane->planeAspect))
            tiled->bound[p] = (const Mapping *)info->memory;
    if (!tiled->memory)
        make_real(tiled);
    return VK_SUCCESS;
}

static void VKAPI_CALL destroy_image(VkDevice device, VkImage image,
                                     const VkAllocationCallbacks *callbacks)
{
    TiledImage **link = &driver.images;
    while ((*link)->image != image)
        link = &(*link)->next;
    TiledImage *tiled = *link;
    *link = tiled->next;
    driver.vkd.DestroyImage(device, image, callbacks);
    driver.vkd.FreeMemory(device, tiled->memory, NULL);
    driver.vkd.DestroyBuffer(device, tiled->staging, NULL);
    driver.vkd.FreeMemory(device, tiled->staging_memory, NULL);
    free(tiled);
}

/* ---- barriers ---- */

static void record_barrier(VkCommandBuffer commands, const VkImageMemoryBarrier *barrier)
{
    driver.vkd.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1,
                                  barrier);
}

/* Writes a plane to staging memory, row by row without gaps. Returns its size there. */
static size_t stage_plane(const TiledImage *tiled, unsigned p, size_t offset)
{
    const unsigned bytes = formats[find_format(tiled->info.format)].bytes[p];
    const size_t row = (size_t)plane_width(tiled, p) * bytes;
    assert_non_null(tiled->bound[p]);
    for (unsigned y = 0; y < plane_height(tiled, p); y++)
        for (size_t x = 0; x < row; x++) {
            const size_t at = tiled->layout[p].offset +
                              modifier_position(tiled->modifier, tiled->layout[p].rowPitch, x, y);
            assert_true(at < tiled->bound[p]->size);
            tiled->staged[offset + y * row + x] = tiled->bound[p]->data[at];
        }
    return (row * plane_height(tiled, p) + 15) / 16 * 16;
}

/* Fills the image from its file. Afterwards it is in the layout that the user expects. */
static void fill(VkCommandBuffer commands, const TiledImage *tiled,
                 const VkImageMemoryBarrier *from)
{
    static const VkImageAspectFlags aspects[3] = { VK_IMAGE_ASPECT_PLANE_0_BIT,
                                                   VK_IMAGE_ASPECT_PLANE_1_BIT,
                                                   VK_IMAGE_ASPECT_PLANE_2_BIT };
    const unsigned planes = formats[find_format(tiled->info.format)].planes;
    VkImageMemoryBarrier barrier = *from;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.srcAccessMask = barrier.dstAccessMask =
        VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    barrier.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    record_barrier(commands, &barrier);
    size_t offset = 0;
    for (unsigned p = 0; p < planes; p++) {
        const VkBufferImageCopy region = {
            .bufferOffset = offset,
            .imageSubresource = { planes > 1 ? aspects[p] : VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
            .imageExtent = { plane_width(tiled, p), plane_height(tiled, p), 1 },
        };
        offset += stage_plane(tiled, p, offset);
        driver.copy(commands, tiled->staging, tiled->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                    &region);
    }
    barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    barrier.newLayout = from->newLayout;
    record_barrier(commands, &barrier);
}

static void VKAPI_CALL pipeline_barrier(VkCommandBuffer commands, VkPipelineStageFlags from,
                                        VkPipelineStageFlags to, VkDependencyFlags flags,
                                        uint32_t memory_count, const VkMemoryBarrier *memory,
                                        uint32_t buffer_count, const VkBufferMemoryBarrier *buffers,
                                        uint32_t image_count, const VkImageMemoryBarrier *images)
{
    const TiledImage *tiled = image_count ? find_tiled(images->image) : NULL;
    if (tiled && images->srcQueueFamilyIndex == VK_QUEUE_FAMILY_FOREIGN_EXT) {
        assert_int_equal(images->oldLayout, images->newLayout);
        driver.acquired++;
        fill(commands, tiled, images);
    } else if (tiled && images->dstQueueFamilyIndex == VK_QUEUE_FAMILY_FOREIGN_EXT) {
        assert_int_equal(images->oldLayout, images->newLayout);
        driver.released++;
    } else {
        driver.vkd.CmdPipelineBarrier(commands, from, to, flags, memory_count, memory, buffer_count,
                                      buffers, image_count, images);
    }
}

/* ---- finding functions ---- */

typedef struct Entry {
    const char *name;
    PFN_vkVoidFunction function;
} Entry;

static PFN_vkVoidFunction find_in(const Entry *entries, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(entries[i].name, name))
            return entries[i].function;
    return NULL;
}

static PFN_vkVoidFunction VKAPI_CALL find_device_function(VkDevice device, const char *name)
{
    static const Entry entries[] = {
        { "vkGetMemoryFdPropertiesKHR", (PFN_vkVoidFunction)fd_properties },
        { "vkAllocateMemory", (PFN_vkVoidFunction)allocate },
        { "vkFreeMemory", (PFN_vkVoidFunction)release_memory },
        { "vkCreateImage", (PFN_vkVoidFunction)create_image },
        { "vkDestroyImage", (PFN_vkVoidFunction)destroy_image },
        { "vkGetImageMemoryRequirements2", (PFN_vkVoidFunction)memory_requirements },
        { "vkBindImageMemory2", (PFN_vkVoidFunction)bind_memory },
        { "vkCmdPipelineBarrier", (PFN_vkVoidFunction)pipeline_barrier },
    };
    const PFN_vkVoidFunction ours = find_in(entries, COUNT(entries), name);
    return ours ? ours : driver.instance->vki.GetDeviceProcAddr(device, name);
}

static PFN_vkVoidFunction VKAPI_CALL find_function(VkInstance instance, const char *name)
{
    static const Entry entries[] = {
        { "vkGetDeviceProcAddr", (PFN_vkVoidFunction)find_device_function },
        { "vkGetPhysicalDeviceFormatProperties2", (PFN_vkVoidFunction)format_properties },
        { "vkGetPhysicalDeviceImageFormatProperties2",
          (PFN_vkVoidFunction)image_format_properties },
    };
    const PFN_vkVoidFunction ours = find_in(entries, COUNT(entries), name);
    return ours ? ours : vk_global()->GetInstanceProcAddr(instance, name);
}

PFN_vkGetInstanceProcAddr modifier_driver_begin(const VulkanInstance *instance,
                                                VkPhysicalDevice physical, VkDevice device)
{
    memset(&driver, 0, sizeof(driver));
    driver.instance = instance;
    driver.physical = physical;
    driver.device = device;
    assert_int_equal(0, vk_load_device(&driver.vkd, &instance->vki, device));
    driver.copy = (PFN_vkCmdCopyBufferToImage)instance->vki.GetDeviceProcAddr(
        device, "vkCmdCopyBufferToImage");
    return find_function;
}

void modifier_driver_end(void)
{
    assert_null(driver.mappings);
    assert_null(driver.images);
}

unsigned modifier_driver_acquired(void)
{
    return driver.acquired;
}

unsigned modifier_driver_released(void)
{
    return driver.released;
}
