/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Choosing a device: never a software one unless it was asked for, never another than was named. */
#ifndef VULKAN_CHOOSE_H
#define VULKAN_CHOOSE_H

#include "vulkan/vk.h"

/* The first real GPU, or with `allow_software` the first device. -ENODEV. */
int vulkan_choose_any(const VulkanCandidate *list, unsigned count, bool allow_software,
                      unsigned *index);
/* Says why there was none. */
void vulkan_explain_none(const VulkanCandidate *list, unsigned count);
/* By index, UUID or part of the name. -ENODEV (logged) when none or several answer to it. */
int vulkan_choose_named(const VulkanCandidate *list, unsigned count, const char *text,
                        unsigned *index);

#endif
