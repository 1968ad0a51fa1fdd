/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The parts of `vmaf --doctor`: what the machine has, which backends and devices work, and what to
 * do about those that do not. Every function that returns a json_t gives the caller a reference,
 * unless stated otherwise. For the main thread. */
#ifndef TOOLS_DOCTOR_DOCTOR_H
#define TOOLS_DOCTOR_DOCTOR_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "libvmaf/device.h"
#include "libvmaf/libvmaf.h"
#include "vmaf/options.h"

/* A member of an object: its text ("" if it is not there), and whether it is true. */
const char *text_of(const json_t *object, const char *key);
bool is_true(const json_t *object, const char *key);
/* Sets a text that may come from a driver and therefore may not be UTF-8. */
void set_text(json_t *object, const char *key, const char *text);

/* ---- apart.c: work in a child process, since a driver may crash or hang ---- */

/* A device as its backend lists it. */
typedef struct TrialDevice {
    const char *backend;
    unsigned index;
    bool software; /* the list calls it software. If it does not, no software device takes its
                      place */
} TrialDevice;

/* A pair of videos, 4:2:0. */
typedef struct TrialClip {
    unsigned width, height, bits, frames;
} TrialClip;

/* The case that a job works on; each job says which members it uses. */
typedef struct DoctorCase {
    const TrialDevice *device; /* NULL: the CPU */
    const char *name;          /* NULL: none */
    TrialClip clip;
} DoctorCase;

/* Returns its finding, or NULL with the reason in the log. */
typedef json_t *(*DoctorJob)(const DoctorCase *on);

json_t *job_list_devices(const DoctorCase *on); /* name: a backend */
json_t *job_list_driver(const DoctorCase *on);  /* name: a Vulkan driver file */
json_t *job_try_device(const DoctorCase *on);   /* device */
json_t *job_ask_ffmpeg(const DoctorCase *on);   /* nothing */
json_t *job_examine(const DoctorCase *on);      /* device; name: an extractor; clip */
json_t *job_take_time(const DoctorCase *on);    /* device; clip */

/* Runs the job in a child process. Returns its finding, or NULL with the reason in `why`: it
 * crashed, hung, or printed an error. Sets *hangs (NULL: nobody asks) if it did not end in time. */
json_t *doctor_apart(DoctorJob job, const DoctorCase *on, unsigned seconds, char *why, size_t size,
                     bool *hangs);

/* Seconds until a trial counts as hanging; it may compile kernels. */
enum { TRIAL_SECONDS = 180 };

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

/* The system: { "system", "release", "machine", "processor", "processors" }. Names no host and no
 * user. */
json_t *machine_system(void);

/* True in a container, where remedies are options for starting the container. */
bool machine_is_container(void);

/* True if the loader of libraries would find one that matches the pattern, such as
 * "libcuda.so*". */
bool machine_has_library(const char *pattern);

/* The state of the first usable node whose path begins with `prefix`, such as /dev/kfd. 1: usable;
 * 0: it exists, but this user may not use it; -1: none exists. */
int machine_node_state(const json_t *nodes, const char *prefix);
/* The name of the company with this PCI vendor's number, such as "10de". */
const char *machine_maker(const char *vendor);
/* True if there is a card of this PCI vendor. */
bool machine_has_card(const json_t *cards, const char *vendor);

/* ---- demand.c: which devices count ---- */

/* The requirements that the command line sets for devices. */
typedef struct Demand {
    const Words *require; /* the words of --require: each must hold */
    const char *device;   /* the words of --device; NULL: any */
    bool software;        /* software devices are allowed */
    bool survey;          /* a device that works is surveyed */
    bool quiet;           /* without progress */
} Demand;

/* True for a device that computes in hardware; false for a software device and for the null device
 * of a driver. */
bool is_hardware(const json_t *device);
/* True if the device counts. Otherwise writes why it does not, such as "a software device, …". */
bool demand_accepts(const Demand *demand, const json_t *device, char *why, size_t size);
/* Writes the demand for people: "hardware and Intel"; empty when any device will do. */
void demand_text(const Demand *demand, char *text, size_t size);

/* ---- probe.c: each backend and device, tried in a child process ---- */

/* Examines a backend. cpu: the CPU's scores of the trial; demand: the devices to try. { "name",
 * "title", "built", "works", "missing", "remedy", "note", "devices": [{ "index", "name", "type",
 * "driver", "api", "memory_mib", "uuid", "pci", "driver_file", "works", "extractors", "problem",
 * "not_tried", "survey" }] } */
json_t *probe_backend(const char *backend, const json_t *machine, const json_t *cpu,
                      const Demand *demand);

/* Examines the CPU in the same way. Sets *cpu to its scores; NULL: the trial failed. */
json_t *probe_cpu(json_t **cpu);

/* Adds to each Vulkan driver file the UUIDs of the devices that it provides. */
void probe_vulkan_drivers(json_t *drivers);

/* ---- parts.c: what the command is made of, beside backends ---- */

/* FFmpeg's libraries: { "built", "release", "versions": { "libavformat": …}, "missing", "remedy" }
 */
json_t *parts_ffmpeg(void);

/* The instruction sets that vector code can use here, best first; the first one is in use:
 * ["AVX2", "SSE4.1", "scalar"] */
json_t *parts_instruction_sets(void);

/* The mask (as for --cpumask) with which `set` is the best instruction set; false: it is not one of
 * this machine. */
bool parts_mask_of(const char *set, unsigned long long *mask);

/* The SYCL plugin, from what probe_backend found: { "path", "missing", "remedy" } */
json_t *parts_sycl_plugin(const json_t *backend);

/* ---- remedy.c ---- */

/* Writes the one thing to do about a backend that finds no device; never empty. machine: an object
 * with cards, nodes, vulkan_drivers and container; missing: the library's reason. */
void remedy_find(char *text, size_t size, const char *backend, const char *missing,
                 const json_t *machine);

/* Writes what a backend that works could reach besides; empty when there is nothing. */
void remedy_note(char *text, size_t size, const char *backend, const json_t *machine);

/* ---- trial.c: a small pair of videos, generated here and scored on a device ---- */

/* Writes a frame of the clip into a picture of its format. */
void trial_fill(VmafPicture *pic, const TrialClip *from, unsigned frame, bool distorted);
/* Scores all frames of the clip, and flushes. */
int trial_feed(VmafContext *vmaf, const TrialClip *from);
/* Opens the device for the context: what has GPU code runs there, or the first pair fails. The
 * caller closes the device after the context. */
int trial_open(VmafDevice **device, VmafContext *vmaf, const TrialDevice *chosen);

/* Scores the trial on a device (NULL: on the CPU). Returns every score of every frame, by "NAME
 * FRAME", in "on_device" the extractors that ran on the device, and in "again_on_cpu" those of
 * which the CPU measured frames again. NULL: the pair could not be scored there; the log says
 * why. */
json_t *trial_score(const TrialDevice *chosen);

/* NULL if the device measured all scores and they are equal, else a text about the first one that
 * is not, which the caller frees. */
char *trial_compare(const json_t *device, const json_t *cpu);

/* ---- survey.c: every feature at every depth on a device, and its speed ---- */

/* Surveys a device, but asks no more of it once it hangs: { "features": [{ "extractor", "bits",
 * "verdict", "problem", "scores", "figures", "passes", "frames_on_cpu", "device_us" }], "equal",
 * "failed", "not_measured", "not_tried": how many, "speed": { "width", "height", "bits", "model",
 * "device_fps", "cpu_fps", "problem" } }. quiet: print no progress. */
json_t *survey_device(const TrialDevice *device, const char *name, bool quiet);

/* Writes for people the features that failed, such as "vif at 10 bits: …"; false: none did. */
bool survey_failed(const json_t *survey, char *text, size_t size);

#endif
