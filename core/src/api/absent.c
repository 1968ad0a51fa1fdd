/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Stands in for the backends that a build lacks, for which it defines NO_CUDA, NO_HIP, NO_SYCL or
 * NO_VULKAN. Each has an entry in the table of backends, which cannot be opened, and its exported
 * functions return -ENOSYS. */
#include <errno.h>
#include <stdio.h>

#include "base/log.h"
#include "gpu/backend.h"
#include "libvmaf/libvmaf_cuda.h"
#include "libvmaf/libvmaf_hip.h"
#include "libvmaf/libvmaf_sycl.h"
#include "libvmaf/libvmaf_vulkan.h"

#if defined(NO_CUDA) || defined(NO_HIP) || defined(NO_SYCL)
/* Logs that this build lacks the backend `title`, and returns -ENOSYS. */
static int report_absent(const char *title)
{
    log_error("this libvmaf was built without %s; its Vulkan backend runs on the same GPUs", title);
    return -ENOSYS;
}
#endif

/* ---- CUDA ---- */

#ifdef NO_CUDA
const GpuBackend cuda_backend = {
    .name = "cuda",
    .title = "CUDA",
    .needs = "NVIDIA driver (libcuda)",
};

int vmaf_cuda_state_init(VmafCudaState **cu_state, VmafCudaConfiguration cfg)
{
    if (cu_state)
        *cu_state = NULL;
    return report_absent("CUDA");
}

int vmaf_cuda_state_init_with_options(VmafCudaState **cu_state, const VmafCudaOptions *options)
{
    if (cu_state)
        *cu_state = NULL;
    return report_absent("CUDA");
}

int vmaf_cuda_import_state(VmafContext *vmaf, VmafCudaState *cu_state)
{
    return report_absent("CUDA");
}

int vmaf_cuda_state_free(VmafCudaState *cu_state)
{
    return 0;
}

int vmaf_cuda_preallocate_pictures(VmafContext *vmaf, VmafCudaPictureConfiguration cfg)
{
    return report_absent("CUDA");
}

int vmaf_cuda_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic)
{
    return report_absent("CUDA");
}

int vmaf_cuda_import_semaphore(VmafContext *vmaf, intptr_t handle, uintptr_t *semaphore)
{
    return report_absent("CUDA");
}

int vmaf_cuda_free_semaphore(VmafContext *vmaf, uintptr_t semaphore)
{
    return report_absent("CUDA");
}

int vmaf_cuda_read_frames(VmafContext *vmaf, const VmafCudaFrame *ref, const VmafCudaFrame *dist,
                          unsigned index)
{
    return report_absent("CUDA");
}

int vmaf_cuda_can_read(VmafContext *vmaf, const VmafCudaFrame *frame, char *why, size_t why_size)
{
    if (why && why_size)
        snprintf(why, why_size, "this libvmaf was built without CUDA");
    return -ENOSYS;
}
#endif

/* ---- HIP ---- */

#ifdef NO_HIP
const GpuBackend hip_backend = {
    .name = "hip",
    .title = "HIP",
    .needs = "HIP runtime (libamdhip64)",
};

int vmaf_hip_available(void)
{
    return 0;
}

int vmaf_hip_state_init(VmafHipState **state, VmafHipConfiguration cfg)
{
    if (state)
        *state = NULL;
    return report_absent("HIP");
}

int vmaf_hip_state_init_with_options(VmafHipState **state, const VmafHipOptions *options)
{
    if (state)
        *state = NULL;
    return report_absent("HIP");
}

int vmaf_hip_import_state(VmafContext *vmaf, VmafHipState *state)
{
    return report_absent("HIP");
}

void vmaf_hip_state_free(VmafHipState **state)
{
    if (state)
        *state = NULL;
}

int vmaf_hip_list_devices(void)
{
    return report_absent("HIP");
}

int vmaf_hip_state_init_external(VmafHipState **state, void *hip_ctx)
{
    if (state)
        *state = NULL;
    return report_absent("HIP");
}

int vmaf_hip_preallocate_pictures(VmafContext *vmaf, VmafHipPictureConfiguration cfg)
{
    return report_absent("HIP");
}

int vmaf_hip_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic)
{
    return report_absent("HIP");
}

int vmaf_hip_import_semaphore(VmafContext *vmaf, intptr_t handle, uintptr_t *semaphore)
{
    return report_absent("HIP");
}

int vmaf_hip_free_semaphore(VmafContext *vmaf, uintptr_t semaphore)
{
    return report_absent("HIP");
}

int vmaf_hip_read_frames(VmafContext *vmaf, const VmafHipFrame *ref, const VmafHipFrame *dist,
                         unsigned index)
{
    return report_absent("HIP");
}

int vmaf_hip_can_read(VmafContext *vmaf, const VmafHipFrame *frame, char *why, size_t why_size)
{
    if (why && why_size)
        snprintf(why, why_size, "this libvmaf was built without HIP");
    return -ENOSYS;
}
#endif

/* ---- SYCL ---- */

#ifdef NO_SYCL
const GpuBackend sycl_backend = {
    .name = "sycl",
    .title = "SYCL",
    .needs = "SYCL plugin (libvmaf-sycl)",
};

int vmaf_sycl_state_init(VmafSyclState **state, VmafSyclConfiguration cfg)
{
    if (state)
        *state = NULL;
    return report_absent("SYCL");
}

int vmaf_sycl_state_init_with_options(VmafSyclState **state, const VmafSyclOptions *options)
{
    if (state)
        *state = NULL;
    return report_absent("SYCL");
}

int vmaf_sycl_import_state(VmafContext *vmaf, VmafSyclState *state)
{
    return report_absent("SYCL");
}

void vmaf_sycl_state_free(VmafSyclState **state)
{
    if (state)
        *state = NULL;
}

int vmaf_sycl_list_devices(void)
{
    return report_absent("SYCL");
}

int vmaf_sycl_preallocate_pictures(VmafContext *vmaf, VmafSyclPictureConfiguration cfg)
{
    return report_absent("SYCL");
}

int vmaf_sycl_picture_fetch(VmafContext *vmaf, VmafPicture *pic)
{
    return report_absent("SYCL");
}

int vmaf_sycl_init_frame_buffers(VmafContext *vmaf, unsigned w, unsigned h, unsigned bpc)
{
    return report_absent("SYCL");
}

int vmaf_sycl_get_frame_buffers(VmafContext *vmaf, void **ref, void **dis)
{
    return report_absent("SYCL");
}

int vmaf_read_pictures_sycl(VmafContext *vmaf, unsigned index)
{
    return report_absent("SYCL");
}

int vmaf_sycl_wait_compute(VmafContext *vmaf)
{
    return report_absent("SYCL");
}

int vmaf_flush_sycl(VmafContext *vmaf)
{
    return report_absent("SYCL");
}

int vmaf_sycl_dmabuf_import(VmafSyclState *state, int fd, size_t size, void **ptr)
{
    return report_absent("SYCL");
}

void vmaf_sycl_dmabuf_free(VmafSyclState *state, void *ptr)
{
}

int vmaf_sycl_import_va_surface(VmafSyclState *state, void *va_display, unsigned surface,
                                int is_ref, unsigned w, unsigned h, unsigned bpc)
{
    return report_absent("SYCL");
}

int vmaf_sycl_upload_plane(VmafSyclState *state, const void *src, unsigned pitch, int is_ref,
                           unsigned w, unsigned h, unsigned bpc)
{
    return report_absent("SYCL");
}

#ifdef _WIN32
int vmaf_sycl_import_d3d11_surface(VmafSyclState *state, void *device, void *texture,
                                   unsigned subresource, int is_ref, unsigned w, unsigned h,
                                   unsigned bpc)
{
    return report_absent("SYCL");
}
#endif

int vmaf_sycl_profiling_enable(VmafSyclState *state)
{
    return report_absent("SYCL");
}

void vmaf_sycl_profiling_disable(VmafSyclState *state)
{
}

void vmaf_sycl_profiling_print(VmafSyclState *state)
{
}

int vmaf_sycl_profiling_get_string(VmafSyclState *state, char **text)
{
    return report_absent("SYCL");
}
#endif

/* ---- Vulkan ---- */

#ifdef NO_VULKAN
const GpuBackend vulkan_backend = {
    .name = "vulkan",
    .title = "Vulkan",
    .needs = "Vulkan loader (libvulkan)",
};

int vmaf_vulkan_available(void)
{
    return 0;
}

int vmaf_vulkan_list_devices(void)
{
    return -ENOSYS;
}

int vmaf_vulkan_state_init(VmafVulkanState **state, VmafVulkanConfiguration cfg)
{
    if (state)
        *state = NULL;
    return -ENOSYS;
}

int vmaf_vulkan_state_init_external(VmafVulkanState **state, VmafVulkanExternalHandles handles)
{
    if (state)
        *state = NULL;
    return -ENOSYS;
}

int vmaf_vulkan_state_init_external_device(VmafVulkanState **state,
                                           const VmafVulkanExternalDevice *device)
{
    if (state)
        *state = NULL;
    return -ENOSYS;
}

int vmaf_vulkan_read_frames(VmafContext *vmaf, VmafVulkanFrame *ref, VmafVulkanFrame *dist,
                            unsigned index)
{
    return -ENOSYS;
}

int vmaf_vulkan_can_import(const VmafVulkanState *state, const VmafVulkanFrame *frame, char *why,
                           size_t why_size)
{
    if (why && why_size)
        snprintf(why, why_size, "this libvmaf was built without Vulkan");
    return -ENOSYS;
}

int vmaf_vulkan_state_init_with_options(VmafVulkanState **state, const VmafVulkanOptions *options)
{
    if (state)
        *state = NULL;
    return -ENOSYS;
}

int vmaf_vulkan_state_set_queue_lock(VmafVulkanState *state, void (*lock)(void *opaque),
                                     void (*unlock)(void *opaque), void *opaque)
{
    return -ENOSYS;
}

unsigned vmaf_vulkan_state_max_outstanding_frames(const VmafVulkanState *state)
{
    return 0;
}

int vmaf_vulkan_import_state(VmafContext *vmaf, VmafVulkanState *state)
{
    return -ENOSYS;
}

void vmaf_vulkan_state_free(VmafVulkanState **state)
{
    if (state)
        *state = NULL;
}

int vmaf_vulkan_preallocate_pictures(VmafContext *vmaf, VmafVulkanPictureConfiguration cfg)
{
    return -ENOSYS;
}

int vmaf_vulkan_picture_fetch(VmafContext *vmaf, VmafPicture *pic)
{
    return -ENOSYS;
}

int vmaf_vulkan_import_image(VmafVulkanState *state, uintptr_t image, uint32_t format,
                             uint32_t layout, uintptr_t semaphore, uint64_t value, unsigned w,
                             unsigned h, unsigned bpc, int is_ref, unsigned index)
{
    return -ENOSYS;
}

int vmaf_vulkan_read_imported_pictures(VmafContext *vmaf, unsigned index)
{
    return -ENOSYS;
}

int vmaf_vulkan_wait_compute(VmafVulkanState *state)
{
    return -ENOSYS;
}

int vmaf_vulkan_device_info(unsigned index, VmafVulkanDeviceInfo *info)
{
    return -ENOSYS;
}

int vmaf_vulkan_state_device_info(const VmafVulkanState *state, VmafVulkanDeviceInfo *info)
{
    return -ENOSYS;
}

int vmaf_vulkan_import_picture(VmafVulkanState *state, const VmafVulkanImage *image)
{
    return -ENOSYS;
}

int vmaf_vulkan_import_memory(VmafVulkanState *state, const VmafVulkanMemory *memory)
{
    return -ENOSYS;
}

int vmaf_vulkan_surface_open(VmafVulkanSurface **surface, VmafVulkanState *state,
                             const VmafVulkanSurfaceInfo *info)
{
    if (surface)
        *surface = NULL;
    return -ENOSYS;
}

int vmaf_vulkan_surface_fill(const VmafVulkanSurface *surface, VmafVulkanFrame *frame)
{
    return -ENOSYS;
}

void vmaf_vulkan_surface_close(VmafVulkanSurface **surface)
{
    if (surface)
        *surface = NULL;
}

unsigned vmaf_vulkan_validation_messages(const VmafVulkanState *state)
{
    return 0;
}
#endif
