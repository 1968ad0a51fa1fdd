/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "gpu/backend.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool gpu_environment_allows_software(void)
{
    const char *allowed = getenv("VMAF_ALLOW_SOFTWARE");
    return allowed && !strcmp(allowed, "1"); /* "no" and "false" do not allow it */
}

static bool is_software(const GpuDeviceInfo *device)
{
    return device->type == VMAF_DEVICE_SOFTWARE;
}

/* A hidden backend runs only when somebody names it, so its devices need no other permission. */
static bool allows_software(const GpuProbe *probe, const GpuWish *wish)
{
    return wish->allow_software || probe->backend->hidden;
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
    bool software = false;
    why[0] = '\0';
    for (unsigned i = 0; i < probe->count && used < size; i++) {
        const GpuDeviceInfo *device = &probe->devices[i];
        const char *join = i ? "; " : "";
        software |= !device->missing[0];
        used +=
            (size_t)(device->missing[0]
                         ? snprintf(why + used, size - used, "%s%s cannot be used, it lacks: %s",
                                    join, device->name, device->missing)
                         : snprintf(why + used, size - used,
                                    "%s%s is a software device, which is used only if it is named "
                                    "or software devices are allowed",
                                    join, device->name));
    }
    if (software && used < size)
        snprintf(why + used, size - used, " (" GPU_ALLOW_SOFTWARE ")");
    if (!probe->count)
        snprintf(why, size, "no device found; is a driver installed?");
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

/* True if the text says that it means a software device: it has a word that only such devices have
 * in their names, or it is the device's whole name. A part of a name such as "Intel" does not,
 * because a graphics card and a CPU may both be called so. */
static bool names_software(const GpuDeviceInfo *device, const char *text)
{
    static const char *const words[] = { "llvm",   "swiftshader", "software",    "softpipe",
                                         "cpu",    "host",        "emulat",      "pocl",
                                         "openmp", "warp",        "basic render" };
    if (!contains(device->name, text))
        return false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (contains(text, words[i]))
            return true;
    return strlen(text) == strlen(device->name);
}

/* Writes a name that chooses the software device: its first word, or all of it. */
static void suggest_name(const GpuDeviceInfo *device, char *name, size_t size)
{
    snprintf(name, size, "%.*s", (int)strcspn(device->name, " "), device->name);
    if (!names_software(device, name))
        snprintf(name, size, "%s", device->name);
}

/* -ENODEV, with the reason, for a software device that was asked for by something other than its
 * name. */
static int check_software(const GpuProbe *probe, const GpuWish *wish, const char *text,
                          unsigned index, char *why, size_t size)
{
    const GpuDeviceInfo *device = &probe->devices[index];
    char name[sizeof(device->name)];
    if (!is_software(device) || allows_software(probe, wish))
        return 0;
    suggest_name(device, name, sizeof(name));
    snprintf(
        why, size,
        "device \"%s\" is %s, a software device, which is used only if it is named (\"%s\") or "
        "software devices are allowed (" GPU_ALLOW_SOFTWARE ")",
        text, device->name, name);
    return -ENODEV;
}

/* ---- choosing one device ---- */

static int choose_number(const GpuProbe *probe, const GpuWish *wish, const char *text,
                         unsigned *index, char *why, size_t size)
{
    const unsigned long number = strtoul(text, NULL, 10);
    if (strlen(text) > 9 || number >= probe->count) {
        snprintf(why, size, "no device %s; %u %s found", text, probe->count,
                 probe->count == 1 ? "device was" : "devices were");
        return -ENODEV;
    }
    *index = (unsigned)number;
    return check_software(probe, wish, text, *index, why, size);
}

static bool is_called(const GpuDeviceInfo *device, const char *text, const uint8_t *uuid)
{
    return uuid ? !memcmp(device->uuid, uuid, UUID_SIZE)
                : is_pci_address(device, text) || (text[0] && contains(device->name, text));
}

/* Chooses the only device that the text means. Where it means both a GPU and a software device, it
 * means the GPU, unless it says "software". */
static int choose_named(const GpuProbe *probe, const GpuWish *wish, const char *text,
                        unsigned *index, char *why, size_t size)
{
    if (text[0] && strspn(text, "0123456789") == strlen(text) && strlen(text) < 2 * UUID_SIZE)
        return choose_number(probe, wish, text, index, why, size);

    uint8_t digits[UUID_SIZE];
    const uint8_t *const uuid = parse_uuid(text, digits) ? digits : NULL;
    unsigned matches = 0, software = 0, first_software = 0;
    for (unsigned i = 0; i < probe->count; i++) {
        const GpuDeviceInfo *device = &probe->devices[i];
        if (!is_called(device, text, uuid))
            continue;
        if (is_software(device) && (uuid || !names_software(device, text))) {
            if (software++ == 0)
                first_software = i;
        } else if (matches++ == 0) {
            *index = i;
        }
    }
    int err = 0;
    if (!matches && software) {
        matches = software;
        *index = first_software;
        err = check_software(probe, wish, text, *index, why, size);
    }
    if (!err && matches == 1)
        return 0;
    if (!err && matches)
        snprintf(why, size, "%u devices are called \"%s\"; give the index or the UUID", matches,
                 text);
    else if (!err)
        snprintf(why, size, "no device is called \"%s\"", text);
    return -ENODEV;
}

static int choose_index(const GpuProbe *probe, const GpuWish *wish, unsigned *index, char *why,
                        size_t size)
{
    char text[16];
    snprintf(text, sizeof(text), "%d", wish->index);
    const int err = choose_number(probe, wish, text, index, why, size);
    if (!probe->count)
        gpu_explain_none(probe, why, size);
    return probe->count && (unsigned)wish->index >= probe->count ? -EINVAL : err;
}

int gpu_choose(const GpuProbe *probe, const GpuWish *wish, unsigned *index, char *why, size_t size)
{
    why[0] = '\0';
    if (wish->device)
        return choose_named(probe, wish, wish->device, index, why, size);
    if (wish->index >= 0)
        return choose_index(probe, wish, index, why, size);
    const int err = choose_any(probe, allows_software(probe, wish), index);
    if (err)
        gpu_explain_none(probe, why, size);
    return err;
}

/* ---- choosing several devices ---- */

/* Chooses all devices that may be used without being named. */
static int choose_all(const GpuProbe *probe, const GpuWish *wish, unsigned *indices,
                      unsigned *count, char *why, size_t size)
{
    const bool allow_software = allows_software(probe, wish);
    for (unsigned i = 0; i < probe->count; i++)
        if (!probe->devices[i].missing[0] && (allow_software || !is_software(&probe->devices[i])))
            indices[(*count)++] = i;
    if (!*count)
        gpu_explain_none(probe, why, size);
    return *count ? 0 : -ENODEV;
}

static int choose_list(const GpuProbe *probe, const GpuWish *wish, char *names, unsigned *indices,
                       unsigned *count, char *why, size_t size)
{
    int err = 0;
    for (char *name = names, *next; !err && name; name = next) {
        next = strchr(name, ',');
        if (next)
            *next++ = '\0';
        err = choose_named(probe, wish, name, &indices[*count], why, size);
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

int gpu_choose_all(const GpuProbe *probe, const GpuWish *wish, unsigned **out, unsigned *count,
                   char *why, size_t size)
{
    const bool all = wish->several && wish->device && !strcmp(wish->device, "all");
    const size_t length = wish->device ? strlen(wish->device) : 0;
    unsigned *indices = mem_array(probe->count + length + 1, sizeof(*indices));
    char *names = mem_zalloc(length + 1);
    int err = indices && names ? 0 : -ENOMEM;
    why[0] = '\0';
    *count = 0;
    if (!err)
        memcpy(names, wish->device ? wish->device : "", length);
    if (!err && all) {
        err = choose_all(probe, wish, indices, count, why, size);
    } else if (!err && is_list(probe, wish)) {
        err = choose_list(probe, wish, names, indices, count, why, size);
    } else if (!err) {
        err = gpu_choose(probe, wish, indices, why, size);
        *count = 1;
    }
    mem_free(names);
    if (err)
        mem_free(indices);
    *out = err ? NULL : indices;
    return err;
}
