/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/**
 * Scoring with HIP.
 *
 * All functions exist in every build. Where the backend is not part of it vmaf_hip_available() is 0
 * and the others return -ENOSYS and say so in the log; libvmaf_vulkan.h drives the same GPUs.
 */
#ifndef VMAF_HIP_H
#define VMAF_HIP_H

#include "libvmaf.h"
#include "macros.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafHipState VmafHipState;

typedef struct VmafHipConfiguration {
    int device_index; /**< -1: the first */
    int flags;        /**< 0 */
} VmafHipConfiguration;

/** 1 when the backend is part of this build. Touches no driver. */
VMAF_EXPORT int vmaf_hip_available(void);

/** Opens a device. On failure *state is NULL. */
VMAF_EXPORT int vmaf_hip_state_init(VmafHipState **state, VmafHipConfiguration cfg);

/** Lets a context use it, before features are registered. The caller frees it after vmaf_close().
 */
VMAF_EXPORT int vmaf_hip_import_state(VmafContext *vmaf, VmafHipState *state);

/** Sets *state to NULL. NULL and a NULL inside are fine. */
VMAF_EXPORT void vmaf_hip_state_free(VmafHipState **state);

/** How many devices there are, one line each on stdout. */
VMAF_EXPORT int vmaf_hip_list_devices(void);

#ifdef __cplusplus
}
#endif

#endif
