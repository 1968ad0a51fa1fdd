/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the operating system says of GPUs: cards on the bus, device nodes and who may use them, Vulkan's driver
 * files. Nothing of it opens a driver. */
#ifndef TOOLS_DOCTOR_MACHINE_H
#define TOOLS_DOCTOR_MACHINE_H

#include <jansson.h>
#include <stdbool.h>

/* A path of the machine, in the tree that VMAF_DOCTOR_ROOT names where a test has made one up. */
void machine_path(char *out, size_t size, const char *path);

/* [{ "pci": "0000:01:00.0", "vendor": "10de", "maker": "NVIDIA", "driver": "nvidia" }] */
json_t *machine_cards(void);

/* [{ "path": "/dev/dri/renderD128", "pci": …, "group": "render", "usable": true }] */
json_t *machine_nodes(void);

/* Vulkan's driver files, in the loader's order: [{ "file": …, "library": …, "problem": … }] */
json_t *machine_vulkan_drivers(void);

/* Is this a container? Then remedies are options of whoever started it. */
bool machine_is_container(void);

/* Is there a card of this maker: a node of its own, such as /dev/kfd, is there (1), is there but not for us (0),
 * or is not (-1)? */
int machine_node_state(const json_t *nodes, const char *prefix);
bool machine_has_card(const json_t *cards, const char *vendor);

#endif
