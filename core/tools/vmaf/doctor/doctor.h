/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The parts of `vmaf --doctor`: what the machine has, which backends and devices work, and what to
 * do about those that do not. Every function that returns a json_t gives the caller a reference,
 * unless stated otherwise. For the main thread. */
#ifndef TOOLS_DOCTOR_DOCTOR_H
#define TOOLS_DOCTOR_DOCTOR_H

#include <jansson.h>
#include <stdbool.h>

/* ---- machine.c: what the operating system says; opens no driver ---- */

/* Writes the path of a file of this machine. Tests set VMAF_DOCTOR_ROOT to a folder that stands for
 * "/". */
void machine_path(char *out, size_t size, const char *path);

/* The graphics cards: [{ "pci": "0000:01:00.0", "vendor": "10de", "maker": "NVIDIA", "driver":
 * "nvidia" }] */
json_t *machine_cards(void);

/* The device nodes: [{ "path": "/dev/dri/renderD128", "pci": …, "group": "render", "usable": true
 * }] */
json_t *machine_nodes(void);

/* Vulkan's driver files, in the loader's order: [{ "file": …, "library": …, "problem": … }] */
json_t *machine_vulkan_drivers(void);

/* True in a container, where remedies are options for starting the container. */
bool machine_is_container(void);

/* The state of the first usable node whose path begins with `prefix`, such as /dev/kfd. 1: usable;
 * 0: it exists, but this user may not use it; -1: none exists. */
int machine_node_state(const json_t *nodes, const char *prefix);
/* True if there is a card of this PCI vendor. */
bool machine_has_card(const json_t *cards, const char *vendor);

/* ---- probe.c: each backend and device, tried in a child process ---- */

/* Examines a backend. cpu: the CPU's scores of the trial; software: also try software devices. {
 * "name", "title", "built", "works", "missing", "remedy", "devices": [{ "index", "name", "type",
 * "driver", "api", "memory_mib", "uuid", "pci", "driver_file", "works", "extractors", "problem" }]
 * } */
json_t *probe_backend(const char *backend, const json_t *machine, const json_t *cpu, bool software);

/* Examines the CPU in the same way. Sets *cpu to its scores; NULL: the trial failed. */
json_t *probe_cpu(json_t **cpu);

/* Adds to each Vulkan driver file the UUIDs of the devices that it provides. */
void probe_vulkan_drivers(json_t *drivers);

/* ---- remedy.c ---- */

/* Writes the one thing to do about a backend that finds no device; never empty. machine: an object
 * with cards, nodes, vulkan_drivers and container; missing: the library's reason. */
void remedy_find(char *text, size_t size, const char *backend, const char *missing,
                 const json_t *machine);

/* ---- trial.c: a small pair of videos, generated here and scored on a device ---- */

/* Scores the trial on device `index` of a backend (NULL: on the CPU). Returns every score of every
 * frame, by "NAME FRAME", and in "on_device" the extractors that ran on the device. NULL: the pair
 * could not be scored there; the log says why. */
json_t *trial_score(const char *backend, unsigned index);

/* NULL if all scores are equal, else a text about the first one that is not, which the caller
 * frees. */
char *trial_compare(const json_t *device, const json_t *cpu);

#endif
