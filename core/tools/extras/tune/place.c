/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "place.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vmaf/gpu.h"
#include "libvmaf/device.h"

static int parse_one(Place *place, const char *text, size_t length, char *error, size_t error_size)
{
    const char *const colon = memchr(text, ':', length);
    const size_t name = colon ? (size_t)(colon - text) : length;
    *place = (Place){ .label = strndup(text, length), .backend = strndup(text, name) };
    if (colon)
        place->device = strndup(colon + 1, length - name - 1);
    if (!place->label || !place->backend || (colon && !place->device))
        return -ENOMEM;
    const bool plain = !strcmp(place->backend, "cpu") || !strcmp(place->backend, "auto");
    if ((plain && !colon) ||
        (!plain && vmaf_backend_built(place->backend) >= 0 && (!colon || *place->device)))
        return 0;
    char names[128];
    backend_names(names, sizeof(names));
    snprintf(
        error, error_size,
        "\"%s\" is no place to compute; cpu, auto, and %s are, the latter with :DEVICE if need be",
        place->label, names);
    return -EINVAL;
}

int places_parse(Place **places, size_t *count, const char *text, char *error, size_t error_size)
{
    int err = 0;
    *places = NULL;
    *count = 0;
    for (const char *at = text; !err; at++) {
        const size_t length = strcspn(at, ",");
        Place *const grown = realloc(*places, (*count + 1) * sizeof(*grown));
        if (!grown) {
            err = -ENOMEM;
            break;
        }
        *places = grown;
        err = parse_one(&grown[(*count)++], at, length, error, error_size);
        at += length;
        if (!*at)
            break;
    }
    if (!err)
        return 0;
    places_free(*places, *count);
    *places = NULL;
    *count = 0;
    return err;
}

void places_free(Place *places, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(places[i].label);
        free(places[i].backend);
        free(places[i].device);
    }
    free(places);
}

static bool is_gpu(const Place *place)
{
    return strcmp(place->backend, "cpu") != 0;
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

int places_print_devices(void)
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
static const Listed *find_device(const Listing *listing, const Place *place)
{
    char *end = NULL;
    const unsigned long number = place->device ? strtoul(place->device, &end, 10) : 0;
    const bool numbered = place->device && *place->device && !*end;
    for (size_t i = 0; i < listing->count; i++) {
        const Listed *const d = &listing->devices[i];
        if (strcmp(d->backend, place->backend))
            continue;
        if (numbered ? d->index == number
            : place->device
                ? strcasestr(d->name, place->device) || !strcasecmp(d->pci, place->device) ||
                      !strcasecmp(d->uuid, place->device)
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

static void share_locks(Place *places, size_t count, const Listing *listing)
{
    for (size_t i = 0; i < count; i++) {
        places[i].lock = i;
        for (size_t k = 0; k < i && places[i].lock == i; k++) {
            if (!is_gpu(&places[i]) || !is_gpu(&places[k]))
                continue;
            const Listed *const a = find_device(listing, &places[i]);
            const Listed *const b = find_device(listing, &places[k]);
            if (!strcmp(places[i].label, places[k].label) || (a && b && is_same(a, b)))
                places[i].lock = places[k].lock;
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
static char *name_places(const Listing *listing)
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

int places_find(Place **places, size_t *count, const char *self, Children *children)
{
    char error[64];
    Listing *const listing = calloc(1, sizeof(*listing));
    if (listing)
        list_devices(listing, self, children);
    char *const text = listing ? name_places(listing) : NULL;
    const int err = text ? places_parse(places, count, text, error, sizeof(error)) : -ENOMEM;
    free(text);
    free(listing);
    return err;
}

void places_settle(Place *places, size_t count, unsigned threads, const char *self,
                   Children *children)
{
    unsigned gpus = 0;
    Listing *const listing = calloc(1, sizeof(*listing));
    for (size_t i = 0; i < count; i++)
        gpus += is_gpu(&places[i]);
    if (gpus > 1 && listing)
        list_devices(listing, self, children);
    if (listing)
        share_locks(places, count, listing);
    free(listing);
    const unsigned all = threads ? threads : processors();
    const unsigned cpus = (unsigned)count - gpus;
    /* Each GPU needs one thread that feeds it. */
    const unsigned left = all > gpus ? all - gpus : 1;
    for (size_t i = 0; i < count; i++) {
        places[i].threads = is_gpu(&places[i]) ? 1 : left / cpus;
        if (!places[i].threads)
            places[i].threads = 1;
    }
}

void place_add_words(const Place *place, Argv *argv)
{
    argv_add_all(argv, (const char *const[]){ "--backend", place->backend, "--threads", NULL });
    argv_addf(argv, "%u", place->threads);
    if (place->device)
        argv_add_all(argv, (const char *const[]){ "--device", place->device, NULL });
}
