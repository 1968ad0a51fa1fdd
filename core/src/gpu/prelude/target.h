/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What a kernel may ask about where it will run, before it says what it wants. */
#ifndef GPU_PRELUDE_TARGET_H
#define GPU_PRELUDE_TARGET_H

/* LITTLE_SHARED: groups that run side by side on a multiprocessor share little memory of their own, so that half as much of it
 * may mean twice as many groups. NVIDIA's Vulkan driver has 48 KiB for all of them, where CUDA has 227 on the same device, and
 * lets a thread have as many registers as those groups leave; AMD's devices have 64 KiB, Intel's 64 to 128. The host has either,
 * so that both are tested: little under the address sanitizer. */
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
