/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "devices.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/message.h"
#include "vmaf/gpu.h"
#include "libvmaf/device.h"

static int parse_one(ScoringDevice *device, const char *text, size_t length, char *error,
                     size_t error_size)
{
    const char *const colon = memchr(text, ':', length);
    const size_t name = colon ? (size_t)(colon - text) : length;
    *device = (ScoringDevice){ .label = strndup(text, length), .backend = strndup(text, name) };
    if (colon)
        device->selector = strndup(colon + 1, length - name - 1);
    if (!device->label || !device->backend || (colon && !device->selector))
        return -ENOMEM;
    const bool cpu = !strcmp(device->backend, "cpu"), any = !strcmp(device->backend, "auto");
    if ((cpu && !colon) ||
        ((any || vmaf_backend_built(device->backend) >= 0) && (!colon || *device->selector)))
        return 0;
    char names[128];
    backend_names(names, sizeof(names));
    snprintf(
        error, error_size,
        "\"%s\" is not a scoring device; use cpu, auto, or a backend (%s), optionally with :DEVICE",
        device->label, names);
    return -EINVAL;
}

int scoring_devices_parse(ScoringDevice **devices, size_t *count, const char *text, char *error,
                          size_t error_size)
{
    int err = 0;
    *devices = NULL;
    *count = 0;
    for (const char *at = text; !err; at++) {
        const size_t length = strcspn(at, ",");
        ScoringDevice *const grown = realloc(*devices, (*count + 1) * sizeof(*grown));
        if (!grown) {
            err = -ENOMEM;
            break;
        }
        *devices = grown;
        err = parse_one(&grown[(*count)++], at, length, error, error_size);
        at += length;
        if (!*at)
            break;
    }
    if (!err)
        return 0;
    scoring_devices_free(*devices, *count);
    *devices = NULL;
    *count = 0;
    return err;
}

int scoring_devices_from_environment(ScoringDevice **devices, size_t *count)
{
    const char *const text = getenv("VMAF_BACKEND");
    char error[512];
    *devices = NULL;
    *count = 0;
    if (!text || !*text)
        return 0;
    *devices = calloc(1, sizeof(**devices));
    if (!*devices)
        return -ENOMEM;
    *count = 1;
    const int err = parse_one(*devices, text, strlen(text), error, sizeof(error));
    if (err == -EINVAL)
        say("VMAF_BACKEND in the environment: %s", error);
    if (err) {
        scoring_devices_free(*devices, *count);
        *devices = NULL;
        *count = 0;
    }
    return err;
}

void scoring_device_free(ScoringDevice *device)
{
    free(device->label);
    free(device->backend);
    free(device->selector);
    free(device->hardware);
}

void scoring_devices_free(ScoringDevice *devices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        scoring_device_free(&devices[i]);
    free(devices);
}

bool scoring_devices_have_auto(const ScoringDevice *devices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(devices[i].label, "auto") || !strncmp(devices[i].label, "auto:", 5))
            return true;
    return false;
}

bool scoring_device_is_gpu(const ScoringDevice *device)
{
    return strcmp(device->backend, "cpu") != 0;
}

static unsigned processors(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (!sched_getaffinity(0, sizeof(set), &set))
        return (unsigned)CPU_COUNT(&set);
#endif
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (unsigned)count : 1;
}

#define LISTED_MAX 64

/* One line of the output of --devices. */
typedef struct Listed {
    char backend[32], uuid[33], pci[32], name[256];
    unsigned index, type;
} Listed;

typedef struct Listing {
    Listed devices[LISTED_MAX];
    size_t count;
    char line[512];
    size_t used;
} Listing;

static void take_line(Listing *listing)
{
    Listed d = { .index = 0 };
    listing->line[listing->used] = 0;
    listing->used = 0;
    if (listing->count < LISTED_MAX &&
        sscanf(listing->line, "%31s %u %u %32s %31s %255[^\n]", d.backend, &d.index, &d.type,
               d.uuid, d.pci, d.name) == 6)
        listing->devices[listing->count++] = d;
}

static void hear(void *arg, enum ChildStream stream, const char *bytes, size_t count)
{
    Listing *const listing = arg;
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] == '\n')
            take_line(listing);
        else if (listing->used + 1 < sizeof(listing->line))
            listing->line[listing->used++] = bytes[i];
    }
}

int scoring_devices_print_all(void)
{
    const char *backend;
    for (unsigned b = 0; (backend = vmaf_backend_name(b)); b++) {
        VmafDeviceInfo info = { .size = sizeof(info) };
        for (unsigned i = 0; !vmaf_device_info(backend, i, &info); i++) {
            printf("%s %u %u ", backend, info.index, (unsigned)info.type);
            for (unsigned k = 0; k < sizeof(info.uuid); k++)
                printf("%02x", info.uuid[k]);
            printf(" %s %s\n", *info.pci ? info.pci : "-", *info.name ? info.name : "-");
        }
    }
    return fflush(stdout) ? 255 : 0;
}

/* The listed device that an entry selects. NULL: unknown. */
static const Listed *find_device(const Listing *listing, const ScoringDevice *device)
{
    char *end = NULL;
    const unsigned long number = device->selector ? strtoul(device->selector, &end, 10) : 0;
    const bool numbered = device->selector && *device->selector && !*end;
    for (size_t i = 0; i < listing->count; i++) {
        const Listed *const d = &listing->devices[i];
        if (strcmp(d->backend, device->backend))
            continue;
        if (numbered ? d->index == number
            : device->selector
                ? strcasestr(d->name, device->selector) || !strcasecmp(d->pci, device->selector) ||
                      !strcasecmp(d->uuid, device->selector)
                : device->allow_software || d->type != VMAF_DEVICE_SOFTWARE)
            return d;
    }
    return NULL;
}

static bool is_same(const Listed *a, const Listed *b)
{
    static const char none[] = "00000000000000000000000000000000";
    if (a == b)
        return true;
    return (strcmp(a->pci, "-") && !strcasecmp(a->pci, b->pci)) ||
           (strcmp(a->uuid, none) && !strcmp(a->uuid, b->uuid));
}

static void share_locks(ScoringDevice *devices, size_t count, const Listing *listing)
{
    for (size_t i = 0; i < count; i++) {
        devices[i].lock = i;
        for (size_t k = 0; k < i && devices[i].lock == i; k++) {
            if (!scoring_device_is_gpu(&devices[i]) || !scoring_device_is_gpu(&devices[k]))
                continue;
            const Listed *const a = find_device(listing, &devices[i]);
            const Listed *const b = find_device(listing, &devices[k]);
            if (!strcmp(devices[i].label, devices[k].label) || (a && b && is_same(a, b)))
                devices[i].lock = devices[k].lock;
        }
    }
}

/* Run this program with --devices. If a driver hangs or crashes, the devices printed until then are
 * kept. */
static void list_devices(Listing *listing, const char *self, Children *children)
{
    const char *const argv[] = { self, "--devices", NULL };
    const ChildParams params = { .argv = argv,
                                 .program = self,
                                 .sink = { CHILD_TO_US, CHILD_NOWHERE },
                                 .time_limit = 60,
                                 .heard = hear,
                                 .arg = listing };
    ChildEnd end;
    if (child_run(children, &params, &end))
        listing->count = 0;
}

static bool is_new(const Listing *listing, const Listed *device)
{
    for (const Listed *d = listing->devices; d < device; d++)
        if (d->type != VMAF_DEVICE_SOFTWARE && is_same(d, device))
            return false;
    return true;
}

/* Build a list such as "cuda:0,vulkan:1,cpu". free() it. NULL: no memory. */
static char *name_devices(const Listing *listing, bool allow_software)
{
    char *text = strdup("");
    for (size_t i = 0; text && i < listing->count; i++) {
        const Listed *const d = &listing->devices[i];
        if ((d->type == VMAF_DEVICE_SOFTWARE && !allow_software) || !is_new(listing, d))
            continue;
        char *const longer = text_print("%s%s:%u,", text, d->backend, d->index);
        free(text);
        text = longer;
    }
    char *const all = text ? text_print("%scpu", text) : NULL;
    free(text);
    return all;
}

int scoring_devices_find(ScoringDevice **devices, size_t *count, bool allow_software,
                         const char *self, Children *children)
{
    char error[64];
    Listing *const listing = calloc(1, sizeof(*listing));
    if (listing)
        list_devices(listing, self, children);
    char *const text = listing ? name_devices(listing, allow_software) : NULL;
    const int err =
        text ? scoring_devices_parse(devices, count, text, error, sizeof(error)) : -ENOMEM;
    free(text);
    free(listing);
    return err;
}

static void divide_threads(ScoringDevice *devices, size_t count, unsigned all)
{
    unsigned gpus = 0;
    for (size_t i = 0; i < count; i++)
        gpus += scoring_device_is_gpu(&devices[i]);
    const unsigned cpus = (unsigned)count - gpus;
    /* Each GPU needs one thread that feeds it. */
    const unsigned left = all > gpus ? all - gpus : 1;
    for (size_t i = 0; i < count; i++) {
        devices[i].threads = scoring_device_is_gpu(&devices[i]) ? 1 : left / cpus;
        if (!devices[i].threads)
            devices[i].threads = 1;
    }
}

int scoring_devices_prepare(ScoringDevice *devices, size_t count, const DeviceParams *params)
{
    unsigned gpus = 0;
    Listing *const listing = calloc(1, sizeof(*listing));
    if (!listing)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        devices[i].allow_software = params->allow_software;
        gpus += scoring_device_is_gpu(&devices[i]);
    }
    if (gpus > 1)
        list_devices(listing, params->self, params->children);
    share_locks(devices, count, listing);
    free(listing);
    divide_threads(devices, count, params->threads ? params->threads : processors());
    return 0;
}

void last_resort_prepare(ScoringDevice *cpu, unsigned threads)
{
    static char name[] = "cpu";
    *cpu = (ScoringDevice){ .label = name,
                            .backend = name,
                            .lock = SIZE_MAX,
                            .threads = threads ? threads : processors() };
}

static bool *busy_mark(ScoringDevice *devices, ScoringDevice *device)
{
    return device->lock == SIZE_MAX ? &device->busy : &devices[device->lock].busy;
}

void device_take(ScoringDevice *devices, ScoringDevice *device, bool busy)
{
    *busy_mark(devices, device) = busy;
}

ScoringDevice *device_choose(ScoringDevice *devices, size_t count, ScoringDevice *last_resort,
                             const ScoringDevice *refused)
{
    size_t working = 0, others = 0;
    for (size_t i = 0; i < count; i++) {
        working += !devices[i].dead;
        others += !devices[i].dead && &devices[i] != refused;
    }
    for (size_t i = 0; i < count; i++)
        if (!devices[i].dead && !(others && &devices[i] == refused) &&
            !*busy_mark(devices, &devices[i]))
            return &devices[i];
    return working || last_resort->busy ? NULL : last_resort;
}

void devices_bury(ScoringDevice *devices, size_t count, ScoringDevice *device, const char *why)
{
    Names names = { .used = 0 };
    device->dead = true;
    snprintf(device->why, sizeof(device->why), "%s", why);
    for (size_t i = 0; i < count; i++)
        if (!devices[i].dead)
            names_add(&names, devices[i].label);
    say("%s stopped working (%s); its scores are computed again on %s", device->label, why,
        names.count ? names.text : "the CPU, since no device of --backends is left");
}

static bool computes_at(const ScoringDevice *device, const json_t *place)
{
    const char *const backend = json_string_value(json_object_get(place, "backend"));
    const char *const hardware = json_string_value(json_object_get(place, "device"));
    return backend && !strcmp(backend, device->backend) &&
           !strcmp(hardware ? hardware : "", device->hardware ? device->hardware : "");
}

static bool is_elsewhere(const ScoringDevice *devices, size_t count, const json_t *place)
{
    bool gpu = false, here = false;
    for (size_t i = 0; i < count; i++) {
        gpu = gpu || scoring_device_is_gpu(&devices[i]);
        here = here || computes_at(&devices[i], place);
    }
    return gpu && !here;
}

void devices_recall(const ScoringDevice *devices, size_t count, const json_t *places,
                    Recalled *recalled)
{
    bool any = false;
    for (size_t i = 0; i < (json_is_array(places) ? json_array_size(places) : 1); i++) {
        const json_t *const place = json_is_array(places) ? json_array_get(places, i) : places;
        const char *const hardware = json_string_value(json_object_get(place, "device"));
        const char *const name = hardware ? hardware : "the CPU";
        if (!place || !is_elsewhere(devices, count, place))
            continue;
        if (!strstr(recalled->places.text, name))
            names_add(&recalled->places, name);
        any = true;
    }
    recalled->scores += any;
}

void devices_tell(const ScoringDevice *devices, size_t count, const ScoringDevice *last_resort,
                  const Recalled *recalled)
{
    if (recalled->scores)
        say("the scores of %u encode%s come from earlier runs, which computed them elsewhere: on %s",
            recalled->scores, recalled->scores == 1 ? "" : "s", recalled->places.text);
    for (size_t i = 0; i < count; i++)
        if (devices[i].dead)
            say("%s stopped working during the run (%s), after %u score%s; what it had not scored "
                "was scored elsewhere, and no encode was lost",
                devices[i].label, devices[i].why, devices[i].scored,
                devices[i].scored == 1 ? "" : "s");
    if (last_resort->scored)
        say("%u score%s computed on the CPU, since no device of --backends was left",
            last_resort->scored, last_resort->scored == 1 ? " was" : "s were");
}

void scoring_device_add_options(const ScoringDevice *device, Argv *argv)
{
    argv_add_all(argv, (const char *const[]){ "--backend", device->backend, "--threads", NULL });
    argv_addf(argv, "%u", device->threads);
    if (device->selector)
        argv_add_all(argv, (const char *const[]){ "--device", device->selector, NULL });
    if (device->allow_software && scoring_device_is_gpu(device))
        argv_add(argv, "--allow_software");
}
