/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libvmaf_cuda.h without CUDA behind it: every function is there and says so. */
#include "libvmaf/libvmaf_cuda.h"

#include <errno.h>
#include <stdio.h>

#include "base/log.h"

static int absent(void)
{
    log_error("this libvmaf was built without CUDA; its Vulkan backend runs on the same GPUs");
    return -ENOSYS;
}

int vmaf_cuda_state_init(VmafCudaState **cu_state, VmafCudaConfiguration cfg)
{
    if (cu_state)
        *cu_state = NULL;
    return absent();
}

int vmaf_cuda_import_state(VmafContext *vmaf, VmafCudaState *cu_state)
{
    return absent();
}

int vmaf_cuda_state_free(VmafCudaState *cu_state)
{
    return 0; /* there can be none */
}

int vmaf_cuda_preallocate_pictures(VmafContext *vmaf, VmafCudaPictureConfiguration cfg)
{
    return absent();
}

int vmaf_cuda_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic)
{
    return absent();
}

int vmaf_cuda_import_semaphore(VmafContext *vmaf, intptr_t handle, uintptr_t *semaphore)
{
    return absent();
}

int vmaf_cuda_free_semaphore(VmafContext *vmaf, uintptr_t semaphore)
{
    return absent();
}

int vmaf_cuda_read_frames(VmafContext *vmaf, const VmafCudaFrame *ref, const VmafCudaFrame *dist,
                          unsigned index)
{
    return absent();
}

int vmaf_cuda_can_read(VmafContext *vmaf, const VmafCudaFrame *frame, char *why, size_t why_size)
{
    if (why && why_size)
        snprintf(why, why_size, "this libvmaf was built without CUDA");
    return -ENOSYS;
}
