/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Backends and their devices, each asked in a process of its own, and tried. */
#ifndef TOOLS_DOCTOR_PROBE_H
#define TOOLS_DOCTOR_PROBE_H

#include <jansson.h>
#include <stdbool.h>

/* The CPU's scores of the trial are in `cpu`. Devices are tried unless nobody asked for them: of software
 * devices, only where `software`. { "name", "title", "built", "works", "missing", "remedy",
 * "devices": [{ "index", "name", "type", "driver", "api", "memory_mib", "uuid", "pci", "driver_file", "works",
 * "extractors", "problem" }] } */
json_t *probe_backend(const char *backend, const json_t *machine, const json_t *cpu, bool software);

/* The same for the CPU; sets *cpu to its scores, NULL when it has none. */
json_t *probe_cpu(json_t **cpu);

/* Adds to each of Vulkan's driver files the devices that come from it, by UUID. */
void probe_vulkan_drivers(json_t *drivers);

#endif
