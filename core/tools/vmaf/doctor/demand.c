/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "doctor.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_software(const json_t *device)
{
    return !strcmp(text_of(device, "type"), "software");
}

bool is_hardware(const json_t *device)
{
    /* A driver's null device, which compiles and runs nothing, has no memory. */
    return !is_software(device) && json_integer_value(json_object_get(device, "memory_mib")) > 0;
}

/* True if `text` has `part` in it, in capitals or not. */
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

/* Compares hexadecimal digits; dashes do not count. */
static bool is_uuid(const char *uuid, const char *text)
{
    unsigned digits = 0;
    for (;; uuid++, text++, digits++) {
        uuid += strspn(uuid, "-");
        text += strspn(text, "-");
        if (!*uuid || tolower((unsigned char)*uuid) != tolower((unsigned char)*text))
            return !*uuid && !*text && digits == 32;
    }
}

static bool is_pci(const char *pci, const char *text)
{
    const size_t length = strlen(text), whole = strlen(pci);
    return strchr(text, ':') && length <= whole && contains(pci + whole - length, text);
}

/* True if the words are this device's UUID, its PCI address or a piece of its name. */
static bool is_called(const json_t *device, const char *words)
{
    return *words &&
           (is_uuid(text_of(device, "uuid"), words) || is_pci(text_of(device, "pci"), words) ||
            contains(text_of(device, "name"), words));
}

static bool is_number(const char *words)
{
    return *words && words[strspn(words, "0123456789")] == '\0' && strlen(words) < 10;
}

/* True if the words say that they mean a software device, by the rule that scoring has (ADR 28):
 * they have a word that only such devices have in their names, or are the whole name. A maker's
 * name says nothing: the CPU of an OpenCL driver has it, too. */
static bool names_software(const json_t *device, const char *words)
{
    static const char *const names[] = { "llvm",   "swiftshader", "software",    "softpipe",
                                         "cpu",    "host",        "emulat",      "pocl",
                                         "openmp", "warp",        "basic render" };
    if (!contains(text_of(device, "name"), words))
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (contains(words, names[i]))
            return true;
    return strlen(words) == strlen(text_of(device, "name"));
}

static bool meets(const json_t *device, const char *wish)
{
    return !strcmp(wish, "hardware") ? is_hardware(device) : is_called(device, wish);
}

static bool is_device(const json_t *device, const char *wish)
{
    char index[24];
    snprintf(index, sizeof(index), "%d", (int)json_integer_value(json_object_get(device, "index")));
    return is_number(wish) ? !strcmp(index, wish) : is_called(device, wish);
}

bool demand_accepts(const Demand *demand, const json_t *device, char *why, size_t size)
{
    bool named = false;
    for (size_t i = 0; demand->require && i < demand->require->count; i++) {
        const char *const wish = demand->require->at[i];
        if (!meets(device, wish)) {
            snprintf(why, size, "--require %s asks for another device", wish);
            return false;
        }
        named = named || (strcmp(wish, "hardware") != 0 && names_software(device, wish));
    }
    if (demand->device && !is_device(device, demand->device)) {
        snprintf(why, size, "--device %s asks for another device", demand->device);
        return false;
    }
    if (!is_software(device) && !is_hardware(device)) {
        snprintf(why, size, "its driver's null device, which computes nothing");
        return false;
    }
    named = named || (demand->device && !is_number(demand->device) &&
                      names_software(device, demand->device));
    if (is_software(device) && !demand->software && !named) {
        snprintf(why, size, "a software device, which counts only with --allow_software");
        return false;
    }
    return true;
}

void demand_text(const Demand *demand, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; demand->require && i < demand->require->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " and " : "",
                                 demand->require->at[i]);
    if (demand->device && used < size)
        snprintf(text + used, size - used, "%s%s%s", used ? " and " : "",
                 is_number(demand->device) ? "number " : "", demand->device);
}
