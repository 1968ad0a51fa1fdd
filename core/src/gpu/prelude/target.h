/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Facts about the target that a kernel may use before it defines BUFFERS and the like. */
#ifndef GPU_PRELUDE_TARGET_H
#define GPU_PRELUDE_TARGET_H

/* LITTLE_SHARED: 1 if the workgroups that run side by side on a multiprocessor have little shared
 * memory between them, so that halving a workgroup's share may double their number. NVIDIA's Vulkan
 * driver has 48 KiB for all of them, where CUDA has 227 KiB on the same device, and lets a thread
 * have as many registers as those workgroups leave. AMD's devices have 64 KiB, Intel's 64 to 128.
 * The host uses 1 under the address sanitizer and else 0, so that both are tested. */
#if defined(GPU_GLSL) || defined(GPU_SYCL) || defined(GPU_HIP)
#define LITTLE_SHARED 1
#elif defined(GPU_HOST)
#ifdef __has_feature
#define LITTLE_SHARED __has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define LITTLE_SHARED 1
#endif
#endif
#ifndef LITTLE_SHARED
#define LITTLE_SHARED 0
#endif

#endif
