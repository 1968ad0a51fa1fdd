/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* libvmaf_hip.h without HIP behind it: every function is there and says so. */
#include "libvmaf/libvmaf_hip.h"

#include <errno.h>
#include <stdio.h>

#include "base/log.h"

static int absent(void)
{
    log_error("this libvmaf was built without HIP; its Vulkan backend runs on the same GPUs");
    return -ENOSYS;
}

int vmaf_hip_available(void)
{
    return 0;
}

int vmaf_hip_state_init(VmafHipState **state, VmafHipConfiguration cfg)
{
    if (state)
        *state = NULL;
    return absent();
}

int vmaf_hip_import_state(VmafContext *vmaf, VmafHipState *state)
{
    return absent();
}

void vmaf_hip_state_free(VmafHipState **state)
{
    if (state)
        *state = NULL;
}

int vmaf_hip_list_devices(void)
{
    return absent();
}

int vmaf_hip_state_init_external(VmafHipState **state, void *hip_ctx)
{
    if (state)
        *state = NULL;
    return absent();
}

int vmaf_hip_preallocate_pictures(VmafContext *vmaf, VmafHipPictureConfiguration cfg)
{
    return absent();
}

int vmaf_hip_fetch_preallocated_picture(VmafContext *vmaf, VmafPicture *pic)
{
    return absent();
}

int vmaf_hip_import_semaphore(VmafContext *vmaf, intptr_t handle, uintptr_t *semaphore)
{
    return absent();
}

int vmaf_hip_free_semaphore(VmafContext *vmaf, uintptr_t semaphore)
{
    return absent();
}

int vmaf_hip_read_frames(VmafContext *vmaf, const VmafHipFrame *ref, const VmafHipFrame *dist,
                         unsigned index)
{
    return absent();
}

int vmaf_hip_can_read(VmafContext *vmaf, const VmafHipFrame *frame, char *why, size_t why_size)
{
    if (why && why_size)
        snprintf(why, why_size, "this libvmaf was built without HIP");
    return -ENOSYS;
}
