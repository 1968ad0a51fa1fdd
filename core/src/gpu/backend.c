/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/backend.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

const GpuBackend *gpu_backend_find(const char *name)
{
    for (const GpuBackend *const *b = gpu_backends; *b; b++)
        if (!strcmp((*b)->name, name))
            return *b;
    return NULL;
}

size_t gpu_backend_strip(const char *extractor)
{
    const char *suffix = strrchr(extractor, '_');
    const bool named = suffix && suffix > extractor && gpu_backend_find(suffix + 1);
    return named ? (size_t)(suffix - extractor) : strlen(extractor);
}

#define UUID_SIZE sizeof(((GpuDeviceInfo *)NULL)->uuid)

static bool is_software(const GpuDeviceInfo *device)
{
    return device->type == VMAF_DEVICE_SOFTWARE;
}

/* Chooses the first usable device. Devices are sorted, so a software device comes first only when
 * there is no other. A device that lacks something is skipped, since nobody named it. */
static int choose_any(const GpuProbe *probe, bool allow_software, unsigned *index)
{
    for (unsigned i = 0; i < probe->count; i++) {
        if (probe->devices[i].missing[0] || (is_software(&probe->devices[i]) && !allow_software))
            continue;
        *index = i;
        return 0;
    }
    return -ENODEV;
}

void gpu_explain_none(const GpuProbe *probe, char *why, size_t size)
{
    size_t used = 0;
    why[0] = '\0';
    for (unsigned i = 0; i < probe->count && used < size; i++) {
        const GpuDeviceInfo *device = &probe->devices[i];
        const char *join = i ? "; " : "";
        used +=
            (size_t)(device->missing[0]
                         ? snprintf(why + used, size - used, "%s%s cannot be used, it lacks: %s",
                                    join, device->name, device->missing)
                         : snprintf(why + used, size - used,
                                    "%s%s is a software device, which is used only if it is named "
                                    "or software devices are allowed",
                                    join, device->name));
    }
    if (!probe->count)
        snprintf(why, size, "no device found; is a driver installed?");
}

static void log_none(const GpuProbe *probe)
{
    char why[1024];
    gpu_explain_none(probe, why, sizeof(why));
    log_error("%s: %s", probe->backend->name, why);
}

static bool contains(const char *text, const char *part)
{
    for (; *text; text++) {
        size_t i = 0;
        while (part[i] && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            i++;
        if (!part[i])
            return true;
    }
    return false;
}

/* Parses 32 hexadecimal digits; dashes are ignored. */
static bool parse_uuid(const char *text, uint8_t uuid[UUID_SIZE])
{
    unsigned digits = 0;
    memset(uuid, 0, UUID_SIZE);
    for (; *text; text++) {
        if (*text == '-')
            continue;
        if (!isxdigit((unsigned char)*text) || digits == 2 * UUID_SIZE)
            return false;
        const int c = tolower((unsigned char)*text);
        const uint8_t value = (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
        uuid[digits / 2] |= digits % 2 ? value : (uint8_t)(value << 4);
        digits++;
    }
    return digits == 2 * UUID_SIZE;
}

/* True if the text is the device's PCI address, such as 0000:65:00.0, with or without the
 * domain. */
static bool is_pci_address(const GpuDeviceInfo *device, const char *text)
{
    const size_t length = strlen(text), whole = strlen(device->pci);
    return strchr(text, ':') && length <= whole && contains(device->pci + whole - length, text);
}

static int no_such_number(const GpuProbe *probe, const char *text, bool quiet, int err)
{
    if (!quiet)
        log_error("%s: no device %s; %u %s found", probe->backend->name, text, probe->count,
                  probe->count == 1 ? "device was" : "devices were");
    return err;
}

static int choose_number(const GpuProbe *probe, const char *text, bool quiet, unsigned *index)
{
    const unsigned long number = strtoul(text, NULL, 10);
    if (strlen(text) > 9 || number >= probe->count)
        return no_such_number(probe, text, quiet, -ENODEV);
    *index = (unsigned)number;
    return 0;
}

static int choose_named(const GpuProbe *probe, const char *text, bool quiet, unsigned *index)
{
    if (text[0] && strspn(text, "0123456789") == strlen(text) && strlen(text) < 2 * UUID_SIZE)
        return choose_number(probe, text, quiet, index);

    uint8_t uuid[UUID_SIZE];
    const bool by_uuid = parse_uuid(text, uuid);
    unsigned matches = 0;
    for (unsigned i = 0; i < probe->count; i++) {
        const GpuDeviceInfo *device = &probe->devices[i];
        const bool match =
            by_uuid ? !memcmp(device->uuid, uuid, sizeof(uuid))
                    : is_pci_address(device, text) || (text[0] && contains(device->name, text));
        if (match && matches++ == 0)
            *index = i;
    }
    if (matches == 1)
        return 0;
    if (matches)
        log_error("%s: %u devices are called \"%s\"; give the index or the UUID",
                  probe->backend->name, matches, text);
    else if (!quiet)
        log_error("%s: no device is called \"%s\"", probe->backend->name, text);
    return -ENODEV;
}

int gpu_choose(const GpuProbe *probe, const GpuWish *wish, unsigned *index)
{
    if (wish->device)
        return choose_named(probe, wish->device, wish->quiet, index);
    if (wish->index < 0) {
        /* A hidden backend runs only when somebody names it. */
        const bool allow_software = wish->allow_software || probe->backend->hidden;
        const int err = choose_any(probe, allow_software, index);
        if (err && !wish->quiet)
            log_none(probe);
        return err;
    }
    if (!probe->count) {
        log_none(probe);
        return -ENODEV;
    }
    if ((unsigned)wish->index >= probe->count) {
        char text[16];
        snprintf(text, sizeof(text), "%d", wish->index);
        return no_such_number(probe, text, wish->quiet, -EINVAL);
    }
    *index = (unsigned)wish->index;
    return 0;
}

/* ---- choosing several devices ---- */

/* Chooses all devices that may be used without being named. */
static int choose_all(const GpuProbe *probe, const GpuWish *wish, unsigned *indices,
                      unsigned *count)
{
    const bool allow_software = wish->allow_software || probe->backend->hidden;
    for (unsigned i = 0; i < probe->count; i++)
        if (!probe->devices[i].missing[0] && (allow_software || !is_software(&probe->devices[i])))
            indices[(*count)++] = i;
    if (!*count && !wish->quiet)
        log_none(probe);
    return *count ? 0 : -ENODEV;
}

static int choose_list(const GpuProbe *probe, const GpuWish *wish, char *names, unsigned *indices,
                       unsigned *count)
{
    int err = 0;
    for (char *name = names, *next; !err && name; name = next) {
        next = strchr(name, ',');
        if (next)
            *next++ = '\0';
        err = choose_named(probe, name, wish->quiet, &indices[*count]);
        ++*count;
    }
    return err;
}

/* True if wish->device is a list. A device's name may contain a comma itself. */
static bool is_list(const GpuProbe *probe, const GpuWish *wish)
{
    unsigned matches = 0;
    if (!wish->several || !wish->device || !strchr(wish->device, ','))
        return false;
    for (unsigned i = 0; i < probe->count; i++)
        matches += contains(probe->devices[i].name, wish->device);
    return !matches;
}

int gpu_choose_all(const GpuProbe *probe, const GpuWish *wish, unsigned **out, unsigned *count)
{
    const bool all = wish->several && wish->device && !strcmp(wish->device, "all");
    const size_t length = wish->device ? strlen(wish->device) : 0;
    unsigned *indices = mem_array(probe->count + length + 1, sizeof(*indices));
    char *names = mem_zalloc(length + 1);
    int err = indices && names ? 0 : -ENOMEM;
    *count = 0;
    if (!err)
        memcpy(names, wish->device ? wish->device : "", length);
    if (!err && all) {
        err = choose_all(probe, wish, indices, count);
    } else if (!err && is_list(probe, wish)) {
        err = choose_list(probe, wish, names, indices, count);
    } else if (!err) {
        err = gpu_choose(probe, wish, indices);
        *count = 1;
    }
    mem_free(names);
    if (err)
        mem_free(indices);
    *out = err ? NULL : indices;
    return err;
}
