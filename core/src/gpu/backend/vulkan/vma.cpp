// SPDX-License-Identifier: BSD-2-Clause-Patent
// The allocator itself, which is C++: the only such file, and only in builds that ask for it.
#define VK_NO_PROTOTYPES
#define VMA_STATIC_VULKAN_FUNCTIONS 0
#define VMA_DYNAMIC_VULKAN_FUNCTIONS 1
#define VMA_IMPLEMENTATION
#include <vk_mem_alloc.h>
