/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libvmaf_vulkan.h: its promises about arguments, and that pictures score the same bits however
 * they are passed: host memory, pools, images of the caller, shared memory, the caller's device.
 * Everything that is not specific to Vulkan is tested for all backends alike (rig.h). */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/session.h"
#include "libvmaf/libvmaf_vulkan.h"
#include "gpu/backend/vulkan/vk.h"
#include "testing.h"

static GpuDevice *gpu_of(VmafVulkanState *of)
{
    return ((GpuSession *)of)->device;
}

#define FRAMES 6
#define W 161
#define H 93

static VmafVulkanState *state;
static int validation; /* whether the layers are installed */

/* ---- pictures and scores ---- */

static unsigned sample(unsigned x, unsigned y, unsigned p, unsigned frame, int is_ref, unsigned bpc)
{
    unsigned v = (x * 7 + y * 13 + p * 31 + frame * 11) ^ (x * y >> 3);
    if (!is_ref)
        v += (x ^ y) % 5;
    return v & ((1u << bpc) - 1);
}

static void paint(VmafPicture *pic, unsigned frame, int is_ref)
{
    for (unsigned p = 0; p < 3; p++) {
        for (unsigned y = 0; y < pic->h[p]; y++) {
            uint8_t *row = (uint8_t *)pic->data[p] + y * pic->stride[p];
            for (unsigned x = 0; x < pic->w[p]; x++) {
                const unsigned v = sample(x, y, p, frame, is_ref, pic->bpc);
                if (pic->bpc > 8)
                    ((uint16_t *)row)[x] = (uint16_t)v;
                else
                    row[x] = (uint8_t)v;
            }
        }
    }
}

typedef struct Scores {
    double psnr_y[FRAMES], psnr_cb[FRAMES], motion2[FRAMES], change[FRAMES];
} Scores;

/* motion looks back at the reference, speed_temporal at both pictures. */
static VmafContext *open_context(VmafVulkanState *with, unsigned threads)
{
    VmafContext *vmaf;
    const VmafConfiguration cfg = { .log_level = VMAF_LOG_LEVEL_WARNING, .n_threads = threads };
    assert_int_equal(0, vmaf_init(&vmaf, cfg));
    if (with)
        assert_int_equal(0, vmaf_vulkan_import_state(vmaf, with));
    assert_int_equal(0, vmaf_use_feature(vmaf, "psnr", NULL));
    assert_int_equal(0, vmaf_use_feature(vmaf, "motion", NULL));
    assert_int_equal(0, vmaf_use_feature(vmaf, "speed_temporal", NULL));
    return vmaf;
}

static void close_context(VmafContext *vmaf, bool chroma, Scores *scores)
{
    assert_int_equal(0, vmaf_read_pictures(vmaf, NULL, NULL, 0));
    memset(scores, 0, sizeof(*scores));
    for (unsigned i = 0; i < FRAMES; i++) {
        assert_int_equal(0, vmaf_feature_score_at_index(vmaf, "psnr_y", &scores->psnr_y[i], i));
        if (chroma)
            assert_int_equal(0,
                             vmaf_feature_score_at_index(vmaf, "psnr_cb", &scores->psnr_cb[i], i));
        assert_int_equal(0, vmaf_feature_score_at_index(vmaf, "VMAF_integer_feature_motion2_score",
                                                        &scores->motion2[i], i));
        assert_int_equal(
            0, vmaf_feature_score_at_index(vmaf, "Speed_temporal_feature_speed_temporal_score",
                                           &scores->change[i], i));
    }
    assert_int_equal(0, vmaf_close(vmaf));
}

enum Way { PLAIN, POOL_HOST, POOL_DEVICE };

static void score_pictures(VmafVulkanState *with, enum VmafPixelFormat fmt, unsigned bpc,
                           enum Way way, unsigned threads, Scores *scores)
{
    VmafContext *vmaf = open_context(with, threads);
    const VmafVulkanPictureConfiguration pool = {
        .pic_params = { W, H, bpc, fmt },
        .pic_prealloc_method = (enum VmafVulkanPicturePreallocationMethod)way,
    };
    if (way != PLAIN)
        assert_int_equal(0, vmaf_vulkan_preallocate_pictures(vmaf, pool));
    for (unsigned i = 0; i < FRAMES; i++) {
        VmafPicture pic[2];
        for (unsigned side = 0; side < 2; side++) {
            if (way == PLAIN)
                assert_int_equal(0, vmaf_picture_alloc(&pic[side], fmt, bpc, W, H));
            else
                assert_int_equal(0, vmaf_vulkan_picture_fetch(vmaf, &pic[side]));
            paint(&pic[side], i, side == 0);
        }
        assert_int_equal(0, vmaf_read_pictures(vmaf, &pic[0], &pic[1], i));
    }
    close_context(vmaf, fmt != VMAF_PIX_FMT_YUV400P, scores);
}

static void test_same_scores(void **unused)
{
    static const enum VmafPixelFormat formats[] = { VMAF_PIX_FMT_YUV420P, VMAF_PIX_FMT_YUV444P,
                                                    VMAF_PIX_FMT_YUV400P };
    for (unsigned f = 0; f < 3; f++) {
        for (unsigned bpc = 8; bpc <= 10; bpc += 2) {
            Scores cpu, gpu;
            score_pictures(NULL, formats[f], bpc, PLAIN, 0, &cpu);
            for (enum Way way = PLAIN; way <= POOL_DEVICE; way++) {
                for (unsigned threads = 0; threads < 3; threads += 2) {
                    score_pictures(state, formats[f], bpc, way, threads, &gpu);
                    assert_memory_equal(&cpu, &gpu, sizeof(cpu));
                }
            }
        }
    }
}

/* ---- images ---- */

/* Functions that the library itself does not load. */
#define FUNCTIONS(X)                                                                               \
    X(CreateImage)                                                                                 \
    X(DestroyImage)                                                                                \
    X(GetImageMemoryRequirements)                                                                  \
    X(BindImageMemory)                                                                             \
    X(CmdCopyBufferToImage)                                                                        \
    X(SignalSemaphore)                                                                             \
    X(GetSemaphoreCounterValue)
#define FIELD(name) PFN_vk##name name;
static struct {
    FUNCTIONS(FIELD)
    PFN_vkGetMemoryFdKHR GetMemoryFdKHR;
    PFN_vkGetPhysicalDeviceFormatProperties GetFormatProperties;
} vk;

static void load_functions(VulkanDevice *dev)
{
#define LOAD(name) vk.name = (PFN_vk##name)dev->vki.GetDeviceProcAddr(dev->handle, "vk" #name);
    FUNCTIONS(LOAD)
    LOAD(GetMemoryFdKHR)
    vk.GetFormatProperties =
        (PFN_vkGetPhysicalDeviceFormatProperties)vk_global()->GetInstanceProcAddr(
            dev->instance->handle, "vkGetPhysicalDeviceFormatProperties");
}

typedef struct Image {
    VkImage handle;
    VkDeviceMemory memory;
} Image;

/* The sides are rounded up: images with several planes need even ones. */
static void make_image(VulkanDevice *dev, VkFormat format, unsigned w, unsigned h, Image *image)
{
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = format,
        .extent = { (w + 1) & ~1u, (h + 1) & ~1u, 1 },
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
    };
    assert_int_equal(VK_SUCCESS, vk.CreateImage(dev->handle, &info, NULL, &image->handle));
    VkMemoryRequirements needs;
    vk.GetImageMemoryRequirements(dev->handle, image->handle, &needs);
    uint32_t type = 0;
    while (!(needs.memoryTypeBits >> type & 1))
        type++;
    const VkMemoryAllocateInfo memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = needs.size,
        .memoryTypeIndex = type,
    };
    assert_int_equal(VK_SUCCESS,
                     dev->vkd.AllocateMemory(dev->handle, &memory, NULL, &image->memory));
    assert_int_equal(VK_SUCCESS, vk.BindImageMemory(dev->handle, image->handle, image->memory, 0));
}

static void destroy_image(VulkanDevice *dev, Image *image)
{
    vk.DestroyImage(dev->handle, image->handle, NULL);
    dev->vkd.FreeMemory(dev->handle, image->memory, NULL);
}

static void image_barrier(VulkanDevice *dev, VkCommandBuffer commands, VkImage image,
                          VkImageLayout from, VkImageLayout to)
{
    const VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = from,
        .newLayout = to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image,
        .subresourceRange = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 },
    };
    dev->vkd.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1,
                                &barrier);
}

/* The packing of a format's samples. */
typedef struct Kind {
    VkFormat format; /* format of the image */
    uint32_t told;   /* the format that the import names */
    unsigned bpc, shift, planes;
    enum VmafPixelFormat pix_fmt; /* format of the imported picture */
    VkFormat chroma; /* not 0: the planes are separate images, and chroma has this format */
} Kind;

static const Kind kinds[] = {
    { VK_FORMAT_R8_UNORM, 0, 8, 0, 3, VMAF_PIX_FMT_YUV420P, VK_FORMAT_R8_UNORM },
    { VK_FORMAT_R8_UNORM, 0, 8, 0, 2, VMAF_PIX_FMT_YUV420P, VK_FORMAT_R8G8_UNORM },
    { VK_FORMAT_R16_UNORM, VK_FORMAT_R10X6_UNORM_PACK16, 10, 6, 2, VMAF_PIX_FMT_YUV420P,
      VK_FORMAT_R16G16_UNORM },
    { VK_FORMAT_R8_UNORM, 0, 8, 0, 1, VMAF_PIX_FMT_YUV400P, 0 },
    { VK_FORMAT_R16_UNORM, VK_FORMAT_R16_UNORM, 10, 0, 1, VMAF_PIX_FMT_YUV400P, 0 },
    { VK_FORMAT_R16_UNORM, VK_FORMAT_R10X6_UNORM_PACK16, 10, 6, 1, VMAF_PIX_FMT_YUV400P, 0 },
    { VK_FORMAT_R16_UNORM, VK_FORMAT_R12X4_UNORM_PACK16, 12, 4, 1, VMAF_PIX_FMT_YUV400P, 0 },
    { VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, 8, 0, 3,
      VMAF_PIX_FMT_YUV420P, 0 },
    { VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, 8, 0, 2,
      VMAF_PIX_FMT_YUV420P, 0 },
    { VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16,
      VK_FORMAT_G10X6_B10X6R10X6_2PLANE_420_UNORM_3PACK16, 10, 6, 2, VMAF_PIX_FMT_YUV420P, 0 },
};

/* Writes plane `plane` of an image: `comps` samples a texel, tightly packed. */
static size_t pack_plane(uint8_t *to, const Kind *kind, unsigned plane, unsigned w, unsigned h,
                         unsigned frame, int is_ref)
{
    const unsigned comps = kind->planes == 2 && plane == 1 ? 2 : 1, bytes = kind->bpc > 8 ? 2 : 1;
    for (unsigned y = 0; y < h; y++) {
        for (unsigned x = 0; x < w * comps; x++) {
            const unsigned p = comps == 2 ? 1 + x % 2 : plane;
            const unsigned v = sample(x / comps, y, p, frame, is_ref, kind->bpc) << kind->shift;
            if (bytes == 2)
                ((uint16_t *)to)[(size_t)y * w * comps + x] = (uint16_t)v;
            else
                to[(size_t)y * w * comps + x] = (uint8_t)v;
        }
    }
    return (size_t)w * h * comps * bytes;
}

/* Fills one image with all planes of a multi-planar format, or else with plane `only`. */
static void fill_image(VulkanDevice *dev, const Kind *kind, Image *image, unsigned only,
                       unsigned frame, int is_ref, VkImageLayout layout)
{
    static const VkImageAspectFlags aspects[] = { VK_IMAGE_ASPECT_PLANE_0_BIT,
                                                  VK_IMAGE_ASPECT_PLANE_1_BIT,
                                                  VK_IMAGE_ASPECT_PLANE_2_BIT };
    GpuBuffer *staging;
    GpuCommands *commands;
    assert_int_equal(0, dev->gpu.ops->buffer_create(&dev->gpu, GPU_UPLOAD, W * H * 8, &staging));
    assert_int_equal(0, dev->gpu.ops->commands_create(&dev->gpu, GPU_COMPUTE, &commands));
    dev->gpu.ops->begin(commands);
    const VkCommandBuffer handle = vulkan_commands_handle(commands);
    image_barrier(dev, handle, image->handle, VK_IMAGE_LAYOUT_UNDEFINED,
                  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    size_t at = 0;
    const bool planar = kind->planes > 1 && !kind->chroma;
    for (unsigned plane = planar ? 0 : only; plane < (planar ? kind->planes : only + 1); plane++) {
        const unsigned w = plane ? W / 2 : W, h = plane ? H / 2 : H;
        const VkBufferImageCopy region = {
            .bufferOffset = at,
            .imageSubresource = { planar ? aspects[plane] : VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
            .imageExtent = { w, h, 1 },
        };
        at += pack_plane((uint8_t *)staging->host + at, kind, plane, w, h, frame, is_ref);
        at = (at + 15) & ~(size_t)15;
        vk.CmdCopyBufferToImage(handle, ((VulkanBuffer *)staging)->handle, image->handle,
                                VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    }
    image_barrier(dev, handle, image->handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, layout);
    assert_int_equal(0, dev->gpu.ops->end(commands));
    GpuPoint done;
    assert_int_equal(
        0, dev->gpu.ops->submit(
               &dev->gpu,
               &(GpuSubmit){ .queue = GPU_COMPUTE, .commands = &commands, .command_count = 1 },
               &done));
    assert_int_equal(1, dev->gpu.ops->wait(&dev->gpu, done, UINT64_MAX));
    dev->gpu.ops->commands_destroy(&dev->gpu, commands);
    dev->gpu.ops->buffer_destroy(&dev->gpu, staging);
}

static VmafVulkanState *second_state(void)
{
    VmafVulkanState *other;
    const VmafVulkanOptions options = { .size = sizeof(options),
                                        .allow_software = 1,
                                        .enable_validation = validation };
    assert_int_equal(0, vmaf_vulkan_state_init_with_options(&other, &options));
    return other;
}

static void free_silent(VmafVulkanState **own)
{
    assert_int_equal(0, vmaf_vulkan_wait_compute(*own));
    assert_int_equal(0, vmaf_vulkan_validation_messages(*own));
    vmaf_vulkan_state_free(own);
}

static VkSemaphore make_timeline(VulkanDevice *dev)
{
    const VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                         .pNext = &type };
    VkSemaphore semaphore;
    assert_int_equal(VK_SUCCESS, dev->vkd.CreateSemaphore(dev->handle, &info, NULL, &semaphore));
    return semaphore;
}

/* The owner of the images signals that they are ready. */
static void signal_timeline(VulkanDevice *dev, VkSemaphore semaphore, uint64_t value)
{
    const VkSemaphoreSignalInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                         .semaphore = semaphore,
                                         .value = value };
    assert_int_equal(VK_SUCCESS, vk.SignalSemaphore(dev->handle, &info));
}

/* Imports frames as images in changing layouts and compares with the CPU's scores. */
static void check_kind(VmafVulkanState *own, const Kind *kind)
{
    VulkanDevice *dev = (VulkanDevice *)gpu_of(own);
    load_functions(dev);
    VkFormatProperties properties;
    vk.GetFormatProperties(dev->physical, kind->format, &properties);
    const VkFormatFeatureFlags needed =
        VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
    if ((properties.optimalTilingFeatures & needed) != needed) {
        print_message("VkFormat %d: not on this device\n", kind->format);
        return;
    }
    static const VkImageLayout layouts[] = { VK_IMAGE_LAYOUT_GENERAL,
                                             VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                             VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL };
    Scores cpu, gpu;
    score_pictures(NULL, kind->pix_fmt, kind->bpc, PLAIN, 0, &cpu);
    VmafContext *vmaf = open_context(own, 0);
    const unsigned image_count = kind->chroma ? kind->planes : 1;
    const VkSemaphore ready = make_timeline(dev);
    uint64_t time = 0;
    Image images[2][3];
    for (unsigned side = 0; side < 2; side++)
        for (unsigned n = 0; n < image_count; n++)
            make_image(dev, n ? kind->chroma : kind->format, n ? W / 2 : W, n ? H / 2 : H,
                       &images[side][n]);
    for (unsigned i = 0; i < FRAMES; i++) {
        for (unsigned side = 0; side < 2; side++) {
            const VkImageLayout layout = layouts[(i + side) % 3];
            VmafVulkanImage image = {
                .size = sizeof(image),
                .format = kind->told,
                .w = W,
                .h = H,
                .bpc = kind->bpc,
                .pix_fmt = kind->pix_fmt,
                .is_ref = side == 0,
                .index = i,
            };
            for (unsigned n = 0; n < image_count; n++) {
                fill_image(dev, kind, &images[side][n], n, i, side == 0, layout);
                image.image[n] = (uintptr_t)images[side][n].handle;
                image.layout[n] = layout;
            }
            if (kind->pix_fmt != VMAF_PIX_FMT_YUV400P) {
                image.semaphore[0] = (uintptr_t)ready;
                image.wait_value[0] = time + 1;
                image.signal_value[0] = time + 2;
                assert_int_equal(0, vmaf_vulkan_import_picture(own, &image));
                signal_timeline(dev, ready, time + 1);
                time += 2;
            } else {
                assert_int_equal(0,
                                 vmaf_vulkan_import_image(own, image.image[0], kind->told, layout,
                                                          0, 0, W, H, kind->bpc, side == 0, i));
            }
        }
        assert_int_equal(0, vmaf_vulkan_read_imported_pictures(vmaf, i));
        /* The driver may signal our semaphore, which the read waited for, a moment before the
         * caller's. */
        uint64_t now = 0;
        for (unsigned tries = 0; tries < 60000 && now < time; tries++) {
            assert_int_equal(VK_SUCCESS, vk.GetSemaphoreCounterValue(dev->handle, ready, &now));
            if (now < time)
                usleep(1000);
        }
        assert_int_equal(time, now);
    }
    close_context(vmaf, kind->pix_fmt != VMAF_PIX_FMT_YUV400P, &gpu);
    assert_memory_equal(&cpu, &gpu, sizeof(cpu));
    for (unsigned side = 0; side < 2; side++)
        for (unsigned n = 0; n < image_count; n++)
            destroy_image(dev, &images[side][n]);
    vulkan_await_idle(dev);
    dev->vkd.DestroySemaphore(dev->handle, ready, NULL);
}

/* One state serves all kinds, whatever their sizes and depths. */
static void test_images(void **unused)
{
    VmafVulkanState *own = second_state();
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        check_kind(own, &kinds[i]);
    free_silent(&own);
}

/* ---- shared memory ---- */

/* Memory that stands for that of another program, mapped here. */
typedef struct Shared {
    enum VmafVulkanMemoryType type;
    size_t bytes;
    int fd;
    uint8_t *mapped;
    VkDeviceMemory memory; /* NULL: a file */
} Shared;

/* Exports memory of the device. */
static void share_memory(VulkanDevice *dev, Shared *shared)
{
    const VkExternalMemoryHandleTypeFlagBits handle =
        shared->type == VMAF_VULKAN_MEMORY_DMABUF ? VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT
                                                  : VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    uint32_t type = 0;
    while (
        !(dev->memory_types.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT))
        type++;
    const VkExportMemoryAllocateInfo exported = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
        .handleTypes = handle,
    };
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = &exported,
        .allocationSize = shared->bytes,
        .memoryTypeIndex = type,
    };
    assert_int_equal(VK_SUCCESS,
                     dev->vkd.AllocateMemory(dev->handle, &info, NULL, &shared->memory));
    assert_int_equal(VK_SUCCESS, dev->vkd.MapMemory(dev->handle, shared->memory, 0, VK_WHOLE_SIZE,
                                                    0, (void **)&shared->mapped));
    const VkMemoryGetFdInfoKHR get = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
        .memory = shared->memory,
        .handleType = handle,
    };
    assert_int_equal(VK_SUCCESS, vk.GetMemoryFdKHR(dev->handle, &get, &shared->fd));
}

/* Makes a file that stands for a dma-buf: software drivers map dma-bufs, so any file works. */
static void share_file(Shared *shared)
{
    shared->fd = memfd_create("shared", MFD_CLOEXEC);
    assert_true(shared->fd >= 0);
    assert_int_equal(0, ftruncate(shared->fd, (off_t)shared->bytes));
    shared->mapped = mmap(NULL, shared->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared->fd, 0);
    assert_true(shared->mapped != MAP_FAILED);
}

static void check_shared(VmafVulkanState *own, const Shared *shared, size_t stride)
{
    Scores cpu, gpu;
    score_pictures(NULL, VMAF_PIX_FMT_YUV400P, 8, PLAIN, 0, &cpu);
    VmafContext *vmaf = open_context(own, 0);
    VmafVulkanMemory picture = {
        .size = sizeof(picture),
        .type = shared->type,
        .handle = shared->fd,
        .bytes = shared->bytes,
        .stride = { W - 1 },
        .w = W,
        .h = H,
        .bpc = 8,
        .pix_fmt = VMAF_PIX_FMT_YUV400P,
    };
    assert_int_equal(-EINVAL, vmaf_vulkan_import_memory(own, &picture));
    picture.stride[0] = stride + 1; /* one row too long */
    assert_int_equal(-EINVAL, vmaf_vulkan_import_memory(own, &picture));
    picture.stride[0] = stride;
    for (unsigned i = 0; i < FRAMES; i++) {
        for (unsigned side = 0; side < 2; side++) {
            for (unsigned y = 0; y < H; y++)
                for (unsigned x = 0; x < W; x++)
                    shared->mapped[y * stride + x] = (uint8_t)sample(x, y, 0, i, side == 0, 8);
            picture.is_ref = side == 0;
            picture.index = i;
            assert_int_equal(0, vmaf_vulkan_import_memory(own, &picture));
            assert_int_equal(0, vmaf_vulkan_wait_compute(own));
        }
        assert_int_equal(0, vmaf_vulkan_read_imported_pictures(vmaf, i));
    }
    close_context(vmaf, false, &gpu);
    assert_memory_equal(&cpu, &gpu, sizeof(cpu));
}

static void test_shared_memory(void **unused)
{
    VmafVulkanState *own = second_state();
    VulkanDevice *dev = (VulkanDevice *)gpu_of(own);
    const bool is_software = dev->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    const size_t stride = 192;
    load_functions(dev);
    for (int type = VMAF_VULKAN_MEMORY_OPAQUE_FD; type <= VMAF_VULKAN_MEMORY_DMABUF; type++) {
        Shared shared = { .type = (enum VmafVulkanMemoryType)type, .bytes = stride * H };
        const bool dmabuf = type == VMAF_VULKAN_MEMORY_DMABUF;
        if (!vk.GetMemoryFdKHR || !(dmabuf ? dev->imports_dmabuf : dev->imports_opaque)) {
            print_message("this device cannot import %s\n",
                          dmabuf ? "dma-bufs" : "memory of its driver");
            continue;
        }
        if (dmabuf && is_software)
            share_file(&shared);
        else
            share_memory(dev, &shared);
        check_shared(own, &shared, stride);
        close(shared.fd);
        if (shared.memory)
            dev->vkd.FreeMemory(dev->handle, shared.memory, NULL);
        else
            munmap(shared.mapped, shared.bytes);
    }
    free_silent(&own);
}

/* ---- the caller's device ---- */

static unsigned locks, unlocks;

static void count_lock(void *opaque)
{
    ++*(unsigned *)opaque;
    locks++;
}

static void count_unlock(void *opaque)
{
    unlocks++;
}

static void test_borrowed_device(void **unused)
{
    VmafVulkanState *owner = second_state(), *guest;
    const VulkanDevice *dev = (VulkanDevice *)gpu_of(owner);
    const VmafVulkanExternalHandles handles = {
        .instance = (uintptr_t)dev->instance->handle,
        .physical_device = (uintptr_t)dev->physical,
        .device = (uintptr_t)dev->handle,
        .queue = (uintptr_t)dev->queues[GPU_COMPUTE].handle,
        .queue_family_index = dev->queues[GPU_COMPUTE].family,
    };
    assert_int_equal(0, vmaf_vulkan_state_init_external(&guest, handles));
    unsigned seen = 0;
    assert_int_equal(0, vmaf_vulkan_state_set_queue_lock(guest, count_lock, count_unlock, &seen));
    assert_int_equal(4, vmaf_vulkan_state_max_outstanding_frames(guest));
    Scores cpu, gpu;
    score_pictures(NULL, VMAF_PIX_FMT_YUV420P, 8, PLAIN, 0, &cpu);
    score_pictures(guest, VMAF_PIX_FMT_YUV420P, 8, PLAIN, 0, &gpu);
    assert_memory_equal(&cpu, &gpu, sizeof(cpu));
    assert_true(locks >= FRAMES / 2); /* two frames may share a submission */
    assert_int_equal(locks, unlocks);
    assert_int_equal(locks, seen);
    vmaf_vulkan_state_free(&guest);
    /* The owner's device still works as before. */
    score_pictures(owner, VMAF_PIX_FMT_YUV420P, 8, PLAIN, 0, &gpu);
    assert_memory_equal(&cpu, &gpu, sizeof(cpu));
    free_silent(&owner);
}

/* ---- arguments ---- */

static void test_arguments(void **unused)
{
    VmafVulkanState *none = (VmafVulkanState *)1;
    const VmafVulkanConfiguration beyond = { .device_index = 1000 };
    assert_int_equal(-EINVAL, vmaf_vulkan_state_init(NULL, beyond));
    assert_int_equal(-EINVAL, vmaf_vulkan_state_init(&none, beyond));
    assert_null(none);
    assert_int_equal(-EINVAL,
                     vmaf_vulkan_state_init_external(&none, (VmafVulkanExternalHandles){ 0 }));
    assert_null(none);
    VmafVulkanOptions named = { .size = sizeof(named), .device = "no such device" };
    assert_int_equal(-ENODEV, vmaf_vulkan_state_init_with_options(&none, &named));
    named.device = "0"; /* a struct of an older header ends before fallback_cpu */
    named.allow_software = 1;
    named.size = offsetof(VmafVulkanOptions, fallback_cpu);
    assert_int_equal(0, vmaf_vulkan_state_init_with_options(&none, &named));
    vmaf_vulkan_state_free(&none);
    named.size--;
    assert_int_equal(-EINVAL, vmaf_vulkan_state_init_with_options(&none, &named));
    named.size = sizeof(named);
    named.device = "1000";
    assert_int_equal(-ENODEV, vmaf_vulkan_state_init_with_options(&none, &named));
    assert_null(none);
    vmaf_vulkan_state_free(NULL);
    vmaf_vulkan_state_free(&none);

    assert_int_equal(0, vmaf_vulkan_state_max_outstanding_frames(NULL));
    assert_int_equal(-EINVAL, vmaf_vulkan_wait_compute(NULL));
    assert_int_equal(0, vmaf_vulkan_wait_compute(state));
    assert_int_equal(0, vmaf_vulkan_wait_compute(state));
    assert_int_equal(-EINVAL, vmaf_vulkan_import_image(state, 0, 0, 1, 0, 0, W, H, 8, 1, 0));
    assert_int_equal(-EINVAL, vmaf_vulkan_import_image(NULL, 1, 0, 1, 0, 0, W, H, 8, 1, 0));
    assert_int_equal(-EINVAL, vmaf_vulkan_import_image(state, 1, 0, 1, 0, 0, 0, H, 8, 1, 0));
    assert_int_equal(-EINVAL, vmaf_vulkan_import_image(state, 1, 0, 1, 0, 0, W, H, 9, 1, 0));

    const unsigned depths[][2] = { { 0, 4 }, { 1, 1 }, { 32, 32 }, { 33, 32 } };
    for (unsigned i = 0; i < 4; i++) {
        const VmafVulkanOptions options = { .size = sizeof(options),
                                            .allow_software = 1,
                                            .max_outstanding_frames = depths[i][0] };
        VmafVulkanState *deep;
        assert_int_equal(0, vmaf_vulkan_state_init_with_options(&deep, &options));
        assert_int_equal(depths[i][1], vmaf_vulkan_state_max_outstanding_frames(deep));
        vmaf_vulkan_state_free(&deep);
        assert_null(deep);
    }
}

static void test_pools(void **unused)
{
    VmafContext *vmaf;
    assert_int_equal(0,
                     vmaf_init(&vmaf, (VmafConfiguration){ .log_level = VMAF_LOG_LEVEL_WARNING }));
    VmafVulkanPictureConfiguration cfg = { .pic_params = { W, H, 8, VMAF_PIX_FMT_YUV420P } };
    assert_int_equal(-EINVAL, vmaf_vulkan_preallocate_pictures(vmaf, cfg)); /* no state */
    assert_int_equal(-EINVAL, vmaf_vulkan_import_state(vmaf, NULL));
    assert_int_equal(-EINVAL, vmaf_vulkan_import_state(NULL, state));
    assert_int_equal(0, vmaf_vulkan_import_state(vmaf, state));
    VmafPicture pic;
    /* The context has no geometry yet. */
    assert_int_equal(-EINVAL, vmaf_vulkan_picture_fetch(vmaf, &pic));
    assert_int_equal(0, vmaf_vulkan_preallocate_pictures(vmaf, cfg));
    assert_int_equal(0, vmaf_vulkan_preallocate_pictures(vmaf, cfg));
    cfg.pic_prealloc_method = 99;
    assert_int_equal(-EINVAL, vmaf_vulkan_preallocate_pictures(vmaf, cfg));
    cfg.pic_prealloc_method = VMAF_VULKAN_PICTURE_PREALLOCATION_METHOD_DEVICE;
    cfg.pic_params.w = 0;
    assert_int_equal(-EINVAL, vmaf_vulkan_preallocate_pictures(vmaf, cfg));
    cfg.pic_params.w = W;
    assert_int_equal(0, vmaf_vulkan_preallocate_pictures(vmaf, cfg));
    assert_int_equal(-EBUSY, vmaf_vulkan_preallocate_pictures(vmaf, cfg));
    assert_int_equal(0, vmaf_vulkan_picture_fetch(vmaf, &pic));
    assert_int_equal(-EINVAL, vmaf_vulkan_read_imported_pictures(vmaf, 0));
    assert_int_equal(0, vmaf_close(vmaf));
    paint(&pic, 0, 1); /* the picture outlives its context */
    assert_int_equal(0, vmaf_picture_unref(&pic));
}

static void test_silence(void **unused)
{
    assert_int_equal(0, vmaf_vulkan_validation_messages(state));
}

TEST_MAIN(vulkan)
{
    VmafVulkanOptions options = { .size = sizeof(options),
                                  .allow_software = 1,
                                  .enable_validation = 1 };
    int err = vmaf_vulkan_state_init_with_options(&state, &options);
    if (err == -ENOTSUP) { /* the validation layers are not installed */
        options.enable_validation = 0;
        err = vmaf_vulkan_state_init_with_options(&state, &options);
    }
    if (err == -ENOSYS || err == -ENODEV)
        return 77;
    if (err) {
        fprintf(stderr, "no state: %d\n", err);
        return 1;
    }
    validation = options.enable_validation;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),     cmocka_unit_test(test_pools),
        cmocka_unit_test(test_same_scores),   cmocka_unit_test(test_images),
        cmocka_unit_test(test_shared_memory), cmocka_unit_test(test_borrowed_device),
        cmocka_unit_test(test_silence),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vmaf_vulkan_state_free(&state);
    return failed;
}
