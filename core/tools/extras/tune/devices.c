/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "devices.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    const bool plain = !strcmp(device->backend, "cpu") || !strcmp(device->backend, "auto");
    if ((plain && !colon) ||
        (!plain && vmaf_backend_built(device->backend) >= 0 && (!colon || *device->selector)))
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

void scoring_devices_free(ScoringDevice *devices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(devices[i].label);
        free(devices[i].backend);
        free(devices[i].selector);
    }
    free(devices);
}

static bool is_gpu(const ScoringDevice *device)
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
                : d->type != VMAF_DEVICE_SOFTWARE)
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
            if (!is_gpu(&devices[i]) || !is_gpu(&devices[k]))
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
static char *name_devices(const Listing *listing)
{
    char *text = strdup("");
    for (size_t i = 0; text && i < listing->count; i++) {
        const Listed *const d = &listing->devices[i];
        if (d->type == VMAF_DEVICE_SOFTWARE || !is_new(listing, d))
            continue;
        char *const longer = text_print("%s%s:%u,", text, d->backend, d->index);
        free(text);
        text = longer;
    }
    char *const all = text ? text_print("%scpu", text) : NULL;
    free(text);
    return all;
}

int scoring_devices_find(ScoringDevice **devices, size_t *count, const char *self,
                         Children *children)
{
    char error[64];
    Listing *const listing = calloc(1, sizeof(*listing));
    if (listing)
        list_devices(listing, self, children);
    char *const text = listing ? name_devices(listing) : NULL;
    const int err =
        text ? scoring_devices_parse(devices, count, text, error, sizeof(error)) : -ENOMEM;
    free(text);
    free(listing);
    return err;
}

void scoring_devices_prepare(ScoringDevice *devices, size_t count, unsigned threads,
                             const char *self, Children *children)
{
    unsigned gpus = 0;
    Listing *const listing = calloc(1, sizeof(*listing));
    for (size_t i = 0; i < count; i++)
        gpus += is_gpu(&devices[i]);
    if (gpus > 1 && listing)
        list_devices(listing, self, children);
    if (listing)
        share_locks(devices, count, listing);
    free(listing);
    const unsigned all = threads ? threads : processors();
    const unsigned cpus = (unsigned)count - gpus;
    /* Each GPU needs one thread that feeds it. */
    const unsigned left = all > gpus ? all - gpus : 1;
    for (size_t i = 0; i < count; i++) {
        devices[i].threads = is_gpu(&devices[i]) ? 1 : left / cpus;
        if (!devices[i].threads)
            devices[i].threads = 1;
    }
}

void scoring_device_add_options(const ScoringDevice *device, Argv *argv)
{
    argv_add_all(argv, (const char *const[]){ "--backend", device->backend, "--threads", NULL });
    argv_addf(argv, "%u", device->threads);
    if (device->selector)
        argv_add_all(argv, (const char *const[]){ "--device", device->selector, NULL });
}
