/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Surfaces of another API, opened as images: dma-bufs with a DRM format modifier, and textures of
 * Direct3D 11. Each layer of a surface becomes one VkImage. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#ifndef _WIN32
#include <poll.h>
#include <unistd.h>
#endif

#include "base/mem.h"
#include "gpu/backend/vulkan/vk.h"
#include "gpu/session.h"

#define WRITERS_TIMEOUT_MS 10000
#define MAX_PLANES 4

typedef struct SurfaceImage {
    VkImage image;
    VkFormat format;
    VkDeviceMemory memory[MAX_PLANES]; /* one, or one for each plane */
} SurfaceImage;

struct VmafVulkanSurface {
    VulkanDevice *dev;
    bool is_dmabuf;
    unsigned layers, objects;
    SurfaceImage layer[3];
    int fd[MAX_PLANES]; /* duplicates of the dma-bufs, to wait for their writers */
};

__attribute__((format(printf, 2, 3))) static int refuse(int err, const char *format, ...)
{
    char why[256];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof(why), format, args);
    va_end(args);
    log_error("vulkan: cannot open the surface: %s", why);
    return err;
}

/* ---- formats ---- */

#define FOURCC(a, b, c, d)                                                                         \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/* The Vulkan format of a DRM fourcc code (its letters are in DRM's documentation), or of a
 * DXGI_FORMAT, whose numbers are below 256. */
static VkFormat find_format(enum VmafVulkanSurfaceType type, uint32_t code)
{
    static const struct {
        uint32_t code;
        VkFormat format;
    } known[] = {
        { FOURCC('R', '8', ' ', ' '), VK_FORMAT_R8_UNORM },
        { FOURCC('G', 'R', '8', '8'), VK_FORMAT_R8G8_UNORM },
        { FOURCC('R', '1', '6', ' '), VK_FORMAT_R16_UNORM },
        { FOURCC('G', 'R', '3', '2'), VK_FORMAT_R16G16_UNORM },
        { FOURCC('N', 'V', '1', '2'), VK_FORMAT_G8_B8R8_2PLANE_420_UNORM },
        { FOURCC('N', 'V', '1', '6'), VK_FORMAT_G8_B8R8_2PLANE_422_UNORM },
        { FOURCC('N', 'V', '2', '4'), VK_FORMAT_G8_B8R8_2PLANE_444_UNORM },
        { FOURCC('Y', 'U', '1', '2'), VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM },
        { FOURCC('Y', 'U', '1', '6'), VK_FORMAT_G8_B8_R8_3PLANE_422_UNORM },
        { FOURCC('Y', 'U', '2', '4'), VK_FORMAT_G8_B8_R8_3PLANE_444_UNORM },
        { FOURCC('P', '0', '1', '0'), VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16 },
        { FOURCC('P', '2', '1', '0'), VK_FORMAT_G10X6_B10X6R10X6_2PLANE_422_UNORM_3PACK16 },
        { FOURCC('P', '0', '1', '2'), VK_FORMAT_G12X4_B12X4R12X4_2PLANE_420_UNORM_3PACK16 },
        { FOURCC('P', '0', '1', '6'), VK_FORMAT_G16_B16R16_2PLANE_420_UNORM },
        { 49, VK_FORMAT_R8G8_UNORM },                                 /* DXGI_FORMAT_R8G8_UNORM */
        { 56, VK_FORMAT_R16_UNORM },                                  /* DXGI_FORMAT_R16_UNORM */
        { 61, VK_FORMAT_R8_UNORM },                                   /* DXGI_FORMAT_R8_UNORM */
        { 103, VK_FORMAT_G8_B8R8_2PLANE_420_UNORM },                  /* DXGI_FORMAT_NV12 */
        { 104, VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16 }, /* DXGI_FORMAT_P010 */
        { 105, VK_FORMAT_G16_B16R16_2PLANE_420_UNORM },               /* DXGI_FORMAT_P016 */
    };
    const bool is_dxgi = type == VMAF_VULKAN_SURFACE_D3D11;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].code == code && (code < 256) == is_dxgi)
            return known[i].format;
    return VK_FORMAT_UNDEFINED;
}

/* ---- the description ---- */

static int check_objects(const VmafVulkanSurfaceInfo *info)
{
    if (!info->w || !info->h || info->w > 32768 || info->h > 32768)
        return refuse(-EINVAL, "it cannot have a size of %ux%u", info->w, info->h);
    if (!info->objects || info->objects > MAX_PLANES || !info->layers || info->layers > 3)
        return refuse(-EINVAL, "it has %u objects and %u layers", info->objects, info->layers);
    if (info->type == VMAF_VULKAN_SURFACE_D3D11)
        return info->objects == 1 && info->layers == 1
                   ? 0
                   : refuse(-EINVAL, "a texture has one object and one layer");
    if (info->array_size > 1)
        return refuse(-EINVAL, "a dma-buf has no slices");
    return 0;
}

static int check_layer(const VmafVulkanSurfaceInfo *info, unsigned i)
{
    const unsigned planes = info->layer[i].planes;
    if (info->type == VMAF_VULKAN_SURFACE_D3D11)
        return 0;
    if (!planes || planes > MAX_PLANES)
        return refuse(-EINVAL, "layer %u has %u planes", i, planes);
    for (unsigned p = 0; p < planes; p++)
        if (info->layer[i].plane[p].object >= info->objects)
            return refuse(-EINVAL, "plane %u of layer %u is in object %u, which does not exist", p,
                          i, info->layer[i].plane[p].object);
    return 0;
}

static int check_info(const VulkanDevice *dev, const VmafVulkanSurfaceInfo *info)
{
    bool can;
#ifdef _WIN32
    can = info->type == VMAF_VULKAN_SURFACE_D3D11 && dev->imports_opaque;
#else
    can = info->type == VMAF_VULKAN_SURFACE_DMABUF && dev->imports_tiled;
#endif
    if (!can)
        return refuse(-ENOTSUP, "%s cannot import %s here", dev->gpu.name,
                      info->type == VMAF_VULKAN_SURFACE_D3D11 ? "textures of Direct3D 11"
                                                              : "images in dma-bufs");
    int err = check_objects(info);
    for (unsigned i = 0; !err && i < info->layers; i++)
        err = check_layer(info, i);
    return err;
}

/* Finds the formats of all layers and checks that together they hold such a picture. */
static int find_formats(VmafVulkanSurface *surface, const VmafVulkanSurfaceInfo *info)
{
    for (unsigned i = 0; i < info->layers; i++) {
        surface->layer[i].format = find_format(info->type, info->layer[i].format);
        if (!surface->layer[i].format)
            return refuse(-ENOTSUP, "layer %u has the unknown format 0x%08x", i,
                          info->layer[i].format);
    }
    ImageFormat first;
    image_format_find(surface->layer[0].format, &first);
    if (first.planes > 1 ? first.chroma != info->pix_fmt || info->layers > 1
                         : (info->pix_fmt == VMAF_PIX_FMT_YUV400P) != (info->layers == 1))
        return refuse(-EINVAL, "its layers do not hold the planes of its pixel format");
    return 0;
}

/* ---- images ---- */

/* The parts of an image's description that several calls need. Its structs point to each other, so
 * it cannot be copied. */
typedef struct ImageWish {
    VkExternalMemoryHandleTypeFlagBits handle_type;
    VkSubresourceLayout planes[MAX_PLANES];
    VkImageDrmFormatModifierExplicitCreateInfoEXT layout;
    VkExternalMemoryImageCreateInfo external;
    VkImageCreateInfo info;
} ImageWish;

/* The size of a layer. An image of several planes has an even size, as have the surfaces of
 * decoders. */
static VkExtent3D layer_extent(const VmafVulkanSurfaceInfo *info, unsigned i)
{
    const bool half_x =
        info->pix_fmt == VMAF_PIX_FMT_YUV420P || info->pix_fmt == VMAF_PIX_FMT_YUV422P;
    const bool half_y = info->pix_fmt == VMAF_PIX_FMT_YUV420P;
    const unsigned w = (info->w + half_x) >> half_x, h = (info->h + half_y) >> half_y;
    if (i)
        return (VkExtent3D){ w, h, 1 };
    return info->layers == 1 ? (VkExtent3D){ w << half_x, h << half_y, 1 }
                             : (VkExtent3D){ info->w, info->h, 1 };
}

/* True if the layer's planes are in different objects. */
static bool is_split(const VmafVulkanSurfaceInfo *info, unsigned i)
{
    bool split = false;
    if (info->type != VMAF_VULKAN_SURFACE_DMABUF)
        return false;
    for (unsigned p = 1; p < info->layer[i].planes; p++)
        split = split || info->layer[i].plane[p].object != info->layer[i].plane[0].object;
    return split;
}

static void wish_init(ImageWish *wish, const VmafVulkanSurfaceInfo *info, unsigned i,
                      VkFormat format)
{
    const bool tiled = info->type == VMAF_VULKAN_SURFACE_DMABUF;
#ifdef _WIN32
    wish->handle_type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_TEXTURE_BIT;
#else
    wish->handle_type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
#endif
    for (unsigned p = 0; tiled && p < info->layer[i].planes; p++)
        wish->planes[p] = (VkSubresourceLayout){ .offset = info->layer[i].plane[p].offset,
                                                 .rowPitch = info->layer[i].plane[p].stride };
    wish->layout = (VkImageDrmFormatModifierExplicitCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT,
        .drmFormatModifier = info->modifier,
        .drmFormatModifierPlaneCount = info->layer[i].planes,
        .pPlaneLayouts = wish->planes,
    };
    wish->external = (VkExternalMemoryImageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
        .pNext = tiled ? &wish->layout : NULL,
        .handleTypes = wish->handle_type,
    };
    wish->info = (VkImageCreateInfo){
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .pNext = &wish->external,
        .flags = is_split(info, i) ? VK_IMAGE_CREATE_DISJOINT_BIT : 0,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = format,
        .extent = layer_extent(info, i),
        .mipLevels = 1,
        .arrayLayers = info->array_size ? info->array_size : 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = tiled ? VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT : VK_IMAGE_TILING_OPTIMAL,
        .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
        .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
        .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    };
}

/* The number of memory planes that images of this format and modifier have; 0: the device does not
 * know them together. */
static unsigned modifier_planes(const VulkanDevice *dev, VkFormat format, uint64_t modifier)
{
    VkDrmFormatModifierPropertiesEXT all[256];
    VkDrmFormatModifierPropertiesListEXT list = {
        .sType = VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT,
        .drmFormatModifierCount = sizeof(all) / sizeof(all[0]),
        .pDrmFormatModifierProperties = all,
    };
    VkFormatProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2,
        .pNext = &list,
    };
    dev->vki.GetPhysicalDeviceFormatProperties2(dev->physical, format, &properties);
    for (uint32_t i = 0; i < list.drmFormatModifierCount; i++)
        if (all[i].drmFormatModifier == modifier &&
            all[i].drmFormatModifierTilingFeatures & VK_FORMAT_FEATURE_TRANSFER_SRC_BIT)
            return all[i].drmFormatModifierPlaneCount;
    return 0;
}

static int check_modifier(const VulkanDevice *dev, const VmafVulkanSurfaceInfo *info, unsigned i,
                          VkFormat format)
{
    if (info->type != VMAF_VULKAN_SURFACE_DMABUF)
        return 0;
    const unsigned planes = modifier_planes(dev, format, info->modifier);
    if (!planes)
        return refuse(-ENOTSUP, "%s cannot read VkFormat %d with the modifier 0x%016llx",
                      dev->gpu.name, (int)format, (unsigned long long)info->modifier);
    if (planes != info->layer[i].planes)
        return refuse(-EINVAL, "layer %u has %u planes where its format and modifier need %u", i,
                      info->layer[i].planes, planes);
    return 0;
}

/* Asks the driver whether it can import such an image. *alone is set if the memory must be
 * dedicated to the image. */
static int check_support(const VulkanDevice *dev, const ImageWish *wish, bool *alone)
{
    const bool tiled = wish->info.tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
    const VkPhysicalDeviceImageDrmFormatModifierInfoEXT modifier = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_DRM_FORMAT_MODIFIER_INFO_EXT,
        .drmFormatModifier = wish->layout.drmFormatModifier,
        .sharingMode = wish->info.sharingMode,
    };
    const VkPhysicalDeviceExternalImageFormatInfo external = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
        .pNext = tiled ? &modifier : NULL,
        .handleType = wish->handle_type,
    };
    const VkPhysicalDeviceImageFormatInfo2 info = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
        .pNext = &external,
        .format = wish->info.format,
        .type = wish->info.imageType,
        .tiling = wish->info.tiling,
        .usage = wish->info.usage,
        .flags = wish->info.flags,
    };
    VkExternalImageFormatProperties how = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES,
    };
    VkImageFormatProperties2 limits = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2,
        .pNext = &how,
    };
    const VkResult result =
        dev->vki.GetPhysicalDeviceImageFormatProperties2(dev->physical, &info, &limits);
    const VkExternalMemoryFeatureFlags can = how.externalMemoryProperties.externalMemoryFeatures;
    const VkExtent3D most = limits.imageFormatProperties.maxExtent;
    *alone = can & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT;
    if (result < 0 || !(can & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT))
        return refuse(-ENOTSUP, "%s cannot import images of VkFormat %d from such memory",
                      dev->gpu.name, (int)wish->info.format);
    if (wish->info.extent.width > most.width || wish->info.extent.height > most.height ||
        wish->info.arrayLayers > limits.imageFormatProperties.maxArrayLayers)
        return refuse(-ENOTSUP, "%s imports such images of up to %ux%u and %u slices only",
                      dev->gpu.name, most.width, most.height,
                      limits.imageFormatProperties.maxArrayLayers);
    return 0;
}

/* ---- memory of images ---- */

static uint64_t object_bytes(const VmafVulkanSurfaceInfo *info, unsigned object)
{
#ifdef _WIN32
    return info->object[object].bytes;
#else
    const off_t end = lseek((int)info->object[object].handle, 0, SEEK_END);
    const uint64_t told = info->object[object].bytes, is = end > 0 ? (uint64_t)end : 0;
    return !told || (is && is < told) ? is : told;
#endif
}

/* Imports an object for an image, or for one of its planes (`aspect`; 0: the whole image), and
 * binds it. */
static int bind_object(VulkanDevice *dev, const VmafVulkanSurfaceInfo *info, const ImageWish *wish,
                       VkImage image, unsigned object, VkImageAspectFlagBits aspect, bool alone,
                       VkDeviceMemory *memory)
{
    const VkImagePlaneMemoryRequirementsInfo plane = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO,
        .planeAspect = aspect,
    };
    const VkImageMemoryRequirementsInfo2 of = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2,
        .pNext = aspect ? &plane : NULL,
        .image = image,
    };
    VkMemoryDedicatedRequirements wants = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS,
    };
    VkMemoryRequirements2 needs = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2,
        .pNext = &wants,
    };
    dev->vkd.GetImageMemoryRequirements2(dev->handle, &of, &needs);
    const VkDeviceSize least = needs.memoryRequirements.size;
    const uint64_t bytes = object_bytes(info, object);
    if (info->type == VMAF_VULKAN_SURFACE_DMABUF && bytes < least)
        return refuse(-EINVAL, "object %u has %llu bytes, and its image needs %llu", object,
                      (unsigned long long)bytes, (unsigned long long)least);
    const VulkanForeign from = {
        .type = wish->handle_type,
        .handle = info->object[object].handle,
        .size = info->type == VMAF_VULKAN_SURFACE_DMABUF ? bytes : least,
        .types = needs.memoryRequirements.memoryTypeBits,
        .image = alone || (!aspect && wants.prefersDedicatedAllocation) ? image : VK_NULL_HANDLE,
    };
    int err = vulkan_foreign_import(dev, &from, memory);
    if (err)
        return refuse(err, "its memory cannot be imported");
    const VkBindImagePlaneMemoryInfo plane_bind = {
        .sType = VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO,
        .planeAspect = aspect,
    };
    const VkBindImageMemoryInfo bind = {
        .sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO,
        .pNext = aspect ? &plane_bind : NULL,
        .image = image,
        .memory = *memory,
    };
    VK_TRY(dev, BindImageMemory2, dev->handle, 1, &bind);
error:
    return err;
}

static int bind_layer(VulkanDevice *dev, const VmafVulkanSurfaceInfo *info, const ImageWish *wish,
                      SurfaceImage *layer, unsigned i, bool alone)
{
    static const VkImageAspectFlagBits aspects[MAX_PLANES] = {
        VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT,
        VK_IMAGE_ASPECT_MEMORY_PLANE_1_BIT_EXT,
        VK_IMAGE_ASPECT_MEMORY_PLANE_2_BIT_EXT,
        VK_IMAGE_ASPECT_MEMORY_PLANE_3_BIT_EXT,
    };
    /* The planes of a texture are not described. */
    const bool described = info->type == VMAF_VULKAN_SURFACE_DMABUF;
    const bool split = is_split(info, i);
    int err = 0;
    for (unsigned p = 0; !err && p < (split ? info->layer[i].planes : 1); p++)
        err = bind_object(dev, info, wish, layer->image,
                          described ? info->layer[i].plane[p].object : 0, split ? aspects[p] : 0,
                          alone && !split, &layer->memory[p]);
    return err;
}

static int open_layer(VulkanDevice *dev, const VmafVulkanSurfaceInfo *info, SurfaceImage *layer,
                      unsigned i)
{
    ImageWish wish = { 0 };
    bool alone;
    wish_init(&wish, info, i, layer->format);
    int err = check_modifier(dev, info, i, layer->format);
    if (!err)
        err = check_support(dev, &wish, &alone);
    if (err)
        return err;
    VK_MAKE(dev, CreateImage, &wish.info, &layer->image);
    return bind_layer(dev, info, &wish, layer, i, alone);
error:
    return err;
}

/* ---- writers ---- */

#ifdef _WIN32

static int keep_objects(VmafVulkanSurface *surface, const VmafVulkanSurfaceInfo *info)
{
    return 0;
}

static void drop_objects(VmafVulkanSurface *surface)
{
}

static int await_writers(const VmafVulkanSurface *surface)
{
    return 0;
}

#else

static int keep_objects(VmafVulkanSurface *surface, const VmafVulkanSurfaceInfo *info)
{
    for (; surface->objects < info->objects; surface->objects++) {
        const int fd = dup((int)info->object[surface->objects].handle);
        if (fd < 0)
            return refuse(-errno, "object %u is no open file", surface->objects);
        surface->fd[surface->objects] = fd;
    }
    return 0;
}

static void drop_objects(VmafVulkanSurface *surface)
{
    for (unsigned i = 0; i < surface->objects; i++)
        close(surface->fd[i]);
}

/* Waits until the fences of the writers of each dma-buf have passed. */
static int await_writers(const VmafVulkanSurface *surface)
{
    for (unsigned i = 0; i < surface->objects; i++) {
        struct pollfd wait = { .fd = surface->fd[i], .events = POLLIN };
        int ready;
        do
            ready = poll(&wait, 1, WRITERS_TIMEOUT_MS);
        while (ready < 0 && errno == EINTR);
        if (!ready) {
            log_error("vulkan: the surface's writer did not finish within %u seconds",
                      WRITERS_TIMEOUT_MS / 1000);
            return -ETIMEDOUT;
        }
        if (ready < 0)
            return -errno;
    }
    return 0;
}

#endif

/* ---- the public functions ---- */

int vmaf_vulkan_surface_open(VmafVulkanSurface **out, VmafVulkanState *state,
                             const VmafVulkanSurfaceInfo *info)
{
    if (!out)
        return -EINVAL;
    *out = NULL;
    if (!state || !info || info->size < sizeof(*info))
        return -EINVAL;
    VulkanDevice *dev = (VulkanDevice *)((GpuSession *)state)->device;
    int err = check_info(dev, info);
    if (err)
        return err;
    VmafVulkanSurface *surface = mem_zalloc(sizeof(*surface));
    if (!surface)
        return -ENOMEM;
    surface->dev = dev;
    surface->layers = info->layers;
    err = keep_objects(surface, info);
    if (!err)
        err = find_formats(surface, info);
    for (unsigned i = 0; !err && i < info->layers; i++)
        err = open_layer(dev, info, &surface->layer[i], i);
    if (err)
        vmaf_vulkan_surface_close(&surface);
    *out = surface;
    return err;
}

int vmaf_vulkan_surface_fill(const VmafVulkanSurface *surface, VmafVulkanFrame *frame)
{
    if (!surface || !frame || frame->size < sizeof(*frame))
        return -EINVAL;
    for (unsigned i = 0; i < 3; i++) {
        const bool is_there = i < surface->layers;
        frame->image[i] = is_there ? (uintptr_t)surface->layer[i].image : 0;
        frame->format[i] = is_there ? (uint32_t)surface->layer[i].format : 0;
        frame->layout[i] = VK_IMAGE_LAYOUT_GENERAL;
        frame->queue_family[i] = surface->dev->foreign_family;
    }
    frame->concurrent = 0;
    return await_writers(surface);
}

void vmaf_vulkan_surface_close(VmafVulkanSurface **out)
{
    VmafVulkanSurface *surface = out ? *out : NULL;
    if (!surface)
        return;
    VulkanDevice *dev = surface->dev;
    for (unsigned i = 0; i < surface->layers; i++) {
        SurfaceImage *layer = &surface->layer[i];
        if (layer->image)
            dev->vkd.DestroyImage(dev->handle, layer->image, NULL);
        for (unsigned p = 0; p < MAX_PLANES; p++)
            if (layer->memory[p])
                dev->vkd.FreeMemory(dev->handle, layer->memory[p], NULL);
    }
    drop_objects(surface);
    mem_free(surface);
    *out = NULL;
}
