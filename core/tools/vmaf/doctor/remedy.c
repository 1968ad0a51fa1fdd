/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "doctor.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libvmaf/device.h"

/* The situation, and room for the advice. */
typedef struct Case {
    char *text;
    size_t size;
    const char *missing;
    const json_t *cards, *nodes, *drivers;
    bool container;
} Case;

#define ADVISE(c, ...) ((void)snprintf((c)->text, (c)->size, __VA_ARGS__))

/* The group of the first matching node that this user may not use. */
static const char *group_of(const json_t *nodes, const char *prefix)
{
    size_t i;
    json_t *node;
    json_array_foreach(nodes, i, node)
    {
        const char *const path = json_string_value(json_object_get(node, "path"));
        if (!strncmp(path, prefix, strlen(prefix)) &&
            !json_is_true(json_object_get(node, "usable")))
            return json_string_value(json_object_get(node, "group"));
    }
    return "render";
}

/* Writes what to do about a node that is missing or not usable. False: the node is fine. */
static bool advise_node(const Case *c, const char *node, const char *option)
{
    const int state = machine_node_state(c->nodes, node);
    if (state > 0)
        return false;
    if (!state) {
        const char *const group = group_of(c->nodes, node);
        if (c->container)
            ADVISE(c, "no permission to use %s: start the container with --group-add %s", node,
                   group);
        else
            ADVISE(c, "no permission to use %s: run usermod -aG %s USER, then log in again", node,
                   group);
    } else if (c->container) {
        ADVISE(c, "%s is not in this container: start it with %s", node, option);
    } else {
        ADVISE(c, "%s does not exist: load the card's kernel driver", node);
    }
    return true;
}

static bool library_missing(const Case *c, const char *library)
{
    return strstr(c->missing, library) && strstr(c->missing, "on this machine");
}

static void advise_cuda(const Case *c)
{
    const bool node = machine_node_state(c->nodes, "/dev/nvidiactl") >= 0;
    if (!node && !machine_has_card(c->cards, "10de"))
        ADVISE(c, "none: this machine has no NVIDIA card");
    else if (!node && c->container)
        ADVISE(
            c,
            "the card is not in this container: start it with --gpus all (or --device nvidia.com/gpu=all)");
    else if (!node)
        ADVISE(c, "install NVIDIA's driver: Debian's package nvidia-driver");
    else if (library_missing(c, "libcuda") && c->container)
        ADVISE(c,
               "set NVIDIA_DRIVER_CAPABILITIES=compute,graphics,utility,video for the container");
    else if (library_missing(c, "libcuda"))
        ADVISE(c, "install libcuda: Debian's package libcuda1");
    else if (!advise_node(c, "/dev/nvidiactl", "--gpus all") &&
             machine_node_state(c->nodes, "/dev/nvidia-uvm") < 0)
        ADVISE(c, "/dev/nvidia-uvm does not exist: run modprobe nvidia-uvm on the host");
    else if (!*c->text)
        ADVISE(
            c,
            "check that the driver's kernel module and library have one version: nvidia-smi says more");
}

static void advise_hip(const Case *c)
{
    if (!machine_has_card(c->cards, "1002") && machine_node_state(c->nodes, "/dev/kfd") < 0)
        ADVISE(c, "none: this machine has no AMD card");
    else if (library_missing(c, "libamdhip64"))
        ADVISE(c, "install HIP's runtime: Debian's package libamdhip64-5");
    else if (!advise_node(c, "/dev/kfd", "--device /dev/kfd --device /dev/dri") &&
             !advise_node(c, "/dev/dri/renderD", "--device /dev/kfd --device /dev/dri"))
        ADVISE(c, "set HSA_OVERRIDE_GFX_VERSION to a supported chip near this one, such as 10.3.0");
}

/* True if NVIDIA's driver is here for CUDA, but not for Vulkan: in a container, its runtime brings
 * Vulkan only with the capability `graphics`. */
static bool lacks_graphics(const Case *c)
{
    size_t i;
    json_t *driver;
    bool listed = false;
    if (machine_node_state(c->nodes, "/dev/nvidiactl") < 0 && !machine_has_library("libcuda.so*"))
        return false;
    json_array_foreach(c->drivers, i, driver)
    {
        listed = listed ||
                 (strstr(text_of(driver, "library"), "nvidia") && !*text_of(driver, "problem"));
    }
    return !listed ||
           (!machine_has_library("libGLX_nvidia.so*") && !machine_has_library("libEGL_nvidia.so*"));
}

static void advise_graphics(const Case *c)
{
    const char *const now = getenv("NVIDIA_DRIVER_CAPABILITIES");
    ADVISE(
        c,
        "NVIDIA's runtime gave this container no Vulkan driver, which needs the capability "
        "graphics: start it with NVIDIA_DRIVER_CAPABILITIES=compute,graphics,utility,video%s%s%s",
        now ? " (now: " : "", now ? now : "", now ? ")" : "");
}

static bool has_nvidia(const Case *c)
{
    return machine_has_card(c->cards, "10de") ||
           machine_node_state(c->nodes, "/dev/nvidiactl") >= 0;
}

static void advise_vulkan(const Case *c)
{
    const bool nvidia = has_nvidia(c);
    if (library_missing(c, "libvulkan"))
        ADVISE(c, "install the loader: Debian's package libvulkan1");
    else if (getenv("RADV_FORCE_FAMILY"))
        ADVISE(c, "unset RADV_FORCE_FAMILY: with it RADV shows a device that does not exist");
    else if (c->container && lacks_graphics(c))
        advise_graphics(c);
    else if (!json_array_size(c->drivers) && nvidia && c->container)
        ADVISE(
            c,
            "the card is not in this container: start it with --gpus all (or --device nvidia.com/gpu=all)");
    else if (!c->container && machine_node_state(c->nodes, "/dev/nvidiactl") >= 0 &&
             lacks_graphics(c))
        ADVISE(c, "install NVIDIA's Vulkan driver: Debian's package nvidia-vulkan-icd");
    else if (!json_array_size(c->drivers))
        ADVISE(
            c,
            "install drivers: Debian's package mesa-vulkan-drivers (AMD, Intel, software) or nvidia-vulkan-icd");
    else if (!nvidia && !json_array_size(c->cards) &&
             machine_node_state(c->nodes, "/dev/dri/renderD") < 0)
        ADVISE(
            c,
            "none: this machine has no graphics card; --allow_software accepts a software device");
    else if (nvidia || !advise_node(c, "/dev/dri/renderD", "--device /dev/dri"))
        ADVISE(
            c,
            "set VK_LOADER_DEBUG=error,driver: the loader then prints why no driver supports the card");
}

static void advise_sycl(const Case *c)
{
    if (strstr(c->missing, "libvmaf-sycl"))
        ADVISE(
            c,
            "build the plugin where icpx or acpp is found (Intel's package intel-oneapi-compiler-dpcpp-cpp, or AdaptiveCpp), and put libvmaf-sycl.so beside libvmaf or name it in VMAF_SYCL_PLUGIN");
    else if (!machine_has_card(c->cards, "8086"))
        ADVISE(c, "none: this machine has no Intel card");
    else if (!advise_node(c, "/dev/dri/renderD", "--device /dev/dri"))
        ADVISE(c,
               "install Level Zero's driver for Intel: libze-intel-gpu1 or intel-level-zero-gpu");
}

static Case describe(char *text, size_t size, const char *missing, const json_t *machine)
{
    *text = '\0';
    return (Case){
        .text = text,
        .size = size,
        .missing = missing,
        .cards = json_object_get(machine, "cards"),
        .nodes = json_object_get(machine, "nodes"),
        .drivers = json_object_get(machine, "vulkan_drivers"),
        .container = is_true(machine, "container"),
    };
}

void remedy_note(char *text, size_t size, const char *backend, const json_t *machine)
{
    const Case c = describe(text, size, "", machine);
    if (!strcmp(backend, "vulkan") && c.container &&
        machine_node_state(c.nodes, "/dev/nvidiactl") >= 0 && lacks_graphics(&c))
        advise_graphics(&c);
}

void remedy_find(char *text, size_t size, const char *backend, const char *missing,
                 const json_t *machine)
{
    static const struct {
        const char *backend;
        void (*advise)(const Case *c);
    } rows[] = {
        { "cuda", advise_cuda },
        { "hip", advise_hip },
        { "vulkan", advise_vulkan },
        { "sycl", advise_sycl },
    };
    const Case c = describe(text, size, missing, machine);
    if (vmaf_backend_built(backend) <= 0) {
        snprintf(text, size, "configure the build with -Denable_%s=enabled", backend);
        return;
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (!strcmp(rows[i].backend, backend))
            rows[i].advise(&c);
    if (!*text)
        snprintf(text, size, "%s", "see docs/backends");
}
