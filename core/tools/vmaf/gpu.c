/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "libvmaf/device.h"
#include "libvmaf/inspect.h"

struct Gpu {
    VmafDevice *device;
    VmafVulkanState *vulkan; /* used instead of `device`: a device that others own; NULL: none */
    const char *backend;
    bool asked;          /* an option names the backend or the device */
    GpuOpening *opening; /* where the device came from */
};

/* Frames in work on the device, at most: enough to hide a slow read. */
#define OUTSTANDING_FRAMES 20

static bool gave_up; /* a device did not finish its work */

/* How to open a device. */
typedef struct Wish {
    const char *backend;
    bool asked;    /* an option names the backend or the device */
    bool required; /* extractors with GPU code run there or the run fails */
    const GpuNeeds *needs;
} Wish;

static VmafDeviceOptions wanted_device(const Wish *wish, const Options *options)
{
    const unsigned in_flight = wish->needs->in_flight;
    return (VmafDeviceOptions){
        .size = sizeof(VmafDeviceOptions),
        .backend = wish->backend,
        .device = options->device,
        .allow_software = options->allow_software,
        .max_outstanding_frames =
            in_flight && in_flight < OUTSTANDING_FRAMES ? in_flight : OUTSTANDING_FRAMES,
        .upload_bytes = wish->needs->upload_bytes,
        .expected_pairs = wish->needs->pairs,
        .expected_pair_bytes = wish->needs->pair_bytes,
        .quiet = 1, /* the messages below say what is missing */
        .required = wish->required,
        .fallback_cpu = !wish->required,
    };
}

/* How to open a device of the wish's backend, which may be set later. */
static Wish wish_of(const Options *options, const GpuNeeds *needs)
{
    const bool any = !strcmp(options->backend, "auto");
    return (Wish){ .backend = any ? NULL : options->backend,
                   .asked = !any || options->device,
                   .required = any ? options->device != NULL : !options->by_extractor,
                   .needs = needs };
}

/* The next backend that comes into question, from *i on; advances *i to it. With `auto` that is
 * each that is not switched off. NULL: none. */
static const char *candidate(const Options *options, unsigned *i)
{
    const char *backend;
    if (strcmp(options->backend, "auto") != 0)
        return *i ? NULL : options->backend;
    while ((backend = vmaf_backend_name(*i)) && options->backends_off >> *i & 1)
        ++*i;
    return options->gpumask ? NULL : backend;
}

/* ---- opening ahead ---- */

static void *open_ahead(void *arg)
{
    GpuOpening *const opening = arg;
    Wish wish = wish_of(opening->options, &opening->needs);
    for (unsigned i = 0; (wish.backend = candidate(opening->options, &i)); i++) {
        const VmafDeviceOptions wanted = wanted_device(&wish, opening->options);
        const int err = vmaf_device_open(&opening->device, &wanted);
        if (!err) {
            opening->backend = wish.backend;
            break;
        }
        if (opening->err != -ETIMEDOUT)
            opening->err = err;
    }
    opening->finished = true;
    return NULL;
}

void gpu_open_ahead(GpuOpening *opening, const Options *options, const GpuNeeds *needs)
{
    if (opening->device)
        return;
    opening->options = options;
    opening->needs = *needs;
    opening->err = 0;
    opening->finished = false;
    opening->running = !pthread_create(&opening->thread, NULL, open_ahead, opening);
}

void gpu_opening_wait(GpuOpening *opening)
{
    if (opening->running)
        pthread_join(opening->thread, NULL);
    opening->running = false;
    gave_up = gave_up || opening->err == -ETIMEDOUT;
}

void gpu_opening_end(GpuOpening *opening)
{
    gpu_opening_wait(opening);
    vmaf_device_close(&opening->device);
}

/* Opens a device, unless that was done ahead. */
static int open_device(VmafDevice **device, GpuOpening *opening, const VmafDeviceOptions *wanted)
{
    gpu_opening_wait(opening);
    if (opening->device && !strcmp(opening->backend, wanted->backend)) {
        *device = opening->device;
        opening->device = NULL;
        return vmaf_device_expect(*device, wanted);
    }
    return opening->finished && opening->err ? opening->err : vmaf_device_open(device, wanted);
}

/* ---- opening ---- */

static int start(Gpu **out, GpuOpening *opening, const Wish *wish, const Options *options,
                 VmafContext *vmaf)
{
    Gpu *const gpu = calloc(1, sizeof(*gpu));
    if (!gpu)
        return -ENOMEM;
    const VmafDeviceOptions wanted = wanted_device(wish, options);
    *gpu = (Gpu){ .backend = wish->backend, .asked = wish->asked, .opening = opening };
    int err = open_device(&gpu->device, opening, &wanted);
    gave_up = gave_up || err == -ETIMEDOUT;
    if (!err)
        err = vmaf_use_device(vmaf, gpu->device);
    if (err) {
        gpu_destroy(gpu);
        return err;
    }
    *out = gpu;
    return 0;
}

/* Prints why `auto` passed over a backend. */
static void say_refusal(const Wish *wish, const Options *options)
{
    const VmafDeviceOptions wanted = wanted_device(wish, options);
    char why[1024];
    if (vmaf_device_missing(&wanted, why, sizeof(why)))
        say("%s: %s", wish->backend, why);
    else
        say("%s: could not open its device", wish->backend); /* the log says more */
}

/* --backend auto: opens the first backend that finds a GPU. A device that was named must be
 * found. */
static int start_best(Gpu **gpu, GpuOpening *opening, const Options *options, VmafContext *vmaf,
                      const GpuNeeds *needs)
{
    Wish wish = wish_of(options, needs);
    for (unsigned i = 0; (wish.backend = candidate(options, &i)); i++) {
        if (!start(gpu, opening, &wish, options, vmaf))
            return 0;
        if (!options->quiet)
            say_refusal(&wish, options);
    }
    for (unsigned i = 0; options->quiet && (wish.backend = candidate(options, &i)); i++)
        say_refusal(&wish, options);
    if (options->device) {
        say("no backend has a device \"%s\"; --list_devices lists the devices", options->device);
        return -ENODEV;
    }
    say("no usable GPU: using the CPU");
    return 0;
}

static int start_named(Gpu **gpu, GpuOpening *opening, const Options *options, VmafContext *vmaf,
                       const GpuNeeds *needs)
{
    const Wish wish = wish_of(options, needs);
    const int err = start(gpu, opening, &wish, options, vmaf);
    const VmafDeviceOptions wanted = wanted_device(&wish, options);
    char why[1024] = "";
    if (!err)
        return 0;
    const bool missing = vmaf_device_missing(&wanted, why, sizeof(why));
    const char *const asking = options->by_environment ? "unset VMAF_BACKEND"
                               : options->by_extractor ? "name the extractors without _"
                                                       : "leave out --backend";
    if (options->device)
        say("the %s backend cannot use the device \"%s\"%s%s; --list_devices lists the devices",
            options->backend, options->device, missing ? ": " : "", why);
    else
        say("the %s backend cannot run here%s%s; %s%s to use the CPU", options->backend,
            missing ? ": " : "", why, asking, options->by_extractor ? options->backend : "");
    return err;
}

int gpu_create(Gpu **gpu, GpuOpening *opening, const Options *options, VmafContext *vmaf,
               const GpuNeeds *needs)
{
    if (!options->backend)
        return 0;
    return strcmp(options->backend, "auto") ? start_named(gpu, opening, options, vmaf, needs)
                                            : start_best(gpu, opening, options, vmaf, needs);
}

/* True if the options allow this device. A software device must be allowed: one that is named is
 * opened by its name. If a number is given, it must be that of this device. */
static bool is_wanted(const Options *options, const VmafVulkanDeviceInfo *info)
{
    const char *const device = options->device;
    VmafVulkanDeviceInfo named = { .size = sizeof(named) };
    if (info->type == VMAF_VULKAN_DEVICE_TYPE_SOFTWARE && !options->allow_software)
        return false;
    if (!device)
        return true;
    return *device && !device[strspn(device, "0123456789")] &&
           !vmaf_vulkan_device_info((unsigned)strtoul(device, NULL, 10), &named) &&
           !memcmp(named.uuid, info->uuid, sizeof(named.uuid));
}

int gpu_adopt(Gpu **out, const Options *options, VmafContext *vmaf, VmafVulkanState *state)
{
    VmafVulkanDeviceInfo info = { .size = sizeof(info) };
    Gpu *const gpu = calloc(1, sizeof(*gpu));
    int err = gpu ? vmaf_vulkan_state_device_info(state, &info) : -ENOMEM;
    if (!err && !is_wanted(options, &info))
        err = -ENODEV;
    if (!err)
        err = vmaf_vulkan_import_state(vmaf, state);
    if (err) {
        vmaf_vulkan_state_free(&state);
        free(gpu);
        return err;
    }
    *gpu = (Gpu){ .vulkan = state, .backend = options->backend, .asked = true };
    *out = gpu;
    return 0;
}

const VmafVulkanState *gpu_adopted(const Gpu *gpu)
{
    return gpu->vulkan;
}

int gpu_share(const Gpu *gpu, VmafContext *vmaf)
{
    if (!gpu)
        return 0;
    return gpu->vulkan ? vmaf_vulkan_import_state(vmaf, gpu->vulkan)
                       : vmaf_use_device(vmaf, gpu->device);
}

unsigned gpu_devices(const Gpu *gpu)
{
    VmafDeviceInfo info = { .size = sizeof(info) };
    return gpu->vulkan || vmaf_device_get_info(gpu->device, &info) ? 1 : info.devices;
}

const char *gpu_backend(const Gpu *gpu)
{
    return gpu->backend;
}

void gpu_destroy(Gpu *gpu)
{
    if (!gpu)
        return;
    const bool lost = vmaf_device_is_lost(gpu->device);
    gave_up = gave_up || lost;
    if (gpu->device && !lost && gpu->opening->keeps) {
        gpu->opening->device = gpu->device;
        gpu->opening->backend = gpu->backend;
        gpu->device = NULL;
    }
    vmaf_device_close(&gpu->device);
    vmaf_vulkan_state_free(&gpu->vulkan);
    free(gpu);
}

bool gpu_gave_up(void)
{
    return gave_up;
}

/* The library has printed it. */
static void note_software(Warnings *warnings, const char *device, bool several)
{
    char text[512];
    snprintf(text, sizeof(text),
             several
                 ? "one of the devices (%s) is software: a CPU computed scores in place of a GPU"
                 : "%s is a software device: a CPU computed the scores in place of a GPU",
             device);
    warnings_add(warnings, "software_device", SIDES, text);
}

void gpu_say_devices(const Gpu *gpu, const VmafContext *vmaf, bool quiet, Warnings *warnings)
{
    VmafFeatureInfo info = { .size = sizeof(info) };
    Names there = { 0 }, here = { 0 };
    const char *device = NULL;
    bool software = false;
    if (!gpu)
        return;
    for (unsigned i = 0; !vmaf_feature_info(vmaf, i, &info); i++) {
        const bool on_gpu = strcmp(info.backend, "cpu");
        names_add(on_gpu ? &there : &here, info.extractor);
        if (on_gpu) {
            device = info.device;
            software = software || (info.device_type && !strcmp(info.device_type, "cpu"));
        }
    }
    if (software)
        note_software(warnings, device, gpu_devices(gpu) > 1);
    if (!there.count)
        warnings_say(warnings, "all_on_cpu", SIDES,
                     "Warning: none of the extractors can run on %s; all run on the CPU: %s",
                     gpu->backend, here.text);
    else if (here.count && (!quiet || gpu->asked))
        say("on %s (%s): %s; on the CPU: %s", device, gpu->backend, there.text, here.text);
    else if (!quiet)
        say("on %s (%s): %s", device, gpu->backend, there.text);
}

const char *gpu_type_name(enum VmafDeviceType type)
{
    switch (type) {
    case VMAF_DEVICE_INTEGRATED:
        return "integrated GPU";
    case VMAF_DEVICE_DISCRETE:
        return "discrete GPU";
    case VMAF_DEVICE_VIRTUAL:
        return "virtual GPU";
    case VMAF_DEVICE_SOFTWARE:
        return "software";
    default:
        return "other";
    }
}

void gpu_uuid_text(char text[40], const uint8_t uuid[16])
{
    for (unsigned i = 0; i < 16; i++)
        text += sprintf(text, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

bool environment_allows_software(void)
{
    const char *const allowed = getenv("VMAF_ALLOW_SOFTWARE");
    return allowed && !strcmp(allowed, "1");
}

/* True if --backend would use the device. */
static bool is_usable(const VmafDeviceInfo *info, bool allow_software)
{
    return !info->missing[0] && (info->type != VMAF_DEVICE_SOFTWARE || allow_software);
}

static void print_device(const VmafDeviceInfo *info, bool allow_software)
{
    printf("%u: %s\n", info->index, info->name);
    printf("   backend: %s\n", info->backend);
    printf("   type: %s\n   driver: %s\n", gpu_type_name(info->type), info->driver);
    printf("   %s: %s\n", info->api, info->version);
    char uuid[40];
    gpu_uuid_text(uuid, info->uuid);
    printf("   memory: %llu MiB\n   UUID: %s", (unsigned long long)(info->memory >> 20), uuid);
    if (info->pci[0])
        printf("\n   PCI: %s", info->pci);
    if (info->missing[0])
        printf("\n   cannot be used, it lacks: %s\n", info->missing);
    else
        printf("\n   can be used%s\n",
               is_usable(info, allow_software) ? "" : " when it is named or software is allowed");
}

/* Prints the devices of a backend, or what is missing if it has none. Returns how many can be
 * used. */
static unsigned list_backend(const char *backend, bool allow_software)
{
    VmafDeviceInfo info = { .size = sizeof(info) };
    unsigned count = 0, usable = 0;
    for (; !vmaf_device_info(backend, count, &info); count++) {
        print_device(&info, allow_software);
        usable += is_usable(&info, allow_software);
    }
    char why[512];
    if (!count && vmaf_backend_missing(backend, 1, why, sizeof(why)))
        printf("%s: %s\n", backend, why);
    return usable;
}

int gpu_list_devices(const Options *options)
{
    const char *backend, *const list = options->doctor_backends;
    unsigned usable = 0;
    for (unsigned i = 0; (backend = vmaf_backend_name(i)); i++)
        if (!list || backend_listed(list, backend))
            usable +=
                list_backend(backend, options->allow_software || environment_allows_software());
    return fflush(stdout) || ferror(stdout) ? -EIO : usable ? 0 : -ENODEV;
}

unsigned backend_find(const char *text, const char *end, const char **name)
{
    unsigned i = 0;
    while ((*name = vmaf_backend_name(i))) {
        const size_t length = strlen(*name);
        if (!strncmp(text, *name, length) && !strcmp(text + length, end))
            break;
        i++;
    }
    return i;
}

const char *backend_of_extractor(const char *extractor)
{
    const char *const last = strrchr(extractor, '_');
    return last && vmaf_backend_built(last + 1) >= 0 ? last + 1 : NULL;
}

bool backend_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *word = list; word; word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL)
        if (!strncmp(word, name, length) && (!word[length] || word[length] == ','))
            return true;
    return !strcmp(list, "all") && strcmp(name, "host"); /* the host backend is for tests */
}

void backend_names(char *text, size_t size)
{
    const char *name;
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; (name = vmaf_backend_name(i)) && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 !i                         ? ""
                                 : vmaf_backend_name(i + 1) ? ", "
                                                            : " or ",
                                 name);
}
